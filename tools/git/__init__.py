"""Commits and diffs from a local clone or mirror."""
