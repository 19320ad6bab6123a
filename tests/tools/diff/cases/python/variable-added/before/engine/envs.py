import os

CACHE = os.getenv("ENGINE_CACHE", "~/.cache/engine")
