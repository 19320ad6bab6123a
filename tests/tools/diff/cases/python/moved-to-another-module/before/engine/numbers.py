"""Arithmetic."""

UNIT = 8
