"""What a correct report of a world has in it, from the generator's records alone: its ledger, and what matters.

How much each landed commit matters to those who use the repository was written down before anybody looked at what
Gitzette makes of it. The highest that fits counts; a merge is as important as the most important thing it brings in.
No text is read: only edits, tags, paths and threads as recorded.

3, must be mentioned
    - a function or a command-line option that users had is removed or renamed, or a function asks for a new argument
      that has no default;
    - maintainers labelled the pull request `breaking`;
    - a landed change is taken back;
    - a new version of the project itself;
    - a fix of a bug that kills or hangs the process, or gives wrong or lost output without a word, and that a user
      had reported beforehand.
2, users can notice it
    - a new function, option, environment variable or optional argument;
    - another default or constant;
    - any other fix of a bug; work that lands again after it was taken back; the first commit of a repository;
    - a person takes in another version of something that is installed along.
1, minor
    - a limit gets a name; a value that an autotuner chose; the image that is built from; a bot raises a dependency;
    - every other change of files that are neither documents, tests, workflows, benchmarks nor made by a machine.
0, noise
    - documents, comments, workflows, tests, benchmarks, notes; generated files; a mode bit; a commit without files.
"""

from datetime import datetime

from evals.worlds.model import Edit, LandedGold, Repo, World

GRAVE = frozenset(
    {
        "scheduler-hang",
        "paged-overflow",
        "smem-race",
        "mask-tail",
        "topk-limit",
        "queue-underflow",
        "tokenizer-race",
    }
)
"""The bugs that kill or hang the process, or give wrong or lost output without a word."""

_BY_EDIT = {
    "remove_function": 3,
    "rename_function": 3,
    "remove_flag": 3,
    "revert": 3,
    "bump_version": 3,
    "add_function": 2,
    "add_flag": 2,
    "add_env": 2,
    "change_default": 2,
    "change_flag_default": 2,
    "change_constant": 2,
    "reland": 2,
    "add_constant": 1,
    "add_setting": 1,
    "bump_image": 1,
    "reword_doc": 0,
}
_QUIET_FOLDERS = ("docs/", "tests/", ".github/", "benchmark/", "notes/")
_QUIET_FILES = ("README.md", "LICENSE")
_QUIET_TAGS = frozenset({"generated", "generated change", "mode change"})


def gold_line(world: World, repo: str, push: int = -1) -> list[LandedGold]:
    """List the whole first-parent line as it stood after a push, newest first."""
    index = range(len(world.repo(repo).pushes))[push] if world.repo(repo).pushes else -1
    rows = [row for row in world.landed if row.repo == repo and row.push <= index]
    return [row for row in reversed(rows) if row.dropped_by is None or row.dropped_by > index]


def gold_window(world: World, repo: str, start: datetime, end: datetime, push: int = -1) -> list[LandedGold]:
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
    if _labelled_breaking(row, repo):
        return 3
    if "root" in row.tags:
        return 2
    known = [_of_edit(edit, row, repo) for edit in row.edits]
    return max((grade for grade in known if grade is not None), default=_of_files(row))


def _labelled_breaking(row: LandedGold, repo: Repo) -> bool:
    return any(pull.merge_commit == row.sha and "breaking" in pull.labels for pull in repo.pulls)


def _of_edit(edit: Edit, row: LandedGold, repo: Repo) -> int | None:
    """Grade one thing that was done; None where only its files can tell."""
    if edit.kind == "fix_bug":
        return 3 if edit.param("bug") in GRAVE and _reported(edit.param("bug"), row, repo) else 2
    if edit.kind == "add_parameter":
        return 2 if edit.param("default") else 3
    if edit.kind == "bump_dependency":
        return 1 if "bot" in row.tags else 2
    if edit.kind == "change_setting":
        return 0 if edit.path.startswith(_QUIET_FOLDERS) else 1
    return _BY_EDIT.get(edit.kind)


def _reported(key: str, row: LandedGold, repo: Repo) -> bool:
    """Tell whether a user had opened an issue about a bug before it was mended."""
    return any(issue.reports == key and issue.created_at < row.committed_at for issue in repo.issues)


def _of_files(row: LandedGold) -> int:
    if _QUIET_TAGS & set(row.tags):
        return 0
    return int(any(not path.startswith(_QUIET_FOLDERS) and path not in _QUIET_FILES for path, _ in row.files))
