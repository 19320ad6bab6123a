"""The public names of Python packages, resolved over whole trees, and changes of them."""
