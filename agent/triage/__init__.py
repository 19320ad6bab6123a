"""How much a landed commit matters, and how reading is shared out."""
