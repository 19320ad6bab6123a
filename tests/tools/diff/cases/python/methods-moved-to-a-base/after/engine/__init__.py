"""An engine."""

from engine.llm import LLM
