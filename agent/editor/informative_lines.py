"""The most informative changed lines of a commit: what users read, set, or run into comes first."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent.domain.commits import FileChange
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact, Severity
from agent.packets.line_importance import leading_changes
from agent.triage.line_visibility import is_informative, is_visible_to_users
from agent.triage.title_conventions import Area, area

MAX_LINES = 14  # Of one commit, however large it is
_MIN_LINES = 6  # Of a small commit
_CHANGES_PER_LINE = 40  # Changed lines for which one more is shown
_ASIDE = (Area.TESTS, Area.CI)
_MAX_WIDTH = 160  # Characters of a line that are shown
_MAX_FILES = 60  # Files of one commit that are looked through
_MAX_FILE_LINES = 2_000
_MAX_LINES_OF_FACT = 2  # What went and what came
_LICENCE_FILE = re.compile(r"(?:LICEN[CS]E|NOTICE|AUTHORS|CITATION)\b", re.IGNORECASE)


class _Sort(NamedTuple):
    """Lines of one sort, and how many of them are taken before those of the next sort."""

    lines: list[str]
    share: int


def informative_lines(evidence: CommitEvidence) -> tuple[str, ...]:
    """Return the most informative changed lines of a commit, each behind the path of its file.

    Lines that show facts come first, then documents, then strings, flags and errors, then other
    code; edits of existing files come before the bodies of new ones.
    """
    shown_by_facts = list(_fact_lines(evidence.facts))
    documents: list[str] = []
    visible_to_users: list[str] = []
    code: list[str] = []
    bodies: list[str] = []
    for file in _files(evidence):
        for line in _changed_lines(file):
            visible_line = _shown(file.path, line)
            if area(file.path) is Area.DOCS:
                documents.append(visible_line)
            elif is_visible_to_users(line[1:]):
                visible_to_users.append(visible_line)
            elif file.status == "added":
                bodies.append(visible_line)
            else:
                code.append(visible_line)
    sorts = [
        _Sort(shown_by_facts, 3),
        _Sort(documents, 3),
        _Sort(visible_to_users, 4),
        _Sort(code, 3),
        _Sort(bodies, 2),
    ]
    return _chosen(sorts, _line_count(evidence))


def _line_count(evidence: CommitEvidence) -> int:
    """Return how many lines are shown of a commit: more of a large one, which does more."""
    changed = 0
    for file in evidence.change.files:
        if area(file.path) not in _ASIDE:
            changed += file.additions + file.deletions
    return min(MAX_LINES, _MIN_LINES + changed // _CHANGES_PER_LINE)


def _chosen(sorts: Sequence[_Sort], count: int) -> tuple[str, ...]:
    """Return some lines of each sort, and more of the first sorts where there is space left."""
    first_choice: dict[str, None] = {}
    for sort in sorts:
        first_choice.update(dict.fromkeys(sort.lines[: sort.share]))
    for sort in sorts:
        first_choice.update(dict.fromkeys(sort.lines[: count + sort.share]))
    return tuple(first_choice)[:count]


def _fact_lines(facts: Sequence[Fact]) -> Iterator[str]:
    for fact in facts:
        if fact.severity is Severity.INTERNAL or fact.kind == "code-changed" or not fact.places:
            continue
        location = fact.places[0]
        for line in location.lines[:_MAX_LINES_OF_FACT]:
            if is_informative(line[1:]):
                yield _shown(location.file, line)


def _files(evidence: CommitEvidence) -> list[FileChange]:
    """Return the files worth looking through; tests and build machines only if nothing else is."""
    files = [file for file in evidence.change.files if file.patch]
    files = [file for file in files if not _LICENCE_FILE.match(file.path.rpartition("/")[2])]
    product_files = [file for file in files if area(file.path) not in _ASIDE] or files
    product_files.sort(key=lambda file: area(file.path) is Area.BENCH)
    return product_files[:_MAX_FILES]


def _changed_lines(file: FileChange) -> Iterator[str]:
    lines = (file.patch or "").splitlines()[:_MAX_FILE_LINES]
    for position in leading_changes(lines):
        if is_informative(lines[position][1:]):
            yield lines[position]


def _shown(path: str, line: str) -> str:
    code = " ".join(line[1:].split())
    return f"{path}: {line[0]}{code[:_MAX_WIDTH]}"
