"""Whatever a report publishes is on its pages: on the Markdown page in both layouts, and on the site."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from html import unescape
from itertools import product
from typing import get_args

import pytest

from agent.browser_urls import Web
from agent.domain.base import LANGUAGES, Language, RepoId
from agent.domain.claims import MARK, Claim, Kind, Quote, Role
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth, LedgerRow, Noise, Tier
from agent.domain.links import Story, StoryStep
from agent.domain.report import Report, RepoSection
from agent.domain.window import Window
from agent.reports.report_json import load
from agent.settings.values import Layout, Settings
from gitzette.render.page_composition import page_model, report_page
from gitzette.site.pages import Pages
from tests.analysed_report import analysed_report
from tests.gitzette.conftest import Demonstration
from tests.made_reports import FIRST, made_day

WEB = Web("https://git.example")
ROUTER = RepoId("octo/router")
CACHE = RepoId("octo/cache")
DAY = date(2026, 2, 4)
AT = datetime(2026, 2, 4, 9, tzinfo=UTC)


def words_of(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


def words_of_markdown(page: str) -> str:
    """Return the words of a page without the addresses of links."""
    return words_of(re.sub(r"\]\([^()\s]*\)", "] ", page))


def words_of_html(page: str) -> str:
    """Return the words of a page without its tags."""
    return words_of(unescape(re.sub(r"<[^<>]*>", " ", page)))


def pages_of(report: Report, lang: Language) -> Iterator[tuple[str, str]]:
    """Yield the words of each place where a reader finds the whole report."""
    for layout in get_args(Layout):
        yield f"{layout} {lang}", words_of_markdown(report_page(report, lang, WEB, layout))
    model = page_model(report, lang, WEB)
    site = Pages(Settings(), "").day(model, report.window.label, "", "")
    yield f"site {lang}", " ".join(words_of_html(text) for _, text in site)


def pieces_of(claim: Claim, lang: Language) -> list[str]:
    """Return what must be read of a claim: its words around citations, what it quotes, a line."""
    pieces = MARK.split(claim.text.get(lang, ""))[::2]
    if claim.speech:
        pieces += [quote.text for quote in claim.quotes]
    elif claim.predicate == "shows":
        pieces += [quote.text.split("\n")[0] for quote in claim.quotes]
    return [words for words in map(words_of, pieces) if words]


def missing_claims(report: Report) -> list[tuple[str, str, str]]:
    """List what a page lacks of what the report publishes."""
    missing = []
    for lang in LANGUAGES:
        for page, words in pages_of(report, lang):
            for claim in report.claims:
                lacking = [piece for piece in pieces_of(claim, lang) if piece not in words]
                missing += [(page, claim.id, piece) for piece in lacking]
    return missing


def test_every_claim_of_the_demonstration_is_on_its_pages(
    demonstration: Demonstration,
) -> None:
    file = demonstration.out / "reports" / "2026-02-04.json"
    report = load(file.read_bytes(), "the demonstration")
    assert report.claims
    assert missing_claims(report) == []


@pytest.mark.parametrize("report", [analysed_report(), made_day(FIRST), made_day(FIRST, most=3)])
def test_every_claim_of_a_day_is_on_its_pages(report: Report) -> None:
    assert missing_claims(report) == []


def row_of(repo: RepoId, number: int, **given: object) -> LedgerRow:
    title = f"Commit {number} of {repo}"
    values = {
        "repo": repo,
        "sha": f"{number:040x}",
        "depth": "deep",
        "reason": "made up",
        "late": False,
        "subject": title,
        "title": title,
        "author": "ada",
        "landed_at": AT,
        "members": 0,
        "files": 1,
        "additions": 1,
        "deletions": 1,
        "tier": Tier.MID,
    }
    return LedgerRow.model_validate(values | given)


class Claims:
    """Makes claims whose words occur once."""

    def __init__(self) -> None:
        self.made: list[Claim] = []

    def add(self, *rows: LedgerRow, **given: object) -> None:
        """Claim something of these commits."""
        name = f"claim{len(self.made)}"
        cites = tuple(EvidenceId.commit(row.repo, row.sha) for row in rows)
        values = {
            "id": name,
            "repo": rows[0].repo if rows else ROUTER,
            "role": "change",
            "about": cites[:1],
            "cites": cites or (EvidenceId.commit(ROUTER, f"{1:040x}"),),
            "text": {"en": f"What {name} says in English.", "zh": f"中文的 {name} 这样说。"},
        }
        self.made.append(Claim.model_validate(values | given))


def report_with(claims: Claims, *rows: LedgerRow, stories: tuple[Story, ...] = ()) -> Report:
    repos = tuple(dict.fromkeys(row.repo for row in rows))
    sections = [
        RepoSection(repo=repo, branch="main", tip=f"{9:040x}", coverage="read") for repo in repos
    ]
    return Report(
        window=Window.days(DAY, DAY, "UTC"),
        repos=repos,
        sections=tuple(sections),
        ledger=rows,
        claims=tuple(claims.made),
        stories=stories,
        analyst="model played",
    )


def test_claims_of_every_role_kind_depth_and_tier_are_on_the_pages() -> None:
    claims = Claims()
    rows = []
    states = [*product(get_args(Depth), Tier, (None, "docs"), (False, True))]
    for number, (depth, tier, noise, late) in enumerate(states, start=1):
        row = row_of(ROUTER, number, depth=depth, tier=tier, noise=noise, late=late)
        rows.append(row)
        for role, kind in product(("change", "effect", "advice"), Kind):
            if kind is not Kind.QUOTATION:
                claims.add(row, role=role, kind=kind)
        claims.add(row, role="headline", kind=Kind.STATED)
        claims.add(row, role="headline", kind=Kind.STATED)
        words = f"The author of number{number} explains it at length."
        quote = Quote(cite=EvidenceId.commit(ROUTER, row.sha), text=words)
        claims.add(row, speech=True, kind=Kind.QUOTATION, quotes=(quote,), text={})
        lines = Quote(
            cite=quote.cite, text=f"-shown_{number} = 1\n+shown_{number} = 2", file="a.py"
        )
        claims.add(row, predicate="shows", quotes=(lines,), text={})
        name = f"function_{number}"
        text = {"en": f"Changes in `{name}`.", "zh": f"`{name}` 有改动。"}
        claims.add(row, predicate="fact", text=text)
    assert len(rows) == len(get_args(Depth)) * len(Tier) * 4
    assert set(get_args(Noise)) >= {"docs"}
    assert missing_claims(report_with(claims, *rows)) == []


def test_summaries_and_briefs_are_on_the_pages_however_many_there_are() -> None:
    claims = Claims()
    rows = [row_of(repo, number) for repo in (ROUTER, CACHE) for number in (1, 2)]
    for role, _ in product(("brief", "summary"), range(12)):
        claims.add(rows[0], rows[1], role=role, kind=Kind.STATED, about=())
        claims.add(rows[2], rows[3], role=role, kind=Kind.STATED)
    claims.add(rows[0], rows[2], role="brief", kind=Kind.INFERRED, about=(), repo=None)
    assert set(get_args(Role)) == {"change", "effect", "advice", "summary", "headline", "brief"}
    assert missing_claims(report_with(claims, *rows)) == []


def test_claims_about_issues_other_commits_or_nothing_are_on_the_pages() -> None:
    claims = Claims()
    rows = [row_of(ROUTER, 1), row_of(CACHE, 2)]
    claims.add(rows[0], about=("octo/router#7",), cites=("octo/router#7",))
    claims.add(rows[0], about=(), kind=Kind.STATED)
    claims.add(row_of(ROUTER, 77), kind=Kind.STATED)
    claims.add(*rows, repo=None, role="effect")
    claims.add(row_of(CACHE, 78), repo=None)
    claims.add(row_of(RepoId("octo/elsewhere"), 79))
    assert missing_claims(report_with(claims, *rows)) == []


def test_what_is_said_of_a_change_and_of_its_revert_is_on_the_pages() -> None:
    claims = Claims()
    first = row_of(ROUTER, 1)
    revert = row_of(ROUTER, 2)
    for row, role in product((first, revert), ("headline", "effect", "advice")):
        claims.add(row, role=role, kind=Kind.STATED)
    for row, predicate in product((first, revert), ("fact", "undoes", "undone", "fixes")):
        claims.add(row, predicate=predicate)
    quote = Quote(
        cite=EvidenceId.commit(ROUTER, revert.sha), text="-GONE = 1\n+GONE = 2", file="a.py"
    )
    claims.add(revert, predicate="shows", quotes=(quote,), text={})
    steps = [
        StoryStep(cite=EvidenceId.commit(ROUTER, row.sha), at=AT, act=act, title=row.title)
        for row, act in ((first, "landed"), (revert, "undone"))
    ]
    story = Story(
        kind="revert",
        repo=ROUTER,
        steps=tuple(step.cite for step in steps),
        timeline=tuple(steps),
        news=tuple(step.cite for step in steps),
    )
    assert missing_claims(report_with(claims, first, revert, stories=(story,))) == []
