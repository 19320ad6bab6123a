"""The commands that a person types, one module for each or for a few that are alike."""
