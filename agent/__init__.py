"""Types, weights, checks and texts; pure, without input or output."""
