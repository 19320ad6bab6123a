"""What code can prove of anybody's report, and the sentences that only a judge can read."""
