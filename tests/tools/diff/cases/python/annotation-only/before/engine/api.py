def generate(prompt, length=256):
    return run(prompt, length)
