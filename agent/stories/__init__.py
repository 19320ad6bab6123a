"""Which changes belong together over days and repositories: found from what git and people recorded."""
