"""The evaluation sets, one module each."""
