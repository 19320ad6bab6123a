"""Evaluates expressions of one's own Python code without running them."""
