from engine.types import Mode

__all__ = ["Mode"]
