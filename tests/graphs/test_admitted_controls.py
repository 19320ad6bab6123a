"""A judge that lets one planted sentence pass costs no other sentence, relation or story."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from agent.browser_urls import Web
from agent.domain.links import Story
from evals.github_server.app import GitHubServer
from evals.model_server.server import ModelServer
from evals.worlds.worlds import repo_from_mirror
from gitzette.day_run import RunOutcome
from gitzette.render.page_composition import report_page
from tests.graphs.test_relating import FIXES, ISSUE, clone_at
from tests.scripted_analysis import (
    ANALYSES,
    LIMIT,
    LIMIT_SAID,
    TIMEOUT,
    TIMEOUT_SAID,
    Clone,
    Scripted,
    analysis,
    run,
    said,
    two_commits,
)

REVERTED = ("Let routes grow", "Give workers more time")


@dataclass
class Careless(Scripted):
    """A model that as a judge lets some sentences pass whatever they say."""

    passes: Callable[[str, Sequence[str]], bool] = lambda *_: False
    """Whether a sentence passes, given the others of the same question."""
    questions: list[list[str]] = field(default_factory=list)  # The sentences of each question

    def rulings(self, sentences: Sequence[tuple[str, str]], evidence: str) -> list[dict[str, str]]:
        """Rule on the sentences of a question."""
        texts = [text for _, text in sentences]
        self.questions.append(texts)
        rulings = super().rulings(sentences, evidence)
        for ruling, text in zip(rulings, texts, strict=True):
            if self.passes(text, texts):
                ruling["verdict"] = "stated"
        return rulings


async def related(folder: Path, script: Careless) -> RunOutcome:
    """Report on a commit that names three issues, two of which it fixes."""
    clone = clone_at(folder / "router", "See #7, #8 and #9.")
    issues = tuple(replace(ISSUE, number=number) for number in (7, 8, 9))
    hub = repo_from_mirror(clone.name, clone.folder / ".git", issues)
    with (
        GitHubServer([hub], tokens=("t",)) as github,
        ModelServer(script, context=32_768) as server,
    ):
        return await run(
            folder, server, clone, github_url=github.url, token=SecretStr("t"), source="both"
        )


def fixed_issues(covered: RunOutcome) -> list[int]:
    links = [link for link in covered.report.links if link.relation == "fixes"]
    return sorted(link.issue.number or 0 for link in links)


def footer_of(covered: RunOutcome) -> str:
    """Return the report's page, whose end says how it was judged."""
    return report_page(covered.report, "en", Web("https://github.com"))


RELATIONS: Mapping[str, Sequence[Mapping[str, Any]]] = {LIMIT: [FIXES, FIXES | {"other": "#8"}]}


async def test_relations_beside_an_admitted_sibling_are_judged_alone_beside_other_controls(
    tmp_path: Path,
) -> None:
    script = Careless(
        relations=RELATIONS, passes=lambda text, _: "everything that #9 reports" in text
    )
    covered = await related(tmp_path, script)
    assert fixed_issues(covered) == [7, 8]
    questions = ["\n".join(texts) for texts in script.questions]
    again = [question for question in questions if "#7 reports" in question]
    # In both readings of the first question, and never after that.
    assert sum("#8 reports" in question for question in again) == 2
    assert (
        "Sentences judged once more because the judge had let a planted one pass beside them: 2;"
        " left out for that: 0."
    ) in footer_of(covered)


async def test_a_judge_that_lets_every_planted_relation_pass_publishes_none(tmp_path: Path) -> None:
    script = Careless(relations=RELATIONS, passes=lambda text, _: " fixes everything " in text)
    covered = await related(tmp_path, script)
    assert fixed_issues(covered) == []
    assert "pass beside them: 2; left out for that: 2." in footer_of(covered)
    refused = [drop for drop in covered.report.drops if drop.check == "control"]
    assert len(refused) == 2


async def stories_told(
    folder: Path, passes: Callable[[str, Sequence[str]], bool], hours: tuple[int, int] = (0, 9)
) -> tuple[dict[str, Story], RunOutcome]:
    """Report on two reverts, whose stories a model tells; the commits landed at the first hour."""
    landed_at, reverted_at = hours
    clone = Clone(folder / "router")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", worker__py="WORKER_TIMEOUT = 30\n")
    texts = ({"router__py": "MAX_ROUTES = 90\n"}, {"worker__py": "WORKER_TIMEOUT = 45\n"})
    undone = ({"router__py": "MAX_ROUTES = 22\n"}, {"worker__py": "WORKER_TIMEOUT = 30\n"})
    shas = []
    for title, files in zip(REVERTED, texts, strict=True):
        shas.append(clone.commit(title, landed_at, **files))
    for title, sha, files in zip(REVERTED, shas, undone, strict=True):
        message = f'Revert "{title}"\n\nThis reverts commit {sha}.'
        clone.commit(message, reverted_at, **files)
    paragraphs = []
    for number in (1, 2):
        text = "This was taken back on 2026-02-04."
        paragraphs.append({"story": f"s{number}", "en": text, "zh": "2026-02-04 被撤销。"})
    script = Careless(stories=paragraphs, passes=passes)
    with ModelServer(script, context=32_768) as server:
        covered = await run(folder, server, clone)
    stories_by_title = {}
    for story in covered.report.stories:
        if story.kind == "revert":
            stories_by_title[story.timeline[0].title] = story
    return stories_by_title, covered


