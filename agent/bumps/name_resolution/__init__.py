"""Resolves what names and expressions of one's own Python code stand for, without running them."""
