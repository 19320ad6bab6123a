"""Gold: the contents of a correct report of a world, from the generator's records alone.

`data/edits.toml` holds the rules by which commits are graded.
"""

from datetime import datetime

from evals.worlds.data_model import Edit, LandedGold, Repo, World
from evals.worlds.worlds_from_toml import read_data

_QUIET_FOLDERS = ("docs/", "tests/", ".github/", "benchmark/", "notes/")
_QUIET_FILES = ("README.md", "LICENSE")
_QUIET_TAGS = frozenset({"generated", "generated change", "mode change"})


def gold_line(world: World, repo: str, push: int = -1) -> list[LandedGold]:
    """Return the whole first-parent line as it was after a push, newest first."""
    pushes = world.repo(repo).pushes
    index = range(len(pushes))[push] if pushes else -1
    line = []
    for row in reversed(world.landed):
        if row.repo != repo or row.push > index:
            continue
        if row.dropped_by is None or row.dropped_by > index:
            line.append(row)
    return line


def gold_window(
    world: World, repo: str, start: datetime, end: datetime, push: int = -1
) -> list[LandedGold]:
    """Return the rows that landed in `[start, end)` as the branch was after a push, newest first."""
    return [row for row in gold_line(world, repo, push) if start <= row.committed_at < end]


def push_at(repo: Repo, moment: datetime) -> int:
    """Return the index of the last push that was done by a moment, or -1."""
    done = [index for index, push in enumerate(repo.pushes) if push.at <= moment]
    return max(done, default=-1)


def importance(world: World) -> dict[tuple[str, str], int]:
    """Grade every landed commit from 0 to 3, by repository and hash."""
    repos = {repo.full_name: repo for repo in world.repos}
    return {(row.repo, row.sha): _grade(row, repos[row.repo]) for row in world.landed}


def _grade(row: LandedGold, repo: Repo) -> int:
    if any(pull.merge_commit == row.sha and "breaking" in pull.labels for pull in repo.pulls):
        return 3
    if "root" in row.tags:
        return 2
    grades = []
    for edit in row.edits:
        grade = _grade_of_edit(edit, row, repo)
        if grade is not None:
            grades.append(grade)
    return max(grades, default=_grade_of_files(row))


def _grade_of_edit(edit: Edit, row: LandedGold, repo: Repo) -> int | None:
    """Grade one edit; None where only the files of the commit decide."""
    if edit.kind == "fix_bug":
        return _grade_of_fix(edit.param("bug"), row, repo)
    if edit.kind == "add_parameter":
        return 2  # Nobody is shown to call it, so it may break somebody, and no more is certain
    if edit.kind == "bump_dependency":
        return 1 if "bot" in row.tags else 2
    if edit.kind == "change_setting":
        return 0 if edit.path.startswith(_QUIET_FOLDERS) else 1
    grade: int | None = read_data("edits.toml")["importance"].get(edit.kind)
    return grade


def _grade_of_fix(bug: str, row: LandedGold, repo: Repo) -> int:
    if bug not in read_data("edits.toml")["grave_bugs"]:
        return 2
    for issue in repo.issues:
        if issue.reports == bug and issue.created_at < row.committed_at:
            return 3
    return 2


def _grade_of_files(row: LandedGold) -> int:
    if _QUIET_TAGS & set(row.tags):
        return 0
    for path, _ in row.files:
        if not path.startswith(_QUIET_FOLDERS) and path not in _QUIET_FILES:
            return 1
    return 0
