"""The one verifier: what a claim says, held against the evidence it cites."""
