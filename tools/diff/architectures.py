"""The architectures that a build appends to its lists, or tells its compiler, by whichever conditions."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from agent.facts import FactKind
from tools.diff.draft import Draft, Span, Where
from tools.diff.hunks import Patch
from tools.diff.roles import Role, role

_APPENDED = re.compile(r".\s*list\s*\(\s*APPEND\s+(\w*ARCH(?!IV)\w*)\s+([^)]+)\)", re.IGNORECASE)
_BEGUN = re.compile(r".\s*set\s*\(\s*(\w*ARCH(?!IV)\w*)\b", re.IGNORECASE)
_MADE = "arch=compute_"
_TARGET = re.compile(r"arch=compute_\w+,code=[\[\\]*((?:sm|compute|lto)_\w+)")
_REMARK = re.compile(r".\s*(?:#|//)")
_ARCHITECTURE = re.compile(r"(?:sm_?|compute_|gfx)?\d[\w.]*(?:\+PTX|-real|-virtual)?$")


def built_for(path: str, patch: Patch) -> Iterator[Draft]:
    """Tell for which architectures a list of CMake builds now, or no longer."""
    if role(path) is Role.BUILD and not path.endswith(".py"):
        yield from _appended(path, patch)
        yield from _generated(path, patch)


def _generated(path: str, patch: Patch) -> Iterator[Draft]:
    """Tell which architectures a compiler is told to make code for (`-gencode arch=compute_90a,code=sm_90a`)."""
    gone, come = (_targets(lines) for lines in (patch.removed, patch.added))
    left, new = (
        {one: at for one, at in side.items() if one not in other} for side, other in ((gone, come), (come, gone))
    )
    # What only went may be told to the compiler by other means, unless others beside it stay.
    stays = (line for hunk in patch.hunks for line in hunk.lines if line[:1] == " ")
    if new or (left and any(_MADE in line for line in stays)):
        texts = " ".join(left) or None, " ".join(new) or None
        where = Where(_span(left), _span(new))
        yield Draft(FactKind.VALUE_CHANGED, path.rpartition("/")[2], True, where, *texts, "-gencode")


def _targets(lines: Mapping[int, str]) -> dict[str, int]:
    """Find what code is made for, with its line; remarks make none."""
    found: dict[str, int] = {}
    for number, line in lines.items():
        if _MADE in line and not _REMARK.match(line):
            for match in _TARGET.finditer(line):
                found.setdefault(match[1], number)
    return found


def _appended(path: str, patch: Patch) -> Iterator[Draft]:
    """Tell of each list which architectures are appended to it now and were not before, all conditions aside.

    What only went under another condition is on both sides, and a list that is begun or dropped here is that of a part
    which came or went.
    """
    if not any("ARCH" in line for side in (patch.added, patch.removed) for line in side.values()):
        return
    gone, come = _lists(patch.removed), _lists(patch.added)
    aside = {found[1] for side in (patch.removed, patch.added) for line in side.values() if (found := _begun(line))}
    # What is not written out may be anything.
    aside |= {name for side in (gone, come) for name, items in side.items() if not all(map(_ARCHITECTURE.match, items))}
    for name in dict.fromkeys((*gone, *come)):
        old, new = gone.get(name, {}), come.get(name, {})
        if name in aside or old.keys() == new.keys():
            continue
        where = Where(_span(old), _span(new))
        texts = " ".join(old) or None, " ".join(new) or None
        yield Draft(FactKind.VALUE_CHANGED, path.rpartition("/")[2], True, where, *texts, name)


def _begun(line: str) -> re.Match[str] | None:
    return _BEGUN.match(line) if "ARCH" in line else None


def _lists(lines: Mapping[int, str]) -> dict[str, dict[str, int]]:
    """Find what is appended to which list, with its line."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for number, line in lines.items():
        match = _APPENDED.match(line) if "APPEND" in line else None
        if match is not None:
            for item in re.split(r"[\s;\"]+", match[2].strip(' "')):
                found[match[1]].setdefault(item, number)
    return found


def _span(items: Mapping[str, int]) -> Span | None:
    return (min(items.values()), max(items.values())) if items else None
