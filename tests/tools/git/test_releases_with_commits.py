"""Tags by their names, and which of them is the first to have a commit."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.domain.base import RepoId
from agent.stories.timeline import headline
from tests.made_repos import Work
from tools.git.source import GitSource

REPO = RepoId("acme/engine")
LATER = datetime(2027, 1, 1, tzinfo=UTC)


async def test_the_first_version_that_has_a_commit_or_a_copy_of_it_is_found(work: Work) -> None:
    early = work.commit("feat: early (#1)")
    work.git("tag", "v1.0.0rc1")
    work.git("tag", "nightly-1")
    work.git("checkout", "--quiet", "-b", "release")
    work.commit("fix: picked (#3)")
    work.commit("cherry-pick: #5 (feat: asked for) and resolve conflicts (#9)")
    work.commit("Revert the experiment of #2 (#10)")
    work.git("tag", "-a", "-m", "out", "v1.0.0", env={"GIT_COMMITTER_DATE": "@1790000000 +0000"})
    work.git("checkout", "--quiet", "main")
    late = work.commit("feat: late (#2)")
    fix = work.commit("fix: picked (#3)\n\nOn the line itself.")
    picked = work.commit("feat: asked for (#5)")
    work.git("tag", "-a", "-m", "out", "v1.1.0", env={"GIT_COMMITTER_DATE": "@1790100000 +0000"})
    unreleased = work.commit("feat: not out (#4)")
    source = GitSource(REPO, work.path)
    heads = [headline(await source.resolve(sha)) for sha in (early, late, fix, picked, unreleased)]
    releases = await source.first_tags(heads, until=LATER)
    assert {sha: release.tag for sha, release in releases.items()} == {
        early: "v1.0.0",
        late: "v1.1.0",
        fix: "v1.0.0",
        picked: "v1.0.0",
    }
    assert await source.first_tags(heads, until=datetime.fromtimestamp(1790000000, UTC)) == {}


async def test_a_release_branch_that_is_merged_back_still_has_its_copies(work: Work) -> None:
    work.commit("Begin")
    work.git("checkout", "--quiet", "-b", "release")
    work.git("checkout", "--quiet", "main")
    fix = work.commit("fix: count the headers (#5)")
    later = work.commit("fix: count the parts (#6)")
    work.git("checkout", "--quiet", "release")
    work.commit("[PR #5/0a1b2c3d backport][1.0] Count the headers (#8)")
    work.git("tag", "v1.0.1")
    work.git("checkout", "--quiet", "main")
    work.git("merge", "--quiet", "--no-ff", "-m", "Merge branch 'release'", "-s", "ours", "release")
    inner = work.commit("docs: later (#9)")
    source = GitSource(REPO, work.path)
    heads = [headline(await source.resolve(sha)) for sha in (fix, later, inner)]
    releases = await source.first_tags(heads, until=LATER)
    assert {sha: release.tag for sha, release in releases.items()} == {fix: "v1.0.1"}


async def test_a_version_that_is_a_tag_of_its_last_candidate_has_what_that_has(work: Work) -> None:
    sha = work.commit("feat: early (#1)")
    work.git("tag", "-a", "-m", "try", "v1.0.0rc1")
    work.git("tag", "-a", "-m", "out", "v1.0.0", "v1.0.0rc1")
    source = GitSource(REPO, work.path)
    releases = await source.first_tags([headline(await source.resolve(sha))], until=LATER)
    assert releases[sha].tag == "v1.0.0"


async def test_what_is_newer_than_all_versions_hides_no_release_of_older_commits(
    work: Work,
) -> None:
    tagged = datetime.fromtimestamp(1790000000, UTC)
    old = work.commit("feat: old (#1)", at=tagged - timedelta(days=1))
    work.commit("chore: prepare the release (#3)", at=tagged)
    work.git("tag", "-a", "-m", "out", "v1.0.0", env={"GIT_COMMITTER_DATE": "@1790000000 +0000"})
    new = work.commit("feat: new (#2)", at=tagged + timedelta(days=1))
    source = GitSource(REPO, work.path)
    older, newer = [headline(await source.resolve(sha)) for sha in (old, new)]
    assert await source.first_tags([newer], until=LATER) == {}
    releases = await source.first_tags([older], until=LATER)
    assert releases[old].tag == "v1.0.0"


def with_release_branch(work: Work) -> tuple[str, str]:
    """Make two commits of which a release branch takes one back and has the other twice."""
    taken_back = work.commit("feat: share the buffers of workers (#1)")
    again = work.commit("feat: read limits from the environment (#2)")
    work.git("checkout", "--quiet", "-b", "release/v1.0")
    work.git("tag", "v1.0.0")
    revert = 'Revert "feat: share the buffers of workers (#1)" (#7)'
    work.commit(f"{revert}\n\nThis reverts commit {taken_back}.")
    work.commit("[release/v1.0] revert: #2 for now (#8)")
    work.git("tag", "v1.0.1")
    work.commit("[release/v1.0] feat: read limits from the environment (#2) (#9)")
    work.git("tag", "v1.0.2")
    work.git("checkout", "--quiet", "main")
    work.commit("feat: late (#3)")
    work.git("tag", "v1.1.0")
    return taken_back, again


async def test_a_release_lacks_what_its_branch_takes_back_under_another_hash(work: Work) -> None:
    taken_back, again = with_release_branch(work)
    source = GitSource(REPO, work.path)
    heads = [headline(await source.resolve(sha)) for sha in (taken_back, again)]
    releases = await source.releases_with(heads, until=LATER)
    tags = {sha: {release.tag for release in releases[sha]} for sha in releases}
    assert tags == {taken_back: {"v1.0.0", "v1.1.0"}, again: {"v1.0.0", "v1.0.2", "v1.1.0"}}


async def test_what_release_branches_take_back_is_found_with_what_was_looked_at(work: Work) -> None:
    taken_back, again = with_release_branch(work)
    work.git("branch", "somebody/v1.0-fork", "release/v1.0")
    source = GitSource(REPO, work.path)
    heads = [headline(await source.resolve(sha)) for sha in (taken_back, again)]
    reverts = await source.reverts_on_branches(heads)
    assert reverts.branches == ("v1.0.1", "release/v1.0", "v1.0.2")
    found = {
        sha: {standing.branch: standing.revert.pull for standing in reverts.by_sha[sha]}
        for sha in (taken_back, again)
    }
    assert found == {
        taken_back: {"release/v1.0": 7, "v1.0.1": 7, "v1.0.2": 7},
        again: {"v1.0.1": 8},
    }


async def test_a_tag_of_a_tag_takes_back_what_its_branch_takes_back(work: Work) -> None:
    taken_back, _ = with_release_branch(work)
    work.git("tag", "-a", "-m", "signed", "v1.0.1-signed", "v1.0.1")
    work.git("tag", "-a", "-m", "signed again", "v1.0.3", "v1.0.1-signed")
    source = GitSource(REPO, work.path)
    reverts = await source.reverts_on_branches([headline(await source.resolve(taken_back))])
    branches = {standing.branch for standing in reverts.by_sha[taken_back]}
    assert "v1.0.3" in branches


async def test_a_picked_commit_may_be_taken_back_by_its_hash_on_the_branch(work: Work) -> None:
    work.commit("Begin")
    work.git("branch", "1.x")
    landed = work.commit("feat: share the buffers of workers (#1)")
    work.git("checkout", "--quiet", "1.x")
    copy = work.commit(f"Buffers for 1.x\n\n(cherry picked from commit {landed})")
    work.git("tag", "v1.0.0")
    work.commit(f"Take the buffers out again\n\nThis reverts commit {copy}.")
    work.git("tag", "v1.0.1")
    work.git("checkout", "--quiet", "main")
    source = GitSource(REPO, work.path)
    heads = [headline(await source.resolve(landed))]
    releases = await source.releases_with(heads, until=LATER)
    assert [release.tag for release in releases[landed]] == ["v1.0.0"]
    reverts = await source.reverts_on_branches(heads)
    assert {standing.branch for standing in reverts.by_sha[landed]} == {"1.x", "v1.0.1"}


async def test_a_revert_that_is_picked_for_a_release_branch_is_not_taken_back_there(
    work: Work,
) -> None:
    landed = work.commit("feat: share the buffers of workers (#1)")
    work.git("branch", "release/v1.0")
    revert = work.commit('Revert "feat: share the buffers of workers" (#2)')
    work.git("checkout", "--quiet", "release/v1.0")
    work.commit('[release/v1.0] Revert "feat: share the buffers of workers" (#2) (#3)')
    work.git("tag", "v1.0.1")
    work.git("checkout", "--quiet", "main")
    source = GitSource(REPO, work.path)
    heads = [headline(await source.resolve(sha)) for sha in (landed, revert)]
    assert set((await source.reverts_on_branches(heads)).by_sha) == {landed}
    assert set(await source.releases_with(heads, until=LATER)) == {revert}


async def test_tags_are_listed_again_only_when_references_moved(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.commit("one")
    work.git("tag", "v1.0.0")
    source = GitSource(REPO, work.path)
    beginning = datetime(1970, 1, 1, tzinfo=UTC)
    tags = [await source.tags_made(beginning, LATER)]
    with monkeypatch.context() as without_git:
        without_git.setenv("PATH", "")
        tags.append(await source.tags_made(beginning, LATER))
    work.git("tag", "v1.1.0")
    tags.append(await source.tags_made(beginning, LATER))
    assert [len(releases) for releases in tags] == [1, 1, 2]
