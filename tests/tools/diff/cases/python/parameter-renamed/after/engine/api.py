def generate(prompt: str, count: int = 1) -> list[str]:
    return [prompt] * count
