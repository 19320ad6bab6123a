"""Keeps blocks."""

SIZE = 16
