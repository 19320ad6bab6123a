"""An engine."""
