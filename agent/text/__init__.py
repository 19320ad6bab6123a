"""Text of others, made harmless."""
