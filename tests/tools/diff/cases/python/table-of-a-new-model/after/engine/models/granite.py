class AttentionLayer: ...


class MambaLayer: ...


LAYERS = {
    "attention": AttentionLayer,
    "mamba": MambaLayer,
}


def build(config):
    return LAYERS[config.kind](config)
