"""A model reads a commit beside the issue that it names or resembles: anchors are checked, a judge agrees."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from agent.domain.links import Link
from evals.github_server.app import GitHubServer
from evals.model_server.server import ModelServer
from evals.worlds.data_model import WorldIssue
from evals.worlds.worlds import repo_from_mirror
from tests.scripted_analysis import LIMIT, Clone, Scripted, honest, of, run, sentences_in

OPENED = datetime(2026, 2, 2, tzinfo=UTC)
BODY = "With more than 12 routes the shared buffer overflows. MAX_ROUTES should be lower."
ISSUE = WorldIssue(7, "Shared buffer overflows with many routes", BODY, "bo", OPENED, OPENED)
FIXES = {
    "other": "#7",
    "anchor": "+MAX_ROUTES = 12",
    "other_anchor": "MAX_ROUTES should be lower",
    "relation": "fixes",
}


def clone_at(folder: Path, message: str) -> Clone:
    clone = Clone(folder)
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", worker__py="WORKER_TIMEOUT = 30\n")
    clone.commit(f"{LIMIT}\n\n{message}", 9, router__py="MAX_ROUTES = 12\n")
    clone.commit("Give workers more time", 10, worker__py="WORKER_TIMEOUT = 45\n")
    return clone


async def links(
    folder: Path,
    *relations: Mapping[str, Any],
    message: str = "See #7.",
    opinion: Callable[[str, str], str] = honest,
    issues: int = 1,
) -> tuple[list[Link], list[str]]:
    clone = clone_at(folder / "router", message)
    same = tuple(replace(ISSUE, number=7 + number) for number in range(issues))
    hub = repo_from_mirror(clone.name, clone.folder / ".git", same)
    script = Scripted(relations={LIMIT: relations}, opinion=opinion)
    with (
        GitHubServer([hub], tokens=("t",)) as github,
        ModelServer(script, context=32_768) as server,
    ):
        covered = await run(
            folder, server, clone, github_url=github.url, token=SecretStr("t"), source="both"
        )
        return list(covered.report.links), of(server, "Rulings")


def link_rows(found_links: list[Link]) -> list[tuple[str, str, str]]:
    return [(link.issue, link.relation.value, link.grade.value) for link in found_links]


async def test_a_reference_becomes_a_fix_when_both_anchors_stand_and_the_judge_agrees(
    tmp_path: Path,
) -> None:
    found_links, rulings = await links(tmp_path, FIXES)
    assert link_rows(found_links) == [("octo/router#7", "fixes", "B")]
    assert found_links[0].evidence[:2] == (FIXES["anchor"], FIXES["other_anchor"])
    judged = [ruling for ruling in rulings if "reports or asks for" in ruling]
    assert len(judged) == 2
    # Each reading hides a sentence about something else among the others.
    assert all(
        len(sentences_in(story_entry)) == 2 and BODY in story_entry for story_entry in judged
    )


async def test_without_a_verbatim_anchor_on_each_side_it_only_refers_to_it(tmp_path: Path) -> None:
    wrong = [
        FIXES | {"anchor": "+MAX_ROUTES = 13"},
        FIXES | {"other_anchor": "MAX_ROUTES must be lower"},
        FIXES | {"other_anchor": ""},
        FIXES | {"relation": "needs or ports"},
        FIXES | {"relation": "none"},
    ]
    drafts = [
        story_entry | {"other": f"#{number}"}
        for number, story_entry in enumerate([*wrong, FIXES], start=7)
    ]
    nobody = FIXES | {"relation": "introduced by", "other": "#99"}
    found_links, rulings = await links(
        tmp_path,
        nobody,
        *drafts,
        message="See #7, #8, #9, #10, #11 and #12.",
        issues=6,
    )
    relations = {link.issue.partition("#")[2]: link.relation.value for link in found_links}
    assert relations == dict.fromkeys(("7", "8", "9", "10", "11"), "refers to") | {"12": "fixes"}
    judged = {
        sentence
        for story_entry in rulings
        for sentence in sentences_in(story_entry)
        if "#" in sentence
    }
    assert not [sentence for sentence in judged if re.search(r"#(7|8|9|10|99)\b", sentence)]


async def test_what_the_judge_refuses_only_refers_to_it_and_is_on_record(tmp_path: Path) -> None:
    found_links, _ = await links(tmp_path, FIXES, opinion=lambda *_: "unsupported")
    assert link_rows(found_links) == [("octo/router#7", "refers to", "B")]
    (file,) = (tmp_path / "home" / "runs").glob("*.json")
    assert any(
        "#7" in refusal["text"] and refusal["check"] == "judge"
        for refusal in json.loads(file.read_bytes())["refused"]
    )


async def test_an_issue_that_nobody_names_is_likely_fixed(tmp_path: Path) -> None:
    found_links, _ = await links(
        tmp_path, FIXES, message="Larger values overflow the shared buffer."
    )
    assert link_rows(found_links) == [("octo/router#7", "fixes", "C")]


async def test_an_earlier_commit_that_is_named_is_read_too_and_told_as_a_story(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path / "router")
    begin = clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n")
    clone.commit(
        f"{LIMIT}\n\nThe limit came with commit {begin[:12]}.", 9, router__py="MAX_ROUTES = 12\n"
    )
    mends = {"other": begin[:9], "anchor": "+MAX_ROUTES = 12", "other_anchor": "+MAX_ROUTES = 22"}
    script = Scripted(relations={LIMIT: [mends | {"relation": "introduced by"}]})
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, clone)
    (story,) = [
        story_entry for story_entry in covered.report.stories if begin in "".join(story_entry.steps)
    ]
    assert story.kind == "follow-up"


async def test_a_commit_that_takes_another_back_under_a_title_of_its_own_is_told_as_its_revert(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", worker__py="WORKER_TIMEOUT = 30\n")
    spill = "def spill_routes(routes):\n    return routes[:MAX_SPILL]\n"
    spilling = clone.commit("Let routes spill", 2, router__py=f"MAX_ROUTES = 22\n{spill}")
    for number in range(6):
        clone.commit(f"Tidy part {number}", 3, router__py=f"MAX_ROUTES = {30 + number}\n{spill}")
    quiet = "Keep the shared buffer small"
    clone.commit(quiet, 9, router__py="MAX_ROUTES = 35\n")
    reverts = {
        "other": spilling[:9],
        "relation": "reverts",
        "anchor": "-def spill_routes(routes):",
        "other_anchor": "+def spill_routes(routes):",
    }
    script = Scripted(relations={quiet: [reverts]})
    with ModelServer(script, context=32_768) as server:
        covered = await run(tmp_path, server, clone)
        (question,) = of(server, "Shortlist")
    (line,) = [line for line in question.splitlines() if spilling[:9] in line]
    assert line.endswith("2 lines of it are taken back") or "2 lines of it are taken back ·" in line
    told = [story for story in covered.report.stories if story.kind == "revert"]
    assert [spilling in "".join(story.steps) for story in told] == [True]


async def test_admitted_relations_stay_when_the_day_is_run_again_and_the_model_is_away(
    tmp_path: Path,
) -> None:
    clone = Clone(tmp_path / "router")
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", worker__py="WORKER_TIMEOUT = 30\n")
    first = clone.commit(f"{LIMIT}\n\nSee #7.", 9, router__py="MAX_ROUTES = 12\n")
    second = "Give workers more time"
    clone.commit(f"{second}\n\nContinues {first}.", 10, worker__py="WORKER_TIMEOUT = 45\n")
    goes_on = {
        "other": first[:9],
        "anchor": f"Continues {first}.",
        "other_anchor": "+MAX_ROUTES = 12",
        "relation": "continues",
    }
    hub = repo_from_mirror(clone.name, clone.folder / ".git", (ISSUE,))
    script = Scripted(relations={LIMIT: [FIXES], second: [goes_on]})
    with (
        GitHubServer([hub], tokens=("t",)) as github,
        ModelServer(script, context=32_768) as server,
    ):
        near: dict[str, Any] = {
            "github_url": github.url,
            "token": SecretStr("t"),
            "source": "both",
        }
        analysed = (await run(tmp_path, server, clone, **near)).report
        nowhere = near | {"model_url": "http://127.0.0.1:9/v1"}
        again = (await run(tmp_path, server, clone, **nowhere)).report
    assert [failure.stage for failure in again.failures] == ["model"]
    assert again.links == analysed.links
    assert link_rows(list(again.links)) == [("octo/router#7", "fixes", "B")]
    assert [story.kind for story in again.stories] == ["follow-up"]
    assert again.stories == analysed.stories
    assert {claim.id for claim in again.claims} == {claim.id for claim in analysed.claims}
