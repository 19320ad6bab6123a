"""Checking anybody's report: what it states, and whether that is so."""
