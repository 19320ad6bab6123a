"""Questions are made from as much evidence as fits: nothing is dropped because a prompt is too long."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evals.model_server.server import ModelServer
from gitzette.cli import main
from gitzette.day_run import RunOutcome
from tests.scripted_analysis import Clone, Scripted, analysis, honest, of, run, said, sentences_in

TITLE = "Give every stage a limit of its own"
BOTH: dict[str, Any] = {"languages": ("en", "zh")}
_FENCED = re.compile(r"<<(\S+)\n(.*?)\n\1>>", re.DOTALL)


def large_commit(folder: Path, stages: int = 400) -> Clone:
    """Make a repository in which one commit changes a value in each of many lines."""
    clone = Clone(folder)
    names = [f"STAGE_{number:03}_LIMIT" for number in range(stages)]
    old = "".join(f"{name} = 10\n" for name in names)
    clone.commit("Begin", 0, stages__py=old, colours__py="FAVOURITE_COLOUR = 1\n")
    changed = "".join(f"{name} = {20 + number}\n" for number, name in enumerate(names))
    clone.commit(f"{TITLE}\n\nOne limit for all was too low.", 9, stages__py=changed)
    return clone


def about_stage(number: int, padding: str = "") -> dict[str, object]:
    """Write a sentence about one of the stages."""
    name = f"STAGE_{number:03}_LIMIT"
    value = 20 + number
    return said(
        f"The limit `{name}` is `{value}` now{padding}.",
        f"上限 `{name}` 现在是 `{value}`{padding}。",
        f"+{name} = {value}",
    )


def evidence_in(question: str) -> str:
    """Return the evidence of a question, which is fenced first."""
    match = _FENCED.search(question)
    assert match is not None
    return match[2]


def published(covered: RunOutcome) -> list[str]:
    return [
        claim.text["en"]
        for claim in covered.report.claims
        if claim.free and claim.role in ("effect", "advice")
    ]


def texts(sentences: list[dict[str, object]]) -> list[object]:
    return [sentence["en"] for sentence in sentences]


PADDING = (
    ", which is what the people who run this stage in production asked for, because the limit that"
    " all stages had in common was too low for some of them and too high for others, so that they"
    " had to be watched all the time and set anew whenever the load of the machines changed a little"
)


@pytest.mark.parametrize(
    "context",
    [
        4_096,
        pytest.param(6_000, marks=pytest.mark.heavy),
        pytest.param(8_192, marks=pytest.mark.heavy),
    ],
)
async def test_every_sentence_is_judged_however_small_the_context(
    tmp_path: Path, context: int
) -> None:
    sentences = [about_stage(number, PADDING) for number in (5, 90, 170, 250, 330)]
    script = Scripted({TITLE: analysis(*sentences)})
    with ModelServer(script, context=context) as server:
        covered = await run(tmp_path, server, large_commit(tmp_path / "router"), **BOTH)
        judged = of(server, "Rulings")
    assert published(covered) == texts(sentences)
    (section,) = covered.report.sections
    assert section.account.fallbacks == ()
    for question in judged:
        for sentence in sentences:
            if str(sentence["en"]) in question.partition("Somebody wrote")[2]:
                assert str(sentence["anchor"]) in evidence_in(question)


async def test_a_batch_that_does_not_fit_is_divided_and_each_part_has_its_control(
    tmp_path: Path,
) -> None:
    clone = large_commit(tmp_path / "router")
    clone.commit("Rename the colour", 10, colours__py="FAVOURITE_COLOUR = 3\n")
    sentences = [about_stage(number, PADDING) for number in (5, 90, 170, 250, 330)]
    script = Scripted({TITLE: analysis(*sentences)})
    with ModelServer(script, context=4_096) as server:
        covered = await run(tmp_path, server, clone, **BOTH)
        batches = [sentences_in(question) for question in of(server, "Rulings")]
    assert published(covered) == texts(sentences)
    assert len(batches) > 2
    assert all(any("FAVOURITE_COLOUR" in text for text in batch) for batch in batches)


@pytest.mark.parametrize("longest", [pytest.param(20_000, marks=pytest.mark.heavy), 12_000])
def test_where_a_server_counts_more_tokens_the_evidence_is_shortened_and_asked_again(
    tmp_path: Path,
    longest: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sentences = [about_stage(number) for number in (5, 170, 330)]
    script = Scripted({TITLE: analysis(*sentences)})
    with ModelServer(script, context=8_192, longest=longest) as server:
        covered = asyncio.run(run(tmp_path, server, large_commit(tmp_path / "router")))
        accepted = [
            request for request in server.asked if sum(map(len, request.messages)) <= longest
        ]
        assert len(accepted) < len(server.asked) or longest == 20_000
    assert published(covered) == texts(sentences)
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "home"))
    (name,) = (file.stem for file in (tmp_path / "home" / "runs").iterdir())
    assert main(["run", "--replay", name, "--json"]) == 0
    assert capsys.readouterr().out == covered.page.with_suffix(".json").read_text()


async def test_both_judgings_and_the_repair_see_the_same_evidence_with_every_anchor(
    tmp_path: Path,
) -> None:
    wrong = about_stage(350) | {"en": "The limit `STAGE_350_LIMIT` is `999` now."}
    right: Mapping[str, object] = about_stage(350) | {"id": "1"}
    sentences = [about_stage(30), about_stage(380), wrong]
    script = Scripted({TITLE: analysis(*sentences)}, {TITLE: {"sentences": [right]}})
    with ModelServer(script, context=12_000) as server:
        covered = await run(tmp_path, server, large_commit(tmp_path / "router", 900))
        first, second, *after_repair = [evidence_in(question) for question in of(server, "Rulings")]
        (repair,) = of(server, "Repair")
    assert published(covered) == texts([about_stage(30), about_stage(380), about_stage(350)])
    assert first == second
    for number in (29, 30, 31, 379, 380, 381):
        assert f"+STAGE_{number:03}_LIMIT = {20 + number}" in first
    for text in (evidence_in(repair), *after_repair):
        for number in (349, 350, 351):
            assert f"+STAGE_{number:03}_LIMIT = {20 + number}" in text


def spread_commit(folder: Path) -> Clone:
    """Make a repository in which one commit changes a limit in each of many files."""
    clone = Clone(folder)
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for number in range(40):
        rest = "".join(f"NOTE_{number:03}_{line} = {line}\n" for line in range(20))
        before[f"stage_{number}__py"] = f"STAGE_{number:03}_LIMIT = 10\n{rest}"
        after[f"stage_{number}__py"] = f"STAGE_{number:03}_LIMIT = {20 + number}\n{rest}"
    clone.commit("Begin", 0, **before)
    clone.commit(TITLE, 9, **after)
    return clone


async def test_a_writer_who_repairs_and_its_judge_are_shown_an_excerpt_and_what_is_left_out(
    tmp_path: Path,
) -> None:
    wide = about_stage(30) | {"en": "The limit `STAGE_030_LIMIT` is `50` now, as all limits."}
    script = Scripted(
        {TITLE: analysis(about_stage(5), wide)},
        {TITLE: {"sentences": [about_stage(30) | {"id": "1"}]}},
        opinion=lambda text, evidence_text: (
            "narrow" if "as all" in text else honest(text, evidence_text)
        ),
        quote="+STAGE_030_LIMIT = 50",
        problem="STAGE_031_LIMIT is 51",
    )
    with ModelServer(script, context=64_000) as server:
        covered = await run(tmp_path, server, spread_commit(tmp_path / "router"))
        first, _, third, fourth = [evidence_in(question) for question in of(server, "Rulings")]
        (repair,) = map(evidence_in, of(server, "Repair"))
    assert published(covered) == texts([about_stage(5), about_stage(30)])
    assert third == fourth
    assert len(first) > 3 * len(repair)
    for excerpt in (repair, third):
        assert "+STAGE_030_LIMIT = 50" in excerpt
        assert "+STAGE_031_LIMIT = 51" in excerpt, "what the judge names"
        assert "+STAGE_005_LIMIT = 25" not in excerpt
        assert "stage_5.py (modified, +1 -1)" in excerpt


async def test_what_a_judge_quotes_against_a_sentence_is_shown_to_its_writer_and_judged_again(
    tmp_path: Path,
) -> None:
    wide = about_stage(30) | {"en": "The limit `STAGE_030_LIMIT` is `50` now, as all limits."}
    script = Scripted(
        {TITLE: analysis(wide)},
        {TITLE: {"sentences": [about_stage(30) | {"id": "1"}]}},
        opinion=lambda text, evidence_text: (
            "narrow" if "as all" in text else honest(text, evidence_text)
        ),
        quote="+STAGE_017_LIMIT = 37",
        problem="another one is lower",
    )
    with ModelServer(script, context=64_000) as server:
        covered = await run(tmp_path, server, spread_commit(tmp_path / "router"))
        (repair,) = of(server, "Repair")
        *_, third, fourth = of(server, "Rulings")
    assert published(covered) == texts([about_stage(30)])
    for question in (repair, third, fourth):
        assert "+STAGE_017_LIMIT = 37" in evidence_in(question)
        assert "+STAGE_016_LIMIT = 36" not in evidence_in(question)


async def test_files_that_a_sentence_names_are_shown_to_its_judges_and_its_writer(
    tmp_path: Path,
) -> None:
    named = "The limit `STAGE_030_LIMIT` is `50` now, and that of `stage_38.py` is `{}`."
    wrong = about_stage(30) | {"en": named.format(999)}
    right = about_stage(30) | {"en": named.format(58), "id": "1"}
    script = Scripted(
        {TITLE: analysis(about_stage(30), wrong)},
        {TITLE: {"sentences": [right]}},
        opinion=lambda text, evidence_text: (
            "stated" if text == right["en"] else honest(text, evidence_text)
        ),
    )
    with ModelServer(script, context=4_096) as server:
        covered = await run(tmp_path, server, spread_commit(tmp_path / "router"))
        (repair,) = of(server, "Repair")
        judged = [question for question in of(server, "Rulings") if "`stage_38.py`" in question]
    assert published(covered) == texts([about_stage(30), right])
    assert len(judged) == 2
    for question in (repair, *judged):
        assert "+STAGE_030_LIMIT = 50" in evidence_in(question)
        assert "+STAGE_038_LIMIT = 58" in evidence_in(question)
        assert "+STAGE_037_LIMIT = 57" not in evidence_in(question), "there is not room for all"


async def test_a_judge_that_needs_more_than_the_excerpt_is_shown_everything(
    tmp_path: Path,
) -> None:
    wide = about_stage(30) | {"en": "The limit `STAGE_030_LIMIT` is `50` now, as all limits."}

    def opinion(text: str, evidence: str) -> str:
        if "as all limits" in text or "+STAGE_005_LIMIT = 25" not in evidence:
            return "narrow"
        return honest(text, evidence)

    def needs(text: str, evidence: str) -> str:
        is_excerpt = "+STAGE_005_LIMIT = 25" not in evidence
        return "STAGE_005_LIMIT" if is_excerpt and "STAGE_030" in text else ""

    script = Scripted(
        {TITLE: analysis(wide)},
        {TITLE: {"sentences": [about_stage(30) | {"id": "1"}]}},
        opinion=opinion,
        needs=needs,
        problem="only this one",
    )
    with ModelServer(script, context=64_000) as server:
        covered = await run(tmp_path, server, spread_commit(tmp_path / "router"))
        evidence_texts = [evidence_in(question) for question in of(server, "Rulings")]
    assert published(covered) == texts([about_stage(30)])
    shows_everything = ["+STAGE_005_LIMIT = 25" in evidence for evidence in evidence_texts]
    assert shows_everything == [True, True, False, False, True, True], "two readings of each"


async def test_both_readings_of_a_batch_begin_alike_for_the_prefix_cache_of_a_server(
    tmp_path: Path,
) -> None:
    script = Scripted({TITLE: analysis(about_stage(5), about_stage(30))})
    with ModelServer(script, context=64_000) as server:
        await run(tmp_path, server, spread_commit(tmp_path / "router"))
        first, second = of(server, "Rulings")
    sentences_begin = first.index("Somebody wrote")
    assert first[:sentences_begin] == second[:sentences_begin]
