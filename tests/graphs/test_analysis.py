"""The way of a sentence in a run: written, checked, judged, said anew once, and summed up."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent.domain.claims import Role
from evals.model_server.requests_and_answers import ModelRequest
from evals.model_server.server import ModelServer, Mood
from gitzette.day_run import RunOutcome
from tests.scripted_analysis import (
    ANALYSES,
    LIMIT,
    LIMIT_SAID,
    TIMEOUT,
    TIMEOUT_SAID,
    Scripted,
    analysis,
    honest,
    of,
    run,
    said,
    sentences_in,
    two_commits,
)

WRONG = said("`MAX_ROUTES` is now `13`.", "`MAX_ROUTES` 现在是 `13`。", "+MAX_ROUTES = 12")
RIGHT = said("`MAX_ROUTES` is now `12`.", "`MAX_ROUTES` 现在是 `12`。", "+MAX_ROUTES = 12", id="1")


def written(covered: RunOutcome, role: Role = "effect") -> list[str]:
    return [
        claim.text["en"] for claim in covered.report.claims if claim.free and claim.role == role
    ]


def refused(folder: Path) -> list[Mapping[str, Any]]:
    (file,) = (folder / "home" / "runs").glob("*.json")
    refusals_found: list[Mapping[str, Any]] = json.loads(file.read_bytes())["refused"]
    return refusals_found


async def test_a_refused_literal_goes_back_once_with_the_nearest_evidence_and_is_published_when_mended(
    tmp_path: Path,
) -> None:
    script = Scripted({**ANALYSES, LIMIT: analysis(WRONG)}, {LIMIT: {"sentences": [RIGHT]}})
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        (repair,) = of(server, "Repair")
        judged = [sentences_in(question) for question in of(server, "Rulings")]
    assert (
        "1. `MAX_ROUTES` is now `13`.\n   anchor: +MAX_ROUTES = 12\n   refused: '13' stands nowhere"
        in repair
    )
    assert "The evidence has: " in repair
    assert "WORKER_TIMEOUT" not in repair
    assert "`MAX_ROUTES` is now `12`." in written(covered)
    assert sum("`MAX_ROUTES` is now `12`." in batch for batch in judged) >= 2
    assert all("`MAX_ROUTES` is now `13`." not in batch for batch in judged)
    (refusal,) = refused(tmp_path)
    assert (refusal["text"], refusal["literal"], refusal["check"], refusal["repaired"]) == (
        WRONG["en"],
        "13",
        "number",
        True,
    )


async def test_a_sentence_that_is_refused_twice_is_neither_published_nor_asked_for_again(
    tmp_path: Path,
) -> None:
    worse = RIGHT | {"en": "`MAX_ROUTES` is now `14`."}
    script = Scripted(
        {**ANALYSES, LIMIT: analysis(LIMIT_SAID, WRONG)}, {LIMIT: {"sentences": [worse]}}
    )
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        assert len(of(server, "Repair")) == 1
    assert LIMIT_SAID["en"] in written(covered)
    assert not any("13" in text or "14" in text for text in written(covered))
    assert [(refusal["literal"], refusal["repaired"]) for refusal in refused(tmp_path)] == [
        ("13", True),
        ("14", False),
    ]
    assert [drop.check for drop in covered.report.drops if drop.free] == ["number"]
    # A reason could quote the refused words, which are nowhere in the report.
    assert not any(drop.reason for drop in covered.report.drops if drop.free)


async def test_a_sentence_must_pass_in_both_languages(tmp_path: Path) -> None:
    half = TIMEOUT_SAID | {"zh": "`WORKER_TIMEOUT` 现在是 `54`。"}
    with ModelServer(
        Scripted({TIMEOUT: analysis(half), LIMIT: analysis(LIMIT_SAID)}), context=32_768
    ) as server:
        covered = await run(
            tmp_path, server, two_commits(tmp_path / "router"), languages=("en", "zh")
        )
    assert written(covered) == [LIMIT_SAID["en"]]
    assert [(refusal["literal"], refusal["repaired"]) for refusal in refused(tmp_path)] == [
        ("54", False)
    ]


async def test_a_judge_that_does_not_answer_publishes_nothing(tmp_path: Path) -> None:
    def away(request: ModelRequest) -> Mood | None:
        return Mood("prose") if request.schema == "Rulings" else None

    with ModelServer(Scripted(), away, context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        assert of(server, "Repair") == []
    assert not any(claim.free for claim in covered.report.claims)
    assert {refusal["check"] for refusal in refused(tmp_path)} == {"no judge"}
    (section,) = covered.report.sections
    assert [fallback.part for fallback in section.account.fallbacks] == ["judging", "judging"]


async def test_a_sentence_that_was_said_anew_stands_where_its_writer_put_it(tmp_path: Path) -> None:
    advice = said(
        "Set `MAX_ROUTES` to `12`.", "把 `MAX_ROUTES` 设为 `12`。", "+MAX_ROUTES = 12", advice=True
    )
    analyses = {
        **ANALYSES,
        LIMIT: analysis(
            WRONG, LIMIT_SAID, advice, en="`MAX_ROUTES` is `14`", zh="`MAX_ROUTES` 为 14"
        ),
    }
    headline = said("`MAX_ROUTES` is lower", "`MAX_ROUTES` 更低", "", id="1")
    repairs = {LIMIT: {"sentences": [RIGHT | {"id": "2"}, headline]}}
    with ModelServer(Scripted(analyses, repairs), context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
    claims = [claim for claim in covered.report.claims if claim.free]
    about_limit = [claim for claim in claims if "MAX_ROUTES" in claim.text["en"]]
    in_order = [headline["en"], RIGHT["en"], LIMIT_SAID["en"], advice["en"]]
    assert [claim.text["en"] for claim in about_limit] == in_order
    assert [claim.role for claim in about_limit] == ["headline", "effect", "effect", "advice"]
    # What to do about it is also listed above the cards.
    _, _, cards = covered.page.read_text().partition("## Worth knowing")
    places = [cards.index(str(text)) for text in in_order]
    assert places == sorted(places)


BRIEF = {"en": "Both `MAX_ROUTES` and `WORKER_TIMEOUT` change.", "rests_on": ["c1.1", "c2.1"]}
FALSE_BRIEF = {"en": "`MAX_ROUTES` is `13` now.", "rests_on": ["c1.1", "c2.1"]}


async def test_a_refused_sentence_of_the_brief_goes_back_to_its_writer_and_is_judged_again(
    tmp_path: Path,
) -> None:
    anew = {"id": "1", "en": "`MAX_ROUTES` is `12` now.", "rests_on": ["c1.1", "c2.1"]}
    script = Scripted(summary=[FALSE_BRIEF, BRIEF], summary_repairs=[anew])
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        (repair,) = of(server, "SummaryRepair")
        judged = [sentences_in(question) for question in of(server, "Rulings")]
    assert "1. `MAX_ROUTES` is `13` now.\n   refused: '13' stands nowhere" in repair
    assert str(LIMIT_SAID["en"]) in repair
    assert written(covered, "brief") == [anew["en"], BRIEF["en"]]
    assert [anew["en"]] in judged
    page = covered.page.read_text()
    assert page.index(str(anew["en"])) < page.index(str(BRIEF["en"]))


async def test_a_sentence_of_the_brief_that_the_judge_refuses_is_said_anew_too(
    tmp_path: Path,
) -> None:
    false = FALSE_BRIEF | {"en": "Everybody must change `MAX_ROUTES`."}
    anew = {"id": "1", "en": "`MAX_ROUTES` changes.", "rests_on": ["c1.1", "c2.1"]}

    def refusing(text: str, evidence: str) -> str:
        return "contradicted" if text == false["en"] else honest(text, evidence)

    script = Scripted(summary=[false, BRIEF], summary_repairs=[anew], opinion=refusing)
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
    assert written(covered, "brief") == [anew["en"], BRIEF["en"]]
    assert [refusal["text"] for refusal in refused(tmp_path) if refusal["repaired"]] == [
        false["en"]
    ]


async def test_the_brief_is_written_from_what_is_worth_knowing(tmp_path: Path) -> None:
    clone = two_commits(tmp_path / "router")
    clone.commit("Raise the number of retries", 11, retry__py="RETRY_COUNT = 9\n")
    minor_sentence = said("`RETRY_COUNT` is `9`.", "`RETRY_COUNT` 为 `9`。", "+RETRY_COUNT = 9")
    title = "Raise the number of retries"
    script = Scripted(tiers={title: 1}, minor={title: minor_sentence}, summary=[BRIEF])
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, clone)
        (question,) = of(server, "DaySummary")
    assert "WORKER_TIMEOUT" in question
    assert "RETRY_COUNT" not in question
    assert str(minor_sentence["en"]) in covered.page.read_text()
