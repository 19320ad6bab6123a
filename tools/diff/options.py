"""The options of a CMake build: whoever configures it sets them by name, whichever of its lists declares them."""

import re
from collections.abc import Iterator, Sequence

from agent.facts import FactKind
from tools.diff.draft import Where
from tools.diff.grouping import Shown
from tools.diff.headers import HEADERS, is_c
from tools.diff.homes import Homes
from tools.diff.readers.cfamily_switches import MACRO

_LISTS = re.compile(r"(?:^|/)CMakeLists\.txt$|\.cmake$")
_OWN = "CMAKE_"
_SETTINGS = (FactKind.CONFIG_ADDED, FactKind.CONFIG_REMOVED)


def is_list(path: str) -> bool:
    """Tell whether a file is a list of a CMake build."""
    return _LISTS.search(path) is not None


def is_new(one: Shown) -> bool:
    """Tell whether a difference is an option that came, or a macro that one defines for a build."""
    if one.draft.kind is not FactKind.CONFIG_ADDED or one.place is None:
        return False
    return is_list(one.place.file) or is_c(one.place.file)


def is_switch(one: Shown) -> bool:
    """Tell whether a difference is a macro that a header asks for now, or no longer does; other files may as well."""
    switch = one.draft.kind in _SETTINGS and one.draft.detail == MACRO
    return switch and one.place is not None and one.place.file.endswith(HEADERS)


def declares(name: str, path: str, line: str) -> bool:
    """Tell whether a line of a list declares an option, or sets its variable; a macro any line of code may name."""
    if is_c(path):
        return re.search(rf"^\s*#.*\b{re.escape(name)}\b", line) is not None
    return is_list(path) and re.search(rf"\b(?:(?:\w+_)?option|set)\s*\(\s*{re.escape(name)}\b", line, re.I) is not None


def joined(shown: Sequence[Shown], homes: Homes) -> Iterator[Shown]:
    """Leave out options that only another list declares now, or that are still obeyed; another default is told."""
    came = {one.draft.name: one for one in shown if is_new(one)}
    went = {
        one.draft.name: one
        for one in shown
        if one.draft.kind is FactKind.CONFIG_REMOVED and one.place is not None and is_list(one.place.file)
    }
    offered = {one.draft.name for one in shown if is_new(one) and one.place is not None and is_list(one.place.file)}
    for one in shown:
        name = one.draft.name
        if (
            one.draft.kind in _SETTINGS
            and one.draft.detail == MACRO
            and (name in offered or _is_named_still(one, homes))
        ):
            continue
        # What CMake itself offers neither comes nor goes.
        if name.startswith(_OWN) and one.draft.kind in _SETTINGS and one.place is not None and is_list(one.place.file):
            continue
        if went.get(name) is one and (name in came or _is_obeyed(name, homes)):
            continue
        if came.get(name) is one and name in went:
            old = went[name].draft.old
            if old != one.draft.new:
                draft = one.draft._replace(kind=FactKind.CONFIG_CHANGED, old=old, where=Where(new=one.draft.where.new))
                yield Shown(draft, one.place)
            continue
        yield one


def _is_obeyed(name: str, homes: Homes) -> bool:
    """Tell whether a list still asks whether somebody has set a variable that is no longer offered."""
    return homes.shows(re.compile(rf"^[+ ].*\bDEFINED\s+(?:CACHE\{{)?{re.escape(name)}\b", re.MULTILINE), name)


def _is_named_still(one: Shown, homes: Homes) -> bool:
    """Tell whether what the commit shows had asked for a macro before, asks for it after, or defines it itself."""
    name = re.escape(one.draft.name)
    other = r"[ -]" if one.draft.kind is FactKind.CONFIG_ADDED else r"[ +]"
    named = re.compile(
        rf"^(?:{other}\s*#.*\b{name}\b|.\s*#\s*define\s+{name}\b|\+.*definitions\s*\(.*\b{name}\b)", re.MULTILINE
    )
    return homes.shows(named, one.draft.name)
