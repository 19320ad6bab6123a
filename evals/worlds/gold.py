"""What a correct report of a world has in it, from the generator's records alone: its ledger, and what matters.

The rules by which commits are graded stand in `data/edits.toml`.
"""

from datetime import datetime

from evals.worlds.model import Edit, LandedGold, Repo, World
from evals.worlds.written import read_data

_QUIET_FOLDERS = ("docs/", "tests/", ".github/", "benchmark/", "notes/")
_QUIET_FILES = ("README.md", "LICENSE")
_QUIET_TAGS = frozenset({"generated", "generated change", "mode change"})


def gold_line(world: World, repo: str, push: int = -1) -> list[LandedGold]:
    """List the whole first-parent line as it stood after a push, newest first."""
    index = range(len(world.repo(repo).pushes))[push] if world.repo(repo).pushes else -1
    rows = [row for row in world.landed if row.repo == repo and row.push <= index]
    return [row for row in reversed(rows) if row.dropped_by is None or row.dropped_by > index]


def gold_window(
    world: World, repo: str, start: datetime, end: datetime, push: int = -1
) -> list[LandedGold]:
    """List the rows that landed in `[start, end)` as the branch stood after a push, newest first."""
    return [row for row in gold_line(world, repo, push) if start <= row.committed_at < end]


def push_at(repo: Repo, moment: datetime) -> int:
    """Give the index of the last push that was done by a moment; -1 is none."""
    return max((i for i, push in enumerate(repo.pushes) if push.at <= moment), default=-1)


def importance(world: World) -> dict[tuple[str, str], int]:
    """Grade every landed commit from 0 to 3, by repository and hash."""
    repos = {repo.full_name: repo for repo in world.repos}
    return {(row.repo, row.sha): _grade(row, repos[row.repo]) for row in world.landed}


def _grade(row: LandedGold, repo: Repo) -> int:
    if any(pull.merge_commit == row.sha and "breaking" in pull.labels for pull in repo.pulls):
        return 3
    if "root" in row.tags:
        return 2
    known = [_of_edit(edit, row, repo) for edit in row.edits]
    return max((grade for grade in known if grade is not None), default=_of_files(row))


def _of_edit(edit: Edit, row: LandedGold, repo: Repo) -> int | None:
    """Grade one thing that was done; None where only its files can tell."""
    if edit.kind == "fix_bug":
        bug = edit.param("bug")
        reported = any(
            issue.reports == bug and issue.created_at < row.committed_at for issue in repo.issues
        )
        return 3 if reported and bug in read_data("edits.toml")["grave_bugs"] else 2
    if edit.kind == "add_parameter":
        return 2 if edit.param("default") else 3
    if edit.kind == "bump_dependency":
        return 1 if "bot" in row.tags else 2
    if edit.kind == "change_setting":
        return 0 if edit.path.startswith(_QUIET_FOLDERS) else 1
    grade: int | None = read_data("edits.toml")["importance"].get(edit.kind)
    return grade


def _of_files(row: LandedGold) -> int:
    if _QUIET_TAGS & set(row.tags):
        return 0
    return int(
        any(
            not path.startswith(_QUIET_FOLDERS) and path not in _QUIET_FILES
            for path, _ in row.files
        )
    )
