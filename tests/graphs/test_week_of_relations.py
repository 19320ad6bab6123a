"""Over a week with relations of every kind, each stands in sight on the card of its commit."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic import SecretStr

from agent.browser_urls import Web
from agent.domain.base import Language
from agent.domain.evidence_id import EvidenceId
from agent.domain.report import Report
from agent.domain.window import Window
from evals.github_server.app import GitHubServer
from evals.model_server.server import ModelServer
from gitzette.day_run import run_day
from gitzette.render.page_composition import page_model
from gitzette.terminal_output import QuietProgress
from tests.graphs.test_admitted_relations import (
    OTHER,
    OWN,
    RELATIONS,
    Other,
    Pair,
    Pairing,
    every_one,
    every_second,
    hub_of,
    others_in,
)
from tests.scripted_analysis import Clone, Scripted, analysis, said, settings_of

WEEK = Window.days(date(2026, 2, 1), date(2026, 2, 7), "UTC")
AFTER_WEEK = datetime(2026, 2, 8, 6, tzinfo=UTC)


class SightedSentence(NamedTuple):
    """A sentence that is in sight on a card: what it states, and what it cites."""

    predicate: str
    sources: Sequence[EvidenceId]


def related_commits(router: Clone, pairs: Iterable[Pair]) -> dict[str, Other]:
    """Land a commit for each relation that is possible with its other, by its title."""
    other_by_title: dict[str, Other] = {}
    for pair in pairs:
        relation, other = pair.relation, pair.other
        kinds = (OWN if other.own else OTHER)[relation]
        if other.kind not in kinds:
            continue
        if relation == "step of" and other.own and other.kind == "merged pull":
            continue  # It is read as the commit that it became, and a commit keeps no plan
        number = len(other_by_title)
        message = f"{pair.title}\n\nSee {other.reference} for more."
        router.commit(message, 9, **{f"part{number}__py": f"PART_{number} = {number}\n"})
        other_by_title[pair.title] = other
    return other_by_title


def said_relations(other_by_title: Mapping[str, Other]) -> dict[str, list[dict[str, str]]]:
    relations = {}
    for number, (title, other) in enumerate(other_by_title.items()):
        relation = {
            "other": other.handle,
            "relation": title.partition(": ")[2],
            "anchor": f"+PART_{number} = {number}",
            "other_anchor": other.anchor,
        }
        relations[title] = [relation]
        # A pull request that landed in the week is shown as the commit that it became.
        for cite in other.cites:
            if cite.is_commit and other.own:
                relations[title].append(relation | {"other": cite.sha[:9]})
    return relations


def sentences_in_sight(report: Report, lang: Language) -> dict[str, list[SightedSentence]]:
    """Return what is in sight of each commit, by its title: predicates with what they cite."""
    in_sight: dict[str, list[SightedSentence]] = {}
    for section in page_model(report, lang, Web("https://github.com")).sections:
        for card in section.cards:
            for item in card.items:
                claims = [sentence.claim for sentence in item.sentences]
                sentences = in_sight.setdefault(item.row.title, [])
                for claim in claims:
                    sentences.append(SightedSentence(claim.predicate, claim.sources))
    return in_sight


# The gate has the same of one day, in `test_admitted_relations.py`, and of all claims of a page, in
# `test_every_claim.py`.
@pytest.mark.heavy
@pytest.mark.parametrize("pairing", [every_second, every_one])
async def test_every_admitted_relation_of_a_week_is_in_sight_on_the_card_of_its_commit(
    tmp_path: Path, pairing: Pairing
) -> None:
    router = Clone(tmp_path / "router")
    worker = Clone(tmp_path / "worker", "octo/worker")
    ours = others_in(router, own=True)
    theirs = others_in(worker, own=False)
    worker.commit("Go on", 9, more__py="MORE = 1\n")
    other_by_title = related_commits(router, pairing(RELATIONS, [*ours, *theirs]))
    # Some commits must be known, and some are noise; of some a model writes.
    tiers: dict[str, int] = {}
    analyses: dict[str, dict[str, Any]] = {}
    for number, title in enumerate(other_by_title):
        tiers[title] = number % 4
        anchor = f"+PART_{number} = {number}"
        sentence = said(f"`PART_{number}` is new.", f"新增 `PART_{number}`。", anchor)
        analyses[title] = analysis(sentence)
    script = Scripted(relations=said_relations(other_by_title), tiers=tiers, analyses=analyses)
    hubs = [hub_of(router, ours), hub_of(worker, theirs)]
    with (
        GitHubServer(hubs, tokens=("t",)) as github,
        ModelServer(script, context=32_768) as server,
    ):
        settings = settings_of(
            tmp_path,
            server,
            router.spec,
            worker.spec,
            github_url=github.url,
            token=SecretStr("t"),
            source="both",
        )
        covered = await run_day(
            settings, {}, WEEK, settings.repos, AFTER_WEEK, QuietProgress(), None
        )
    for lang in ("en", "zh"):
        in_sight = sentences_in_sight(covered.report, lang)
        missing = []
        for title, other in other_by_title.items():
            stated = False
            for predicate, sources in in_sight.get(title, ()):
                stated |= predicate not in ("", "refers to") and bool(other.cites & set(sources))
            if not stated:
                missing.append(title)
        assert missing == []
