__all__ = ["layernorm", "rmsnorm"]


def layernorm(x):
    return x


def rmsnorm(x):
    return x
