from engine.core import run

__all__ = ["run"]
