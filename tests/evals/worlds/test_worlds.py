"""Git is the oracle here: what it finds in the repositories must be what the worlds say landed."""

import re
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evals.worlds.data_model import LandedGold, Pull, Repo, World, WorldIssue
from evals.worlds.true_ledger import gold_line, gold_window, importance, push_at
from evals.worlds.worlds import build
from evals.worlds.worlds_from_toml import read_world

Git = Callable[..., bytes]
Seen = dict[str, tuple[int, list[str], tuple[tuple[str, str], ...]]]
WORDS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "T": "changed"}
DEMO_TIPS = {
    "lumen-ai/tensorforge": "a0ceb146d561f464b713f8b22ba6bd6536312dae",
    "lumen-ai/swiftserve": "fb05fcdcbbb347c0a23ce8ef95d0fa123098e3e8",
    "lumen-ai/routekit": "f28025c9aab6e0218682944605530c084a7998b9",
}


@pytest.fixture(params=["demo", "full", "random"])
def world(request: pytest.FixtureRequest) -> World:
    chosen: World = request.getfixturevalue(request.param)
    return chosen


def pushed(world: World) -> list[Repo]:
    return [repo for repo in world.repos if repo.pushes]


def rows_of(world: World, repo: Repo) -> list[LandedGold]:
    return [row for row in world.landed if row.repo == repo.full_name]


def test_the_demo_world_has_the_same_hashes_as_ever(demo: World) -> None:
    assert {repo.full_name: repo.pushes[-1].tip for repo in demo.repos} == DEMO_TIPS


def test_a_seed_gives_one_random_world_whatever_was_in_the_folder(
    tmp_path: Path, random: World
) -> None:
    other = build("random", 8, tmp_path)
    again = build("random", 7, tmp_path)
    assert again.landed == random.landed != other.landed


