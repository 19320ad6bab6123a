from dataclasses import dataclass


@dataclass
class CacheConfig:
    """How the cache is kept."""

    block_size: int = 16
    swap_space: float = 4.0
    enable_prefix_caching: bool = False
