"""Which function of Python has the body of one that went: a method made of it, a function made of a method."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import dropwhile, takewhile
from typing import NamedTuple

from agent.domain import FileChange
from tools.diff.draft import Draft
from tools.diff.hunks import Patch, read_patch
from tools.diff.likeness import likeness
from tools.diff.successors import lost_body

_HEAD = re.compile(r"(\s*)(?:async )?(def|class) (\w+)")
_HEADS = ("def ", "class ", "async ")
_OWN = re.compile(r"\b(?:self|cls)\.")
_FEW = 5
_MOST_OF_IT = 0.75
_MOST_ASKED = 200
_MOST = 2_000_000
"""Characters of patches that are looked through."""
_RUN = 60
"""Lines in which a head and the one in its place are looked for."""
_STAYED = 2
"""Lines below another head that show that the body stayed where it was."""


class House(NamedTuple):
    """A function as a new version has it: where, and by which name."""

    file: str
    name: str


class _Head(NamedTuple):
    """The head of a class or function that is open, and the sign of a function's line."""

    depth: int
    name: str
    sign: str


class Rehoused:
    """The patches of a commit, asked for the bodies that other functions have now."""

    def __init__(self, files: Sequence[FileChange]) -> None:
        self._patches = {file.path: file.patch for file in files if file.patch and file.path.endswith(".py")}
        self._read: dict[str, Patch] = {}
        self._asked = 0

    def of(self, draft: Draft, path: str) -> House | None:
        """Find the function that has taken the place of one, or else the new one that has nearly all of its body."""
        patch = self._patches.get(path)
        self._asked += 1
        if patch is None or draft.where.old is None or self._asked > _MOST_ASKED:
            return None
        if path not in self._read:
            self._read[path] = read_patch(patch)
        parts = self._read[path]
        if name := _in_its_place(draft, draft.where.old[1], patch, parts):
            return House(path, name)
        body = [_plain(line) for line in lost_body(parts.removed, *draft.where.old)]
        if len(body) < _FEW:
            return None
        shares = Counter(house for line in body for house in self._lines.get(line, ()))
        most = max(shares.values(), default=0)
        best = [house for house, count in shares.items() if count == most >= _MOST_OF_IT * len(body)]
        own = draft.name.rpartition(".")[2]
        return max(best, key=lambda house: likeness(own, house.name, 0.0), default=None)

    @cached_property
    def _lines(self) -> dict[str, set[House]]:
        """Give the added lines with the new functions that have them."""
        found: dict[str, set[House]] = {}
        budget = _MOST
        for path, patch in self._patches.items():
            budget -= len(patch)
            for name, line in _added(patch) if budget >= 0 else ():
                found.setdefault(_plain(line), set()).add(House(path, name))
        return found


def _plain(line: str) -> str:
    """Write a line as a method and a function have it alike."""
    return _OWN.sub("", line.strip()) if "self." in line or "cls." in line else line.strip()


def _added(patch: str) -> Iterator[tuple[str, str]]:
    """Give the added lines of functions that are new, each with the function's name and that of its class."""
    around: list[_Head] = []
    for line in patch.split("\n"):
        text = line[1:]
        if line.startswith("@@"):
            heading = _HEAD.match(line.rpartition("@@ ")[2])
            around = [_Head(0, heading[3], "")] if heading is not None and heading[2] == "class" else []
        elif line[:1] != "-" and (bare := text.lstrip()) and bare[0] not in ")]}#":
            while around and len(text) - len(bare) <= around[-1].depth:
                around.pop()
            if bare.startswith(_HEADS) and (head := _HEAD.match(text)) is not None:
                around.append(_Head(len(head[1]), head[3], line[0] if head[2] == "def" else ""))
            elif line[0] == "+":
                at = next((at for at, one in enumerate(around) if one.sign), len(around))
                if at < len(around) and around[at].sign == "+":
                    yield ".".join(one.name for one in around[: at + 1]), text


def _in_its_place(draft: Draft, head: int, text: str, patch: Patch) -> str | None:
    """Name the function whose head stands where the head of another stood, above lines that stayed."""
    owner, dot, own = draft.name.rpartition(".")
    if not all(patch.kept(head + line) for line in range(1, _STAYED + 1)):
        return None
    found = re.search(rf"\n-([ \t]*)(?:async )?def {re.escape(own)}\(", text)
    lines = text[found.start() + 1 :].split("\n", _RUN)[:_RUN] if found is not None else []
    after = dropwhile(lambda line: line[:1] == "-", lines)
    heads = [one for line in takewhile(lambda line: line[:1] == "+", after) if (one := _HEAD.match(line, 1))]
    if found is None or not heads or heads[-1][1] != found[1] or heads[-1][2] != "def" or heads[-1][3] == own:
        return None
    return f"{owner}{dot}{heads[-1][3]}"
