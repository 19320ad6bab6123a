import os

TIMEOUT = int(os.getenv("ENGINE_TIMEOUT", "600"))
