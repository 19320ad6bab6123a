"""What the agent can call, and the sources behind it."""
