"""What a new function or file refuses: nobody could call it before, and whoever does has to know."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from agent.domain import FileChange
from agent.facts import FactKind, Severity
from tools.diff.draft import Draft, Span
from tools.diff.grouping import Shown
from tools.diff.headers import is_c
from tools.diff.hunks import Patch
from tools.diff.reading import Reading
from tools.diff.roles import Role, role
from tools.diff.severity import severity_of

_MOST = 6
"""Messages of one function or file; the others are counted."""
_MOST_HOMES = 6
"""Functions and files of one commit; a commit with more of them is told by what it adds."""
_SOURCES = (Role.SOURCE, Role.OPERATOR, Role.KERNEL, Role.MODEL)
_LAUNCHERS = (Role.OPERATOR, Role.KERNEL)
_PYTHON = ".py"
_RAISED = "raise "
_ASKED = "assert "
_OF_SETTINGS = re.compile(r"\n\+\s+assert (?:\(\s*\n\+\s+)?(?:not )?(?:self\.)?\w*(?:args|config)\.\w")
"""An assertion about what users set."""
_CHECKED = ("_CHECK(", "_CHECK_", "_ICHECK", "throw ")
_COMPILED = re.compile(r"static_assert|STATIC_ASSERT")
_INVARIANT = re.compile(
    r"unreachable|should (?:never|not) (?:happen|be reached|reach|get here)|never happen|internal error|\bbug\b"
    r"|subclass|must (?:be )?(?:implement|override)|to be implemented by|abstract|has no attribute",
    re.IGNORECASE,
)
"""What a project tells itself, or those who write a part of it."""
_BOUND = re.compile(r"(?:[<>!=]=|[<>]|\bin) *[\[({]?-?[\d\"']")
"""A comparison with something written out: the limit stands in the condition itself."""
_NO_PROSE = r"(?!(?:in|not|and|or|is|if|else|for)\b)"
_PROSE = re.compile(rf"\b{_NO_PROSE}[A-Za-z]{{2,}},? {_NO_PROSE}[A-Za-z{{]{{2,}}")
"""Two words in a row, as no condition has them."""


def refusing_files(files: Iterable[FileChange]) -> frozenset[str]:
    """Name the new files that may refuse what users hand to them; where they are many, none of them is told of."""
    new = (file for file in files if file.status == "added" and file.patch)
    found = frozenset(file.path for file in new if _may_refuse(file.path, file.patch or ""))
    return found if len(found) <= _MOST_HOMES else frozenset()


def _may_refuse(path: str, patch: str) -> bool:
    if path.endswith(_PYTHON):
        return role(path) in _SOURCES and (_RAISED in patch or _asks_of_settings(patch))
    return is_c(path) and role(path) in _SOURCES and any(word in patch for word in _CHECKED)


def _asks_of_settings(patch: str) -> bool:
    return _ASKED in patch and _OF_SETTINGS.search(patch) is not None


def refusing_lines(path: str, patch: Patch) -> tuple[Span, ...]:
    """Give the lines of a new Python file that raise something, or else assert it: of other bodies nothing is asked."""
    if not path.endswith(_PYTHON):
        return ()
    for word in (_RAISED, _ASKED):
        if found := tuple((number, number) for number, line in patch.added.items() if word in line):
            return found
    return ()


def debut_of(draft: Draft, path: str, reading: Reading, come: Iterable[str], patch: Patch, *, whole: bool) -> str:
    """Name the new function, or the new file, with which a check comes; nothing where users would not meet it."""
    if draft.kind is not FactKind.ERROR_ADDED or not draft.detail or _COMPILED.search(draft.name) or not _says(draft):
        return ""
    if whole:
        told = _is_reached(draft.detail, patch) and not (_is_bare(draft) and _only_asserts(path, patch))
        return path if told else ""
    parts = draft.detail.split(".")
    names = (".".join(parts[:size]) for size in range(1, len(parts) + 1))
    function = next((name for name in names if name in come), "")
    # What a new class or function has for itself, it or a base of its calls.
    if any(_is_own(part) for part in function.split(".")):
        return ""
    owner, _, last = function.rpartition(".")
    if last.startswith("__") or (owner and _inherits(owner, reading)):
        # Whoever made or called such an object has done so before.
        return ""
    return function


def _only_asserts(path: str, patch: Patch) -> bool:
    """Tell whether a file of Python raises nothing: of what it asserts, words alone are for its users."""
    return path.endswith(_PYTHON) and not any(_RAISED in line for line in patch.added.values())


def introduced(shown: Sequence[Shown]) -> list[Shown]:
    """Keep what new functions and files refuse where they are told as new themselves, a few messages of each."""
    debuts: dict[tuple[str, str], list[Shown]] = {}
    for one in shown:
        if one.draft.debut and one.place is not None:
            debuts.setdefault((one.place.file, one.draft.debut), []).append(one)
    if not debuts:
        return list(shown)
    new = {home for one in shown for home in _brought(one)}
    known = [key for key in debuts if key in new][:_MOST_HOMES]
    rest = [one for one in shown if not one.draft.debut]
    return rest + [one for key in known for one in _first_ones(debuts[key])]


def _brought(one: Shown) -> Iterator[tuple[str, str]]:
    """Give the file and the name of what a fact tells as new to users."""
    draft = one.draft
    if draft.kind is FactKind.FILE_ADDED and draft.public:
        yield draft.name, draft.name
    elif draft.kind is FactKind.SYMBOL_ADDED and one.place is not None:
        launched = role(one.place.file) in _LAUNCHERS and is_c(one.place.file)
        if severity_of(draft) is Severity.ADDITIVE or launched:
            yield one.place.file, draft.name


def _first_ones(checks: Sequence[Shown]) -> Iterator[Shown]:
    """Choose the messages that are told, those in words first; the last of them says how many more there are."""
    checks = list({one.draft.new: one for one in reversed(checks)}.values())[::-1]
    worded = [one for one in checks if not _is_bare(one.draft)] or checks
    for one in worded[:_MOST]:
        yield replace(one, draft=one.draft._replace(detail=one.draft.debut))
    if len(worded) > _MOST:
        one, more = worded[_MOST], len(worded) - _MOST
        yield replace(one, draft=one.draft._replace(detail=one.draft.debut, new=f"and {more} more"))


def _says(draft: Draft) -> bool:
    """Tell whether a refusal says what it wants, in words or by a comparison with something written out."""
    said = _BOUND if _is_bare(draft) else _PROSE
    return said.search(draft.new or "") is not None and _INVARIANT.search(draft.new or "") is None


def _is_bare(draft: Draft) -> bool:
    """Tell whether a check has no words and stands for itself."""
    return _PROSE.search(draft.new or "") is None


def _is_reached(scope: str, patch: Patch) -> bool:
    """Tell whether a scope of a new file is public, or its own functions use it."""
    own = next((part for part in scope.split(".") if _is_own(part)), None)
    return own is None or sum(own in line for line in patch.added.values()) > 1


def _inherits(owner: str, reading: Reading) -> bool:
    """Tell whether a class that was there before has bases, which may have had the method; one not seen may."""
    bases = next((symbol.bases for symbol in reading.symbols if symbol.name == owner), None)
    return bases is None or any(base != "object" for base in bases)


def _is_own(part: str) -> bool:
    return part.startswith("_") and not part.endswith("__")
