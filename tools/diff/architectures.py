"""The architectures that a CMake build appends to its lists, by whichever conditions."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from agent.facts import FactKind
from tools.diff.draft import Draft, Span, Where
from tools.diff.hunks import Patch
from tools.diff.roles import Role, role

_APPENDED = re.compile(r".\s*list\s*\(\s*APPEND\s+(\w*ARCH(?!IV)\w*)\s+([^)]+)\)", re.IGNORECASE)
_BEGUN = re.compile(r".\s*set\s*\(\s*(\w*ARCH(?!IV)\w*)\b", re.IGNORECASE)
_ARCHITECTURE = re.compile(r"(?:sm_?|compute_|gfx)?\d[\w.]*(?:\+PTX|-real|-virtual)?$")


def appended(path: str, patch: Patch) -> Iterator[Draft]:
    """Tell of each list which architectures are appended to it now and were not before, all conditions aside.

    What only went under another condition is on both sides, and a list that is begun or dropped here is that of a part
    which came or went.
    """
    if role(path) is not Role.BUILD or not any(
        "ARCH" in line for side in (patch.added, patch.removed) for line in side.values()
    ):
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
