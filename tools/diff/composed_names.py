"""Names that code composes of parts: by an f-string, by the prefix of a router, in a constructor."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from agent.domain.facts import FactKind
from tools.diff.located_differences import Difference

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions

_COMPOSED: tuple[FactKind, ...] = (
    "env-removed",
    "flag-removed",
    "metric-removed",
    "route-removed",
    "unregistered",
)
"""Facts of names that are gone where nothing makes them any more."""
_STRING = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")
_GAP = re.compile(r"\{[^{}]*\}|%s")
"""What a string fills in: an expression of an f-string, an argument of `%` or `format`."""
_BORDER = re.compile(r"[\W_]")
_MIN_LITERAL = 3  # Characters of a name that a string must have in common with it


def may_be_composed(difference: Difference, files: Sequence["Versions"]) -> bool:
    """Return True for a name that is gone as a whole, of which the commit adds a part as a string."""
    if difference.kind not in _COMPOSED:
        return False
    name = difference.oldest.name
    for versions in files:
        for line in versions.patch.lines("new").values():
            if any(_makes(text, name) for text in _strings(line)):
                return True
    return False


def is_route_of_a_router(difference: Difference, files: Sequence["Versions"]) -> bool:
    """Return True for a route that only moved into a router, whose prefix begins it now.

    Its declaration has the rest of its path: neither did the whole path go, nor is the rest new.
    """
    if difference.kind not in ("route-added", "route-removed"):
        return False
    is_removed = difference.kind == "route-removed"
    route = difference.newest.name
    added: set[str] = set()
    for versions in files:
        added.update(_strings_of(versions, "new"))
    for versions in files:
        for other in _strings_of(versions, "new" if is_removed else "old"):
            full_route, rest = (route, other) if is_removed else (other, route)
            if not rest.startswith("/") or not full_route.endswith(rest) or full_route == rest:
                continue
            if full_route.removesuffix(rest) in added:
                return True
    return False


def is_set_in_methods(difference: Difference) -> bool:
    """Return True for an attribute that the body of a class had and that its methods set now."""
    oldest = difference.oldest
    if difference.kind not in ("field-removed", "symbol-removed") or not oldest.is_python:
        return False
    if oldest.kind not in ("field", "constant") or not oldest.owner:
        return False
    assignment = re.compile(rf"\bself\.{re.escape(oldest.name)}\s*(?::[^=]+)?=(?!=)")
    added = oldest.versions.patch.lines("new").values()
    return any(assignment.search(line) for line in added)


def _strings_of(versions: "Versions", side: str) -> Iterator[str]:
    for line in versions.patch.lines("new" if side == "new" else "old").values():
        yield from _strings(line)


def _strings(line: str) -> Iterator[str]:
    """Yield the strings on a line of code."""
    for double_quoted, single_quoted in _STRING.findall(line):
        yield double_quoted or single_quoted


def _makes(text: str, name: str) -> bool:
    """Return True if a name may be made of a string: it fits around its gaps, or is the end."""
    parts = _GAP.split(text)
    if len(parts) > 1:
        pattern = ".+".join(re.escape(part) for part in parts)
        is_telling = max(map(len, parts)) >= _MIN_LITERAL
        return is_telling and re.fullmatch(pattern, name) is not None
    start = len(name) - len(text)
    if len(text) < _MIN_LITERAL or start <= 0 or not name.endswith(text):
        return False
    # The part begins at a border of words: `USE_TILES` in `ENGINE_USE_TILES`.
    return bool(_BORDER.match(name[start - 1]) or _BORDER.match(text[0]))
