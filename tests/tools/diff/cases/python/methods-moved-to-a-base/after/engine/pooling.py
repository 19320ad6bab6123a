"""Embeddings."""


class Pooling:
    def embed(self, prompt: str, size: int = 8) -> list[float]:
        if size < 1:
            raise ValueError("size must be positive")
        return [0.0] * size
