def check(n):
    if n > 4:
        raise ValueError("at most four heads are supported")
    if n < 0:
        raise ValueError(f"the number of heads is negative: {n}")
    return n
