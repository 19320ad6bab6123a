"""The world that has everything."""
