"""The mirrors that Gitzette keeps itself, fetched from a real git server on loopback."""

import asyncio
import base64
import os
import shutil
import subprocess
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.domain.base import NotFound, RepoId, StorageError, UpstreamError
from agent.domain.window import Window
from tools.git.mirrors import MirrorKeeper, Patience, exclusively
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.git.conftest import GitServer, Work

REPO = RepoId("acme/engine")
QUICK = Patience(lock=0.2, fetch=30, stall=5, pause=0.01)


def keeper(tmp_path: Path, server: "GitServer", token: str | None = None) -> MirrorKeeper:
    return MirrorKeeper(tmp_path / "home", server.url, token, patience=QUICK)


async def refreshed(
    tmp_path: Path, server: "GitServer", token: str | None = None, branch: str | None = None
) -> GitSource:
    ours = keeper(tmp_path, server, token)
    return GitSource(REPO, await ours.refresh(REPO, branch=branch), branch=branch, network=ours.network)


def tip(mirror: Path, name: str = "HEAD") -> str:
    return git(mirror, "rev-parse", name)


def git(mirror: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", f"--git-dir={mirror}", *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


def grow(work: "Work", count: int = 1) -> str:
    for _ in range(count):
        work.write(f"f{work.seconds}", f"{work.seconds}\n" * 20)
        work.commit(f"at {work.seconds}")
    return work.head()


async def test_a_mirror_is_cloned_without_blobs_and_then_grows(
    work: "Work", server: "GitServer", tmp_path: Path
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


async def test_a_day_of_forty_commits_from_nothing_needs_three_sessions(
    work: "Work", server: "GitServer", tmp_path: Path
) -> None:
    grow(work, 40)
    server.publish(work)
    shas = work.git("rev-list", "HEAD").split()

    source = await refreshed(tmp_path, server)
    changes = [change async for change in source.changes(shas)]

    assert changes == [change async for change in GitSource(REPO, work.path).changes(shas)]
    assert server.sessions <= 3


async def test_a_tip_that_was_pushed_away_stays_readable(work: "Work", server: "GitServer", tmp_path: Path) -> None:
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


@pytest.mark.parametrize("renamed", ["trunk", "main/next"])
async def test_a_changed_default_branch_is_followed(
    work: "Work", server: "GitServer", tmp_path: Path, renamed: str
) -> None:
    grow(work)
    bare = server.publish(work)
    mirror = await keeper(tmp_path, server).refresh(REPO)
    for where in (bare, work.path / ".git"):
        git(where, "branch", "--move", "main", "on-the-way")
        git(where, "branch", "--move", "on-the-way", renamed)
    new = grow(work)
    server.publish(work)

    await keeper(tmp_path, server).refresh(REPO)

    assert (git(mirror, "symbolic-ref", "HEAD"), tip(mirror)) == (f"refs/heads/{renamed}", new)


async def test_a_named_branch_is_fetched_beside_the_default_one(
    work: "Work", server: "GitServer", tmp_path: Path
) -> None:
    main = grow(work)
    work.git("checkout", "--quiet", "-b", "release/1")
    release = grow(work)
    work.git("branch", "unwanted")
    server.publish(work)

    source = await refreshed(tmp_path, server, branch="release/1")
    landing = await source.landed(Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC"))

    mirror = keeper(tmp_path, server).path(REPO)
    assert (landing.branch, landing.tip, tip(mirror)) == ("release/1", release, main)
    assert git(mirror, "for-each-ref", "--format=%(refname:short)", "refs/heads") == "main\nrelease/1"
    with pytest.raises(NotFound, match="no branch 'nope'"):
        await keeper(tmp_path, server).refresh(REPO, branch="nope")


async def test_an_empty_repository_gives_an_empty_mirror_that_can_grow(
    work: "Work", server: "GitServer", tmp_path: Path
) -> None:
    bare = server.root / "acme" / "engine.git"
    bare.mkdir(parents=True)
    work.git("init", "--quiet", "--bare", "--initial-branch=main", str(bare))
    mirror = await keeper(tmp_path, server).refresh(REPO)
    assert not list((mirror / "objects" / "pack").iterdir())

    sha = grow(work)
    server.publish(work)
    assert tip(await keeper(tmp_path, server).refresh(REPO)) == sha


async def test_a_repository_that_is_not_there_is_not_found_and_asked_for_once(
    server: "GitServer", tmp_path: Path
) -> None:
    server.root.mkdir()

    with pytest.raises(NotFound, match=r"^acme/engine: .*check the name, or set a token"):
        await keeper(tmp_path, server).refresh(REPO)

    assert server.sessions == 1
    assert keeper(tmp_path, server).mirrors() == ()


@pytest.mark.parametrize("fault", ["502", "truncate"])
@pytest.mark.parametrize("at", [0, 4])
async def test_failures_that_pass_are_outlived(
    work: "Work", server: "GitServer", tmp_path: Path, fault: str, at: int
) -> None:
    sha = grow(work, 3)
    server.publish(work)
    # The fifth request is the one that brings the pack.
    server.faults.extend([""] * at + [fault])

    assert tip(await keeper(tmp_path, server).refresh(REPO)) == sha
    assert list((tmp_path / "home" / "mirrors" / ".incoming").iterdir()) == []


async def test_a_server_that_stays_away_leaves_the_mirror_and_says_so_in_one_line(
    work: "Work", server: "GitServer", tmp_path: Path
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


async def test_the_token_goes_to_the_server_and_nowhere_else(work: "Work", server: "GitServer", tmp_path: Path) -> None:
    grow(work)
    server.publish(work)
    token = "s3cret-token"
    basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()

    source = await refreshed(tmp_path, server, token)
    assert [change.additions async for change in source.changes([work.head()])] == [20]

    assert {header for _, _, header in server.requests} == {f"Basic {basic}"}
    files = [file for file in (tmp_path / "home").rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if token.encode() in file.read_bytes() or basic.encode() in file.read_bytes()]


async def test_a_refused_token_is_told_and_not_repeated(work: "Work", server: "GitServer", tmp_path: Path) -> None:
    grow(work)
    server.publish(work)
    server.faults.extend(["401"] * 9)

    with pytest.raises(UpstreamError, match="refuses the token") as raised:
        await keeper(tmp_path, server, "expired").refresh(REPO)

    assert not raised.value.retryable


@pytest.mark.parametrize("token", [None, "s3cret"])
async def test_a_renamed_repository_is_followed_on_the_same_server(
    work: "Work", server: "GitServer", tmp_path: Path, token: str | None
) -> None:
    sha = grow(work)
    server.publish(work, "acme/motor")
    server.moved["/acme/engine.git"] = f"{server.url}/acme/motor.git"

    source = await refreshed(tmp_path, server, token)

    assert [change.additions async for change in source.changes([sha])] == [20]


async def test_the_token_does_not_follow_to_another_server(work: "Work", server: "GitServer", tmp_path: Path) -> None:
    grow(work)
    server.publish(work, "acme/motor")
    other = server.url.replace("127.0.0.1", "localhost")
    server.moved["/acme/engine.git"] = f"{other}/acme/motor.git"

    with pytest.raises(UpstreamError, match="moved"):
        await keeper(tmp_path, server, "s3cret").refresh(REPO)

    assert all(header is None for _, path, header in server.requests if "motor" in path)


def truncate_pack(mirror: Path) -> None:
    pack = next((mirror / "objects" / "pack").glob("*.pack"))
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[:-30])


def flip_a_bit(mirror: Path) -> None:
    pack = next((mirror / "objects" / "pack").glob("*.pack"))
    pack.chmod(0o644)
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 1
    pack.write_bytes(content)


def lose_pack(mirror: Path) -> None:
    for file in (mirror / "objects" / "pack").iterdir():
        file.unlink()


def lose_head(mirror: Path) -> None:
    (mirror / "HEAD").unlink()


def lose_refs(mirror: Path) -> None:
    shutil.rmtree(mirror / "refs")
    (mirror / "packed-refs").unlink(missing_ok=True)


def garble_refs(mirror: Path) -> None:
    (mirror / "refs" / "heads" / "main").write_bytes(b"\0" * 41)


def garble_config(mirror: Path) -> None:
    (mirror / "config").write_text("[core\nnonsense")


def leave_locks(mirror: Path) -> None:
    for name in ("HEAD.lock", "packed-refs.lock", "refs/heads/main.lock", "config.lock", "shallow.lock"):
        (mirror / name).write_text("")
    (mirror / "refs" / "gitzette").mkdir(exist_ok=True)
    (mirror / "refs" / "gitzette" / "fetched.lock").write_text("")


@pytest.mark.parametrize(
    "harm",
    [truncate_pack, flip_a_bit, lose_pack, lose_head, lose_refs, garble_refs, garble_config, leave_locks],
)
async def test_a_damaged_mirror_is_repaired_or_made_anew(
    work: "Work", server: "GitServer", tmp_path: Path, harm: "object"
) -> None:
    grow(work, 3)
    server.publish(work)
    mirror = await keeper(tmp_path, server).refresh(REPO)
    assert callable(harm)
    harm(mirror)
    sha = grow(work)
    server.publish(work)

    source = await refreshed(tmp_path, server)

    assert tip(mirror) == sha
    shas = work.git("rev-list", "HEAD").split()
    assert [change.unreadable async for change in source.changes(shas)] == [()] * 4


async def test_two_runs_wait_for_each_other(work: "Work", server: "GitServer", tmp_path: Path) -> None:
    sha = grow(work)
    server.publish(work)
    patient = [MirrorKeeper(tmp_path / "home", server.url, patience=Patience(lock=20, pause=0.01)) for _ in range(3)]

    mirrors = await asyncio.gather(*(one.refresh(REPO) for one in patient))

    assert {tip(mirror) for mirror in mirrors} == {sha}


async def test_waiting_ends_and_names_who_holds_the_mirror(work: "Work", server: "GitServer", tmp_path: Path) -> None:
    lock = tmp_path / "home" / "mirrors" / ".locks" / "acme+engine.lock"
    async with exclusively(lock, patience=1, what="a test"):
        with pytest.raises(UpstreamError, match=rf"in use by process {os.getpid()} since") as raised:
            await keeper(tmp_path, server).refresh(REPO)
    assert raised.value.retryable


async def test_many_small_packs_are_joined_and_old_tips_survive(
    work: "Work", server: "GitServer", tmp_path: Path
) -> None:
    grow(work, 2)
    server.publish(work)
    mirror = await keeper(tmp_path, server).refresh(REPO)
    old = tip(mirror)
    work.git("reset", "--quiet", "--hard", "HEAD~")
    for _ in range(3):
        grow(work)
        server.publish(work)
        await keeper(tmp_path, server).refresh(REPO)
    pack = next((mirror / "objects" / "pack").glob("*.pack"))
    for number in range(60):
        for suffix in (".pack", ".idx", ".promisor"):
            name = f"pack-{number:040x}{suffix}"
            shutil.copy(pack.with_suffix(suffix), mirror / "objects" / "pack" / name)

    sha = grow(work)
    server.publish(work)
    await keeper(tmp_path, server).refresh(REPO)

    assert len(list((mirror / "objects" / "pack").glob("*.pack"))) < 5
    assert (tip(mirror), tip(mirror, old)) == (sha, old)


async def test_a_home_that_cannot_be_written_is_named(work: "Work", server: "GitServer", tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")

    with pytest.raises(StorageError):
        await keeper(tmp_path, server).refresh(REPO)
