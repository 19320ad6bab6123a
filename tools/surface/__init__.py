"""What a Python package lets others import, resolved over its whole tree, and what a change takes away."""
