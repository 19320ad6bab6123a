"""What a compiler is given by a build, or at run time: `-DNAME=1` and `-lname` in a list, definitions of CMake."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from tools.diff.reading import Site, Source

DEFINE: Final = "-D"
"""Begins the name of such a macro, as a compiler is told; its scope is the function or the target."""
FLAGS: Final = ("-l", "-std", "-use_fast_math")
"""How other flags begin that make something else of the same code: libraries, languages, how it computes."""
QUOTED: Final = tuple(f"{quote}{begins}".encode() for begins in (DEFINE, *FLAGS, "--use") for quote in "\"'")
"""How such a macro or flag begins in Python."""
_LISTED = re.compile(rb"""[\[(,+]\s*(["'])-D(_?[A-Z][A-Z0-9_]+)(?:=([\w.-]+))?\1""")
_FLAG = re.compile(rb"""[\[(,+]\s*(["'])-?(-l(?!ineinfo)[a-z]\w{2,}|-std|-use_fast_math)(?:=([\w+]+))?\1""")
_AMONG_FLAGS = re.compile(rb"flags|_args\b|_cflags|-shared", re.IGNORECASE)
"""What shows that a list is for a compiler, and not for some other program."""
_TAKEN_AWAY = re.compile(rb"\b(?:remove|replace|discard|startswith|count|index)$|\bin\s*[\[(]?[^\])]*$")
_BEFORE = 200
_OF_CMAKE = b"CMAKE_"
_SWITCHED = (b"ON", b"OFF")
"""What CMake is told, not a compiler."""
_ARGUMENT = re.compile(r"(?:-D)?(_?[A-Z][A-Z0-9_]+)(?:=([\w.-]+))?$")
_WHOSE = ("PRIVATE", "PUBLIC", "INTERFACE", "BEFORE", "AFTER")


def listed(
    text: bytes, line_at: Callable[[int], int], scope_at: Callable[[int], str], case_at: Callable[[int], str]
) -> Iterator[Site]:
    """Find the macros that Python code puts into lists of flags, by the function that does, and in which case."""
    if not any(begins in text for begins in QUOTED):
        return
    for found in (*_LISTED.finditer(text), *_flags(text)):
        begins = text.rfind(b"\n", 0, found.start(2)) + 1
        before = text[begins : found.start(2)], text[max(0, found.start() - _BEFORE) : found.start()]
        if b"#" in before[0] or _TAKEN_AWAY.search(before[1]):
            continue
        if found[2].startswith(_OF_CMAKE) or found[3] in _SWITCHED:
            continue
        value = found[3].decode() if found[3] else None
        site = _site(found[2].decode(), line_at(found.start(2)), value, scope_at(found.start(2)))
        site = site._replace(name=found[2].decode()) if found.re is _FLAG else site
        yield site._replace(condition=case_at(found.start(2)))


def _flags(text: bytes) -> Iterator[re.Match[bytes]]:
    """Find other flags of compilers, where something beside them shows that they are such."""
    for found in _FLAG.finditer(text):
        around = text[max(0, found.start() - _BEFORE) : found.end() + _BEFORE]
        if _AMONG_FLAGS.search(around):
            yield found


def listed_in_setup(source: Source) -> Iterator[Site]:
    """Find the macros that a setup.py gives to its compilers, whichever of its modules they are for."""
    text, first = source.text, source.first_line
    yield from listed(text, lambda at: first + text.count(b"\n", 0, at), lambda _: "", lambda _: "")


def defined(arguments: list[str], start: int, end: int, *, target: bool) -> Iterator[Site]:
    """Read what a command of CMake defines for all that is compiled, or for one target."""
    for argument in arguments[1 if target else 0 :]:
        found = _ARGUMENT.match(argument) if argument not in _WHOSE else None
        if found is not None:
            yield _site(found[1], start, found[2], arguments[0] if target else "", end)


def _site(name: str, start: int, value: str | None, scope: str, end: int | None = None) -> Site:
    return Site("config", f"{DEFINE}{name}", start, end or start, value=value, scope=scope)
