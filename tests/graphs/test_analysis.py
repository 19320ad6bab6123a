"""The way of a sentence in a run: written, checked, judged, said anew once, and summed up."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent.domain.claims import Role
from evals.model_server.server import ModelServer, Mood
from evals.model_server.talk import Asked
from gitzette.running import Covered
from tests.scripted_analysis import (
    ANALYSES,
    LIMIT,
    LIMIT_SAID,
    TIMEOUT,
    TIMEOUT_SAID,
    Scripted,
    analysis,
    of,
    run,
    said,
    sentences_in,
    two_commits,
)

WRONG = said("`MAX_ROUTES` is now `13`.", "`MAX_ROUTES` 现在是 `13`。", "+MAX_ROUTES = 12")
RIGHT = said("`MAX_ROUTES` is now `12`.", "`MAX_ROUTES` 现在是 `12`。", "+MAX_ROUTES = 12", id="1")


def written(covered: Covered, role: Role = "effect") -> list[str]:
    return [
        claim.text["en"] for claim in covered.report.claims if claim.free and claim.role == role
    ]


def refused(folder: Path) -> list[Mapping[str, Any]]:
    (file,) = (folder / "home" / "runs").glob("*.json")
    found: list[Mapping[str, Any]] = json.loads(file.read_bytes())["refused"]
    return found


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
    (one,) = refused(tmp_path)
    assert (one["text"], one["literal"], one["check"], one["repaired"]) == (
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
    assert [(one["literal"], one["repaired"]) for one in refused(tmp_path)] == [
        ("13", True),
        ("14", False),
    ]
    assert [drop.check for drop in covered.report.drops if drop.free] == ["number"]


async def test_a_sentence_must_pass_in_both_languages(tmp_path: Path) -> None:
    half = TIMEOUT_SAID | {"zh": "`WORKER_TIMEOUT` 现在是 `54`。"}
    with ModelServer(
        Scripted({TIMEOUT: analysis(half), LIMIT: analysis(LIMIT_SAID)}), context=32_768
    ) as server:
        covered = await run(
            tmp_path, server, two_commits(tmp_path / "router"), languages=("en", "zh")
        )
    assert written(covered) == [LIMIT_SAID["en"]]
    assert [(one["literal"], one["repaired"]) for one in refused(tmp_path)] == [("54", False)]


async def test_a_judge_that_does_not_answer_publishes_nothing(tmp_path: Path) -> None:
    def away(asked: Asked) -> Mood | None:
        return Mood("prose") if asked.schema == "Rulings" else None

    with ModelServer(Scripted(), away, context=32_768) as server:
        covered = await run(tmp_path, server, two_commits(tmp_path / "router"))
        assert of(server, "Repair") == []
    assert not any(claim.free for claim in covered.report.claims)
    assert {one["check"] for one in refused(tmp_path)} == {"no judge"}
    (section,) = covered.report.sections
    assert [one.part for one in section.account.fallbacks] == ["judging", "judging"]
