"""What a run asks of sources, memory and the outside, as small protocols."""
