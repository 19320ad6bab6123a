"""Patterns of paths and of names, as people know them from .gitignore."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from agent.domain.base import UsageError

_LONGEST = 300


def check_glob(pattern: str) -> str:
    """Refuse a pattern that could never match what its author meant."""
    if not pattern.strip("/ ") or len(pattern) > _LONGEST or not pattern.isprintable():
        raise UsageError(f"{pattern[:40]!r} is not a pattern; write it as src/**, *.md or docs/")
    if pattern.startswith("!"):
        raise UsageError(f"{pattern!r}: a pattern cannot be turned round; use both include and exclude")
    if ".." in pattern.split("/") or "\\" in pattern:
        raise UsageError(f"{pattern!r}: write paths from the root of the repository, with /")
    return pattern


def covers(pattern: str, path: str) -> bool:
    """Tell whether a pattern matches a path or a folder above it.

    `*` stops at a slash and `**` does not; a pattern without a slash, or with one only at its end, matches at any
    depth; with a slash at its end it matches folders only.
    """
    folders_only = pattern.endswith("/")
    plain = pattern.removeprefix("./").strip("/")
    parts = plain.split("/")
    if len(parts) == 1 and not pattern.startswith(("/", "./")):
        parts = ["**", *parts]
    return _walk(parts, path.split("/"), folders_only=folders_only)


def any_covers(patterns: Iterable[str], path: str) -> bool:
    """Tell whether one of the patterns matches."""
    return any(covers(pattern, path) for pattern in patterns)


def names(pattern: str, text: str) -> bool:
    """Match a name, letter case aside; only `*` is special, because bots have brackets in their names."""
    literal = pattern.replace("[", "[[]").replace("?", "[?]")
    return fnmatchcase(text.casefold(), literal.casefold())


def _walk(pattern: Sequence[str], path: Sequence[str], *, folders_only: bool) -> bool:
    """Go down the path with every place of the pattern that could be next: hostile paths cost no more than others."""
    end = len(pattern)
    places = _with_skips({0}, pattern)
    for depth, name in enumerate(path):
        if depth and end in places:
            return True
        onward = {at for at in places if at < end and pattern[at] == "**"}
        onward |= {at + 1 for at in places - onward if at < end and fnmatchcase(name, pattern[at])}
        places = _with_skips(onward, pattern)
    return end in places and not folders_only


def _with_skips(places: set[int], pattern: Sequence[str]) -> set[int]:
    """Add the places behind each `**`, which may also stand for nothing."""
    reached = set(places)
    for at, part in enumerate(pattern):
        if at in reached and part == "**":
            reached.add(at + 1)
    return reached
