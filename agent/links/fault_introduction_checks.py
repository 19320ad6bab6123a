"""Checks of who introduced a fault: the lines that its fix removes may be edited, or beside it."""

import re
from collections import Counter
from collections.abc import Iterable, Set

from agent.domain.commits import Change, FileChange
from agent.domain.patch import Hunk, read_patch
from agent.triage.title_conventions import Area, area

_TOKEN = re.compile(r"\w+|[^\w\s]")
_COMMENT = re.compile(r"#(?!\w)|//|/\*|\*(?:\s|$)|\"\"\"|$")
"""The beginning of a line in which nothing stands but a comment."""


def only_edited(change: Change, writer: Change) -> bool:
    """Return True if the writer of lines that a change removes brought nothing that goes with them.

    Where the change takes nothing out of these lines, and only adds to them, the writer must have
    brought something that stays. Of lines that it wrote in other files nothing is known, and tests
    only follow the code.
    """
    changed_paths = {file.path for file in _code_files(change)}
    written_lines: dict[str, set[str]] = {}
    for file in writer.files:  # The writer may be large, and most of its files are none of these
        if file.path in changed_paths:
            written_lines[file.path] = _texts(file.patch, "+")
    removed_lines: dict[str, set[str]] = {}
    gone: Counter[str] = Counter()
    for file in _code_files(change):
        written = written_lines.get(file.path, set())
        for hunk in read_patch(file.patch).hunks:
            removed = [text for text in _changed(hunk, "-") if text in written]
            if removed:
                removed_lines.setdefault(file.path, set()).update(removed)
                gone += _tokens(removed) - _tokens(_changed(hunk, "+"))
    if not removed_lines:
        return False
    brought = _brought(writer, removed_lines)
    return not (gone & brought if gone else brought)


def mostly_adds(change: Change) -> bool:
    """Return True if less than half of the places of code that a change touches lose lines of code.

    Then it mends what is missing elsewhere, and who wrote the few lines that go says little.
    """
    places = 0
    removing_places = 0
    for file in _code_files(change):
        for hunk in read_patch(file.patch).hunks:
            places += 1
            removed = _changed(hunk, "-")
            removing_places += not all(_COMMENT.match(line) for line in removed)
    return 2 * removing_places < places


def _code_files(change: Change) -> list[FileChange]:
    """Return the files of a change that are programs, without tests, documents and workflows."""
    return [file for file in change.files if area(file.path) in (Area.PRODUCT, Area.BENCH)]


def _brought(writer: Change, lines: dict[str, set[str]]) -> Counter[str]:
    """Return what stands in these lines and did not stand where the writer put them."""
    brought: Counter[str] = Counter()
    for file in writer.files:
        if file.path not in lines:
            continue
        for hunk in read_patch(file.patch).hunks:
            written = _among(_changed(hunk, "+"), lines[file.path])
            if written:
                brought += _tokens(written) - _tokens(_changed(hunk, "-"))
    return brought


def _among(texts: Iterable[str], lines: Set[str]) -> list[str]:
    return [text for text in texts if text in lines]


def _texts(patch: str | None, sign: str) -> set[str]:
    texts: set[str] = set()
    for hunk in read_patch(patch).hunks:
        texts.update(_changed(hunk, sign))
    return texts


def _changed(hunk: Hunk, sign: str) -> list[str]:
    """Return the lines that a hunk adds or removes, without blanks around them."""
    return [line[1:].strip() for line in hunk.changed if line.startswith(sign)]


def _tokens(lines: Iterable[str]) -> Counter[str]:
    tokens: Counter[str] = Counter()
    for line in lines:
        tokens.update(_TOKEN.findall(line))
    return tokens
