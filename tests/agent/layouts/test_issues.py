"""The issues of a repository on a page."""

from datetime import UTC, date, datetime
from typing import Any

from agent.pages import report_page

from agent.domain import Coverage
from agent.ids import RepoId, commit_id, thread_id
from agent.linking.standing import Standing
from agent.links import Grade, Link, Relation
from agent.report import Depth, LedgerRow, Report, RepoSection, ThreadLine
from agent.settings import Language
from agent.web import Web
from agent.window import Window

REPO = RepoId("octo/router")
SHA = "6" * 40
AT = datetime(2026, 2, 4, 8, tzinfo=UTC)


def line(number: int, event: str, standing: Standing, **more: Any) -> ThreadLine:
    values = {"number": number, "title": "It hangs", "author": "o", "event": event, "at": AT, "labels": ()}
    return ThreadLine.model_validate(values | {"standing": standing} | more)


def link(number: int, relation: Relation, grade: Grade, *evidence: str) -> Link:
    return Link(
        issue=thread_id(REPO, number), change=commit_id(REPO, SHA), relation=relation, grade=grade, evidence=evidence
    )


def page(lines: list[ThreadLine], links: list[Link], lang: Language = "en") -> str:
    row = {"repo": REPO, "sha": SHA, "depth": Depth.SKIM, "reason": "", "late": False, "subject": "x", "title": "x"}
    report = Report(
        window=Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC"),
        repos=(REPO,),
        sections=(RepoSection(repo=REPO, branch="main", tip=SHA, coverage=Coverage.READ, issues=tuple(lines)),),
        ledger=(LedgerRow.model_validate(row | {"author": "o", "landed_at": AT, "members": 0}),),
        links=tuple(links),
    )
    text = report_page(report, lang, Web("https://git.example"), "digest")
    return text.replace(f"[`6666666`](https://git.example/octo/router/commit/{SHA})", "`6666666`")


def test_a_fix_is_told_with_its_grade_and_its_release() -> None:
    links = [link(9, Relation.FIXES, Grade.A), link(10, Relation.FIXES, Grade.B)]
    lines = [
        line(9, "closed", Standing.FIXED, release="v0.6.3"),
        line(10, "linked", Standing.ADDRESSED, release=""),
    ]
    text = page(lines, links)
    assert (
        "It hangs — o → fixed by `6666666` (A); first in [`v0.6.3`](https://git.example/octo/router/releases/tag/v0.6.3)"
        in text
    )
    assert "**Addressed or referred to by a commit of this window** (1)" in text
    assert "It hangs — o → addressed by `6666666` (B); still open; not in a release yet" in text


def test_only_a_and_b_read_fixed_and_a_reference_reads_as_one() -> None:
    links = [link(9, Relation.FIXES, Grade.C), link(10, Relation.MENTIONS, Grade.B, "see #10")]
    lines = [line(9, "active", Standing.LIKELY), line(10, "active", Standing.OPEN)]
    text = page(lines, links)
    assert "It hangs — o → likely fixed by `6666666` (C)\n" in text
    assert "It hangs — o → referred to by `6666666` (B)\n" in text
    assert "→ fixed by" not in text
    assert "可能修复于 `6666666` (C)" in page(lines, links, "zh")


def test_parts_reverts_and_reopened_issues_are_told_as_such() -> None:
    links = [link(9, Relation.PARTLY, Grade.B), link(10, Relation.REVERTS, Grade.A)]
    lines = [
        line(9, "linked", Standing.OPEN),
        line(10, "linked", Standing.UNDONE),
        line(11, "active", Standing.REOPENED),
        line(12, "active", Standing.UNDONE),
    ]
    text = page(lines, links)
    for words in (
        "partly fixed by `6666666` (B)",
        "fix reverted by `6666666` (A)\n",
        "reopened",
        "the fix was taken back",
    ):
        assert f"It hangs — o → {words}" in text


def test_important_issues_are_told_with_how_many_wait() -> None:
    text = page([line(9, "important", Standing.OPEN, comments=31, reactions=8)], [])
    assert "**Still open and important** (1)" in text
    assert "It hangs — o → comments: 31" in text
