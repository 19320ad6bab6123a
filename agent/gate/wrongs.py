"""What the evidence tells as wrong, told as what is so now."""

import re
from collections.abc import Sequence

from agent.claims import Judgement
from agent.gate.closeness import said_near, share_of
from agent.gate.content import stems_of
from agent.gate.direction import Direction
from agent.gate.lists import listed
from agent.gate.prose import Kind, Token, clauses
from agent.gate.reading import Reading, undecided
from agent.gate.stems import vocabulary

_NOW = listed("now 现在 如今 从此 会")
_FAILS = listed("crashes fails hangs breaks leaks deadlocks segfaults aborts asserts stalls overflows miscompiles")
_MENDED = listed(
    "no not never longer previously formerly earlier used was were had avoid avoids avoiding prevent prevents "
    "preventing instead rather without stop stops until unless if when where once after would could "
    "不再 不会 不 避免 防止 以免 此前 之前 原先 原来 曾 曾经 过去 不能 无需 而不是 时 如果 若 当 才"
)
"""Words that set apart what was from what is, or tell of a case."""
_WRONG = re.compile(
    r"\b(?:caus(?:ed|ing|es)|previously|used to|would|wrong\w*|incorrect\w*|erroneous\w*|mistaken\w*|bug|"
    r"swapped|broken|crash\w*|fail\w*)\b",
    re.IGNORECASE,
)
_NO = re.compile(r"\b(?:no|not|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_FIXES = re.compile(r"\b(?:bug|fix|hotfix)", re.IGNORECASE)
_ALIKE, _NEARLY, _LEAST = 0.7, 0.1, 4


def check_wrongs(reading: Reading) -> Judgement | None:
    """Refuse to tell as so now what every line that fits as well tells as a fault."""
    mended = any(act.direction in (Direction.FIX, Direction.REVERT) for act in reading.acts)
    for clause in clauses(reading.tokens):
        words = {token.lower for token in clause if token.kind in (Kind.WORD, Kind.HAN)}
        if words & _MENDED:
            continue
        if words & _FAILS and not mended and any(map(_FIXES.search, reading.ground.titles)):
            return undecided("opposite", "a fault is told as so now, and the evidence says that it was fixed")
        if words & _NOW and _is_fault(clause, reading):
            return undecided("opposite", "the evidence tells of this as a fault, not as what is so now")
    return None


def _is_fault(clause: Sequence[Token], reading: Reading) -> bool:
    meant = stems_of(clause, trade=True)
    if len(meant) < _LEAST:
        return False
    lines = [(share_of(vocabulary(line), meant), line) for line in (*reading.ground.said, *reading.ground.remarks)]
    best = max((share for share, _ in lines), default=0.0)
    fitting = [line for share, line in lines if share >= max(best - _NEARLY, _ALIKE)]
    denied = (said_near([line], _NO, meant, before=0, after=3) for line in fitting)
    return bool(fitting) and all(no or _WRONG.search(line) for no, line in zip(denied, fitting, strict=True))
