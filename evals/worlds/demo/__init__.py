"""The world to look at."""
