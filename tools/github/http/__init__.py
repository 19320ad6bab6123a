"""A polite HTTP client of GitHub."""
