"""What models are shown of a commit: packets of its words, facts, diff and the code around it."""
