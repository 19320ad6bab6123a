"""Many repositories on several machines: workers, a schedule, editions, shared limits; PostgreSQL holds it together."""
