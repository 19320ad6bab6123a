"""GitHub's API as a source of code and threads."""
