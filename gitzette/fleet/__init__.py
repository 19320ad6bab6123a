"""Many repositories on several machines: workers, a schedule, editions and shared limits."""
