import warnings


def generate(prompt):
    return run(prompt)


def beam_search(prompt):
    return run(prompt)
