"""Pages: what a reader sees of a report, the same in both languages, with links that lead somewhere."""

import dataclasses
import re
import string
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import get_args

import pytest
from agent.pages import readme_page, report_page, report_spans
from agent.spans import uncited
from agent.words_en import EN
from agent.words_zh import ZH
from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent.domain import Coverage, Notice, NoticeKind
from agent.report import Failure, LedgerRow, Report, ThreadLine
from agent.settings import Language, Layout
from agent.web import Web
from agent.window import Window
from agent.words import Words
from tests.patience import within

Rows = Callable[..., LedgerRow]
Reports = Callable[..., Report]
WEB = Web("https://git.example")
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
A, B, C = "octo/router", "octo/kernels", "octo/docs"
LANGUAGES: tuple[Language, ...] = ("en", "zh")
LAYOUTS: tuple[Layout, ...] = ("digest", "ledger")


def english(report: Report) -> str:
    return report_page(report, "en", WEB, "ledger")


def every_token(text: str) -> list[Token]:
    return [token for block in READER.parse(text) for token in (block, *(block.children or []))]


def links(text: str) -> list[str]:
    return [str(token.attrGet("href")) for token in every_token(text) if token.type == "link_open"]


def tables(text: str) -> list[list[list[str]]]:
    """Read every table as rows of the text in its cells."""
    found: list[list[list[str]]] = []
    inside = False
    for token in READER.parse(text):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type in ("td_open", "th_open"):
            inside = True
        elif token.type == "inline" and inside:
            found[-1][-1].append("".join(child.content for child in token.children or []))
            inside = False
    return found


def headings(text: str) -> list[str]:
    blocks = READER.parse(text)
    return [
        "".join(child.content for child in blocks[at + 1].children or [])
        for at, token in enumerate(blocks)
        if token.type == "heading_open"
    ]


def anchors(text: str) -> list[str]:
    """Give the anchors of a page as GitHub makes them, written anew for this test."""
    found: list[str] = []
    for heading in headings(text):
        kept = [char for char in heading.lower() if char.isalnum() or char in "_- "]
        base = "".join("-" if char == " " else char for char in kept)
        count = sum(1 for anchor in found if re.fullmatch(rf"{re.escape(base)}(-\d+)?", anchor))
        found.append(f"{base}-{count}" if base in found else base)
    return found


