"""Made-up repositories with known truth, from a seed."""
