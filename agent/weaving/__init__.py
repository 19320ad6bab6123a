"""Finding which changes belong together: reverts and re-lands, series, follow-ups, bumps."""
