"""Git is the oracle here: what it finds in the repositories must be what the generator says it did."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from evals.worlds.gold import gold_line, gold_window, push_at
from evals.worlds.model import LandedGold, Repo, World

Git = Callable[..., bytes]
WORDS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "T": "changed"}


@pytest.fixture(params=["demo", "full"])
def world(request: pytest.FixtureRequest) -> World:
    chosen: World = request.getfixturevalue(request.param)
    return chosen


def pushed(world: World) -> list[Repo]:
    return [repo for repo in world.repos if repo.pushes]


def test_every_push_has_the_first_parent_line_that_git_sees(world: World, git: Git) -> None:
    for repo in pushed(world):
        checked = range(len(repo.pushes)) if len(repo.pushes) < 70 else range(0, len(repo.pushes), 25)
        for index in [*checked, len(repo.pushes) - 1]:
            line = git(repo, "rev-list", "--first-parent", repo.pushes[index].tip).decode().split()
            assert [row.sha for row in gold_line(world, repo.full_name, index)] == line


def test_the_branch_stands_at_the_last_push(world: World, git: Git) -> None:
    for repo in pushed(world):
        assert git(repo, "rev-parse", "HEAD").decode().strip() == repo.pushes[-1].tip
        assert git(repo, "symbolic-ref", "HEAD").decode().strip() == f"refs/heads/{repo.default_branch}"


def read_files(
    git: Git, repo: Repo, rows: list[LandedGold]
) -> dict[str, tuple[int, list[str], tuple[tuple[str, str], ...]]]:
    """Ask git for date, parents and files of each row."""
    shas = "".join(f"{row.sha}\n" for row in rows).encode()
    args = ("log", "-z", "--no-walk=unsorted", "--stdin", "--diff-merges=first-parent", "--root", "--name-status", "-M")
    found = {}
    for part in re.split(rb"(?:^|\0)\x01(?=[0-9a-f]{40} )", git(repo, *args, "--format=%x01%H %ct %P", stdin=shas)):
        head, _, rest = part.partition(b"\0")
        if not head:
            continue
        sha, seconds, *parents = head.decode().split()
        fields, files = [field for field in rest.split(b"\0") if field], []
        while fields:
            letter = fields.pop(0).lstrip(b"\n").decode()[0]
            path = [fields.pop(0) for _ in range(2 if letter == "R" else 1)][-1]
            files.append((path, WORDS[letter]))
        told = tuple((path.decode("utf-8", "surrogateescape"), word) for path, word in sorted(files))
        found[sha] = (int(seconds), parents, told)
    return found


def test_dates_and_files_of_every_landed_commit_are_what_git_sees(world: World, git: Git) -> None:
    for repo in pushed(world):
        rows = [row for row in world.landed if row.repo == repo.full_name]
        seen = read_files(git, repo, rows)
        assert len(seen) == len(rows)
        for row in rows:
            seconds, _, files = seen[row.sha]
            assert row.committed_at == datetime.fromtimestamp(seconds, UTC)
            assert row.files == files, row.tags


def test_members_of_a_merge_are_what_git_sees(world: World, git: Git) -> None:
    for repo in pushed(world):
        rows = [row for row in world.landed if row.repo == repo.full_name]
        seen = read_files(git, repo, rows)
        merges = [row for row in rows if len(seen[row.sha][1]) > 1]
        for row in merges if len(merges) < 60 else merges[::5]:
            told = git(repo, "rev-list", row.sha, f"^{seen[row.sha][1][0]}").decode().split()
            assert {row.sha, *row.members} == set(told)
        assert all(not row.members for row in rows if len(seen[row.sha][1]) < 2)


def test_windows_of_any_zone_cover_every_landed_commit_once(full: World) -> None:
    for repo in pushed(full):
        line = gold_line(full, repo.full_name)
        for hours in (0, 8, -5, 5.5):
            first = datetime(2026, 2, 1, tzinfo=UTC) - timedelta(hours=hours)
            days = [first + timedelta(days=i) for i in range(62)]
            found = [row.sha for day in days for row in gold_window(full, repo.full_name, day, day + timedelta(days=1))]
            expected = [row.sha for row in line if first <= row.committed_at < days[-1] + timedelta(days=1)]
            assert sorted(found) == sorted(expected)


def test_a_window_takes_its_first_second_and_leaves_its_last(full: World) -> None:
    row = next(row for row in full.landed if "midnight" in row.tags)
    second = timedelta(seconds=1)
    at = row.committed_at
    assert row in gold_window(full, row.repo, at, at + second)
    assert row not in gold_window(full, row.repo, at - second, at)


def test_the_edits_say_what_the_patch_shows(full: World, git: Git) -> None:
    kinds = {"change_default", "change_constant", "change_flag_default", "fix_bug", "rename_function", "change_setting"}
    seen = set()
    for role in ("squash repository", "merge repository"):
        repo = full.repo(full.notes[role])
        rows = [row for row in full.landed if row.repo == repo.full_name and row.edits and row.edits[0].kind in kinds]
        shas = "".join(f"{row.sha}\n" for row in rows).encode()
        args = ("log", "--no-walk=unsorted", "--stdin", "--diff-merges=first-parent", "-p", "-U0", "--format=%x01%H")
        patches = {part[:40]: part for part in git(repo, *args, stdin=shas).decode().split("\x01")[1:]}
        for row in rows:
            edit, lines = row.edits[0], patches[row.sha].splitlines()
            seen.add(edit.kind)
            last_line = edit.param("new").splitlines()[-1]
            assert any(line.startswith("+") and last_line in line for line in lines), edit
            assert any(line.startswith("-") and edit.param("old") in line for line in lines), edit
    assert seen == kinds


def test_a_push_is_found_by_its_time(full: World) -> None:
    repo = full.repo(full.notes["renamed repository"])
    assert push_at(repo, repo.pushes[0].at - timedelta(seconds=1)) == -1
    assert push_at(repo, repo.pushes[4].at) >= 4
    assert push_at(repo, full.now) == len(repo.pushes) - 1
