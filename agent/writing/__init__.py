"""What is written of commits: targets of writing, tasks, and the claims made of a model's answers."""
