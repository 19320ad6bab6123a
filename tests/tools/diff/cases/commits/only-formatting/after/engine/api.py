def generate(prompt, length=16, seed=0):
    return run(prompt, length, seed)
