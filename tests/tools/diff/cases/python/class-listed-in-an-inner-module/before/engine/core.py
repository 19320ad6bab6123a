def run(path):
    return path
