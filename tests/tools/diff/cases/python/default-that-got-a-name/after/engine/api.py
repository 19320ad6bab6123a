"""What users call."""

DEFAULT_LENGTH = 256


def generate(prompt: str, length: int = DEFAULT_LENGTH) -> str:
    return run(prompt, length)
