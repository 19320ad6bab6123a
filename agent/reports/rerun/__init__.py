"""The parts of a report that is merged of two runs of one window."""
