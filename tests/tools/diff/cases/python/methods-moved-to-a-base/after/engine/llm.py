"""The way in."""

from engine.pooling import Pooling


class LLM(Pooling):
    def generate(self, prompt: str) -> str:
        return prompt
