"""Adapt the checkpoints of others to the layers of the engine."""


def check(config):
    if config.bias:
        raise ValueError("adapters with a bias are not supported")
    return config
