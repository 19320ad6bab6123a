MODULES = {
    "TileConfig": "engine.configs.tile",
    "HeadConfig": "engine.configs.head",
}


def load(name):
    return import_module(MODULES[name])
