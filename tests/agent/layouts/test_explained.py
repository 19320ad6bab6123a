"""What a model says on a page: beside the facts and never in their place, counted, and not claimed where it is not."""

from datetime import UTC, date, datetime

import pytest

from agent.claims import Claim, Judgement, Role, Verdict
from agent.domain import Coverage
from agent.facts import Fact, FactKind, Severity
from agent.ids import RepoId
from agent.pages import report_page
from agent.report import Depth, Drop, LedgerRow, Report, RepoSection
from agent.settings import Layout
from agent.templates import params_of, sentence
from agent.triage import Noise, Tier
from agent.web import Web
from agent.window import Window

REPO = RepoId("octo/router")
WEB = Web("https://git.example")
LOW, BOT = "4" * 40, "5" * 40
FACT = Fact(kind=FactKind.LIMIT_CHANGED, severity=Severity.BREAKING, name="topK", old="<= 22", new="<= 8")
LAYOUTS: tuple[Layout, ...] = ("digest", "ledger")


def row(sha: str, title: str, tier: Tier, noise: Noise | None = None) -> LedgerRow:
    return LedgerRow(
        repo=REPO,
        sha=sha,
        depth=Depth.DEEP,
        reason="weight",
        late=False,
        subject=title,
        title=title,
        author="Mira",
        landed_at=datetime(2026, 2, 4, 9, 30, tzinfo=UTC),
        members=0,
        files=1,
        additions=1,
        deletions=1,
        places=("src/a.py",),
        tier=tier,
        noise=noise,
    )


def said(name: str, words: str, sha: str, role: Role = Role.EFFECT, *, whole: bool = False) -> Claim:
    me = f"{REPO}@{sha}"
    passed = Judgement(verdict=Verdict.SUPPORTED)
    about = () if whole else (me,)
    return Claim(id=name, repo=REPO, role=role, about=about, cites=(me,), text={"en": words}, judgement=passed)


def page(*claims: Claim, drops: tuple[Drop, ...] = (), layout: Layout = "digest") -> str:
    fact = said("fact", sentence("fact", params_of(FACT), "en") or "", LOW, Role.CHANGE)
    report = Report(
        window=Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC"),
        repos=(REPO,),
        sections=(RepoSection(repo=REPO, branch="main", tip=LOW, coverage=Coverage.READ),),
        ledger=(row(LOW, "Lower the limit", Tier.LOW), row(BOT, "Skip a test", Tier.NOISE, Noise.TESTS)),
        claims=(*claims, fact.model_copy(update={"predicate": "fact", "params": params_of(FACT)})),
        drops=drops,
        analyst="model scripted",
    )
    return report_page(report, "en", WEB, layout)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_day_is_summed_up_under_its_repository(layout: Layout) -> None:
    text = page(said("day", "A limit is lowered.", LOW, Role.SUMMARY, whole=True), layout=layout)
    assert "**In short**\n\n- A limit is lowered. ([`4444444`](" in text


def test_an_explanation_stands_beside_the_first_fact_and_also_behind_what_is_folded() -> None:
    text = page(said("m1", "The buffer holds 8 entries.", LOW), said("m2", "The test hangs.", BOT))
    (line,) = (line for line in text.splitlines() if line.startswith("- Lower the limit"))
    assert line.endswith("— The limit of `topK` changes from `<= 22` to `<= 8`. The buffer holds 8 entries.")
    (folded,) = (line for line in text.splitlines() if line.startswith("- Skip a test"))
    assert folded.endswith(" — The test hangs.")


def test_the_footer_tells_the_models_share_of_what_is_told_and_of_what_was_dropped() -> None:
    drops = (
        Drop(repo=REPO, verdict=Verdict.UNDECIDED, check="words", free=True),
        Drop(repo=REPO, verdict=Verdict.QUOTE, check="quote"),
    )
    text = page(said("m1", "The buffer holds 8 entries.", LOW), drops=drops)
    assert "Written by rules and a model, checked by rules." in text
    assert "The model `scripted` wrote 1 of 2 statements (50 %); rules wrote the others." in text
    assert "Of 2 statements that were dropped it wrote 1." in text


def test_a_page_on_which_nothing_of_a_model_stands_is_not_called_its_work() -> None:
    text = page()
    assert "Written by rules; nothing that the model said stands here." in text
    assert "The model `scripted` wrote 0 of 1 statements (0 %)" in text
