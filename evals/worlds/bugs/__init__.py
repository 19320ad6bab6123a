"""Flaws in the made-up projects."""
