"""How common words are in the messages of commits."""

from agent.domain.base import RepoId
from tests.made_repos import Work
from tools.git.source import GitSource


async def test_common_words_are_told_from_rare_ones_by_the_messages_of_a_repository(
    work: Work,
) -> None:
    for number in range(100):
        topic = "the clamp" if number == 50 else "This part"
        work.commit(f"fix: {topic} {number}")
    shares = await GitSource(RepoId("acme/engine"), work.path).word_shares(["this", "clamp", "x"])
    assert shares["this"] > 0.9
    assert 0 < shares["clamp"] < 0.02
    assert shares["x"] == 0


async def test_a_young_repository_says_nothing_about_words(work: Work) -> None:
    work.commit("fix: the clamp")
    assert await GitSource(RepoId("acme/engine"), work.path).word_shares(["clamp"]) == {}
