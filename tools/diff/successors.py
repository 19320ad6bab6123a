"""Which function of a new file another one has become: it has the same body, or all but the name."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from agent.domain import FileChange
from tools.diff.draft import Draft
from tools.diff.hunks import read_patch
from tools.diff.likeness import likeness

_DEFINED = re.compile(r"(?:async )?(?:def|class) (\w+)")
_SAYS_LITTLE = 6
_FEW = 4
_MOST_FILES = 50
_MOST_OF_IT = 0.75
_LONG_NAME = 8
_TYPED = 3
"""Parameters with a type that hardly two functions have in common by chance."""


class Successors:
    """The new files of Python of a commit, asked for what has taken the place of a function that went."""

    def __init__(self, files: Sequence[FileChange], new: Sequence[FileChange], came: Mapping[str, list[str]]) -> None:
        self._files = files
        self._new = new
        self._came = came
        """The names that new files declare, and the paths of these."""
        self._removed: dict[str, dict[int, str]] = {}

    def by_body(self, draft: Draft, path: str) -> str | None:
        """Name the function that has nearly the same body, and of several the one that has most of it."""
        body = self._body(draft, path)
        if len(body) < _FEW:
            return None
        shares = dict[str, int]()
        for lines in self._lines:
            found = Counter(owner for line in body for owner in lines.get(line, ()) if owner)
            # Helpers that are nearly alike differ in one line: the one that has them all is the heir.
            shares |= {name: count for name, count in found.items() if count >= _MOST_OF_IT * len(body)}
        most = max(shares.values(), default=0)
        best = [name for name, count in shares.items() if count == most]
        own = draft.name.rpartition(".")[2]
        return max(best, key=lambda name: likeness(own, name, 0.0), default=None)

    def keeps(self, draft: Draft, path: str) -> bool:
        """Tell whether one of the bases of a class has nearly all that a member of it said."""
        said = self._body(draft, path) if draft.detail != "field" else self._head(draft, path)
        kept = [
            sum(bool(lines.get(line, set()) & {*draft.bases}) for line in said)
            for lines in (self._lines if said and draft.bases else ())
        ]
        return max(kept, default=0) >= max(1.0, _MOST_OF_IT * len(said))

    def by_name(self, draft: Draft, path: str) -> str | None:
        """Name the function that differs in underscores only, or in a word where the parameters are equal."""
        if not path.endswith(".py") or len(draft.name.strip("_")) < _LONG_NAME:
            return None
        for name in (draft.name.lstrip("_"), f"_{draft.name}"):
            if name != draft.name and any(True for _ in self._signatures(name)):
                return name
        wanted = _given(draft.old or "")
        if wanted.count(":") < _TYPED:
            return None
        names = [name for name in self._came if _differs_in_a_word(name, draft.name)]
        alike = [name for name in names if any(wanted == given for given in self._signatures(name))]
        return alike[0] if len(alike) == 1 else None

    def _signatures(self, name: str) -> Iterator[str]:
        """Give the parameters of a function in new files, without white space."""
        head = re.compile(rf"\n\+(?:async )?def {re.escape(name)}\(((?:[^()]|\([^()]*\))*)\)")
        homes = self._came.get(name, ())
        for patch in (file.patch or "" for file in self._new if file.path in homes):
            yield from (_given(f"({found[1]})".replace("\n+", "\n")) for found in head.finditer(patch))

    def _body(self, draft: Draft, path: str) -> list[str]:
        return [] if draft.where.old is None else lost_body(self._gone(path), *draft.where.old)

    def _head(self, draft: Draft, path: str) -> list[str]:
        first, last = draft.where.old or (1, 0)
        lines = (self._gone(path).get(number, "")[1:].strip() for number in range(first, last + 1))
        return [line for line in lines if line]

    def _gone(self, path: str) -> dict[int, str]:
        """Give the lines that a file lost."""
        if path not in self._removed and len(self._removed) >= _MOST_FILES:
            return {}
        if path not in self._removed:
            patch = next((file.patch for file in self._files if file.path == path), None) or ""
            self._removed[path] = read_patch(patch).removed
        return self._removed[path]

    @cached_property
    def _lines(self) -> list[dict[str, set[str]]]:
        """Give the lines of each file with the functions or classes at the margin that have them."""
        found: list[dict[str, set[str]]] = []
        for file in self._new:
            owner, lines = "", dict[str, set[str]]()
            for line in (file.patch or "").split("\n"):
                if (start := _DEFINED.match(line, 1)) is not None:
                    owner = start[1]
                lines.setdefault(line[1:].strip(), set()).add(owner)
            found.append(lines)
        return found


def _given(declaration: str) -> str:
    """Take the parameters out of a declaration, without white space and the comma behind the last."""
    text = "".join(declaration.partition("(")[2].split())
    return text.removesuffix(")").removesuffix(",")


def _differs_in_a_word(one: str, other: str) -> bool:
    """Tell whether one name is the other with a word more in front or behind."""
    short, long = sorted((one.strip("_"), other.strip("_")), key=len)
    return len(short) >= _LONG_NAME and (long.startswith(f"{short}_") or long.endswith(f"_{short}"))


def lost_body(removed: dict[int, str], start: int, head: int) -> list[str]:
    """List the removed lines of a body that say something: those below the head that stand deeper than it."""
    margin = _depth(removed.get(start, " "))
    lines: list[str] = []
    at = head + 1
    while (line := removed.get(at)) is not None and (not line[1:].strip() or _depth(line) > margin):
        if len(text := line[1:].strip()) >= _SAYS_LITTLE:
            lines.append(text)
        at += 1
    return lines


def _depth(line: str) -> int:
    return len(line) - len(line[1:].lstrip())
