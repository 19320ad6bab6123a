"""Tags by their names."""

from typing import TYPE_CHECKING

from agent.ids import RepoId
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.git.conftest import Work

REPO = RepoId("acme/engine")


async def test_a_tag_is_a_release_of_the_day_it_was_made_though_its_commit_never_landed(work: "Work") -> None:
    work.commit("bump version to 0.6.3")
    work.git("checkout", "--quiet", "-b", "release")
    work.commit("only on the branch")
    work.git("tag", "-a", "-m", "out", "v0.6.3", env={"GIT_COMMITTER_DATE": "@1770300000 +0000"})
    source = GitSource(REPO, work.path)
    found = await source.tagged(("v0.6.3", "0.6.3"))
    assert found is not None
    assert (found.tag, int(found.published_at.timestamp())) == ("v0.6.3", 1770300000)
    assert await source.tagged(("v0.6.4", "0.6.4")) is None
