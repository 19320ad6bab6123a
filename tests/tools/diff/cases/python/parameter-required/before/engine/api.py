def generate(prompt: str, seed: int = 0) -> str:
    return run(prompt, seed)
