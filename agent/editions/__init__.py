"""Other reports than a day's: a week, an upgrade, what the user's own code uses."""
