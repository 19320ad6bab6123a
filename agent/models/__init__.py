"""What is asked of models, and how their answers are taken."""
