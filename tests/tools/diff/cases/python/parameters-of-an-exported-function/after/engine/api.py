def plan(indptr, page_size, num_heads, head_dim=64):
    return indptr


def decode(query, cache):
    return query


def load(path, revision=None, *, token=None):
    return path


def sample(logits, top_p, top_k):
    return logits
