"""What a user may configure, and how it is read."""
