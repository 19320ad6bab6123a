from engine.core.formats import read


def load(path):
    config = read(path)
    return config
