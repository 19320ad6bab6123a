"""Which numbered parts are one series, and what is said of pairs of commits with and without a reader of both."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Grade, Mention, Related, Relation, Story, StoryKind
from agent.stories.follow_up_stories import follow_up_stories, named_pairs
from agent.stories.numbered_series import read_part, series_stories
from agent.stories.story_claims import story_claims
from agent.stories.timeline import CommitPair, LandedLine, Remembered, with_memory

REPO = RepoId("acme/engine")
BEGAN = datetime(2026, 1, 5, tzinfo=UTC)


def head(day: int, author: str, title: str) -> Headline:
    return Headline(
        sha=f"{day:02}{abs(hash((author, title))):038x}"[:40],
        at=BEGAN + timedelta(days=day),
        author=author,
        title=title,
    )


def series_of(*heads: Headline, has_all: bool = True) -> list[Story]:
    """Tell the series of the last of these commits."""
    return series_stories(REPO, heads, {heads[-1].sha}, has_all=has_all)


def parts(*heads: Headline) -> list[int | None]:
    results = series_of(*heads)
    return [step.part for step in results[0].timeline] if results else []


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
    (story,) = series_of(*heads)
    assert [step.part for step in story.timeline] == [1, 2, 4]
    assert story.missing == (3,)
    assert series_of(*heads, has_all=False)[0].missing == ()


def test_a_tag_does_not_join_the_parts_of_several_authors_and_one_title_does() -> None:
    others = [head(day, f"somebody{day}", f"[Bugfix] mend number {day}") for day in range(2, 9)]
    own_part = (
        head(1, "ann", "[Bugfix][1/2] guard the cache"),
        *others,
        head(9, "ann", "[Bugfix][2/2] guard the pool"),
    )
    assert parts(*own_part) == [1, 2]
    assert parts(*own_part[:-1], head(9, "bob", "[Bugfix][2/2] rename flags")) == []
    assert parts(*own_part[:-1], head(9, "bob", "[Bugfix][2/2] guard the cache")) == [1, 2]


def test_an_author_who_begins_again_begins_another_series() -> None:
    first = (
        head(1, "ann", "[Pool][1/N] Reorganize processing"),
        head(2, "ann", "[Pool][2/N] Move cache factories"),
    )
    assert parts(*first) == [1, 2]
    assert parts(*first, head(3, "ann", "[Pool][1/N] Initialize components")) == []


@pytest.mark.parametrize(
    ("titles", "numbers"),
    [
        # One name: the tag, what stands beside the number, the words before a colon, the title.
        (("[BCG][1/N] Allow graphs", "[BCG][2/N] MLA fully supported"), [1, 2]),
        (("[XPU][CI][1/2] Publish the index", "[CI][XPU][2/2] add a shim"), [1, 2]),
        (("[Kernel] Move A (RFC #9, 1/7)", "[Kernel] Relocate B (RFC #9, 2/7)"), [1, 2]),
        (("[1/N] elastic-ep: Add scale-up", "[2/N] elastic-ep: Enable EPLB"), [1, 2]),
        (("Profiling [1/3]: graph traces", "Profiling [2/3]: detailed steps"), [1, 2]),
        (
            (
                "[11a/n] Migrate Marlin kernels to a stable ABI",
                "[11b/n] Migrate Machete kernels to a stable ABI",
            ),
            [11, 11],
        ),
        (("[gRPC] Native server: Rust crate (1/N)", "[gRPC] Native server: bridge (2/4)"), [1, 2]),
        # Another name, by any author and with any number.
        (("[1/N] Reorganize processing", "[2/N] Move cache factories"), []),
        (("[CI][1/N] Run fewer jobs", "[2/N][Core] Partial cache hits"), []),
        (("[Feat][1/N] Warmup for attention", "[Feat][Perf][2/N] Warmup for routes"), []),
        (("refactor: move pools (1/2)", "refactor: rename flags (2/2)"), []),
        (("[Kernel][1/N] Add A", "[Kernel][1/N] Add B", "[Kernel][2/N] Add C"), []),
    ],
)
def test_a_series_has_one_name_and_the_next_number_is_none(
    titles: tuple[str, ...], numbers: list[int]
) -> None:
    heads = [head(day, "ann", title) for day, title in enumerate(titles, start=1)]
    assert parts(*heads) == numbers


@pytest.mark.parametrize(
    ("other", "missing"),
    [
        ("Nothing is numbered here", (2,)),
        ("[4/4] Paged pool", (2,)),
        ("[2/4] Paged pool", ()),
        ("[Spec][2/N] Decode elsewhere", ()),
        ("[MUSA] 2/5 build kernels", ()),
        ('Revert "[MUSA][2/N] kernels"', ()),
    ],
)
def test_a_part_is_missing_only_where_no_title_has_its_number(
    other: str, missing: tuple[int, ...]
) -> None:
    first = head(1, "ann", "[MUSA][1/N] check the machine")
    (story,) = series_of(
        first, head(2, "bob", other), head(9, "ann", "[MUSA][3/N] device utilities")
    )
    assert story.missing == missing


NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
OLD = Headline(
    sha="a" * 40, at=NOON - timedelta(days=6), author="ann", title="feat: cache (#11)", pull=11
)
NEW = Headline(sha="b" * 40, at=NOON, author="bob", title="fix: cache (#12)", pull=12)


def said_of(pair: CommitPair, *related: Related) -> tuple[StoryKind, str]:
    (story,) = follow_up_stories(REPO, [pair], related, [])
    remembered = with_memory(story, {EvidenceId.commit(REPO, NEW.sha)}, Remembered())
    both: tuple[EvidenceId, EvidenceId] = (
        EvidenceId.commit(REPO, NEW.sha),
        EvidenceId.commit(REPO, OLD.sha),
    )
    (claim,) = story_claims(remembered, {both: pair.said_in} if pair.said_in else {})
    return story.kind, claim.text["en"]


def related(relation: Relation, other: str) -> Related:
    return Related(
        change=EvidenceId.commit(REPO, NEW.sha),
        other=other,
        relation=relation,
        anchors=(),
        grade=Grade.B,
    )


def test_without_a_reader_only_the_fact_is_told() -> None:
    pair = CommitPair(doer=NEW, earlier=OLD)
    assert said_of(pair) == ("reference", "Refers to [@2].")
    in_pull = pair.model_copy(update={"said_in": EvidenceId.thread(REPO, 12)})
    assert said_of(in_pull) == ("reference", "Refers to [@3] in [@2].")
    by_lines = CommitPair(doer=NEW, earlier=OLD, by_lines=True)
    assert said_of(by_lines) == ("same-lines", "Changes lines that [@2] brought 6 days before.")


def test_a_reader_of_both_sides_says_what_it_is() -> None:
    pair = CommitPair(doer=NEW, earlier=OLD, by_lines=True)
    mends = related(Relation.INTRODUCED, EvidenceId.commit(REPO, OLD.sha))
    assert said_of(pair, mends) == ("follow-up", "Mends what [@2] introduced.")
    by_pull = related(Relation.CONTINUES, EvidenceId.thread(REPO, 11))
    assert said_of(pair, by_pull) == ("follow-up", "Continues [@2].")


def test_what_is_named_by_number_or_short_hash_is_found_where_it_landed_before() -> None:
    references = [
        Mention(
            source=EvidenceId.commit(REPO, NEW.sha), target=target, place=kind_of_text, sentence=""
        )
        for target, kind_of_text in (
            ("acme/engine#11", "pull request"),
            ("acme/engine@aaaaaaa", "message"),
            ("acme/engine#99", "message"),
        )
    ]
    results = list(named_pairs(REPO, [NEW], references, LandedLine([OLD, NEW])))
    assert [(pair_found.earlier.sha, pair_found.said_in) for pair_found in results] == [
        (OLD.sha, "acme/engine#12")
    ]
