"""Where and when the demo world plays."""

OWNER = "lumen-ai"
DAY = "2026-02-04"
"""The day to report on."""
EVE = "2026-02-03"
MORROW = "2026-02-05"
"""The world's present is early on this day."""
EARLY = 400
"""Minutes of the present day in which something may have landed already."""
