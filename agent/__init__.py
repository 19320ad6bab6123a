"""What things are and how they are judged."""
