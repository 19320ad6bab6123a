def collect(path):
    return path
