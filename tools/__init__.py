"""Sources (git, GitHub, models), facts of diffs, and the tools for agents."""
