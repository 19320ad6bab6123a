"""How good it is: worlds, a GitHub to serve them, sets and scorers."""
