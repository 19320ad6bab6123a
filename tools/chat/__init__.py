"""Talking to a chat model behind any OpenAI-compatible endpoint."""
