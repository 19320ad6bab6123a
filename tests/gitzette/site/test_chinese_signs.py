"""Chinese pages have the signs of Chinese between their words."""

import html
import re
from pathlib import Path

import pytest

from agent.browser_urls import Web
from agent.domain.base import RepoId
from agent.domain.ledger import Depth
from agent.domain.report import Failure
from gitzette.render.page_composition import report_page
from tests.gitzette.conftest import Demonstration
from tests.made_reports import FIRST, made_day

HAN = "[\u3400-\u9fff]"
HALF_WIDTH = re.compile(
    # A comma, colon or semicolon beside Chinese words, a bracket around or behind them, a dash.
    f"{HAN} ?[,;:!?] ?{HAN}|[,;:] {HAN}|{HAN} ?\\([^()]*\\)|\\([^()]*{HAN}[^()]*\\)|{HAN} — | — {HAN}"
)
BLOCK = re.compile(
    r"<(li|p|h\d|summary|div|td|option|button|label|dt|dd|section|figcaption|time)\b"
)
UNSEEN = re.compile(r"<(script|style|pre|title)\b.*?</\1>", re.DOTALL)


def visible_text(file: Path) -> str:
    """Return the words of a page, a block of them on each line, without code and addresses."""
    text = file.read_text("utf-8")
    if file.suffix == ".md":
        text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        text = re.sub(r"\]\([^)\s]*\)", "]", text)
    else:
        text = BLOCK.sub(r"\n<\1", UNSEEN.sub("", text))
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def test_no_chinese_page_of_the_demonstration_has_half_width_signs_between_chinese_words(
    demonstration: Demonstration,
) -> None:
    pages = [
        *demonstration.out.glob("reports/*.zh.md"),
        *demonstration.out.glob("site/zh/**/*.html"),
    ]
    assert len(pages) > 10
    wrong = []
    for file in pages:
        for line in visible_text(file).splitlines():
            wrong += [f"{file.name}: {match[0]}" for match in HALF_WIDTH.finditer(line)]
    assert wrong == []


@pytest.mark.parametrize(
    ("depth", "words"),
    [("list", "差异未读：读取差异的预算已用完"), ("failed", "差异无法读取")],
)
def test_an_unread_commit_says_so_in_chinese_and_errors_are_quoted_as_those_of_the_program(
    depth: Depth, words: str
) -> None:
    report = made_day(FIRST)
    unread = report.ledger[0].model_copy(
        update={"depth": depth, "files": None, "additions": None, "reason": "HTTP 502"}
    )
    failure = Failure(repo=RepoId("octo/router"), stage="diffs", message="1 of 2: HTTP 502")
    update = {"ledger": (unread, *report.ledger[1:]), "failures": (failure,)}
    page = report_page(report.model_copy(update=update), "zh", Web("https://git.example"))
    assert words in page
    assert "（程序报错：`1 of 2: HTTP 502`）" in page
    assert page.count("HTTP 502") == 1
