"""What published reports leave behind: remembered whole, found again by words and days, and rebuilt from the files."""

from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.commits import Notice
from agent.domain.errors import StorageError
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow
from agent.domain.links import Grade, Link, Relation
from agent.domain.report import Report, RepoSection, ThreadLine
from agent.domain.threads import Issue, Threads
from agent.domain.window import Window
from agent.links.searchable_issues import digest
from agent.reports.report_json import dump
from memory.landing_owners import Landings
from memory.open_issues import OpenIssues
from memory.published_report_index import Reports
from memory.published_statements import EarlierStatements, Statements
from memory.store import database_in_memory
from memory.stories import Stories
from tests.databases import AnyDatabase

ENGINE = RepoId("octo/engine")
ROUTER = RepoId("octo/router")
SHA = "a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0"
AT = datetime(2026, 2, 1, 12, tzinfo=UTC)
CUT = Notice(kind="open-capped", about=("300",))


def window(day: int) -> Window:
    chosen = date(2026, 2, 1) + timedelta(days=day)
    return Window.days(chosen, chosen, "UTC")


def claim(en: str, zh: str = "", *, repo: RepoId = ENGINE) -> Claim:
    cited = (EvidenceId.commit(repo, SHA),)
    return Claim(
        id="1", repo=repo, role="change", about=cited, cites=cited, text={"en": en, "zh": zh}
    )


def row(title: str, repo: RepoId = ENGINE) -> LedgerRow:
    values = {
        "repo": repo,
        "sha": SHA,
        "depth": "skim",
        "reason": "",
        "late": False,
        "subject": title,
    }
    return LedgerRow.model_validate(
        {**values, "title": title, "author": "Ada", "landed_at": AT, "members": 0}
    )


def link(sha: str = SHA, relation: Relation = Relation.FIXES, repo: RepoId = ENGINE) -> Link:
    return Link(
        issue=EvidenceId(f"{repo}#7"),
        change=EvidenceId.commit(repo, sha),
        relation=relation,
        grade=Grade.A,
    )


def report(day: int, *claims: Claim, repo: RepoId = ENGINE, **more: Any) -> Report:
    lines = [
        ThreadLine(number=7, title="Crash on start", author=None, event="opened", at=AT, labels=())
    ]
    tips = {"tip": "f" * 40}
    for name in ("tip", "known_tip", "first_tip"):
        if name in more:
            tips[name] = more.pop(name) * 40
    section = RepoSection(
        repo=repo,
        branch="main",
        coverage="partial",
        coverage_notices=(CUT,),
        issues=tuple(lines),
        **tips,
    )
    values = {"repos": (repo,), "sections": (section,), "ledger": (), "claims": claims, **more}
    return Report.model_validate({"window": window(day), **values})


def issue(number: int, **more: Any) -> Issue:
    values: dict[str, Any] = {
        "repo": ENGINE,
        "number": number,
        "title": "Crash in `load_plan`",
        "body": "it is gone",
    }
    values |= {
        "state": "open",
        "state_reason": None,
        "author": "an",
        "labels": (),
        "created_at": AT,
    }
    values |= {"updated_at": AT, "closed_at": None, "comments": 12, "reactions": 3}
    return Issue.model_validate(values | more)


def read(*issues: Issue) -> Threads:
    return Threads(coverage="read", issues=issues)


def write(folder: Path, *reports: Report) -> Path:
    for stored in reports:
        (folder / f"{stored.window.label}.json").write_text(dump(stored), "utf-8")
    return folder


def test_a_claim_is_found_with_its_day_and_what_it_cites(db: AnyDatabase) -> None:
    Reports(db).remember(report(3, claim("The default of `block_size` is 32 [@1]")))
    (line,) = Statements(db).search("block_size default")
    assert line == f"2026-02-04 octo/engine: The default of `block_size` is 32 octo/engine@{SHA}"
    for day in (103, 4, 203):
        Reports(db).remember(report(day, claim("needle \ud800 \n" + "x" * 10_000 + "\u202e")))
    lines = Statements(db).search("needle")
    # Of equals the newest comes first, each on one short line.
    assert [line[:10] for line in lines] == ["2026-08-23", "2026-05-15", "2026-02-05"]
    assert all(len(line.encode()) < 800 and "\n" not in line for line in lines)


