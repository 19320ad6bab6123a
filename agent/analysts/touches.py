"""Which functions and classes a diff works in, by what git prints at the head of each hunk, and what it names."""

import re
from collections.abc import Iterator

from agent.domain.commits import Change

_HEAD = re.compile(r"^@@ [^@]{1,60} @@ (?P<context>.{1,300})$", re.MULTILINE)
_DEFINED = re.compile(
    r"\b(?:def|class|fn|func|function|struct|enum|trait|impl|interface|namespace|module|type|union)\s+(?P<name>[A-Za-z_]\w*)"
)
_CALLED = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*\(")
_WRITTEN = re.compile(
    r"^[+-]\s*(?:async\s+)?(?:def|class|fn|func|function|struct)\s+(?P<name>[A-Za-z_]\w*)", re.MULTILINE
)
_SHORTEST = 4
_MOST = 80
_READ = 200_000
_PLAIN = frozenset(("main", "self", "test", "init", "__init__", "static", "void", "return", "sizeof", "__global__"))


def touched_names(change: Change) -> tuple[str, ...]:
    """Name the functions and classes that the hunks of a change lie in or define, in the order of the diff."""
    names: dict[str, None] = {}
    for file in change.files:
        for name in _names((file.patch or "")[:_READ]):
            names.setdefault(name)
            if len(names) == _MOST:
                return tuple(names)
    return tuple(names)


_LINE = re.compile(r"^[+-](?![+-]{2} )(?P<text>.{1,400})", re.MULTILINE)
_DISTINCT = re.compile(r"(?<![\w-])(?:(?=[\w-]*[A-Za-z0-9][_-][\w-]*\w)|(?=__)|(?=[a-z]+[A-Z]))[A-Za-z_][\w-]{3,60}")
_MOST_WRITTEN = 150


def written_names(change: Change) -> tuple[str, ...]:
    """Name what stands on the changed lines themselves, as far as it is a name and no plain word."""
    names: dict[str, None] = {}
    for file in change.files:
        for line in _LINE.finditer((file.patch or "")[:_READ]):
            for found in _DISTINCT.finditer(line["text"]):
                names.setdefault(found[0].rstrip("-"))
                if len(names) == _MOST_WRITTEN:
                    return tuple(names)
    return tuple(names)


def _names(patch: str) -> Iterator[str]:
    for head in _HEAD.finditer(patch):
        found = _DEFINED.search(head["context"]) or _CALLED.search(head["context"])
        if found and _tells(found["name"]):
            yield found["name"]
    yield from (found["name"] for found in _WRITTEN.finditer(patch) if _tells(found["name"]))


def _tells(name: str) -> bool:
    return len(name) >= _SHORTEST and name not in _PLAIN
