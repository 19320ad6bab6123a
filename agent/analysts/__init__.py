"""Analysts: the rules, which write from facts, and a model, which writes from a packet."""