def test_identifiers_are_found_whole_in_parts_and_in_the_other_spelling(db: AnyDatabase) -> None:
    text = "`KVCacheManager` reads `max_num_batched_tokens` in fp8_gemm since v0.6.3"
    Reports(db).remember(report(3, claim(text), claim("Something else entirely")))
    spellings = (
        "max_num_batched_tokens",
        "MAX_NUM_BATCHED_TOKENS",
        "maxNumBatchedTokens",
        "KVCacheManager",
        "v0.6.3",
    )
    for words in (
        *spellings,
        "kv_cache_manager",
        "batched tokens",
        "tokens",
        "batch",
        "cache manager",
        "fp8",
    ):
        texts_found = [
            line.partition(": ")[2].partition(" [")[0] for line in Statements(db).search(words)
        ]
        assert texts_found == [text], words


def test_chinese_is_found_by_words_of_any_length_and_answered_in_chinese(db: AnyDatabase) -> None:
    leak = claim("Fixes a leak", "修复调度器的内存泄漏，影响KV缓存")
    Reports(db).remember(report(3, leak, claim("Else", "其他改动")))
    for words in ("内存", "修复内存", "内存泄漏", "调度器", "修复", "漏", "调度 内存", "ＫＶ缓存"):
        (line,) = Statements(db).search(words)
        assert "修复调度器的内存泄漏" in line, words


def test_a_statement_is_shown_in_the_language_of_the_question_or_in_one_that_it_has(
    db: AnyDatabase,
) -> None:
    both = claim("Adds `alpha_flag`", "新增 `alpha_flag` 选项")
    chinese = claim("", "删除 `beta_flag` 选项")
    Reports(db).remember(report(3, both, chinese))
    statements = Statements(db)
    assert "Adds" in statements.search("alpha_flag")[0]
    assert "新增" in statements.search("alpha_flag 选项")[0]
    assert "删除" in statements.search("beta_flag")[0]


def test_words_that_are_not_there_find_nothing_and_no_text_is_a_command(db: AnyDatabase) -> None:
    Reports(db).remember(report(3, claim("Removes `--legacy-mode`")))
    statements = Statements(db)
    for words in (
        "存内",
        "nothing",
        "",
        " ",
        '"',
        "*",
        "words:",
        "NOT",
        "b OR",
        "(",
        "' drop table --",
        "\x00",
        "😀",
    ):
        assert statements.search(words) == [], words
    assert len(statements.search('"legacy" AND (mode*')) == 1
    assert len(statements.search("legacy " * 5_000)) == 1


def test_open_issues_are_known_on_the_next_day_by_what_they_are_about(db: AnyDatabase) -> None:
    issues = OpenIssues(db)
    issues.remember(ENGINE, read(issue(7), issue(8)).model_copy(update={"notices": (CUT,)}))
    Reports(db).remember(report(0))
    assert issues.known_open(ENGINE, window(1)) == {7, 8}
    assert issues.known(ENGINE, window(1)).issues == (digest(issue(8)), digest(issue(7)))
    issues.remember(
        ENGINE, read(issue(7, state="closed", closed_at=AT), issue(9, state="closed", closed_at=AT))
    )
    assert [stored.number for stored in issues.known(ENGINE, window(1)).issues] == [8]
    assert (issues.cut_short(ENGINE), issues.cut_short(ROUTER)) == (CUT, None)


def test_a_listing_that_was_cut_short_counts_until_all_open_issues_are_listed(
    db: AnyDatabase,
) -> None:
    issues = OpenIssues(db)
    issues.remember(ENGINE, read(issue(7)).model_copy(update={"notices": (CUT,)}), relisted=True)
    issues.remember(ENGINE, read(issue(8)))
    assert issues.cut_short(ENGINE) == CUT
    longer = CUT.model_copy(update={"about": ("400",)})
    for notices in ((longer,), (longer, Notice(kind="listing-capped"))):
        threads = read(issue(8)).model_copy(update={"notices": notices})
        issues.remember(ENGINE, threads, relisted=True)
        assert issues.cut_short(ENGINE) == longer
    without_token = read(issue(8)).model_copy(update={"notices": (Notice(kind="anonymous"),)})
    issues.remember(ENGINE, without_token, relisted=True)
    assert issues.cut_short(ENGINE) == longer
    issues.remember(ENGINE, read(issue(8), issue(9)), relisted=True)
    assert issues.cut_short(ENGINE) is None
    assert issues.known_open(ENGINE) == {8, 9}


def test_a_listing_that_failed_leaves_what_was_known(db: AnyDatabase) -> None:
    issues = OpenIssues(db)
    issues.remember(ENGINE, read(issue(7), issue(8)).model_copy(update={"notices": (CUT,)}))
    issues.remember(ENGINE, Threads(coverage="not read"), relisted=True)
    assert issues.known_open(ENGINE) == {7, 8}
    assert issues.cut_short(ENGINE) == CUT
    issues.remember(ENGINE, read(issue(8)), relisted=True)
    assert issues.known_open(ENGINE) == {8}


