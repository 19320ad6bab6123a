def prefill(query, key):
    return query @ key


def single_decode(query, key):
    scores = query @ key
    return scores.softmax()


def _scale(query):
    return query / 8
