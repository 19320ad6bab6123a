"""One ranked list over commits, threads, releases and tags, within a window of time."""

from datetime import UTC, datetime, timedelta

import pytest

from agent.domain.base import RepoId
from agent.domain.evidence import Card
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, Severity
from agent.domain.links import Grade, Link, Relation
from agent.domain.threads import Issue, PullRequest, Release, Threads
from agent.domain.window import Window
from agent.questions_and_replies import Hit, query_of
from memory.evidence import EvidenceStore
from memory.protocols import Database
from memory.search import SearchIndex

REPO = RepoId("octo/engine")
START = datetime(2026, 2, 1, 9, tzinfo=UTC)
NOW = START + timedelta(days=60)
NONE = {"labels": (), "comments": 0, "reactions": 0}


def card(day: int, title: str, author: str = "Ada", **more: object) -> Card:
    values = {
        "repo": REPO,
        "sha": f"{day:02x}" * 20,
        "at": START + timedelta(days=day),
        "author": author,
    }
    return Card.model_validate(values | {"title": title, "message": title} | more)


def issue(number: int, day: int, title: str, body: str = "", closed: int | None = None) -> Issue:
    values = {
        "repo": REPO,
        "number": number,
        "title": title,
        "body": body,
        "state": "closed" if closed else "open",
    }
    times = {"created_at": START + timedelta(days=day), "updated_at": NOW}
    ended = {"closed_at": START + timedelta(days=closed) if closed else None, "state_reason": None}
    return Issue.model_validate({**values, **times, **ended, "author": "grace", **NONE})


def pull(number: int, day: int, title: str, body: str = "") -> PullRequest:
    at = START + timedelta(days=day)
    values = {
        "repo": REPO,
        "number": number,
        "title": title,
        "body": body,
        "state": "closed",
        "base": "main",
    }
    times = {"created_at": at, "updated_at": NOW, "merged_at": at, "merge_commit": None}
    return PullRequest.model_validate({**values, **times, "author": "ada", "labels": ()})


FLAG = Fact(kind="flag-added", severity=Severity.ADDITIVE, name="--max-routes", new="8")
CARDS = (
    card(1, "Cache prefixes of long prompts (#4)", pull=4, paths=("app/prefix_cache.py",)),
    card(
        2,
        "Add a flag for routes (#5)",
        author="Bo Chen",
        pull=5,
        facts=(FLAG,),
        paths=("app/router.py",),
    ),
    card(3, "Tidy the scheduler", written=("PrefixCacheEvictor",), paths=("app/scheduler.py",)),
    card(
        4,
        f"Revert the flag\n\nThis reverts commit {'02' * 20}.",
        message=f"This reverts commit {'02' * 20}.",
    ),
    card(20, "修复前缀缓存的泄漏", author="张磊"),
)
THREADS = Threads(
    coverage="read",
    issues=(
        issue(3, 0, "Long prompts never hit", "eviction keeps the newest block", closed=1),
        issue(9, 30, "Later"),
    ),
    pulls=(
        pull(4, 1, "Cache prefixes of long prompts", "evict the oldest"),
        pull(5, 2, "Add a flag for routes"),
    ),
    releases=(
        Release(
            repo=REPO,
            tag="v1.2.0",
            name="One",
            body="",
            published_at=START + timedelta(days=5),
            prerelease=False,
        ),
    ),
)
FIXES = Link(issue=f"{REPO}#3", change=CARDS[0].id, relation=Relation.FIXES, grade=Grade.A)


@pytest.fixture
def evidence_store(db: Database) -> EvidenceStore:
    store = EvidenceStore(db)
    store.keep(REPO, CARDS)
    store.connect(REPO, THREADS, [FIXES])
    return store


def search(db: Database, question: str, window: Window | None = None) -> list[Hit]:
    query = query_of(question, window, "UTC", NOW)
    return SearchIndex(db).search(query.words, query.named, [REPO], query.window)


def days(first: int, last: int) -> Window:
    return Window(start=START + timedelta(days=first), end=START + timedelta(days=last), tz="UTC")


pytestmark = pytest.mark.usefixtures("evidence_store")


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("what was done about caching a prefix?", CARDS[0].id),
        ("0303030", CARDS[2].id),
        ("who touched PrefixCacheEvictor", CARDS[2].id),
        ("is --max-routes still there", CARDS[1].id),
        ("app/router.py", CARDS[1].id),
        ("前缀缓存有什么问题", CARDS[4].id),
        ("what did Bo Chen do", CARDS[1].id),
        ("v1.2.0", f"{REPO}@v1.2.0"),
        ("1.2.0 里有什么", f"{REPO}@v1.2.0"),
        ("https://github.com/octo/engine/issues/9", f"{REPO}#9"),
    ],
)
def test_what_is_named_or_fits_best_comes_first(db: Database, question: str, best: str) -> None:
    assert search(db, question)[0].id == best


