"""The fact of changed code: which of its lines are shown."""

from collections.abc import Sequence

from agent.domain.facts import Fact, FactLocation, Severity
from agent.domain.patch import Side
from tools.diff.changed_runs import Run
from tools.diff.file_roles import Role, role
from tools.diff.severity.table import severity_of

_MAX_LINES = 14  # Lines shown of one run
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


def code_fact(file: str, name: str, runs: Sequence[Run]) -> Fact:
    """Return the fact that code changed, by runs of which the first decides what it says."""
    code = [line for line in runs[0] if line.is_code]
    is_exchange = [line.side for line in code] == ["old", "new"]
    is_installed = role(file) not in _NOT_FOR_USERS
    return Fact(
        kind="code-changed",
        severity=severity_of("code-changed") if is_installed else Severity.INTERNAL,
        name=name,
        old=code[0].bare if is_exchange else None,
        new=code[1].bare if is_exchange else None,
        places=tuple(_location(file, run) for run in runs),
    )


def _location(file: str, run: Run) -> FactLocation:
    lines = _window(run)
    added = [line for line in lines if line.side == "new"]
    return FactLocation(
        file=file,
        line=(added or lines)[0].number,
        lines=tuple(line.text for line in lines),
    )


def _without_unchanged(run: Run) -> Run:
    """Return a run without the lines that both sides have, as of code that is indented anew."""
    sides: dict[Side, set[str]] = {"old": set(), "new": set()}
    for line in run:
        sides[line.side].add(line.bare)
    common = sides["old"] & sides["new"]
    return [line for line in run if line.bare not in common] or run


def _window(run: Run) -> Run:
    """Return the lines of a run that are shown: from its first line of code, with what replaces it."""
    start = next((index for index, line in enumerate(run) if line.is_code), 0)
    lines = run[start:]
    if len(lines) > _MAX_LINES:
        lines = _without_unchanged(lines)
    if len(lines) <= _MAX_LINES:
        return lines
    half = _MAX_LINES // 2
    removed = [line for line in lines if line.side == "old"]
    added = [line for line in lines if line.side == "new"]
    kept_removed = removed[: max(half, _MAX_LINES - len(added))]
    return [*kept_removed, *added[: _MAX_LINES - len(kept_removed)]]
