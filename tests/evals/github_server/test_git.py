"""Git itself can clone and fetch from the server."""

import gzip
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from agent.errors import InputError
from evals.github_server.app import GitHubServer
from evals.worlds.model import Repo

Connect = Callable[..., httpx.Client]


def git(*arguments: str | Path, check: bool = True) -> str:
    command = ["git", "-c", "http.proxy=", "-c", "protocol.version=2", *map(str, arguments)]
    return subprocess.run(command, check=check, capture_output=True, text=True, timeout=60).stdout.strip()


def test_a_clone_has_every_branch_tag_and_file(
    shared: GitHubServer, rocket: Repo, tmp_path: Path, named: dict[str, str]
) -> None:
    git("clone", "-q", f"{shared.git_url}/acme/rocket.git", tmp_path / "c")
    assert git("-C", tmp_path / "c", "rev-parse", "HEAD", "origin/idea", "v1.0^{}").split() == [
        named["tip"],
        named["open"],
        named["before"],
    ]
    assert git("-C", tmp_path / "c", "fsck", "--full") == ""


def test_a_clone_without_blobs_fetches_those_it_needs_in_one_go(
    server: GitHubServer, tmp_path: Path, named: dict[str, str]
) -> None:
    clone = tmp_path / "c.git"
    git("clone", "-q", "--bare", "--filter=blob:none", f"{server.git_url}/acme/rocket.git", clone)
    assert (server.git_sessions, server.git_fetches) == (1, 1)
    missing = git("-C", clone, "rev-list", "--objects", "--all", "--missing=print").count("\n?")
    assert missing > 700
    patch = git("-C", clone, "log", "-1", "-p", named["edit"])
    assert "+    y = x - 2" in patch
    assert server.git_sessions == 2
    assert {request.repo for request in server.git_requests} == {"acme/rocket"}


def test_a_fetch_brings_what_a_later_push_added(server: GitHubServer, tmp_path: Path, named: dict[str, str]) -> None:
    clone = tmp_path / "c.git"
    server.set_push("acme/rocket", 0)
    git("clone", "-q", "--bare", f"{server.git_url}/acme/rocket.git", clone)
    assert git("-C", clone, "rev-parse", "main") == named["edit"]
    server.set_push("acme/rocket", 2)
    git("-C", clone, "fetch", "-q", "origin", "+refs/heads/*:refs/heads/*")
    assert git("-C", clone, "rev-parse", "main") == named["tip"]
    server.forget()
    assert (server.git_requests, server.requests) == ([], [])


def test_a_mirror_without_configuration_and_a_renamed_repository_can_be_cloned(
    shared: GitHubServer, tmp_path: Path
) -> None:
    git("clone", "-q", f"{shared.git_url}/acme/engine", tmp_path / "engine")
    assert (tmp_path / "engine/a.txt").read_text() == "a\n"
    git("clone", "-q", "--depth=1", f"{shared.git_url}/old/rocket.git", tmp_path / "old")
    git("clone", "-q", f"{shared.git_url}/acme/empty.git", tmp_path / "empty")
    assert list((tmp_path / "old").iterdir())


def test_the_served_repository_is_never_written_to(rocket: Repo, tmp_path: Path, server: GitHubServer) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in rocket.git_dir.rglob("*"))
    server.set_push("acme/rocket", 0)
    git("clone", "-q", "--bare", f"{server.git_url}/acme/rocket.git", tmp_path / "c.git")
    assert sorted((path, path.stat().st_mtime_ns) for path in rocket.git_dir.rglob("*")) == before


def test_nobody_can_push(shared: GitHubServer, tmp_path: Path) -> None:
    git("clone", "-q", f"{shared.git_url}/acme/engine.git", tmp_path / "c")
    git("-C", tmp_path / "c", "checkout", "-q", "-b", "mine")
    with pytest.raises(subprocess.CalledProcessError):
        git("-C", tmp_path / "c", "push", "-q", "origin", "mine")


def test_a_new_commit_is_seen_after_a_reload(tmp_path: Path, connect: Connect) -> None:
    git("init", "-q", "-b", "main", tmp_path / "work")
    who: list[str | Path] = [
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@example.org",
        "-C",
        tmp_path / "work",
        "commit",
        "-q",
    ]
    git(*who, "--allow-empty", "-m", "one")
    with GitHubServer([Repo(1, "a", "work", "main", tmp_path / "work")]) as server:
        api = connect(server)
        assert [commit["commit"]["message"] for commit in api.get("/repos/a/work/commits").json()] == ["one"]
        git(*who, "--allow-empty", "-m", "two")
        server.reload("a/work")
        assert [c["commit"]["message"] for c in api.get("/repos/a/work/commits").json()] == ["two", "one"]
        with pytest.raises(InputError, match="has 0 pushes"):
            server.set_push("a/work", 3)
        with pytest.raises(InputError, match="is not served"):
            server.reload("a/other")


def test_requests_may_be_compressed_and_come_in_chunks(shared: GitHubServer, connect: Connect) -> None:
    body = b"0014command=ls-refs\n0001001bref-prefix refs/heads/i0000"
    headers = {"Content-Type": "application/x-git-upload-pack-request", "Git-Protocol": "version=2"}
    url, api = f"{shared.url}/acme/rocket.git/git-upload-pack", connect(shared)

    def chunks() -> Iterator[bytes]:
        yield body[:10]
        yield body[10:]

    plain = api.post(url, content=body, headers=headers)
    assert b"refs/heads/idea" in plain.content
    squeezed = api.post(url, content=gzip.compress(body), headers=headers | {"Content-Encoding": "gzip"})
    assert squeezed.content == plain.content
    assert api.post(url, content=chunks(), headers=headers).content == plain.content
    assert [request.command for request in shared.git_requests[-3:]] == ["ls-refs"] * 3


def test_git_can_be_made_to_fail(server: GitHubServer, tmp_path: Path) -> None:
    server.faults.add("bad_gateway", "info/refs")
    url = f"{server.git_url}/acme/engine.git"
    with pytest.raises(subprocess.CalledProcessError) as failed:
        git("clone", "-q", url, tmp_path / "c")
    assert "502" in failed.value.stderr
    server.faults.add("reset", "git-upload-pack$")
    with pytest.raises(subprocess.CalledProcessError):
        git("clone", "-q", url, tmp_path / "c")
    git("clone", "-q", url, tmp_path / "c")


def test_what_is_no_repository_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be served"):
        GitHubServer([Repo(1, "a", "b", "main", tmp_path)])


def test_a_server_can_be_left_running_until_it_is_interrupted(rocket: Repo) -> None:
    program = (
        # A shell that runs the tests in the background has them ignore interrupts; this one must not.
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from pathlib import Path; from evals.worlds.model import Repo; "
        "from evals.github_server.app import serve_forever; "
        "serve_forever([Repo(1, 'a', 'b', 'main', Path(sys.argv[1]))], 0)"
    )
    command = [sys.executable, "-c", program, str(rocket.git_dir)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        url = said.split()[2].rstrip(",")
        with httpx.Client(trust_env=False, verify=False) as api:
            assert api.get(f"{url}/repos/a/b").json()["full_name"] == "a/b"
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()
