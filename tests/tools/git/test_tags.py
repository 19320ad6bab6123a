"""Tags by their names, and which of them is the first to have a commit."""

from datetime import UTC, datetime, timedelta

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
