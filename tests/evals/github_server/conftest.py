"""A small repository with threads, served on loopback, and a client to ask the server with."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from evals.github_server.app import GitHubServer
from evals.worlds.data_model import Pull, Push, Repo, WorldComment, WorldIssue, WorldRelease

TOKEN = "t0ken"
DAY = datetime(2026, 2, 1, 12, tzinfo=UTC)
FUNCTIONS = "".join(f"def f{i}(x):\n    y = x + {i}\n    return y\n\n\n" for i in range(9)).encode()
BIG = {f"big/{i}.txt": b"".join(b"%090d\n" % (i * 9000 + n) for n in range(3000)) for i in range(5)}
Connect = Callable[..., httpx.Client]


def fast_import(
    git_dir: Path, commits: list[tuple[str, str, dict[str, bytes]]], merge: str = ""
) -> dict[str, str]:
    """Write commits as (branch, message, files), a minute apart; each message names its commit."""
    stream: list[bytes] = []
    for number, (branch, message, files) in enumerate(commits, 1):
        who = f"committer Ada <ada@example.org> {int(DAY.timestamp()) + 60 * number} +0000"
        fresh = branch != "main" and all(branch != other for other, _, _ in commits[: number - 1])
        parents = f"from :{number - 1}\n" if fresh else ""
        parents += f"merge refs/heads/{merge}\n" if message == "merge" else ""
        stream.append(
            f"commit refs/heads/{branch}\nmark :{number}\n{who}\ndata {len(message)}\n{message}\n".encode()
        )
        stream.append(parents.encode())
        stream += [
            f"M 100644 inline {p}\ndata {len(c)}\n".encode() + c + b"\n" for p, c in files.items()
        ]
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(git_dir)], check=True)
    command = [
        "git",
        f"--git-dir={git_dir}",
        "fast-import",
        "--quiet",
        f"--export-marks={git_dir}/marks",
    ]
    subprocess.run(command, input=b"".join(stream), check=True)
    marks = dict(line.split() for line in (git_dir / "marks").read_text().splitlines())
    return {message: marks[f":{number}"] for number, (_, message, _) in enumerate(commits, 1)}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("repos")


@pytest.fixture(scope="session")
def named(folder: Path) -> dict[str, str]:
    """The rocket's commits by their messages."""
    commits = [("main", f"step {n}", {f"part{n % 7}.py": b"%d\n" % n}) for n in range(40)]
    commits += [("main", "functions", {"engine.py": FUNCTIONS, "文档/说明 1.md": b"caf\xe9\n"})]
    commits += [("main", "edit", {"engine.py": FUNCTIONS.replace(b"x + 3\n", b"x - 3\n")})]
    commits += [("main", "many", {f"many/{i:04}.txt": b"%d\n" % i for i in range(691)})]
    commits += [("main", "budget", BIG), ("topic", "member", {"feature.py": b"a = 1\n"})]
    commits += [
        ("main", "merge", {"feature.py": b"a = 1\n"}),
        ("main", "tip", {"README.md": b"# Rocket\n"}),
    ]
    return fast_import(folder / "rocket.git", commits, merge="topic")


def threads(named: dict[str, str]) -> tuple[tuple[WorldIssue, ...], tuple[Pull, ...]]:
    issues = [
        WorldIssue(n, f"Issue {n}", "", "ada", DAY + timedelta(hours=n), DAY + timedelta(hours=n))
        for n in range(51)
    ]
    closed = replace(
        issues[2], state="closed", closed_at=DAY, state_reason="duplicate", author=None, reactions=4
    )
    talk = tuple(WorldComment(50 + n, "grace", f"Comment {n}", DAY) for n in range(3))
    issues[2] = replace(closed, comments=talk)
    issues[5] = replace(issues[5], deleted=True)
    pull = Pull(
        101,
        "Pull",
        "Fixes #3",
        "renovate[bot]",
        DAY,
        DAY,
        head_ref="topic",
        head_sha=named["member"],
    )
    merged = replace(
        pull, state="closed", merged_at=DAY, merge_commit=named["merge"], commits=(named["member"],)
    )
    merged = replace(
        merged,
        labels=("feature",),
        closes=(("acme/rocket", 3), ("acme/rocket", 5), ("acme/none", 1)),
    )
    return tuple(issues[1:]), (merged, replace(pull, number=102, commits=merged.commits))


@pytest.fixture(scope="session")
def rocket(folder: Path, named: dict[str, str]) -> Repo:
    issues, pulls = threads(named)
    release = WorldRelease(1, "v1.0", "First", "Notes", "ada", named["edit"], DAY, DAY)
    drafted = replace(release, id=2, tag="v2.0", draft=True, published_at=None)
    pushes = tuple(
        Push(DAY + timedelta(days=n), named[name])
        for n, name in enumerate(("edit", "merge", "tip"))
    )
    more = (issues, pulls, (release, drafted), pushes, ("old/rocket",))
    return Repo(4711, "acme", "rocket", "main", folder / "rocket.git", *more)


@pytest.fixture(scope="session")
def repos(rocket: Repo, folder: Path) -> tuple[Repo, ...]:
    """The rocket, and a repository that is empty."""
    fast_import(folder / "empty.git", [])
    return rocket, Repo(13, "acme", "empty", "main", folder / "empty.git")


@pytest.fixture
def server(repos: tuple[Repo, ...]) -> Iterator[GitHubServer]:
    with GitHubServer(repos, tokens=(TOKEN,)) as server:
        yield server


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Open a client to a server: with the token unless told otherwise, without any proxy."""
    opened: list[httpx.Client] = []

    def to(server: GitHubServer, *, token: str | None = TOKEN) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        # Nothing is encrypted on loopback, so nobody needs to load certificates for it.
        opened.append(
            httpx.Client(
                base_url=server.url, headers=headers, trust_env=False, timeout=20, verify=False
            )
        )
        return opened[-1]

    yield to
    for client in opened:
        client.close()


@pytest.fixture
def api(server: GitHubServer, connect: Connect) -> httpx.Client:
    return connect(server)