def test_neighbours_of_a_hit_join_the_list_behind_it(db: Database) -> None:
    assert sorted(hit.id for hit in search(db, "#5") if hit.named) == [f"{REPO}#5", CARDS[1].id]
    ids = [hit.id for hit in search(db, "--max-routes")]
    assert ids[0] == CARDS[1].id
    assert {CARDS[3].id, f"{REPO}#5", f"{REPO}@v1.2.0"} <= set(ids)
    assert f"{REPO}#3" in [hit.id for hit in search(db, "prefixes")]


def test_nothing_outside_of_the_window_is_found_and_threads_are_bounded_too(db: Database) -> None:
    found_ids = {hit.id for hit in search(db, "prompts flag routes scheduler later", days(1, 3))}
    assert found_ids == {CARDS[0].id, CARDS[1].id, f"{REPO}#3", f"{REPO}#4", f"{REPO}#5"}


def test_what_else_is_known_adds_nothing_to_what_is_found_within_a_window(
    db: Database, evidence_store: EvidenceStore
) -> None:
    question = "which flag caches the prefix of the scheduler?"
    before = search(db, question, days(1, 4))
    evidence_store.keep(
        REPO, [card(day, "Flag a prefix of the scheduler") for day in range(30, 50)]
    )
    after = search(db, question, days(1, 4))
    assert before
    assert {(hit.id, hit.words) for hit in after} == {(hit.id, hit.words) for hit in before}


def test_words_of_a_question_are_never_commands_to_the_index(db: Database) -> None:
    for question in (
        '" OR 1',
        "title : x",
        "NEAR(a b)",
        "*",
        "''; drop table cards",
        "-",
        "（）",
        "\U0001f600",
    ):
        assert isinstance(search(db, question), list)


def test_a_card_made_from_whole_files_is_not_replaced_by_one_from_a_patch(
    evidence_store: EvidenceStore,
) -> None:
    evidence_store.keep(REPO, [card(1, "Whole", route="blobs", paths=("bad\udcff.py",))])
    evidence_store.keep(REPO, [card(1, "Patch")])
    # Names that are no text are kept as well as can be.
    assert evidence_store.get(CARDS[0].id) == card(1, "Whole", route="blobs", paths=("bad?.py",))


def test_evidence_is_found_by_its_name_and_the_latest_of_it_is_kept(
    evidence_store: EvidenceStore,
) -> None:
    older = THREADS.issues[0].model_copy(update={"title": "Older", "updated_at": START})
    newer = THREADS.issues[1].model_copy(
        update={"title": "Newer", "updated_at": NOW + timedelta(days=1)}
    )
    evidence_store.put_thread(older)
    evidence_store.put_thread(newer)
    tag = THREADS.releases[0].model_copy(update={"name": "v1.2.0"})
    evidence_store.put_tags([tag, tag.model_copy(update={"tag": "v1.1.0"})])
    three, nine, missing = (EvidenceId.thread(REPO, number) for number in (3, 9, 404))
    names = [three, nine, EvidenceId.tag(REPO, "v1.2.0"), CARDS[2].id, missing]
    assert list(evidence_store.all(names).values()) == [
        THREADS.issues[0],
        newer,
        THREADS.releases[0],
        CARDS[2],
    ]
    assert (
        evidence_store.resolve("0303030", [REPO])
        == evidence_store.resolve(f"`{CARDS[2].id}`", [])
        == [CARDS[2].id]
    )
    assert evidence_store.resolve("#4", [REPO, RepoId("other/repo")]) == [f"{REPO}#4"]
    assert evidence_store.resolve(f"{REPO}@v1.1.0", []) == [f"{REPO}@v1.1.0"]
    assert evidence_store.stored_shas(REPO, [CARDS[0].sha, "f" * 40]) == {CARDS[0].sha}
    assert evidence_store.has_threads(REPO)
    assert not evidence_store.has_threads(RepoId("other/repo"))


def test_words_that_every_message_has_find_nothing(db: Database) -> None:
    question = "which change is the scheduler in?"
    query = query_of(question, None, "UTC", NOW)
    common = frozenset({"which", "change", "is", "the", "in"})
    hits = SearchIndex(db).search(query.words, (), [REPO], None, common_words=common)
    assert hits[0].id == CARDS[2].id
    assert hits[0].words == ("scheduler",)


