"""The world that has a commit for every kind of fact in every language."""
