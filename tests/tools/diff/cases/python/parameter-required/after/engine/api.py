def generate(prompt: str, seed: int) -> str:
    return run(prompt, seed)