def test_common_words_are_searched_for_if_no_other_word_occurs(db: Database) -> None:
    common = frozenset({"scheduler"})
    hits = SearchIndex(db).search("scheduler teleporter", (), [REPO], None, common_words=common)
    assert hits[0].id == CARDS[2].id
    assert hits[0].words == ("scheduler",)


def test_a_name_that_much_of_the_evidence_has_singles_nothing_out(
    db: Database, evidence_store: EvidenceStore
) -> None:
    engine = [card(day, f"Tune maxRoutes again, part {day}") for day in range(100, 130)]
    evidence_store.keep(REPO, engine)
    index = SearchIndex(db)
    query = query_of("maxRoutes PrefixCacheEvictor #3 v1.2.0 13.0", None, "UTC", NOW)
    outright = index.outright(query.named, [REPO], None)
    assert {(name.kind, name.text) for name in outright} == {
        ("name", "PrefixCacheEvictor"),
        ("thread", "3"),
        ("tag", "v1.2.0"),
        # It is no tag of this repository, and may be the version of anything.
        ("name", "13.0"),
    }


def test_evidence_of_a_repository_that_is_asked_about_comes_first(
    db: Database, evidence_store: EvidenceStore
) -> None:
    other = RepoId("octo/other")
    evidence_store.keep(
        other, [card(2, "Tidy the scheduler and its scheduler").model_copy(update={"repo": other})]
    )
    index = SearchIndex(db)
    repos = [REPO, other]
    plain = index.search("scheduler", (), repos, None)
    asked_hits = index.search("scheduler", (), repos, None, asked_repos=[REPO])
    assert {plain[0].id.repo, plain[1].id.repo} == set(repos)
    assert asked_hits[0].id == CARDS[2].id


def test_the_name_of_a_repository_finds_nothing_in_the_repository_itself(
    db: Database, evidence_store: EvidenceStore
) -> None:
    other = RepoId("octo/other")
    evidence_store.keep(REPO, [card(5, "Engine: let the engine start the engine")])
    evidence_store.keep(other, [card(6, "Bump engine").model_copy(update={"repo": other})])
    hits = SearchIndex(db).search("Engine scheduler", (), [REPO, other], None)
    by_words = {hit.id for hit in hits if hit.words}
    assert by_words == {CARDS[2].id, EvidenceId.commit(other, "06" * 20)}
    assert [hit.words for hit in hits if hit.id == CARDS[2].id] == [("scheduler",)]
    # A question of nothing but the name is still searched for.
    alone = SearchIndex(db).search("engine", (), [REPO], None)
    assert alone[0].id == EvidenceId.commit(REPO, "05" * 20)


def test_chinese_that_much_of_the_evidence_has_finds_nothing(
    db: Database, evidence_store: EvidenceStore
) -> None:
    evidence_store.keep(REPO, [card(day, f"调整的第 {day} 步") for day in range(100, 130)])
    hits = SearchIndex(db).search("scheduler 调整 泄漏", (), [REPO], None)
    assert {hit.id for hit in hits if hit.words} == {CARDS[2].id, CARDS[4].id}


def test_a_single_chinese_character_is_searched_for_if_there_is_nothing_else(
    db: Database, evidence_store: EvidenceStore
) -> None:
    evidence_store.keep(REPO, [card(5, "调整的第一步")])
    alone = SearchIndex(db).search("的", (), [REPO], None)
    assert EvidenceId.commit(REPO, "05" * 20) in [hit.id for hit in alone]
    hits = SearchIndex(db).search("scheduler 的", (), [REPO], None)
    assert [hit.id for hit in hits if hit.words] == [CARDS[2].id]


def test_a_named_or_linked_thread_may_be_older_than_the_window_and_a_tag_of_any_time(
    db: Database,
) -> None:
    window = days(2, 4)
    assert f"{REPO}#3" in [hit.id for hit in search(db, "what about #3?", window)]
    assert f"{REPO}#9" not in [hit.id for hit in search(db, "what about #9?", window)]
    assert f"{REPO}@v1.2.0" in [hit.id for hit in search(db, "is it in v1.2.0?", window)]
    # The issue is not named: it belongs to the commit that closes it.
    assert f"{REPO}#3" in [hit.id for hit in search(db, "prefixes", days(1, 2))]


def test_what_goes_on_with_a_pull_request_belongs_to_the_commit_that_it_brought(
    db: Database, evidence_store: EvidenceStore
) -> None:
    first = card(40, "Guard the reduce step (#40)", pull=40)
    second = card(41, "Guard the gather step (follow-up to #40) (#41)", pull=41)
    evidence_store.keep(REPO, [first, second])
    assert second.id in [hit.id for hit in search(db, first.sha)]
