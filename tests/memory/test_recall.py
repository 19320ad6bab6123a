"""What reports said is found again: by words, by parts of identifiers, in Chinese, the newest first."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlite_utils import Database

from agent.claims import Claim, Role
from agent.domain import Coverage
from agent.ids import RepoId, ThreadId, commit_id
from agent.links import Grade, Link, Relation
from agent.report import Depth, LedgerRow, Report, RepoSection, ThreadLine
from agent.stories import Story, StoryKind
from agent.window import Window
from memory.archive import Archive
from memory.database import database_in_memory
from memory.recall import Recall
from tests.patience import within

ENGINE, ROUTER = RepoId("octo/engine"), RepoId("octo/router")
FIRST = date(2026, 2, 4)
SHA = "a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0"


@pytest.fixture
def db() -> Iterator[Database]:
    with closing(database_in_memory()) as database:
        yield database


def window(day: date) -> Window:
    return Window.days(day, day, "UTC")


def claim(en: str, zh: str = "", *, repo: RepoId = ENGINE, sha: str = SHA) -> Claim:
    cited = (commit_id(repo, sha),)
    return Claim(id="1", repo=repo, role=Role.CHANGE, about=cited, cites=cited, text={"en": en, "zh": zh})


def row(title: str, *, repo: RepoId = ENGINE, sha: str = SHA) -> LedgerRow:
    at = datetime(2026, 2, 4, 10, tzinfo=UTC)
    return LedgerRow(
        repo=repo,
        sha=sha,
        depth=Depth.SKIM,
        reason="",
        late=False,
        subject=title,
        title=title,
        author="Ada",
        landed_at=at,
        members=0,
    )


def report(day: date, *claims: Claim, rows: tuple[LedgerRow, ...] = (), repo: RepoId = ENGINE) -> Report:
    opened = datetime(2026, 2, 4, 10, tzinfo=UTC)
    issue = ThreadLine(number=7, title="Crash on start", author=None, event="opened", at=opened, labels=())
    section = RepoSection(repo=repo, branch="main", tip="f" * 40, coverage=Coverage.READ, issues=(issue,))
    return Report(
        window=window(day),
        repos=(repo,),
        sections=(section,),
        ledger=rows,
        claims=claims,
        links=(Link(issue=ThreadId(f"{repo}#7"), change=commit_id(repo, SHA), relation=Relation.FIXES, grade=Grade.A),),
        stories=(Story(kind=StoryKind.REVERT, repo=repo, steps=(commit_id(repo, "b" * 40), commit_id(repo, SHA))),),
    )


def test_a_claim_is_found_with_its_day_and_what_it_cites(db: Database) -> None:
    Archive(db).remember(report(FIRST, claim("The default of `block_size` is 32 [@1]")))
    (line,) = Recall(db).search("block_size default")
    assert line == f"2026-02-04 octo/engine: The default of `block_size` is 32 octo/engine@{SHA}"


@pytest.mark.parametrize(
    "words",
    [
        "max_num_batched_tokens",
        "MAX_NUM_BATCHED_TOKENS",
        "batched tokens",
        "maxNumBatchedTokens",
        "tokens",
        "batch",
        "KVCacheManager",
        "kv_cache_manager",
        "cache manager",
        "fp8",
        "v0.6.3",
    ],
)
def test_identifiers_are_found_whole_in_parts_and_in_the_other_spelling(db: Database, words: str) -> None:
    text = "`KVCacheManager` reads `max_num_batched_tokens` in fp8_gemm since v0.6.3"
    Archive(db).remember(report(FIRST, claim(text), claim("Something else entirely")))
    assert [line.partition(": ")[2].partition(" [")[0] for line in Recall(db).search(words)] == [text]


@pytest.mark.parametrize("words", ["内存", "修复内存", "内存泄漏", "调度器", "修复", "漏", "调度 内存", "ＫＶ缓存"])
def test_chinese_is_found_by_words_of_any_length_and_answered_in_chinese(db: Database, words: str) -> None:
    Archive(db).remember(
        report(FIRST, claim("Fixes a leak", "修复调度器的内存泄漏，影响KV缓存"), claim("Else", "其他改动"))
    )
    (line,) = Recall(db).search(words)
    assert "修复调度器的内存泄漏" in line


def test_words_that_are_not_there_find_nothing_and_no_text_is_a_command(db: Database) -> None:
    Archive(db).remember(report(FIRST, claim("Removes `--legacy-mode`")))
    recall = Recall(db)
    for words in (
        "存内",
        "nothing",
        "",
        "   ",
        '"',
        "*",
        "words:",
        "NOT",
        "b OR",
        "(",
        "' drop table statements --",
        "\x00",
        "😀",
    ):
        assert recall.search(words) == [], words
    assert len(recall.search('"legacy" AND (mode*')) == 1
    assert len(recall.search("legacy " * 5_000)) == 1


def test_what_fits_best_comes_first_and_of_equals_the_newest(db: Database) -> None:
    archive = Archive(db)
    for number in range(5):
        archive.remember(report(FIRST + timedelta(days=100 * number), claim("Changes the scheduler")))
    archive.remember(report(FIRST + timedelta(days=1), claim("The scheduler of the scheduler: scheduler")))
    days = [line[:10] for line in Recall(db).search("scheduler", limit=3)]
    assert days[0] == "2027-03-11"
    assert days[1] in ("2026-12-01", "2026-02-05")


def test_titles_issues_links_and_stories_are_found_too_and_only_of_the_repository_asked_for(db: Database) -> None:
    archive, recall = Archive(db), Recall(db)
    archive.remember(report(FIRST, rows=(row("[Bugfix] Guard the warp shuffle"),)))
    archive.remember(report(FIRST + timedelta(days=1), rows=(row("Shuffle cards", repo=ROUTER),), repo=ROUTER))
    assert len(recall.search("shuffle")) == 2
    (found,) = recall.search("shuffle", repo=ROUTER)
    assert found == f"2026-02-05 octo/router: Shuffle cards [octo/router@{SHA}]"
    assert "opened: Crash on start" in recall.search("crash start", repo=ENGINE)[0]
    assert any("fixes octo/engine#7 (grade A)" in line for line in recall.search("fixes", repo=ENGINE))
    assert any("revert: octo/engine@" in line for line in recall.search("revert", repo=ENGINE))


def test_the_report_of_a_day_is_given_in_its_order_and_a_second_run_replaces_it(db: Database) -> None:
    archive, recall = Archive(db), Recall(db)
    archive.remember(report(FIRST, claim("First"), claim("Second")))
    assert [line.split(": ", 1)[1].split(" [")[0] for line in recall.report("2026-02-04")[:2]] == ["First", "Second"]
    archive.remember(report(FIRST, claim("Third")))
    assert "Third" in recall.report("2026-02-04", repo=ENGINE)[0]
    assert recall.search("first") == []
    assert recall.report("2026-02-04", repo=ROUTER) == []
    assert recall.report("2026-02-05") == []


def test_text_that_is_long_hostile_or_not_unicode_is_kept_as_one_short_line(db: Database) -> None:
    Archive(db).remember(report(FIRST, claim("needle \ud800 \n" + "x" * 10_000 + "\u202e")))
    (line,) = Recall(db).search("needle")
    assert len(line) < 800
    assert "\n" not in line
    line.encode("utf-8")


def test_a_report_is_remembered_whole_or_not_at_all(db: Database) -> None:
    db.execute("create trigger full before insert on published begin select raise(abort, 'disk full'); end")
    archive = Archive(db)
    with pytest.raises(Exception, match="disk full"):
        archive.remember(report(FIRST, claim("Half"), rows=(row("Half a title"),)))
    for table in ("statements", "statement_words", "landed", "tips", "published"):
        assert db.table(table).count == 0, table


def test_ten_thousand_statements_are_searched_in_no_time(db: Database) -> None:
    archive = Archive(db)
    for number in range(40):
        claims = [
            claim(f"The default of `option_{n % 97}` changes from {n} to {number}", "默认值改变") for n in range(250)
        ]
        archive.remember(report(FIRST + timedelta(days=number), *claims))
    for words in ("option_42", "default changes", "默认值", "the", "认", "option from to default changes"):
        with within(0.1):
            assert Recall(db).search(words, repo=ENGINE)
