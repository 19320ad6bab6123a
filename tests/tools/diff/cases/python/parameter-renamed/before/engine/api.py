def generate(prompt: str, n: int = 1) -> list[str]:
    return [prompt] * n
