"""Cases for a judge: its rulings, and the false sentences that it must refuse."""
