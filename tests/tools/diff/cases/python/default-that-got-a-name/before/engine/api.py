"""What users call."""


def generate(prompt: str, length: int = 256) -> str:
    return run(prompt, length)