async def test_a_story_is_told_though_the_judge_let_a_reversed_one_pass_beside_another(
    tmp_path: Path,
) -> None:
    def passes(text: str, question: Sequence[str]) -> bool:
        return text.startswith("“") and len(question) > 2

    stories_by_title, covered = await stories_told(tmp_path, passes)
    assert [stories_by_title[title].paragraph["en"] for title in REVERTED] == [
        "This was taken back on 2026-02-04."
    ] * 2
    assert "pass beside them: 2; left out for that: 0." in footer_of(covered)


async def test_a_judge_that_lets_every_reversed_story_pass_tells_none(tmp_path: Path) -> None:
    stories_by_title, covered = await stories_told(tmp_path, lambda text, _: text.startswith("“"))
    assert all(stories_by_title[title].paragraph["en"].startswith("“") for title in REVERTED)
    assert "pass beside them: 2; left out for that: 2." in footer_of(covered)


async def test_a_change_that_is_taken_back_on_the_same_day_has_a_story_that_a_judge_can_check(
    tmp_path: Path,
) -> None:
    stories_by_title, covered = await stories_told(tmp_path, lambda *_: False, hours=(3, 9))
    assert [stories_by_title[title].paragraph["en"] for title in REVERTED] == [
        "This was taken back on 2026-02-04."
    ] * 2
    assert "judged once more" not in footer_of(covered)


BRIEF_SENTENCE = {"en": "octo/router: `MAX_ROUTES` is `12` now.", "rests_on": ["c1.1"]}


def sentences_of(covered: RunOutcome, *roles: str) -> list[str]:
    claims = [claim for claim in covered.report.claims if claim.free]
    return sorted(claim.text["en"] for claim in claims if claim.role in roles)


async def report_with(folder: Path, script: Careless) -> RunOutcome:
    with ModelServer(script, context=32_768) as server:
        return await run(folder, server, two_commits(folder / "router"))


def planted_beside(planted: str, sentence: str, times: int) -> Callable[[str, Sequence[str]], bool]:
    """Let a planted sentence pass so many times where another one is asked about."""
    left = [times]

    def passes(text: str, question: Sequence[str]) -> bool:
        is_planted = planted in text and any(sentence in other for other in question)
        if is_planted and left[0]:
            left[0] -= 1
            return True
        return False

    return passes


async def test_sentences_of_a_commit_are_judged_again_where_a_planted_one_passed(
    tmp_path: Path,
) -> None:
    passes = planted_beside("from `12` to `22`", str(LIMIT_SAID["en"]), times=1)
    covered = await report_with(tmp_path, Careless(passes=passes))
    assert sentences_of(covered, "effect") == [LIMIT_SAID["en"], TIMEOUT_SAID["en"]]
    assert "pass beside them: 2; left out for that: 0." in footer_of(covered)


async def test_sentences_beside_planted_ones_that_pass_again_are_left_out(tmp_path: Path) -> None:
    def passes(text: str, question: Sequence[str]) -> bool:
        is_about_limit = any(str(LIMIT_SAID["en"]) in other for other in question)
        return is_about_limit and str(LIMIT_SAID["en"]) not in text

    covered = await report_with(tmp_path, Careless(passes=passes))
    assert sentences_of(covered, "effect") == [TIMEOUT_SAID["en"]]
    assert {drop.check for drop in covered.report.drops if drop.free} == {"control"}


async def test_the_judge_of_a_lone_commit_is_tested_too(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", notes__txt="Notes\n")
    clone.commit("Explain routes", 9, router__py="MAX_ROUTES = 22  # At once\n")
    explained = said("`MAX_ROUTES` has a comment.", "`MAX_ROUTES` 有注释。", "# At once")
    for passes, published in ((lambda *_: False, [explained["en"]]), (lambda *_: True, [])):
        script = Careless({"Explain routes": analysis(explained)}, passes=passes)
        with ModelServer(script, context=32_768) as server:
            covered = await run(tmp_path / str(len(published)), server, clone)
        assert sentences_of(covered, "effect") == published
        (texts,) = {tuple(sorted(texts)) for texts in script.questions if explained["en"] in texts}
        assert any("`router.py` is removed." in text for text in texts)


async def test_minor_commits_are_judged_again_where_a_planted_sentence_passed(
    tmp_path: Path,
) -> None:
    minor = {LIMIT: LIMIT_SAID, TIMEOUT: TIMEOUT_SAID}
    passes = planted_beside("from `12` to `22`", str(TIMEOUT_SAID["en"]), times=1)
    script = Careless(tiers={LIMIT: 1, TIMEOUT: 1}, minor=minor, passes=passes)
    covered = await report_with(tmp_path, script)
    assert sentences_of(covered, "effect") == [LIMIT_SAID["en"], TIMEOUT_SAID["en"]]
    assert "pass beside them: 2; left out for that: 0." in footer_of(covered)


async def test_the_brief_is_judged_again_where_a_planted_sentence_passed(tmp_path: Path) -> None:
    clone = two_commits(tmp_path / "router")
    clone.commit("Count colours", 11, colour__py="COLOURS_OF_ROUTES = 3\n")
    colours = said(
        "`COLOURS_OF_ROUTES` is new.", "新增 `COLOURS_OF_ROUTES`。", "+COLOURS_OF_ROUTES"
    )
    analyses = {**ANALYSES, "Count colours": analysis(colours)}
    passes = planted_beside(str(TIMEOUT_SAID["en"]), str(BRIEF_SENTENCE["en"]), times=1)
    script = Careless(analyses, tiers={LIMIT: 3}, summary=[BRIEF_SENTENCE], passes=passes)
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, clone)
    assert sentences_of(covered, "brief") == [BRIEF_SENTENCE["en"]]
    assert "pass beside them: 1; left out for that: 0." in footer_of(covered)
