"""Questions: what they name and filter by, what a model is shown and says, and how the reply reads."""
