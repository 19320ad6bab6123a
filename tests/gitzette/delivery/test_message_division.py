"""A report is divided into as few messages as the limits allow, each with a title that says the news."""

import pytest

from agent.browser_urls import Web
from agent.domain.report import Report
from gitzette.delivery.message_content import Content, grouped, numbered
from gitzette.render.page_composition import page_model
from tests.analysed_report import analysed_report


@pytest.mark.parametrize(
    ("words", "max_size", "max_values", "expected"),
    [
        (["aa", "bb", "cc"], 4, None, [["aa", "bb"], ["cc"]]),
        (["aa", "bb", "cc"], 3, None, [["aa"], ["bb"], ["cc"]]),
        (["aa", "bb", "cc"], 6, 2, [["aa", "bb"], ["cc"]]),
        # What is larger than a message stands alone in one.
        (["a", "bbbbb", "c"], 4, None, [["a"], ["bbbbb"], ["c"]]),
        (["bbbbb"], 4, 1, [["bbbbb"]]),
        ([], 4, None, [[]]),
    ],
)
def test_values_are_divided_in_order_up_to_the_limits(
    words: list[str], max_size: int, max_values: int | None, expected: list[list[str]]
) -> None:
    assert grouped(words, len, max_size, max_values) == expected


def test_messages_are_numbered_where_there_are_several() -> None:
    assert list(numbered("News", [["a"]])) == [("News", ["a"])]
    assert [part.title for part in numbered("News", [["a"], ["b"]])] == ["News (1/2)", "News (2/2)"]


def content(report: Report) -> Content:
    web = Web("https://github.com")
    return Content(page_model(report, "en", web), web, "https://site.example")


def test_a_title_is_the_news_and_its_scale_and_the_day_where_there_is_no_news() -> None:
    report = analysed_report()
    assert content(report).title.startswith(content(report).page.lead.replace("`", "")[:40])
    quiet = report.model_copy(
        update={"claims": (), "ledger": (), "sections": (), "links": (), "stories": ()}
    )
    assert content(quiet).title.startswith(f"Gitzette {report.window.label} · ")
    assert content(quiet).url == f"https://site.example/en/days/{report.window.label}.html"


@pytest.mark.parametrize(("length", "is_shortened"), [(100, False), (101, True)])
def test_a_long_lead_is_shortened_to_100_characters(length: int, *, is_shortened: bool) -> None:
    report = analysed_report()
    claims = []
    for claim in report.claims:
        words = "l" * (length - len("router: "))
        is_headline = claim.role == "headline"
        claims.append(claim.model_copy(update={"text": {"en": words}}) if is_headline else claim)
    lead = content(report.model_copy(update={"claims": tuple(claims)})).title.partition(" · ")[0]
    assert len(lead) == 100
    assert lead.endswith("…") is is_shortened
