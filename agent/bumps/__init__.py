"""Bumps of dependencies, read from the files at base and head of a pull request; pure functions."""