def test_git_finds_no_fault_in_any_repository(world: World) -> None:
    for repo in world.repos:
        command = ["git", f"--git-dir={repo.git_dir}", "fsck", "--strict", "--no-dangling"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        faults = [
            line
            for line in (done.stdout + done.stderr).splitlines()
            if not line.startswith("notice: ")
        ]
        assert (done.returncode, faults) == (0, [])


def test_every_push_has_the_first_parent_line_that_git_sees(world: World, git: Git) -> None:
    for repo in pushed(world):
        assert git(repo, "rev-parse", "HEAD").decode().strip() == repo.pushes[-1].tip
        for index in [
            *range(0, len(repo.pushes), 1 + len(repo.pushes) // 30),
            len(repo.pushes) - 1,
        ]:
            line = git(repo, "rev-list", "--first-parent", repo.pushes[index].tip).decode().split()
            assert [row.sha for row in gold_line(world, repo.full_name, index)] == line
            assert push_at(repo, repo.pushes[index].at) >= index


def seen_by_git(git: Git, repo: Repo, rows: list[LandedGold]) -> Seen:
    """Ask git for date, parents and files of each row."""
    shas = "".join(f"{row.sha}\n" for row in rows).encode()
    args = (
        "log",
        "-z",
        "--no-walk=unsorted",
        "--stdin",
        "--diff-merges=first-parent",
        "--root",
        "--name-status",
        "-M",
    )
    found_shas = {}
    for part in re.split(
        rb"(?:^|\0)\x01(?=[0-9a-f]{40} )", git(repo, *args, "--format=%x01%H %ct %P", stdin=shas)
    ):
        header, _, rest = part.partition(b"\0")
        if not header:
            continue
        sha, seconds, *parents = header.decode().split()
        fields = [field for field in rest.split(b"\0") if field]
        files = []
        while fields:
            letter = fields.pop(0).lstrip(b"\n").decode()[0]
            path = [fields.pop(0) for _ in range(2 if letter == "R" else 1)][-1]
            files.append((path, WORDS[letter]))
        listed_shas = tuple(
            (path.decode("utf-8", "surrogateescape"), word) for path, word in sorted(files)
        )
        found_shas[sha] = (int(seconds), parents, listed_shas)
    return found_shas


def test_dates_files_and_members_of_every_landed_commit_are_what_git_sees(
    world: World, git: Git
) -> None:
    for repo in pushed(world):
        rows = rows_of(world, repo)
        seen = seen_by_git(git, repo, rows)
        for row in rows:
            seconds, parents, files = seen[row.sha]
            assert row.committed_at == datetime.fromtimestamp(seconds, UTC)
            if repo.owner != "random-ai":  # a random file may be taken for another one's new name
                assert row.files == files, row.tags
            assert bool(row.members) <= (len(parents) > 1)
        for row in [row for row in rows if row.members][::5]:
            listed_shas = git(repo, "rev-list", row.sha, f"^{seen[row.sha][1][0]}").decode().split()
            assert {row.sha, *row.members} == set(listed_shas)


def test_windows_of_any_zone_cover_every_landed_commit_once(world: World) -> None:
    for repo in pushed(world):
        for hours in (0, 8, -5, 5.5):
            first = datetime(2026, 1, 25, tzinfo=UTC) - timedelta(hours=hours)
            days = [first + timedelta(days=i) for i in range(70)]
            found_shas = [
                r.sha
                for day in days
                for r in gold_window(world, repo.full_name, day, day + timedelta(days=1))
            ]
            line = gold_line(world, repo.full_name)
            expected = [
                row.sha for row in line if first <= row.committed_at < days[-1] + timedelta(days=1)
            ]
            assert sorted(found_shas) == sorted(expected)


def test_threads_agree_with_what_landed_and_with_each_other(world: World, git: Git) -> None:
    for repo in world.repos:
        line = {row.sha: row for row in gold_line(world, repo.full_name)}
        threads: list[WorldIssue | Pull] = sorted(
            [*repo.issues, *repo.pulls], key=lambda entry: entry.number
        )
        assert [thread.created_at for thread in threads] == sorted(
            thread.created_at for thread in threads
        )
        for entry in threads:
            moments = [event.at for event in entry.events]
            assert moments == sorted(moments)
            assert all(entry.created_at <= at <= entry.updated_at <= world.now for at in moments)
            turns = [event.kind for event in entry.events if event.kind in ("closed", "reopened")]
            assert entry.state == ("closed" if turns[-1:] == ["closed"] else "open")
        for pull in (entry for entry in repo.pulls if entry.merge_commit):
            if repo.owner != "random-ai":  # there a landed commit may be pushed over
                assert (pull.merge_commit in line) == (pull.base == repo.default_branch)
            for name, number in pull.closes:
                issue = next(entry for entry in world.repo(name).issues if entry.number == number)
                assert (repo.full_name, pull.number) in [event.source for event in issue.events]
        heads = "".join(f"{pull.head_sha}\n" for pull in repo.pulls).encode()
        assert set(
            git(repo, "cat-file", "--batch-check=%(objecttype)", stdin=heads).decode().split()
        ) <= {"commit"}


def test_the_full_world_has_every_kind_of_day_commit_and_thread(full: World) -> None:
    tags = {tag for row in full.landed for tag in row.tags}
    assert {
        "bot",
        "release",
        "chinese",
        "late",
        "dst",
        "midnight",
        "skewed",
        "hostile",
        "dropped",
        "octopus",
    } <= tags
    entry, two = (
        full.notes[f"lumen-ai/oddments: alike {name}"].partition("@")[2] for name in ("one", "two")
    )
    assert entry[:7] == two[:7]
    assert any(push.forced for push in full.repo("lumen-ai/routekit").pushes)
    reasons = {issue.state_reason for repo in full.repos for issue in repo.issues}
    assert {"duplicate", "not_planned", "completed", "reopened"} <= reasons
    day = datetime.fromisoformat(full.notes["busy day"]).replace(tzinfo=UTC)
    assert len(gold_window(full, "lumen-ai/tensorforge", day, day + timedelta(days=1))) >= 200


@pytest.mark.parametrize(
    ("grade", "works"),
    [
        (
            3,
            [
                "tensorforge: unfuse-norm",
                "tensorforge: release",
                "swiftserve: fix-hang",
                "swiftserve: chunk-default",
            ],
        ),
        (2, ["tensorforge: topk-limit", "swiftserve: fix-router", "swiftserve: forge"]),
        (1, ["swiftserve: torch"]),
        (0, ["tensorforge: docs-zh", "tensorforge: ci-runner"]),
    ],
)
def test_commits_are_graded_by_what_was_done_in_them(
    demo: World, grade: int, works: list[str]
) -> None:
    grades = importance(demo)
    for work in works:
        repo, _, sha = demo.notes[f"lumen-ai/{work}"].partition("@")
        assert grades[repo, sha] == grade, work


def test_a_written_world_may_bring_its_own_people_and_lie_anywhere(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "world.toml").write_text(
        """
        now = 2026-02-05T08:00:00Z
        repos = ["engine"]
        [[user]]
        login = "ada"
        name = "Ada Example"
        email = "ada@mail.example"
        """,
        "utf-8",
    )
    (source / "engine.toml").write_text(
        """
        id = 1
        name = "acme/engine"
        [[commit]]
        author = "ada"
        at = 2026-02-04T08:00:00Z
        message = "Start"
        write = { "README.md" = "engine" }
        """,
        "utf-8",
    )
    (repo,) = read_world(source, tmp_path / "world").repos
    log = ["git", f"--git-dir={repo.git_dir}", "log", "--format=%an <%ae> %s"]
    done = subprocess.run(log, capture_output=True, text=True, check=True)
    assert done.stdout == "Ada Example <ada@mail.example> Start\n"
