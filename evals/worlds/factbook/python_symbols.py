"""Python: functions, classes, parameters, enumerations, fields."""

from evals.worlds.factbook.case import Case, Said, change

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


def cases() -> list[Case]:
    """List the changes."""
    return [*_symbols(), *_parameters(), *_members(), *_fields()]


def _of(title: str, swaps: tuple[tuple[str, str], ...], *said: Said) -> Case:
    return change(f"python {title}", f"atlas/core/{title.replace(' ', '_')}_~v~.py", MODULE, swaps, *said)


def _symbols() -> list[Case]:
    added = '''

def drain_~noun~s(pools: list[~Cls~], deadline: float = 5.0) -> int:
    """Wait until all are empty and say how many were not."""
    left = 0
    for pool in pools:
        left += len(pool)
    return left
'''
    tail = "    return sum(len(pool) for pool in pools)\n"
    method = "\n    def reset(self) -> None:\n        self._free = list(range(self.size))\n"
    body = MODULE[MODULE.index("def count_~noun~s") :]
    release = MODULE[MODULE.index("    def release(") : MODULE.index("    def _pin(")]
    return [
        _of("function added", ((tail, tail + added),), Said("symbol-added", "drain_~noun~s", severity="additive")),
        _of("function removed", (("\n\n" + body, ""),), Said("symbol-removed", "count_~noun~s", severity="breaking")),
        _of(
            "function renamed",
            (("def ~fn3~(", "def ~fn3~_unique("),),
            Said("symbol-renamed", "~fn3~_unique", "~fn3~", "~fn3~_unique", severity="breaking"),
        ),
        _of(
            "method added",
            (("    def _pin(", method[1:] + "\n    def _pin("),),
            Said("symbol-added", "~Cls~.reset", severity="additive"),
        ),
        _of("method removed", ((release, ""),), Said("symbol-removed", "~Cls~.release", severity="breaking")),
        _of(
            "method renamed",
            (("def release(self", "def give_back(self"),),
            Said("symbol-renamed", "~Cls~.give_back", "release", "give_back", severity="breaking"),
        ),
        _of(
            "class renamed",
            (("class ~Cls~(Base", "class Paged~Cls~(Base"), ("pools: list[~Cls~]", "pools: list[Paged~Cls~]")),
            Said("symbol-renamed", "Paged~Cls~", "~Cls~", "Paged~Cls~", severity="breaking"),
        ),
        _of(
            "class removed",
            (('class Traced~Noun~(Base~Noun~):\n    """The same, with a trace."""\n\n\n', ""),),
            Said("symbol-removed", "Traced~Noun~", severity="breaking"),
        ),
        _of(
            "base changed",
            (("class ~Cls~(Base~Noun~):", "class ~Cls~(Traced~Noun~):"),),
            Said("base-changed", "~Cls~", "Base~Noun~", "Traced~Noun~"),
        ),
        _of(
            "constant changed",
            (("MAX_~NOUN~S = ~big~\n", "MAX_~NOUN~S = ~small~\n"),),
            Said("constant-changed", "MAX_~NOUN~S", "~big~", "~small~", severity="behaviour"),
        ),
        _of(
            "text constant changed",
            (('DEFAULT_DTYPE = "bfloat16"\n', 'DEFAULT_DTYPE = "float16"\n'),),
            Said("constant-changed", "DEFAULT_DTYPE", '"bfloat16"', '"float16"', severity="behaviour"),
        ),
        _of("comment changed", (("Find a place for a request.", "Find a place, or -1."),), Said("only-comments", "")),
    ]


