"""Pairs of worlds that differ in one fact."""
