"""Who writes: the rules from facts, and a model from the packet that it is shown."""
