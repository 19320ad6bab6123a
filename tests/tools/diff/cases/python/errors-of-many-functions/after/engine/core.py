def check_a(a):
    if a.a is None:
        raise ValueError("a must be given")
    return a


def check_b(a):
    if a.b is None:
        raise ValueError("b must be given")
    return a


def check_c(a):
    if a.c is None:
        raise ValueError("c must be given")
    return a


