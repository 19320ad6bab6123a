"""Where spans go."""


def make(name: str) -> object:
    exporter = find_exporter(name)
    return exporter.build(name)
