def plan(indptr, page_size, head_dim=128):
    return indptr


def decode(query, cache, scale=1.0):
    return query


def load(path, revision=None):
    return path


def sample(logits, top_k, top_p):
    return logits