def test_the_same_day_again_knows_what_it_knew_and_not_what_it_told_itself(db: AnyDatabase) -> None:
    issues = OpenIssues(db)
    reports = Reports(db)
    reports.remember(report(0, links=(link("a" * 40), link("b" * 40, Relation.MENTIONS))))
    reports.remember(report(1, links=(link("c" * 40),)))
    for _ in range(2):
        issue_memory = issues.known(ENGINE, window(1))
        assert [stored.change[-1] for stored in issue_memory.links] == ["a"]
        reports.remember(report(1, links=(link("c" * 40),)))
    assert [stored.change[-1] for stored in issues.known(ENGINE, window(2)).links] == ["a", "c"]


def test_a_report_is_remembered_whole_or_not_at_all(db: AnyDatabase) -> None:
    db.execute("alter table published rename to away")
    with pytest.raises(StorageError, match="published"):
        Reports(db).remember(
            report(0, claim("Half"), ledger=(row("Half a title"),), links=(link(),))
        )
    db.execute("alter table away rename to published")
    for table in ("statements", "landed", "tips", "published", "report_items"):
        assert db.rows(f"select * from {table}") == [], table
    assert Statements(db).search("half") == []


def test_what_reports_told_comes_back_from_their_files(db: AnyDatabase, tmp_path: Path) -> None:
    """Open issues do not: they are not in reports, and are listed anew."""
    reports = [
        report(0, claim("One"), links=(link(),)),
        report(1, claim("Two"), ledger=(row("Two"),)),
    ]
    for stored in reports:
        Reports(db).remember(stored)
    with closing(database_in_memory()) as lost:
        assert Reports(lost).rebuild(write(tmp_path, *reports)) == []
        again = OpenIssues(lost).known(ENGINE, window(2))
        issue_memory = OpenIssues(db).known(ENGINE, window(2))
        assert again.links == issue_memory.links
        assert again.links
        assert Statements(lost).report("2026-02-02") == Statements(db).report("2026-02-02")
        assert OpenIssues(lost).known_open(ENGINE) == frozenset()
        assert OpenIssues(lost).cut_short(ENGINE) == CUT


def test_late_is_counted_from_the_tips_that_counted_before_the_memory_was_lost(
    db: AnyDatabase, tmp_path: Path
) -> None:
    """Day 2 was reported before day 1, and day 1 once more when the branch had moved on."""
    days = (
        report(2, tip="d", known_tip="a", first_tip="c"),
        report(1, tip="e", known_tip="", first_tip="b"),
    )
    Reports(db).rebuild(write(tmp_path, *days))
    landings = Landings(db)
    assert landings.known_tip(ENGINE, window(1)) is None
    assert landings.known_tip(ENGINE, window(2)) == "a" * 40
    assert landings.known_tip(ENGINE, window(3)) == "c" * 40


def test_what_is_known_is_not_overwritten_by_files(db: AnyDatabase, tmp_path: Path) -> None:
    Reports(db).remember(report(1, tip="a"))
    Reports(db).rebuild(write(tmp_path, report(1, claim("Changed by somebody"), tip="e")))
    assert Landings(db).known_tip(ENGINE, window(2)) == "a" * 40
    assert Statements(db).search("somebody") == []


def test_a_run_recalls_only_reports_whose_windows_ended_before_its_own(db: AnyDatabase) -> None:
    reports = Reports(db)
    first = date(2026, 2, 1)
    week = report(0, claim("needle of the week")).model_copy(
        update={"window": Window.days(first, first + timedelta(days=6), "UTC")}
    )
    for issue_memory in (report(1, claim("needle of the day before")), week):
        reports.remember(issue_memory)
    recall = EarlierStatements(Statements(db), window(2).start)

    def recalled() -> list[list[str]]:
        days = ("2026-02-02", "2026-02-03", "2026-02-01..2026-02-07")
        return [[*recall.search("needle")], *([*recall.report(day)] for day in days)]

    before = recalled()
    assert [len(lines) for lines in before] == [1, 2, 0, 0]
    assert "needle of the day before" in before[0][0]
    reports.remember(report(2, claim("needle of the day itself")))
    reports.remember(report(3, claim("needle of the next day")))
    assert recalled() == before
    assert len(Statements(db).search("needle")) == 4


def test_commits_that_landed_late_are_no_past_of_the_window_that_told_them(db: AnyDatabase) -> None:
    stories = Stories(db)
    Reports(db).remember(report(1, ledger=(row("Told before"),)))
    before = stories.past(ENGINE, window(2))
    assert [commit.title for commit in before.found] == ["Told before"]
    Reports(db).remember(report(2, ledger=(row("Landed late"),)))
    assert stories.past(ENGINE, window(2)) == before
