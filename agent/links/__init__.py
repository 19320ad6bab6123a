"""Connects issues with the changes that address them, by records, by words, and by content."""
