def other(n):
    if n < 0:
        raise ValueError(f"the number of heads is negative: {n} heads")
    return n
