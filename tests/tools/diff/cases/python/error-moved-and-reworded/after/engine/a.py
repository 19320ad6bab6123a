def check(n):
    if n > 4:
        raise RuntimeError("at most four heads are supported here")
    return n
