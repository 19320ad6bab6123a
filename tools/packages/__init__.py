"""Reads what a range bumps, finds the sources of packages, and compares their versions."""