def _parameters() -> list[Case]:
    head, method = "    scale: float = 1.0,\n", "def ~fn~(self, rid: str, ~opt~: int, pinned: bool = False)"
    rest = "requests: list[Any], limit: int, key: str"
    return [
        _of(
            "parameter added",
            ((head, head + "    ~extra~: str | None = None,\n"),),
            Said("parameter-added", "~fn2~", detail="~extra~"),
        ),
        _of(
            "parameter appended",
            (("out: torch.Tensor | None = None,\n", "out: torch.Tensor | None = None,\n    ~extra~: bool = False,\n"),),
            Said("parameter-added", "~fn2~", detail="~extra~", severity="additive"),
        ),
        _of(
            "required parameter added",
            ((rest, "requests: list[Any], limit: int, ~extra~: str, key: str"),),
            Said("parameter-added", "~fn3~", detail="~extra~", severity="breaking"),
        ),
        _of("parameter removed", ((head, ""), (", scale, out=", ", 1.0, out=")), _gone("~fn2~", "scale")),
        _of(
            "method parameter removed",
            (
                (method, "def ~fn~(self, rid: str, ~opt~: int)"),
                ("        if pinned:\n            self._pin(slot)\n", ""),
            ),
            _gone("~Cls~.~fn~", "pinned"),
        ),
        _of(
            "parameter renamed",
            (("requests: list[Any], limit", "waiting: list[Any], limit"), ("in requests:", "in waiting:")),
            Said("parameter-renamed", "~fn3~", "requests", "waiting", severity="breaking"),
        ),
        _of(
            "parameters reordered",
            ((rest, "limit: int, requests: list[Any], key: str"),),
            Said("parameter-reordered", "~fn3~", severity="breaking"),
        ),
        _of(
            "default changed",
            (("    ~opt~: int = ~small~,\n", "    ~opt~: int = ~big~,\n"),),
            Said("parameter-default-changed", "~fn2~", "~small~", "~big~", detail="~opt~", severity="behaviour"),
        ),
        _of(
            "constructor default changed",
            (('device: str = "cuda")', 'device: str = "cpu")'),),
            Said(
                "parameter-default-changed",
                "~Cls~.__init__",
                '"cuda"',
                '"cpu"',
                detail="device",
                severity="behaviour",
            ),
        ),
        _of(
            "parameter required",
            (('key: str = "rid"', "key: str"),),
            Said("parameter-required", "~fn3~", detail="key", severity="breaking"),
        ),
        _of(
            "parameters made keyword only",
            (("limit: int, key: str", "limit: int, *, key: str"),),
            Said("signature-changed", "~fn3~", severity="breaking"),
        ),
        _of(
            "signature changed",
            ((rest, "batch: Any, key: str"), ("in requests:", "in batch.requests:"), (">= limit:", ">= batch.limit:")),
            Said("signature-changed", "~fn3~", severity="breaking"),
        ),
    ]


def _members() -> list[Case]:
    return [
        _of(
            "enum member added",
            (('    PREEMPTED = "preempted"\n', '    PREEMPTED = "preempted"\n    SWAPPED = "swapped"\n'),),
            Said("enum-member-added", "~Noun~State.SWAPPED", severity="additive"),
        ),
        _of(
            "enum member removed",
            (('    PREEMPTED = "preempted"\n', ""),),
            Said("enum-member-removed", "~Noun~State.PREEMPTED", severity="breaking"),
        ),
        _of(
            "enum member renamed",
            (("    NORMAL = 5\n", "    DEFAULT = 5\n"),),
            Said("enum-member-renamed", "~Noun~Priority.DEFAULT", "NORMAL", "DEFAULT", severity="breaking"),
        ),
        _of(
            "enum value changed",
            (("    HIGH = 9\n", "    HIGH = 10\n"),),
            Said("enum-member-changed", "~Noun~Priority.HIGH", "9", "10"),
        ),
    ]


def _fields() -> list[Case]:
    graph, temperature = "    enable_graph: bool = True\n", "    temperature: float = 1.0\n"
    return [
        _of(
            "dataclass field added",
            ((graph, graph + "    ~extra~: str | None = None\n"),),
            Said("field-added", "~Noun~Options.~extra~", severity="additive"),
        ),
        _of(
            "dataclass field removed",
            ((graph, ""),),
            Said("field-removed", "~Noun~Options.enable_graph", severity="breaking"),
        ),
        _of(
            "dataclass field renamed",
            ((graph, graph.replace("enable_graph", "use_cuda_graph")),),
            Said("field-renamed", "~Noun~Options.use_cuda_graph", "enable_graph", "use_cuda_graph"),
        ),
        _of(
            "dataclass default changed",
            ((graph, graph.replace("True", "False")),),
            Said("field-changed", "~Noun~Options.enable_graph", severity="behaviour"),
        ),
        _of(
            "pydantic field added",
            ((temperature, temperature + "    top_p: float = 1.0\n"),),
            Said("field-added", "~Noun~Payload.top_p", severity="additive"),
        ),
        _of(
            "pydantic required field added",
            (("    rid: str\n", "    rid: str\n    tenant: str\n"),),
            Said("field-added", "~Noun~Payload.tenant", severity="breaking"),
        ),
        _of(
            "pydantic field removed",
            (("    text: str | None = None\n", ""),),
            Said("field-removed", "~Noun~Payload.text", severity="breaking"),
        ),
        _of(
            "pydantic type changed",
            (("    logprobs: bool = False\n", "    logprobs: int | None = None\n"),),
            Said("field-changed", "~Noun~Payload.logprobs"),
        ),
    ]


def _gone(function: str, parameter: str) -> Said:
    return Said("parameter-removed", function, detail=parameter, severity="breaking")
