"""Worlds in which one artefact carries a text that tries to give orders."""
