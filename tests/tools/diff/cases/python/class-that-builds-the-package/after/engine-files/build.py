def build(path):
    return path, 1
