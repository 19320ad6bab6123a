from dataclasses import dataclass


@dataclass
class CacheConfig:
    """How the cache is kept."""

    block_size: int = 16
    enable_prefix_caching: bool = True
    sliding_window: int | None = None
