"""Looking back: earlier commits to which those of a day belong."""
