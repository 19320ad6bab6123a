"""Evaluations: generated worlds, a loopback GitHub, scripted models, sets and scores."""
