__all__ = ["rmsnorm"]


def layernorm(x):
    return x


def rmsnorm(x):
    return x
