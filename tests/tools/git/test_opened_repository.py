"""Which branch is reported on, and what is said of a path or a git that cannot be used."""

import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Landing
from agent.domain.errors import InputError, NotFound
from agent.domain.window import Window
from tests.made_repos import CLEAN, Work
from tools.git.opened_repository import checkout_above, open_repository
from tools.git.source import GitSource

REPO = RepoId("acme/engine")
TODAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
MIDNIGHT = datetime(2026, 2, 4, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


async def landed(path: Path, branch: str | None = None) -> Landing:
    return await GitSource(REPO, path, branch=branch).landed(TODAY)


def subjects(landing: Landing) -> list[str]:
    return [row.commit.subject for row in landing.rows]


@pytest.fixture
def clone(work: Work, tmp_path: Path) -> Work:
    """A clone of a checkout in which one commit has landed."""
    work.commit("one", at=MIDNIGHT)
    work.git("clone", "--quiet", str(work.path), str(tmp_path / "clone"))
    return Work(tmp_path / "clone")


async def test_a_named_branch_is_read_and_an_unknown_one_is_refused_with_those_there_are(
    work: Work,
) -> None:
    work.commit("trunk", at=MIDNIGHT)
    work.git("checkout", "--quiet", "-b", "release/1")
    work.commit("fix", at=MIDNIGHT + MINUTE)
    work.git("checkout", "--quiet", "main")
    landing = await landed(work.path, "release/1")
    assert (landing.branch, subjects(landing)) == ("release/1", ["fix", "trunk"])
    assert subjects(await landed(work.path, "main")) == ["trunk"]
    with pytest.raises(InputError, match=r"no branch 'nope'; it has main, release/1$"):
        await landed(work.path, "nope")


async def test_a_branch_that_only_origin_has_is_read_from_there(work: Work, clone: Work) -> None:
    work.git("checkout", "--quiet", "-b", "release")
    work.commit("fix", at=MIDNIGHT + MINUTE)
    clone.git("fetch", "--quiet")
    assert subjects(await landed(clone.path, "release")) == ["fix", "one"]


async def test_a_clone_on_a_feature_branch_reports_on_the_default_branch(clone: Work) -> None:
    clone.git("checkout", "--quiet", "-b", "feature")
    clone.commit("mine", at=MIDNIGHT + MINUTE)
    landing = await landed(clone.path)
    assert (landing.branch, subjects(landing)) == ("main", ["one"])


async def test_a_clone_that_fetched_without_merging_reports_what_it_fetched(
    work: Work, clone: Work
) -> None:
    work.commit("two", at=MIDNIGHT + MINUTE)
    clone.git("fetch", "--quiet")
    assert subjects(await landed(clone.path)) == ["two", "one"]
    # Work of one's own on the same branch counts, and then the two are apart.
    clone.commit("own", at=MIDNIGHT + 2 * MINUTE)
    assert subjects(await landed(clone.path)) == ["own", "one"]


@pytest.mark.parametrize(
    ("branches", "expected"),
    [
        (("main", "x"), "main"),
        (("master", "x"), "master"),
        (("only",), "only"),
        (("x", "y"), "HEAD"),
    ],
)
async def test_a_detached_head_falls_back_to_the_usual_branch(
    work: Work, branches: tuple[str, ...], expected: str
) -> None:
    work.commit("one", at=MIDNIGHT)
    work.git("checkout", "--quiet", "--detach")
    work.git("branch", "--delete", "--force", "main")
    for name in branches:
        work.git("branch", name)
    landing = await landed(work.path)
    assert (landing.branch, subjects(landing)) == (expected, ["one"])


async def test_a_path_that_cannot_be_read_is_named_with_the_reason(
    work: Work, tmp_path: Path
) -> None:
    inside = work.path / "inside"
    inside.mkdir()
    long = tmp_path / "long"
    work.git("init", "--quiet", "--object-format=sha256", str(long))
    for path, reason in (
        (tmp_path / "nowhere", "does not exist"),
        (inside, "not a git repository"),
        (tmp_path, "not a git repository"),
        (long, "uses sha256 hashes"),
    ):
        with pytest.raises(InputError, match=reason):
            await landed(path)
    assert checkout_above(inside) == work.path


async def test_a_commit_is_found_by_any_unambiguous_beginning_of_its_hash(work: Work) -> None:
    commit = b"commit refs/heads/main\ncommitter B <b@x> 1770206400 +0000\ndata %d\n%s\n"
    texts = [b"%d" % number for number in range(800)]
    work.git("fast-import", "--quiet", stdin=b"".join(commit % (len(t), t) for t in texts))
    shas = work.git("rev-list", "--reverse", "main").split()
    source = GitSource(REPO, work.path)
    assert (await source.resolve(shas[7])).sha == shas[7]
    assert (await source.resolve(shas[7][:12].upper())).subject == "7"
    for unknown in ("0" * 40, "abc", "HEAD", "--all", ""):
        with pytest.raises(NotFound):
            await source.resolve(unknown)
    beginnings = [sha[:4] for sha in shas]
    shared = next(beginning for beginning in beginnings if beginnings.count(beginning) > 1)
    with pytest.raises(NotFound):
        await source.resolve(shared)


async def test_a_machine_without_git_or_with_an_old_one_is_told_what_to_install(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = tmp_path / "bin"
    search.mkdir()
    monkeypatch.setenv("PATH", str(search))
    with pytest.raises(InputError, match=r"git is not installed .* install git 2\.37 or newer"):
        await landed(work.path)
    program = search / "git"
    program.write_text("#!/bin/sh\necho git version 2.30.2\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{search}{os.pathsep}{CLEAN['PATH']}")
    with pytest.raises(InputError, match=r"git version 2\.30\.2 is too old; install git 2\.37"):
        await landed(work.path)


async def test_moved_references_are_noticed_without_starting_git(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = work.commit("one", at=MIDNIGHT)
    source = GitSource(REPO, work.path)
    digests = [await source.refs()]
    work.commit("two", at=MIDNIGHT + MINUTE)
    digests.append(await source.refs())
    work.git("tag", "v1", first)
    digests.append(await source.refs())
    work.git("checkout", "--quiet", "--detach")
    digests.append(await source.refs())
    work.git("pack-refs", "--all")
    work.git("tag", "--delete", "v1")
    digests.append(await source.refs())
    assert len(set(digests)) == len(digests)
    monkeypatch.setenv("PATH", "")
    assert await source.refs() == digests[-1]


async def test_the_tip_is_looked_up_again_only_when_references_moved(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = work.commit("one", at=MIDNIGHT)
    repository = await open_repository(work.path)
    assert (await repository.tip()).sha == first
    with monkeypatch.context() as without_git:
        without_git.setenv("PATH", "")
        assert (await repository.tip()).sha == first
    second = work.commit("two", at=MIDNIGHT + MINUTE)
    assert (await repository.tip()).sha == second
