import os

TRACED = os.environ.get("ENGINE_TRACE", "0")
