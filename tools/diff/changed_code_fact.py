"""The fact of changed code: which of its lines are shown."""

from collections.abc import Sequence

from agent.domain.facts import Fact, FactLocation, Severity
from agent.domain.patch import Side
from agent.triage.line_visibility import is_licence, is_visible_to_users
from tools.diff.changed_runs import ChangedLine, Run, is_comment, is_sentence
from tools.diff.file_roles import Role, role
from tools.diff.lines_around_changes import LinesAround, UnchangedLines
from tools.diff.severity.table import severity_of

MAX_LINES = 14  # Lines shown of one run
MAX_LINES_OF_WHOLE = 40  # Of a run of a commit that changes few lines
_MAX_COMMENT = 6  # Lines of a comment above the first line of code
_NOT_FOR_USERS = (
    Role.DOCUMENT,
    Role.TEST,
    Role.CI,
    Role.LOCK,
    Role.GENERATED,
    Role.VENDORED,
    Role.ASSET,
)
"""What changes nothing of that which users install or run."""


def code_fact(
    file: str,
    name: str,
    runs: Sequence[Run],
    unchanged: UnchangedLines | None = None,
    max_lines: int = MAX_LINES,
) -> Fact:
    """Return the fact that code changed, by runs of which the first decides what it says.

    At most `max_lines` of each run are shown, and beside them the unchanged lines of the file that
    they need.
    """
    code = [line for line in runs[0] if line.is_code]
    is_exchange = [line.side for line in code] == ["old", "new"]
    is_installed = role(file) not in _NOT_FOR_USERS
    return Fact(
        kind="code-changed",
        severity=severity_of("code-changed") if is_installed else Severity.INTERNAL,
        name=name,
        old=code[0].bare if is_exchange else None,
        new=code[1].bare if is_exchange else None,
        places=tuple(_location(file, _window(run, max_lines), unchanged) for run in runs),
    )


def _location(file: str, lines: Run, unchanged: UnchangedLines | None) -> FactLocation:
    added = [line for line in lines if line.side == "new"]
    surroundings = unchanged.around(lines) if unchanged else LinesAround()
    return FactLocation(
        file=file,
        line=(added or lines)[0].number,
        lines=tuple(line.text for line in lines),
        above=surroundings.above,
        below=surroundings.below,
        old_file=unchanged.old_file if unchanged else "",
    )


def _without_unchanged(run: Run) -> Run:
    """Return a run without the lines that both sides have, as of code that is indented anew."""
    sides: dict[Side, set[str]] = {"old": set(), "new": set()}
    for line in run:
        sides[line.side].add(line.bare)
    common = sides["old"] & sides["new"]
    return [line for line in run if line.bare not in common] or run


def _window(run: Run, max_lines: int) -> Run:
    """Return the lines of a run that are shown, of both sides of a long one.

    They begin with the first line of code and the comment above it.
    """
    lines = run[_start(run) :]
    if len(lines) > max_lines:
        lines = _without_unchanged(lines)
    if len(lines) <= max_lines:
        return lines
    removed = [line for line in lines if line.side == "old"]
    added = [line for line in lines if line.side == "new"]
    half = max_lines // 2
    kept_removed = _telling_part(removed, max(half, max_lines - len(added)))
    return [*kept_removed, *_telling_part(added, max_lines - len(kept_removed))]


def _start(run: Run) -> int:
    """Return the index of the first line that is shown."""
    first_code = next((index for index, line in enumerate(run) if line.is_code), 0)
    if any(is_licence(line.text) for line in run):
        return first_code
    start = first_code
    while start > 0 and first_code - start < _MAX_COMMENT and is_comment(run[start - 1].text[1:]):
        start -= 1
    return start


def _telling_part(lines: Run, size: int) -> Run:
    """Return as many lines from where the first that tells something stands, if that is far down."""
    start = next((index for index, line in enumerate(lines) if _is_telling(line)), 0)
    if start < size:
        start = 0
    start = min(start, max(len(lines) - size, 0))
    return lines[start : start + size]


def _is_telling(line: ChangedLine) -> bool:
    text = line.text[1:]
    if is_comment(text):
        return line.side == "new" and is_sentence(line.bare) and not is_licence(text)
    return is_visible_to_users(text)
