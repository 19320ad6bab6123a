"""Questions about recent changes: what somebody asks, what fits it, and an answer that can be checked."""
