"""Every sentence of a brief says which repository it is about, wherever the brief is shown."""

import io

import pytest

from agent.browser_urls import Web
from agent.domain.base import Language, RepoId
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.report import Report
from agent.reports.page_model import PageModel
from agent.settings.values import Layout
from gitzette.delivery.message_content import Content
from gitzette.render.page_composition import page_model, report_page
from gitzette.terminal_brief import print_brief
from tests.analysed_report import CACHE, LIMIT, ROUTER, analysed_report

WEB = Web("https://git.example")
NAMELESS: dict[Language, str] = {
    "en": "Whoever sets `topK` above 8 must act before upgrading.",
    "zh": "升级前须处理。",
}
NAMED: dict[Language, str] = {
    "en": f"router: {NAMELESS['en']}",
    "zh": f"router：{NAMELESS['zh']}",
}
BOTH = pytest.mark.parametrize("lang", ["en", "zh"])


def brief_of(*texts: dict[Language, str], repos: tuple[RepoId, ...] = (ROUTER, CACHE)) -> Report:
    """Return the report with a brief of these sentences about a commit of the router."""
    report = analysed_report()
    commit = EvidenceId.commit(ROUTER, LIMIT)
    (template, *_) = (claim for claim in report.claims if claim.role == "brief")
    claims: list[Claim] = []
    for number, text in enumerate(texts):
        update = {"id": f"brief{number}", "text": text, "cites": (commit,)}
        claims.append(template.model_copy(update=update))
    claims += [claim for claim in report.claims if claim.role != "brief"]
    sections = tuple(section for section in report.sections if section.repo in repos)
    ledger = tuple(row for row in report.ledger if row.repo in repos)
    parts: dict[str, object] = {"repos": repos, "sections": sections, "ledger": ledger}
    return report.model_copy(update=parts | {"claims": tuple(claims)})


def brief_words(page: PageModel) -> list[str]:
    return [page.words_in_brief(sentence) for sentence in page.brief]


@BOTH
@pytest.mark.parametrize("layout", ["digest", "ledger"])
def test_the_page_names_the_repository_of_a_sentence_that_does_not(
    lang: Language, layout: Layout
) -> None:
    page = report_page(brief_of(NAMELESS), lang, WEB, layout)
    assert f"- {NAMED[lang]}" in page


@BOTH
def test_messages_previews_feeds_and_the_terminal_name_it_too(lang: Language) -> None:
    page = page_model(brief_of(NAMELESS), lang, WEB)
    bare = NAMED[lang].replace("`", "")
    messages = [line.words.replace("`", "") for line in Content(page, WEB).lines()]
    assert any(bare in words for words in messages)
    assert page.description.startswith(bare)
    assert brief_words(page) == [NAMED[lang]]
    stream = io.StringIO()
    print_brief(page, None, stream)
    assert bare in " ".join(stream.getvalue().split())


@BOTH
def test_a_repository_that_the_words_name_is_not_named_twice(lang: Language) -> None:
    named: dict[Language, str] = {
        "en": "In router, `topK` is at most 8.",
        "zh": "在router中，`topK` 最大为 8。",
    }
    page = page_model(brief_of(named), lang, WEB)
    assert brief_words(page) == [named[lang]]


@pytest.mark.parametrize(
    "text",
    [
        "`router/limits.py` has a new limit.",
        "The file router.py has a new limit.",
        "Calls of `router.limit` fail.",
        "The rerouter has a limit.",
        "The cache has a limit.",
    ],
)
def test_a_path_an_identifier_or_another_repository_does_not_name_it(text: str) -> None:
    page = page_model(brief_of({"en": text, "zh": text}), "en", WEB)
    assert brief_words(page) == [f"router: {text}"]


def test_sentences_after_the_first_seven_name_their_repository() -> None:
    page = page_model(brief_of(*[NAMELESS] * 9), "en", WEB)
    assert {sentence.repo_name for sentence in page.more} >= {"router"}


@BOTH
def test_a_report_on_one_repository_does_not_repeat_its_name(lang: Language) -> None:
    page = page_model(brief_of(NAMELESS, repos=(ROUTER,)), lang, WEB)
    assert brief_words(page) == [NAMELESS[lang]]


def test_a_sentence_about_several_repositories_without_a_name_has_all_of_them() -> None:
    report = brief_of(NAMELESS)
    cites = tuple(row.id for row in report.ledger if row.sha == LIMIT or row.repo == CACHE)
    brief = report.claims[0].model_copy(update={"cites": cites})
    report = report.model_copy(update={"claims": (brief, *report.claims[1:])})
    assert brief_words(page_model(report, "en", WEB)) == [f"router, cache: {NAMELESS['en']}"]


def test_repositories_of_the_same_name_are_named_with_their_owner() -> None:
    report = brief_of(NAMELESS)
    report = report.model_copy(update={"repos": (*report.repos, RepoId("acme/router"))})
    assert brief_words(page_model(report, "en", WEB)) == [f"octo/router: {NAMELESS['en']}"]
