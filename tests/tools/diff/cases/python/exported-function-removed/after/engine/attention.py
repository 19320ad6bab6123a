def prefill(query, key):
    return query @ key


def _scale(query):
    return query / 8
