"""What a pull request bumps, read from the files at its base and its head; pure functions."""
