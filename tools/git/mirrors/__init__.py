"""Mirrors of repositories that Gitzette keeps itself."""
