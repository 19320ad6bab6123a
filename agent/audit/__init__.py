"""Checks of anybody's report: by code where it can prove something, else by a judge."""
