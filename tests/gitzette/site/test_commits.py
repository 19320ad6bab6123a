"""Commits on a day's page: the same tiers and counts as in the Markdown, and reasons in the reader's language."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent.layouts.digest import digest
from agent.layouts.view import View, row_id
from gitzette.site.names import anchor
from gitzette.site.reasons import REASONS, link_words, reason_words

from agent.linking.recorded import CLOSED
from agent.report import LedgerRow, Report
from agent.stories import Act, Step, Story, StoryKind
from agent.triage import Noise, Tier
from agent.web import Web
from agent.weights import POINTS
from evals.sets.site_reports import FIRST, made_day
from gitzette.site.build import Built

WEB = Web("https://github.com")
PLACES = {Tier.HIGH: 1, Tier.LOW: 3, Tier.NOISE: 5}


def undone(report: Report) -> Report:
    """Let the first repository undo a change of each tier within the day."""
    own = [row for row in report.ledger if row.repo == report.repos[0]]
    ledger = {row_id(row): row for row in report.ledger}
    stories = []
    for tier, at in PLACES.items():
        pair = own[at - 1 : at + 1]
        for row in pair:
            noise = Noise.DOCS if tier is Tier.NOISE else None
            ledger[row_id(row)] = row.model_copy(update={"tier": tier, "noise": noise, "marks": ("revert", "fix")})
        stories.append(_story(*pair))
    return report.model_copy(update={"ledger": tuple(ledger.values()), "stories": tuple(stories)})


def _story(earlier: LedgerRow, later: LedgerRow) -> Story:
    steps = (row_id(earlier), row_id(later))
    acts = zip(steps, (earlier, later), (Act.LANDED, Act.UNDONE), strict=True)
    timeline = tuple(Step(cite=cite, at=row.landed_at, act=act, title=row.title) for cite, row, act in acts)
    return Story(kind=StoryKind.REVERT, repo=earlier.repo, steps=steps, timeline=timeline, news=steps)


@pytest.fixture
def report() -> Report:
    days = (undone(made_day(FIRST, seed=seed, most=12)) for seed in range(9) if _has_enough(seed))
    return next(days)


def _has_enough(seed: int) -> bool:
    report = made_day(FIRST, seed=seed, most=12)
    return sum(row.repo == report.repos[0] for row in report.ledger) > max(PLACES.values())


def test_the_page_counts_the_commits_of_each_tier_as_the_markdown_does(
    report: Report, shelf: Callable[..., Path], built: Callable[..., Built], tmp_path: Path
) -> None:
    view = View(report, "en", WEB)
    built(shelf(report))
    page = (tmp_path / "site" / "en" / "days" / f"{FIRST}.html").read_text("utf-8")
    markdown = "".join(span.text for span in digest(view))
    for tier in (Tier.HIGH, Tier.MID, Tier.LOW):
        words = re.escape(view.say.tiers[tier])
        told = re.findall(rf"^### {words} \((\d+)\)$", markdown, re.MULTILINE)
        shown = re.findall(rf'</span> {words}</span> <span class="count">\((\d+)\)</span></h3>', page)
        assert shown == told != []
    data = json.loads((tmp_path / "site" / "data" / f"{FIRST}.json").read_bytes())
    for part in data["repos"]:
        assert part["tiers"] == {tier.value: count for tier in Tier if (count := view.count(part["repo"], tier))}


def test_every_commit_has_one_place_on_the_page_even_if_it_is_told_with_what_undid_it(
    report: Report,
    shelf: Callable[..., Path],
    built: Callable[..., Built],
    tmp_path: Path,
    parsed: Callable[[str], Any],
) -> None:
    built(shelf(report))
    page = parsed((tmp_path / "site" / "zh" / "days" / f"{FIRST}.html").read_text("utf-8"))
    places = [one.attributes["id"] for one in page.elements if "id" in one.attributes]
    assert len(View(report, "zh", WEB).undid) == len(PLACES)
    assert all(places.count(anchor(row_id(row))) == 1 for row in report.ledger)


def test_the_reasons_of_triage_have_words_in_both_languages(
    report: Report, shelf: Callable[..., Path], built: Callable[..., Built], tmp_path: Path
) -> None:
    assert REASONS.keys() == {*POINTS, "closes issues"}
    assert all(re.search("[\u4e00-\u9fff]", words["zh"]) for words in REASONS.values())
    assert reason_words("of another time", "zh") == "of another time"
    built(shelf(report))
    chinese, english = (
        (tmp_path / "site" / lang / "days" / f"{FIRST}.html").read_text("utf-8") for lang in ("zh", "en")
    )
    assert "<dd>修复、新名称 (" in chinese
    assert "<dd>a fix, new names (" in english
    assert "new names" not in chinese


def test_what_a_link_rests_on_is_told_in_the_reader_s_language_and_without_figures() -> None:
    evidence = (CLOSED, "patch 82a8b41adeba33cc", "pull request #2121")
    assert link_words(evidence, "zh") == ["GitHub 记录由其关闭", "拉取请求 #2121"]
    assert link_words(evidence, "en") == ["closed by it, as GitHub records", "pull request #2121"]
    assert link_words(("fix #5326",), "zh") == ["“fix #5326”"]
