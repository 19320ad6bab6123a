from engine.core.formats import read
from engine.core.adapter import check


def load(path):
    config = read(path)
    return check(config)
