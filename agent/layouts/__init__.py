"""How a report reads: its data as pages, in each layout and language."""
