"""A diff read like an engineer would: facts with their proof."""
