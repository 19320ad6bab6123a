"""A Python module with classes, enumerations, records and functions, to be changed."""

MODULE = '''\
"""Everything about a ~noun~ between the scheduler and the kernels."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any

import torch
from pydantic import BaseModel

logger = logging.getLogger(__name__)

MAX_~NOUN~S = ~big~
DEFAULT_DTYPE = "bfloat16"


class ~Noun~State(Enum):
    """Where a ~noun~ is in its life."""

    WAITING = "waiting"
    RUNNING = "running"
    PREEMPTED = "preempted"
    FINISHED = "finished"


class ~Noun~Priority(IntEnum):
    LOW = 0
    NORMAL = 5
    HIGH = 9


@dataclass
class ~Noun~Options:
    """What a caller may choose."""

    model: str
    ~opt~: int = ~small~
    dtype: str = DEFAULT_DTYPE
    eos_ids: list[int] = field(default_factory=list)
    enable_graph: bool = True


class ~Noun~Payload(BaseModel):
    """What goes over the wire."""

    rid: str
    text: str | None = None
    temperature: float = 1.0
    logprobs: bool = False


class Base~Noun~:
    def close(self) -> None:
        """Let go of the memory."""


class Traced~Noun~(Base~Noun~):
    """The same, with a trace."""


class ~Cls~(Base~Noun~):
    """Keeps the books."""

    def __init__(self, size: int, device: str = "cuda") -> None:
        self.size = size
        self.device = device
        self._free = list(range(size))

    def __len__(self) -> int:
        return self.size - len(self._free)

    def ~fn~(self, rid: str, ~opt~: int, pinned: bool = False) -> int:
        """Find a place for a request."""
        if not self._free:
            return -1
        slot = self._free.pop()
        logger.debug("slot %d for %s", slot, rid)
        if pinned:
            self._pin(slot)
        return slot * ~opt~

    def release(self, slot: int) -> None:
        """Give a place back."""
        self._free.append(slot)

    def _pin(self, slot: int) -> None:
        torch.cuda.synchronize()
        logger.debug("pinned %d", slot)


def ~fn2~(
    values: torch.Tensor,
    ~opt~: int = ~small~,
    scale: float = 1.0,
    out: torch.Tensor | None = None,
) -> torch.Tensor:
    """Scale the values row by row."""
    result = torch.empty_like(values) if out is None else out
    for start in range(0, values.shape[0], ~opt~):
        torch.mul(values[start : start + ~opt~], scale, out=result[start : start + ~opt~])
    return result


def ~fn3~(requests: list[Any], limit: int, key: str = "rid") -> list[Any]:
    """Take the first of each kind."""
    seen: set[str] = set()
    kept = []
    for request in requests:
        name = getattr(request, key)
        if name in seen or len(kept) >= limit:
            continue
        seen.add(name)
        kept.append(request)
    return kept


def count_~noun~s(pools: list[~Cls~]) -> int:
    """Add them up."""
    return sum(len(pool) for pool in pools)
'''
