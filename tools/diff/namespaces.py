"""Namespaces of C++ that a file opens under another name: all that stands in them is called otherwise then."""

import re
from collections.abc import Iterator, Mapping

from agent.facts import FactKind
from tools.diff.draft import Draft, Where
from tools.diff.homes import Homes
from tools.diff.hunks import Patch

_OPENED = re.compile(r".\s*(?:inline\s+)?namespace\s+([A-Za-z_][\w:]*)\s*\{\s*(?://.*)?$")
NAMESPACE = "namespace"
"""The detail of a namespace that has another name."""
_HIDDEN = re.compile(r"(?:^|:|_)(?:details?|internal|impl)(?:$|:)")


def renamed_namespaces(patch: Patch) -> Iterator[Draft]:
    """Pair each namespace that is no longer opened with the one that is opened in its place."""
    before, after = _opened(patch.removed), _opened(patch.added)
    kept = set(before.values()) & set(after.values())
    for line, old in before.items():
        rivals = [at for at, new in after.items() if patch.together(line, at) and new not in kept]
        if old in kept or len(rivals) != 1:
            continue
        at, new = rivals[0], after.pop(rivals[0])
        where = Where((line, line), (at, at))
        yield Draft(FactKind.SYMBOL_RENAMED, new, _HIDDEN.search(old) is None, where, old, new, NAMESPACE)


def is_still_opened(draft: Draft, homes: Homes) -> bool:
    """Tell whether another line that the commit shows opens the namespace by its old name: only one file left it."""
    if draft.kind is not FactKind.SYMBOL_RENAMED or draft.detail != NAMESPACE or not draft.old:
        return False
    opened = re.compile(rf"^[ +][ \t]*(?:inline[ \t]+)?namespace[ \t]+{re.escape(draft.old)}[ \t]*\{{", re.MULTILINE)
    return homes.shows(opened, draft.old)


def _opened(lines: Mapping[int, str]) -> dict[int, str]:
    found = ((number, _OPENED.match(line)) for number, line in lines.items() if "namespace" in line)
    return {number: opened[1] for number, opened in found if opened is not None}
