"""What Gitzette speaks of."""
