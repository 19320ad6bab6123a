"""What each language says a file declares."""
