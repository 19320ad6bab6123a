"""Which numbered parts are one series, and what is said of pairs of commits with and without a reader of both."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.domain.base import EvidenceId, RepoId, commit_id, thread_id
from agent.domain.commits import Headline
from agent.domain.links import Grade, Reference, Related, Relation, Story, StoryKind
from agent.stories.follow_ups import follow_up_stories, named_pairs, read_part, series_stories
from agent.stories.tell import story_claims
from agent.stories.timeline import Line, Pair, Remembered, with_memory

REPO = RepoId("acme/engine")
BEGAN = datetime(2026, 1, 5, tzinfo=UTC)


def head(day: int, author: str, title: str) -> Headline:
    return Headline(
        sha=f"{day:02}{abs(hash((author, title))):038x}"[:40],
        at=BEGAN + timedelta(days=day),
        author=author,
        title=title,
    )


def told(*heads: Headline, whole: bool = True) -> list[Story]:
    """Tell the series of the last of these commits."""
    return series_stories(REPO, heads, {heads[-1].sha}, whole=whole)


def parts(*heads: Headline) -> list[int | None]:
    found = told(*heads)
    return [step.part for step in found[0].timeline] if found else []


@pytest.mark.parametrize(
    ("title", "part"),
    [
        ("[MUSA][4/N] Add device utilities (#17246)", (4, None)),
        ("[2/3] Weight Sync: share buffers", (2, 3)),
        ("[diffusion] support MTGPU (multi-GPU, 5/N)", (5, None)),
        ("[11b/n] move the tail", (11, None)),
        ("【专家交换】共享缓冲区（2/3）", (2, 3)),
        ("support 2/4 sparsity in the packed layout", None),
        ("run the nightly 24/7", None),
        ('Revert "[MUSA][4/N] Add device utilities" (#9)', None),
    ],
)
def test_a_title_says_which_part_it_is(title: str, part: tuple[int, int | None] | None) -> None:
    read = read_part(title)
    assert ((read.number, read.total) if read else None) == part


def test_the_parts_of_one_author_are_joined_and_what_is_missing_is_told() -> None:
    heads = (
        head(1, "ann", "[MUSA][1/N] check_env"),
        head(2, "ann", "[MUSA] Add labeler config"),
        head(3, "ann", "[MUSA][2/N] kernel build"),
        head(9, "ann", "[MUSA][4/N] device utilities"),
    )
    (story,) = told(*heads)
    assert [step.part for step in story.timeline] == [1, 2, 4]
    assert story.missing == (3,)
    assert told(*heads, whole=False)[0].missing == ()


def test_a_tag_does_not_join_the_parts_of_several_authors_and_one_title_does() -> None:
    others = [head(day, f"somebody{day}", f"[Bugfix] mend number {day}") for day in range(2, 9)]
    mine = (
        head(1, "ann", "[Bugfix][1/2] guard the cache"),
        *others,
        head(9, "ann", "[Bugfix][2/2] guard the pool"),
    )
    assert parts(*mine) == [1, 2]
    assert parts(*mine[:-1], head(9, "bob", "[Bugfix][2/2] rename flags")) == []
    assert parts(*mine[:-1], head(9, "bob", "[Bugfix][2/2] guard the cache")) == [1, 2]


def test_an_author_who_begins_again_begins_another_series() -> None:
    first = (
        head(1, "ann", "[1/N] Reorganize processing"),
        head(2, "ann", "[2/N] Move cache factories"),
    )
    assert parts(*first) == [1, 2]
    assert parts(*first, head(3, "ann", "[1/N] Initialize components")) == []


NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OLD = Headline(
    sha="a" * 40, at=NOON - timedelta(days=6), author="ann", title="feat: cache (#11)", pull=11
)
NEW = Headline(sha="b" * 40, at=NOON, author="bob", title="fix: cache (#12)", pull=12)


def said_of(pair: Pair, *related: Related) -> tuple[StoryKind, str]:
    (story,) = follow_up_stories(REPO, [pair], related, [])
    told = with_memory(story, {commit_id(REPO, NEW.sha)}, Remembered())
    both: tuple[EvidenceId, EvidenceId] = (commit_id(REPO, NEW.sha), commit_id(REPO, OLD.sha))
    (claim,) = story_claims(told, {both: pair.said_in} if pair.said_in else {})
    return story.kind, claim.text["en"]


def related(relation: Relation, other: str) -> Related:
    return Related(
        change=commit_id(REPO, NEW.sha), other=other, relation=relation, anchors=(), grade=Grade.B
    )


def test_without_a_reader_only_the_fact_is_told() -> None:
    named = Pair(doer=NEW, earlier=OLD)
    assert said_of(named) == ("reference", "Refers to [@2].")
    in_pull = named.model_copy(update={"said_in": thread_id(REPO, 12)})
    assert said_of(in_pull) == ("reference", "Refers to [@3] in [@2].")
    by_lines = Pair(doer=NEW, earlier=OLD, by_lines=True)
    assert said_of(by_lines) == ("same-lines", "Changes lines that [@2] brought 6 days before.")


def test_a_reader_of_both_sides_says_what_it_is() -> None:
    pair = Pair(doer=NEW, earlier=OLD, by_lines=True)
    mends = related(Relation.INTRODUCED, commit_id(REPO, OLD.sha))
    assert said_of(pair, mends) == ("follow-up", "Mends what [@2] introduced.")
    by_pull = related(Relation.CONTINUES, thread_id(REPO, 11))
    assert said_of(pair, by_pull) == ("follow-up", "Continues [@2].")


def test_what_is_named_by_number_or_short_hash_is_found_where_it_landed_before() -> None:
    references = [
        Reference(source=commit_id(REPO, NEW.sha), target=target, place=place, sentence="")
        for target, place in (
            ("acme/engine#11", "pull request"),
            ("acme/engine@aaaaaaa", "message"),
            ("acme/engine#99", "message"),
        )
    ]
    found = list(named_pairs(REPO, [NEW], references, Line([OLD, NEW])))
    assert [(one.earlier.sha, one.said_in) for one in found] == [(OLD.sha, "acme/engine#12")]
