def check_a(a):
    return a


def check_b(a):
    return a


def check_c(a):
    return a