@pytest.fixture
def busy(make_row: Rows, make_report: Reports) -> Report:
    """A report in which everything happens at once."""
    rows = [
        make_row("1" * 40, "Speed up | routing (#12)", repo=A, pull=12, lines=[(3, 1), (5, 0)]),
        make_row("2" * 40, "Merge pull request #13 from x/y\n\nNew kernels", repo=A, members=4),
        make_row("3" * 40, "修复 `max_num_tokens` 的默认值", repo=B, author="王 <b>伟</b> @wang"),
        make_row("4" * 40, "Back-dated", repo=B, late=True, at=datetime(2026, 1, 30, 23, 59, tzinfo=UTC)),
        make_row("5" * 40, "Not read", repo=B, lines=None),
        make_row("6" * 40, "Half read", repo=B, unreadable=2),
        make_row("7" * 40, "", repo=C, late=True),
    ]
    thread = {"number": 7, "title": "Crash | on start", "author": "octocat", "event": "opened", "labels": ["bug"]}
    threads = [
        ThreadLine.model_validate(thread | {"number": number, "event": event, "at": "2026-02-04T08:00:00Z"})
        for number, event in enumerate(("opened", "opened", "closed", "not planned"), start=7)
    ]
    release = {"published_at": "2026-02-04T09:00:00Z"}
    releases = [
        release | {"tag": "v1.0", "name": "v1.0", "prerelease": False},
        release | {"tag": "v2.0-rc(1)/x y", "name": "The *second*", "prerelease": True},
    ]
    notices = [Notice(kind=kind, about=("0123456789ab", "2026-02-03 UTC")) for kind in NoticeKind]
    about = {
        A: {"issues": threads, "releases": releases, "notices": notices},
        B: {"issues": threads[:1], "coverage": Coverage.PARTIAL, "coverage_notices": notices},
        C: {"coverage": Coverage.NOT_READ},
        "octo/empty": {"tip": None},
        "octo/quiet": {},
    }
    stages = get_args(Failure.model_fields["stage"].annotation)
    failures = [{"repo": "octo/lost", "stage": stage, "message": "HTTP 502 | <html>"} for stage in stages]
    repos = [A, B, C, "octo/empty", "octo/quiet", "octo/lost"]
    window = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC").cut_at(datetime(2026, 2, 4, 22, tzinfo=UTC))
    return make_report(rows, repos=repos, about=about, failures=failures, unread=["octo/lost"], window=window)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_both_languages_say_the_same(busy: Report, layout: Layout) -> None:
    en, zh = (report_page(busy, lang, WEB, layout) for lang in LANGUAGES)
    assert Counter(link for link in links(en) if link.startswith("http")) == Counter(
        link for link in links(zh) if link.startswith("http")
    )
    assert Counter(re.findall(r"\d+", en)) == Counter(re.findall(r"\d+", zh))
    shape = [[len(row) for row in table] for table in tables(en)]
    assert [[len(row) for row in table] for table in tables(zh)] == shape
    assert [[row[0] for row in table[1:]] for table in tables(en)] == [
        [row[0] for row in table[1:]] for table in tables(zh)
    ]
    assert [token.type for token in READER.parse(en)] == [token.type for token in READER.parse(zh)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_somebody_answers_for_everything_on_the_page(busy: Report, lang: Language, layout: Layout) -> None:
    titles = {row.title for row in busy.ledger} | {"Speed up | routing", "—", "Crash | on start", "The *second*"}
    assert uncited(report_spans(busy, lang, WEB, layout), busy.claims, titles) == []


def test_every_word_exists_in_both_languages_with_the_same_blanks() -> None:
    def blanks(value: object) -> object:
        if isinstance(value, str):
            fields = [name for _, name, _, _ in string.Formatter().parse(value) if name is not None]
            return len(fields) if all(not name or name.isdigit() for name in fields) else sorted(fields)
        if isinstance(value, dict):
            return {key: blanks(text) for key, text in value.items()}
        assert isinstance(value, tuple)
        return len(value)

    for field in dataclasses.fields(Words):
        en, zh = getattr(EN, field.name), getattr(ZH, field.name)
        assert blanks(en) == blanks(zh), field.name
        assert en, field.name
        assert zh, field.name
    assert set(EN.notices) == set(ZH.notices) == set(NoticeKind)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_chinese_page_has_no_english_words_of_ours(busy: Report, layout: Layout) -> None:
    tokens = every_token(report_page(busy, "zh", WEB, layout))
    told = " ".join(token.content for token in tokens if token.type == "text")
    theirs = {row.title for row in busy.ledger} | {row.author for row in busy.ledger} | {"Crash on start octocat"}
    known = set(re.findall(r"[a-z]+", " ".join([*theirs, *busy.repos]).lower()))
    names = {"gitzette", "utc", "issue", "pull", "request", "token", "api", "warning", "the", "second"}
    assert set(re.findall(r"[a-z]+", told.lower())) - known - names == set()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_nothing_is_left_blank_and_nothing_comes_alive(busy: Report, lang: Language, layout: Layout) -> None:
    page = report_page(busy, lang, WEB, layout)
    assert "{" not in page
    assert "}" not in page
    tokens = every_token(page)
    assert not {token.type for token in tokens} & {"html_inline", "image", "em_open", "s_open"}
    blocks = "".join(token.content for token in tokens if token.type == "html_block")
    assert not re.sub(r"</?details>|<summary>[\w ]+ \(\d+\)</summary>|\s", "", blocks)
    assert all(link.startswith(("https://git.example/", "#")) for link in links(page))
    assert all(len(row) == 8 for table in tables(page) for row in table)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_entry_of_the_contents_leads_to_its_heading(make_row: Rows, make_report: Reports, lang: Language) -> None:
    # Names that GitHub makes the same anchor of, and one that looks like a heading of ours.
    repos = ["octo/a.b", "octo/ab", "oct/oab", "octo/ab-1", "iss/ues", "octo/__init__", "octo/deadbeef"]
    rows = [make_row(f"{n}" * 40, repo=repo, late=n % 2 == 0) for n, repo in enumerate(repos)]
    thread = {"number": 7, "title": "x", "author": None, "event": "opened", "at": "2026-02-04T08:00:00Z", "labels": []}
    page = report_page(make_report(rows, about={repo: {"issues": [thread]} for repo in repos[:5]}), lang, WEB, "digest")
    inside = [link[1:] for link in links(page) if link.startswith("#")]
    assert len(inside) == len(set(inside)) == len(repos)
    where = dict(zip(anchors(page), headings(page), strict=True))
    assert [where[anchor] for anchor in inside] == repos


def test_one_repository_needs_no_contents(make_row: Rows, make_report: Reports) -> None:
    assert "Contents" not in report_page(make_report([make_row()]), "en", WEB, "digest")


def test_a_row_says_what_landed_when_by_whom_and_how_much(busy: Report) -> None:
    table = tables(english(busy))[0]
    assert table[0] == ["Commit", "Landed", "Change", "Author", "Files", "Lines", "Importance", "Reading"]
    assert table[1] == ["1111111", "09:30", "Speed up | routing (#12)", "Mira König", "2", "+8 −1", "low", "skimmed"]
    page = english(busy)
    assert f"[`1111111`](https://git.example/octo/router/commit/{'1' * 40})" in page
    assert "[#12](https://git.example/octo/router/pull/12)" in page
    assert "[`v2.0-rc(1)/x y`](https://git.example/octo/router/releases/tag/v2.0-rc%281%29/x%20y)" in page


def test_late_rows_stand_apart_with_their_date(busy: Report) -> None:
    page = english(busy)
    part = page.split("## octo/kernels")[1].split("## octo/docs")[0]
    on_time, late = tables(part)
    assert [row[0] for row in on_time[1:]] == ["3333333", "5555555", "6666666"]
    assert [(row[0], row[1]) for row in late[1:]] == [("4444444", "2026-01-30 23:59")]
    assert "### Landed late" in part
    assert "Nothing landed on `main` in this window." in page.split("## octo/docs")[1]


def test_what_could_not_be_read_stands_at_the_top_and_in_its_row(busy: Report) -> None:
    page = english(busy)
    head = page.split("**Contents**")[0]
    assert "> This report is not complete." in head
    assert head.count("octo/lost") == 3
    part = tables(page.split("## octo/kernels")[1])[0]
    assert part[2][2:] == ["Not read — timed out", "Mira König", "not read", "", "", "failed"]
    assert "unreadable files: 2 of 3" in part[3][2]


def test_a_partial_report_says_so_in_its_first_lines(busy: Report) -> None:
    assert "read at 2026-02-04 22:00, before the window was over" in english(busy).splitlines()[2]
    assert "此时段尚未结束" in report_page(busy, "zh", WEB, "ledger").splitlines()[2]


def test_an_empty_day_is_a_report_too(make_report: Reports) -> None:
    page = english(make_report(repos=[A]))
    assert page.splitlines()[0] == "# Gitzette 2026-02-04"
    assert "2026-02-04 00:00 to 2026-02-05 00:00 (UTC) · 1 repository · 0 commits landed" in page
    assert "Nothing landed on `main` in this window." in page
    assert tables(page) == []


def test_an_empty_repository_is_called_empty(make_report: Reports) -> None:
    assert "The repository is empty." in english(make_report(repos=[A], about={A: {"tip": None}}))


def test_a_report_without_any_repository_is_readable(make_report: Reports) -> None:
    page = english(make_report())
    assert "0 repositories · 0 commits landed" in page
    assert "Threads" not in page


def test_one_of_anything_is_not_told_in_the_plural(make_row: Rows, make_report: Reports) -> None:
    page = english(make_report([make_row(members=1)]))
    assert not re.search(r"\b1 (commits|files|repositories|merges)\b", page)


def test_hashes_are_as_long_as_it_takes_to_tell_them_apart(make_row: Rows, make_report: Reports) -> None:
    shas = ["abcdef0" + "1" * 33, "abcdef01" + "2" * 32, "abcdef0" + "3" * 33, "f" * 40]
    report = make_report([make_row(sha) for sha in shas], about={A: {"tip": "f" * 39 + "e"}})
    page = english(report)
    assert [row[0] for row in tables(page)[0][1:]] == ["abcdef011", "abcdef012", "abcdef03", "f" * 40]
    assert f"[`{'f' * 39}e`]" in page


def test_the_same_prefix_in_two_repositories_is_no_confusion(make_row: Rows, make_report: Reports) -> None:
    page = english(make_report([make_row("abcdef0" + "1" * 33, repo=A), make_row("abcdef0" + "2" * 33, repo=B)]))
    assert [row[0] for table in tables(page) for row in table[1:]] == ["abcdef0", "abcdef0"]


def test_times_are_those_of_the_windows_zone(make_row: Rows, make_report: Reports) -> None:
    window = Window.days(date(2026, 2, 4), date(2026, 2, 4), "Asia/Shanghai")
    rows = [make_row(at=window.start)]
    assert tables(english(make_report(rows, window=window)))[0][1][1] == "00:00"
    week = Window.days(date(2026, 2, 2), date(2026, 2, 8), "Asia/Shanghai")
    assert tables(english(make_report(rows, window=week)))[0][1][1] == "2026-02-04 00:00"


def test_the_front_page_is_the_latest_report_and_the_list_of_all(busy: Report) -> None:
    labels = ["2026-02-03", "2026-02-04", "2026-01-26..2026-02-01"]
    page = readme_page(report_page(busy, "en", WEB, "ledger"), labels, "en")
    assert page.startswith(english(busy))
    assert links(page.split("## Archive")[1]) == [f"reports/{label}.md" for label in sorted(labels, reverse=True)]
    inside = [link[1:] for link in links(page) if link.startswith("#")]
    assert set(inside) <= set(anchors(page))


@pytest.mark.parametrize(("layout", "named"), [("digest", 1), ("ledger", 2)])
def test_ten_thousand_rows_take_no_more_than_their_number(
    make_row: Rows, make_report: Reports, layout: Layout, named: int
) -> None:
    start = datetime(2026, 2, 4, tzinfo=UTC)
    one = make_row()
    rows = [
        one.model_copy(
            update={"sha": f"{n:040x}", "repo": f"octo/r{n % 20}", "landed_at": start + timedelta(seconds=n)}
        )
        for n in range(10_000)
    ]
    report = make_report(rows)
    with within(5):
        page = report_page(report, "en", WEB, layout)
    assert page.count("/commit/") == named * 10_000 + 20
