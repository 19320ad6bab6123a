"""Pairs of commits: bare facts without a reader, what a reader of both sides found with one."""

from datetime import UTC, datetime, timedelta

from agent.domain.base import EvidenceId, RepoId, commit_id, thread_id
from agent.domain.commits import Headline
from agent.domain.links import Grade, Reference, Related, Relation, StoryKind
from agent.stories.follow_ups import follow_up_stories, named_pairs
from agent.stories.tell import story_claims
from agent.stories.timeline import Line, Pair, Remembered, with_memory

REPO = RepoId("acme/engine")
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OLD = Headline(sha="a" * 40, at=NOON - timedelta(days=6), author="ann", title="feat: cache (#11)", pull=11)
NEW = Headline(sha="b" * 40, at=NOON, author="bob", title="fix: cache (#12)", pull=12)


def said(pair: Pair, *related: Related) -> tuple[StoryKind, str]:
    (story,) = follow_up_stories(REPO, [pair], related, [])
    told = with_memory(story, {commit_id(REPO, NEW.sha)}, Remembered())
    both: tuple[EvidenceId, EvidenceId] = (commit_id(REPO, NEW.sha), commit_id(REPO, OLD.sha))
    (claim,) = story_claims(told, {both: pair.said_in} if pair.said_in else {})
    return story.kind, claim.text["en"]


def related(relation: Relation, other: str) -> Related:
    return Related(change=commit_id(REPO, NEW.sha), other=other, relation=relation, anchors=(), grade=Grade.B)


def test_without_a_reader_only_the_fact_is_told() -> None:
    named = Pair(doer=NEW, earlier=OLD)
    assert said(named) == ("reference", "Refers to [@2].")
    in_pull = named.model_copy(update={"said_in": thread_id(REPO, 12)})
    assert said(in_pull) == ("reference", "Refers to [@3] in [@2].")
    by_lines = Pair(doer=NEW, earlier=OLD, by_lines=True)
    assert said(by_lines) == ("same-lines", "Changes lines that [@2] brought 6 days before.")


def test_a_reader_of_both_sides_says_what_it_is() -> None:
    pair = Pair(doer=NEW, earlier=OLD, by_lines=True)
    mends = related(Relation.INTRODUCED, commit_id(REPO, OLD.sha))
    assert said(pair, mends) == ("follow-up", "Mends what [@2] introduced.")
    by_pull = related(Relation.CONTINUES, thread_id(REPO, 11))
    assert said(pair, by_pull) == ("follow-up", "Continues [@2].")


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
