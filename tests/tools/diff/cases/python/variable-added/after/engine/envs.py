import os

CACHE = os.getenv("ENGINE_CACHE", "~/.cache/engine")
USE_FAST_PATH = os.environ.get("ENGINE_USE_FAST_PATH", "1") == "1"
