"""The mirrors that Gitzette keeps itself, fetched from a real git server on loopback."""

import asyncio
import base64
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.errors import ConfigError, NotFound, UpstreamError, UsageError
from agent.domain.window import Window
from tests.made_repos import Work
from tests.tools.git.conftest import GitServer
from tools.git.mirrors import MirrorKeeper, Patience, exclusively
from tools.git.source import GitSource

REPO = RepoId("acme/engine")
QUICK = Patience(lock=0.2, fetch=30, stall=5, pause=0.01)


def keeper(tmp_path: Path, server: GitServer, token: str | None = None) -> MirrorKeeper:
    return MirrorKeeper(tmp_path / "home", server.url, token, patience=QUICK)


async def refreshed(tmp_path: Path, server: GitServer, token: str | None = None) -> GitSource:
    ours = keeper(tmp_path, server, token)
    return GitSource(REPO, await ours.refresh(REPO), network=ours.network)


def tip(mirror: Path, name: str = "HEAD") -> str:
    return git(mirror, "rev-parse", name)


def git(mirror: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", mirror, *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


def grow(work: Work, count: int = 1) -> str:
    for _ in range(count):
        work.commit(f"at {work.seconds}", {f"f{work.seconds}": f"{work.seconds}\n" * 20})
    return work.head()


async def test_a_mirror_is_cloned_without_blobs_and_then_grows(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    first = grow(work, 3)
    work.git("tag", "v1")
    server.publish(work)
    mirror = await keeper(tmp_path, server).refresh(REPO)
    assert mirror == tmp_path / "home" / "mirrors" / "acme" / "engine.git"
    assert (tip(mirror), tip(mirror, "v1")) == (first, first)
    listed = git(mirror, "rev-list", "--objects", "--missing=print", "HEAD").splitlines()
    assert sum(line.startswith("?") for line in listed) == 3
    second = grow(work)
    work.git("tag", "--force", "v1")
    server.publish(work)
    assert await keeper(tmp_path, server).refresh(REPO) == mirror
    assert (tip(mirror), tip(mirror, "v1")) == (second, second)


async def test_a_day_of_twenty_commits_from_nothing_needs_three_sessions(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    grow(work, 20)
    server.publish(work)
    shas = work.git("rev-list", "HEAD").split()
    source = await refreshed(tmp_path, server)
    changes = [change async for change in source.changes(shas)]
    assert changes == [change async for change in GitSource(REPO, work.path).changes(shas)]
    assert server.sessions <= 3


async def test_a_tip_that_was_pushed_away_stays_readable(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    grow(work, 2)
    server.publish(work)
    mirror = await keeper(tmp_path, server).refresh(REPO)
    old = tip(mirror)
    work.git("reset", "--quiet", "--hard", "HEAD~")
    new = grow(work)
    server.publish(work)
    await keeper(tmp_path, server).refresh(REPO)
    assert tip(mirror) == new
    assert tip(mirror, f"refs/gitzette/tips/{old}") == old


@pytest.mark.parametrize("fault", ["502", "truncate"])
@pytest.mark.parametrize("at", [0, 4])
async def test_failures_that_pass_are_outlived(
    work: Work, server: GitServer, tmp_path: Path, fault: str, at: int
) -> None:
    sha = grow(work, 3)
    server.publish(work)
    # The fifth request is the one that brings the pack.
    server.faults.extend([""] * at + [fault])
    assert tip(await keeper(tmp_path, server).refresh(REPO)) == sha
    assert list((tmp_path / "home" / "mirrors" / ".incoming").iterdir()) == []


async def test_a_server_that_stays_away_leaves_the_mirror_and_says_so_in_one_line(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    sha = grow(work)
    server.publish(work)
    mirror = await keeper(tmp_path, server).refresh(REPO)
    server.faults.extend(["502"] * 20)
    with pytest.raises(UpstreamError) as raised:
        await keeper(tmp_path, server, token="s3cret-token").refresh(REPO)
    assert raised.value.retryable
    assert str(raised.value).startswith("acme/engine: ")
    assert "\n" not in str(raised.value)
    assert "s3cret" not in str(raised.value)
    assert tip(mirror) == sha


async def test_the_token_goes_to_the_server_and_nowhere_else(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    grow(work)
    server.publish(work)
    token = "s3cret-token"
    basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    source = await refreshed(tmp_path, server, token)
    assert [change.additions async for change in source.changes([work.head()])] == [20]
    assert {header for _, _, header in server.requests} == {f"Basic {basic}"}
    files = [file for file in (tmp_path / "home").rglob("*") if file.is_file()]
    assert files
    assert not [
        file
        for file in files
        if token.encode() in file.read_bytes() or basic.encode() in file.read_bytes()
    ]


async def test_the_token_takes_the_place_of_a_header_that_the_user_configured(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    grow(work)
    server.publish(work)
    configuration = tmp_path / "gitconfig"
    configuration.write_text(
        f'[http "{server.url}/"]\n\textraHeader = "Authorization: Basic theirs"\n'
    )
    environ = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": str(configuration)}
    home = tmp_path / "home"
    keeping = MirrorKeeper(home, server.url, "s3cret", environ=environ, patience=QUICK)
    await keeping.refresh(REPO)
    ours = base64.b64encode(b"x-access-token:s3cret").decode()
    assert {header for _, _, header in server.requests} == {f"Basic {ours}"}


def test_the_token_is_not_taken_to_another_machine_in_clear_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"git_url: http://git\.example is not encrypted"):
        MirrorKeeper(tmp_path, "http://git.example", "s3cret")
    MirrorKeeper(tmp_path, "http://git.example")
    MirrorKeeper(tmp_path, "https://git.example", "s3cret")


@pytest.mark.parametrize("token", [None, "s3cret"])
async def test_a_renamed_repository_is_followed_on_the_same_server(
    work: Work, server: GitServer, tmp_path: Path, token: str | None
) -> None:
    sha = grow(work)
    server.publish(work, "acme/motor")
    server.moved["/acme/engine.git"] = f"{server.url}/acme/motor.git"
    source = await refreshed(tmp_path, server, token)
    assert [change.additions async for change in source.changes([sha])] == [20]


async def test_the_token_does_not_follow_to_another_server(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    grow(work)
    server.publish(work, "acme/motor")
    other = server.url.replace("127.0.0.1", "localhost")
    server.moved["/acme/engine.git"] = f"{other}/acme/motor.git"
    with pytest.raises(UpstreamError, match="moved"):
        await keeper(tmp_path, server, "s3cret").refresh(REPO)
    assert all(header is None for _, path, header in server.requests if "motor" in path)


def flipped(content: bytes) -> bytes:
    half = len(content) // 2
    return content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :]


LOCKS = ("HEAD.lock", "packed-refs.lock", "refs/heads/main.lock", "config.lock", "shallow.lock")
HARMS: dict[str, tuple[str, Callable[[bytes], bytes | None]]] = {
    "a pack that was cut": ("objects/pack/*.pack", lambda pack: pack[:-30]),
    "a pack with a wrong bit": ("objects/pack/*.pack", flipped),
    "no packs": ("objects/pack/*", lambda _: None),
    "no head": ("HEAD", lambda _: None),
    "refs of zeros": ("refs/heads/main", lambda _: b"\0" * 41),
    "a garbled configuration": ("config", lambda _: b"[core\nnonsense"),
    "locks": ("*.lock", lambda lock: lock),
}


@pytest.mark.parametrize("harm", HARMS)
async def test_a_damaged_mirror_is_repaired_or_made_anew(
    work: Work, server: GitServer, tmp_path: Path, harm: str
) -> None:
    grow(work, 3)
    server.publish(work)
    mirror = await keeper(tmp_path, server).refresh(REPO)
    for name in LOCKS if harm == "locks" else ():
        (mirror / name).write_text("")
    pattern, harmed = HARMS[harm]
    files = list(mirror.glob(pattern))
    assert files
    for file in files:
        file.chmod(0o644)
        content = harmed(file.read_bytes())
        file.unlink() if content is None else file.write_bytes(content)
    sha = grow(work)
    server.publish(work)
    source = await refreshed(tmp_path, server)
    assert tip(mirror) == sha
    shas = work.git("rev-list", "HEAD").split()
    assert [change.unreadable async for change in source.changes(shas)] == [()] * 4


async def test_two_runs_wait_for_each_other(work: Work, server: GitServer, tmp_path: Path) -> None:
    sha = grow(work)
    server.publish(work)
    patient = [
        MirrorKeeper(tmp_path / "home", server.url, patience=Patience(lock=20, pause=0.01))
        for _ in range(3)
    ]
    mirrors = await asyncio.gather(*(patient_mirror.refresh(REPO) for patient_mirror in patient))
    assert {tip(mirror) for mirror in mirrors} == {sha}


async def test_a_named_branch_is_fetched_beside_the_default_one(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    main = grow(work)
    work.git("checkout", "--quiet", "-b", "release/1")
    release = grow(work)
    work.git("branch", "unwanted")
    server.publish(work)
    ours = keeper(tmp_path, server)
    mirror = await ours.refresh(REPO, branch="release/1")
    source = GitSource(REPO, mirror, branch="release/1", network=ours.network)
    landing = await source.landed(Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC"))
    assert (landing.branch, landing.tip, tip(mirror)) == ("release/1", release, main)
    branches = git(mirror, "for-each-ref", "--format=%(refname:short)", "refs/heads")
    assert branches.splitlines() == ["main", "release/1"]
    with pytest.raises(NotFound, match="no branch 'nope'"):
        await ours.refresh(REPO, branch="nope")


@pytest.mark.parametrize("renamed", ["trunk", "main/next"])
async def test_a_changed_default_branch_is_followed(
    work: Work, server: GitServer, tmp_path: Path, renamed: str
) -> None:
    grow(work)
    bare = server.publish(work)
    mirror = await keeper(tmp_path, server).refresh(REPO)
    for git_dir in (bare, work.path / ".git"):
        git(git_dir, "branch", "--move", "main", "on-the-way")
        git(git_dir, "branch", "--move", "on-the-way", renamed)
    newest = grow(work)
    server.publish(work)
    await keeper(tmp_path, server).refresh(REPO)
    assert (git(mirror, "symbolic-ref", "HEAD"), tip(mirror)) == (f"refs/heads/{renamed}", newest)


async def test_what_will_not_get_better_is_told_and_not_asked_again(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    server.root.mkdir()
    with pytest.raises(NotFound, match=r"^acme/engine: .*check the name, or set a token"):
        await keeper(tmp_path, server).refresh(REPO)
    assert server.sessions == 1
    assert keeper(tmp_path, server).mirrors() == ()
    grow(work)
    server.publish(work)
    server.faults.extend(["401"] * 9)
    with pytest.raises(UpstreamError, match="refuses the token") as raised:
        await keeper(tmp_path, server, "expired").refresh(REPO)
    assert not raised.value.retryable


async def test_a_name_that_leaves_the_folder_is_refused(server: GitServer, tmp_path: Path) -> None:
    for name in ("../x", "a/..", "a/b/c", "-x/y"):
        with pytest.raises(UsageError):
            await keeper(tmp_path, server).refresh(RepoId(name))
    assert server.requests == []


async def test_a_clone_that_was_killed_leaves_nothing_in_the_way(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    sha = grow(work)
    server.publish(work)
    half = tmp_path / "home" / "mirrors" / ".incoming" / "acme+engine-half"
    (half / "objects" / "pack").mkdir(parents=True)
    (half / "objects" / "pack" / "tmp_pack_x").write_bytes(b"PACK")
    assert tip(await keeper(tmp_path, server).refresh(REPO)) == sha
    assert not half.exists()


async def test_waiting_ends_and_names_who_holds_the_mirror_and_a_killed_one_holds_nothing(
    work: Work, server: GitServer, tmp_path: Path
) -> None:
    grow(work)
    server.publish(work)
    lock = tmp_path / "home" / "mirrors" / ".locks" / "acme+engine.lock"
    async with exclusively(lock, patience=1, what="a test"):
        holder = rf"in use by process {os.getpid()} since"
        with pytest.raises(UpstreamError, match=holder) as raised:
            await keeper(tmp_path, server).refresh(REPO)
        assert raised.value.retryable
    script = (
        f"import fcntl, time; lock = open({str(lock)!r}, 'w'); fcntl.flock(lock, 2); "
        "print('held', flush=True); time.sleep(60)"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"held\n"
    with pytest.raises(UpstreamError, match="in use by"):
        await keeper(tmp_path, server).refresh(REPO)
    process.send_signal(signal.SIGKILL)
    await process.wait()
    await keeper(tmp_path, server).refresh(REPO)
