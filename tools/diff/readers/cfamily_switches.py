"""Macros with which somebody builds C, C++ or CUDA code otherwise: what is checked for such a build only."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tools.diff.readers.masked import Masked
from tools.diff.readers.scopes import Scopes
from tools.diff.reading import Site

MACRO = "macro"
"""The section in which a switch of the build is told."""
_DIRECTIVE = re.compile(rb"#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[ \t]*([^\n]*)")
_ASKED = re.compile(r"(?:defined[ \t]*\(?[ \t]*)?([A-Z][A-Z0-9]*_\w+)[ \t]*\)?$")
"""A macro of the project's own; what begins with underscores the compiler defines."""
_TESTED = re.compile(rb"#[ \t]*(?:if|ifdef|ifndef|elif)\b((?:[^\n\\]|\\\r?\n|\\)*)")
_NAMED = re.compile(rb"\b[A-Z][A-Z0-9]*_\w+")
_DEFINED = re.compile(rb"#[ \t]*(?:define|undef)[ \t]+(\w+)")
_NEVER = re.compile(rb"#[ \t]*if[ \t]+0[ \t]*$", re.M)
_SWITCH = re.compile(r"(?:^|_)(?:DISABLE|ENABLE|WITH|WITHOUT|USE|NO|BUILD|SKIP)_")


def switches(masked: Masked) -> Iterator[Site]:
    """Give the macros that a header asks for and does not define itself, by whose name one switches something."""
    if b"#" not in masked.mask:
        return
    own = {found.group(1) for found in _DEFINED.finditer(masked.mask)}
    for match in masked.directives(_TESTED):
        for found in _NAMED.findall(match.group(1)):
            if found not in own and _SWITCH.search(found.decode("utf-8", "replace")):
                lines = masked.line(match.start(1)), masked.line(match.end(1))
                yield Site("config", found.decode("utf-8", "replace"), *lines, scope=MACRO)


class _Branch(NamedTuple):
    """The lines that are compiled where a macro is defined."""

    macro: str
    start: int
    end: int


def with_conditions(masked: Masked, scopes: Scopes, sites: Sequence[Site]) -> list[Site]:
    """Say of errors inside a function for which builds they are, and give the macros that one defines for them."""
    if b"#" not in masked.mask or not any(site.kind == "error" for site in sites):
        return list(sites)
    branches = [branch for branch in _branches(masked) if scopes.at(branch.start)]
    found: list[Site] = []
    switches: dict[str, Site] = {}
    for site in sites:
        around = [one for one in branches if one.start < site.start < one.end] if site.kind == "error" else []
        if not around:
            found.append(site)
            continue
        inner = max(around, key=lambda one: one.start)
        found.append(site._replace(condition=inner.macro))
        if _SWITCH.search(inner.macro):
            switches.setdefault(inner.macro, Site("config", inner.macro, inner.start, inner.start, scope=MACRO))
    return [*found, *switches.values()]


def _branches(masked: Masked) -> Iterator[_Branch]:
    """Give the first branches of conditions that ask whether a macro is defined."""
    opened: list[_Branch | None] = []
    for match in masked.directives(_DIRECTIVE):
        word, line = match.group(1), masked.line(match.start(1))
        if word.startswith(b"if"):
            asked = _ASKED.match(match.group(2).decode("utf-8", "replace").strip())
            plain = word == b"ifdef" or (word == b"if" and b"defined" in match.group(2))
            opened.append(_Branch(asked[1], line, line) if asked and plain else None)
            continue
        if opened and (branch := opened.pop()) is not None:
            yield branch._replace(end=line)
        if word != b"endif":
            opened.append(None)


def without_dead(masked: Masked, sites: list[Site]) -> list[Site]:
    """Leave out what stands between `#if 0` and the next branch: nobody builds it."""
    if not sites or not _NEVER.search(masked.mask):
        return sites
    dead = list(_dead_lines(masked))
    return [site for site in sites if not any(first < site.start < last for first, last in dead)]


def _dead_lines(masked: Masked) -> Iterator[tuple[int, int]]:
    opened: list[int | None] = []
    for match in masked.directives(_DIRECTIVE):
        word, line = match.group(1), masked.line(match.start(1))
        if word.startswith(b"if"):
            opened.append(line if word == b"if" and match.group(2).strip() == b"0" else None)
            continue
        if opened and (start := opened.pop()) is not None:
            yield start, line
        if word != b"endif":
            opened.append(None)
