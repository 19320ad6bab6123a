"""The demonstration, end to end: a world, its GitHub, git over HTTP, recorded answers, and a report."""

import json
import shutil
from functools import partial
from pathlib import Path
from string import Template
from typing import Any

import pytest

from agent import prompt_templates
from agent.json_answers import schema_of
from agent.judging.rulings import Rulings
from gitzette.demo_answers import ANSWERS, Recording
from tests.gitzette.conftest import Command, Demonstration
from tools.toolset import Toolset


def judged(report: Any) -> list[Any]:
    return [claim for claim in report["claims"] if claim["judged_by"]]


def sentences(report: Any, title: str) -> list[str]:
    """Return what the model wrote about the commit with a title, in English."""
    (row,) = (row for row in report["ledger"] if row["title"] == title)
    subject = [f"{row['repo']}@{row['sha']}"]
    return [claim["text"]["en"] for claim in judged(report) if claim["about"] == subject]


def published(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_a_demonstration_publishes_each_of_its_days_and_a_site(
    demonstration: Demonstration,
) -> None:
    reports = {name for name in published(demonstration.out) if not name.startswith("site/")}
    days = ("2026-02-02", "2026-02-03", "2026-02-04")
    endings = ("json", "md", "zh.md")
    assert reports == {"README.md", *(f"reports/{day}.{end}" for day in days for end in endings)}
    assert (demonstration.out / "site" / "index.html").exists()


@pytest.mark.heavy  # `test_rebuild.py` reports twice on the same day
def test_a_second_demonstration_in_the_same_folder_leaves_every_byte_as_it_was(
    command: Command, demonstration: Demonstration
) -> None:
    shutil.copytree(demonstration.out, "gazette-demo")
    assert command("run", "--demo").status == 0
    assert published(Path("gazette-demo")) == published(demonstration.out)


def test_where_answers_are_missing_the_rules_report_on_every_landed_commit(
    command: Command,
) -> None:
    result = command("run", "--demo", "--date", "2026-02-03", "--json", "--source", "api")
    assert (result.status, result.data["failures"]) == (0, [])
    assert (
        "gitzette: demo_answers.json has no answers for this; the rules write the report\n"
        in result.err
    )
    assert not judged(result.data)
    ledger = result.data["ledger"]
    assert len(ledger) == len({row["sha"] for row in ledger}) == 6
    assert all(row["files"] is not None for row in ledger)
    assert set(result.data["footer"]["threads"].values()) == {"read"}


def test_the_recording_has_every_answer_and_no_other_and_nothing_of_it_is_newly_refused(
    demonstration: Demonstration,
) -> None:
    stale = [line for line in demonstration.result.err.splitlines() if "is stale" in line]
    assert stale == []
    assert demonstration.result.status == 0


def correct_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Change words of each prompt, of the manual of a tool and of the shape of an answer."""
    template = prompt_templates._template

    def corrected(name: str) -> Template:
        return Template(f"{template(name).template}\nA remark without a typo.\n")

    monkeypatch.setattr(prompt_templates, "_template", corrected)
    monkeypatch.setattr(Toolset.get_issue, "__doc__", "Show one issue by its number")
    ruling = schema_of(Rulings)["properties"]["rulings"]["items"]["properties"]
    monkeypatch.setitem(ruling["quote"], "description", "the words, copied, which decide")


def test_a_corrected_prompt_needs_no_new_recording_and_a_stale_answer_is_status_3(
    command: Command,
    demonstration: Demonstration,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    correct_prompts(monkeypatch)
    recording = json.loads(ANSWERS.read_text("utf-8"))
    answers = recording["answers"]
    first, second, *_ = [topic for topic in sorted(answers) if topic.startswith("write ")]
    answers["write octo/nowhere"] = answers.pop(first)
    answers[second]["sentences"][0]["en"] += " See `made_up_name`."
    answers["day brief"]["sentences"][0]["rests_on"].append("octo/nowhere@1a2b.m1")
    stale = tmp_path / ANSWERS.name
    stale.write_text(json.dumps(recording), "utf-8")
    monkeypatch.setattr(Recording, "load", partial(Recording.load, stale))
    result = command("run", "--demo", "--json", "--lang", "zh")
    assert result.status == 3
    (line,) = (line for line in result.err.splitlines() if "is stale" in line)
    # Both spoiled answers are about Ferrule, and nothing is stale because prompts were corrected.
    assert all(topic.partition("@")[0] == "write quillon/ferrule" for topic in (first, second))
    assert "quillon/larkserve" not in line
    assert "quillon/wayfinch" not in line
    assert f"no answer that fits: {first};" in line
    assert "no answer that fits: day brief, which speaks of octo/nowhere@1a2b.m1;" in line
    assert "nobody asks for: write octo/nowhere" in line
    assert f"refused now: {second.removeprefix('write ')}: " in line
    assert "python scripts/record_demo.py URL" in line
    # What is recorded and still holds is published all the same, in both languages.
    claims = judged(result.data)
    assert len(claims) >= 30
    assert {claim["judged_by"] for claim in claims} == {"recorded answers"}
    texts = [claim["text"] for claim in judged(demonstration.result.data)]
    assert all(claim["text"] in texts for claim in claims)
    for page in ("2026-02-04.md", "2026-02-04.en.md"):
        assert "`recorded answers`" in Path("gazette-demo/reports", page).read_text("utf-8")
    reasons = result.data["footer"]["model"]["reasons"]
    assert any(first in reason for reason in reasons)


def test_the_written_days_have_what_a_reader_follows_a_project_for(
    demonstration: Demonstration,
) -> None:
    report = demonstration.result.data
    assert {story["kind"] for story in report["stories"]} >= {"reland", "follow-up", "bump"}
    assert [row["title"] for row in report["ledger"] if row["late"]] == [
        "Try the next server after a 429 (#78)"
    ]
    releases = [release for section in report["sections"] for release in section["releases"]]
    assert [release["tag"] for release in releases] == ["v1.4.1"]
    assert [entry["id"] for entry in releases[0]["notes"]["advisories"]] == ["GHSA-7q4m-w9cx-2f8j"]
    page = (demonstration.out / "reports" / "2026-02-04.md").read_text("utf-8")
    assert "**Breaks** (2): [`--sticky`]" in page
    assert "Reverts" in (demonstration.out / "reports" / "2026-02-03.md").read_text("utf-8")


def test_an_issue_that_a_commit_only_names_is_told_as_fixed_in_a_sentence(
    demonstration: Demonstration,
) -> None:
    report = demonstration.result.data
    (link,) = (link for link in report["links"] if link["issue"] == "quillon/larkserve#341")
    assert link["relation"] == "fixes"
    result = " ".join(sentences(report, "Ignore empty stop strings"))
    assert "It mends what #341 reports" in result


def test_every_commit_that_readers_must_know_comes_with_advice_in_both_languages(
    demonstration: Demonstration,
) -> None:
    report = demonstration.result.data
    brief = [claim for claim in judged(report) if claim["role"] == "brief"]
    assert 5 <= len(brief) <= 8
    assert all(set(claim["text"]) == {"en", "zh"} for claim in judged(report))
    advised = set()
    for claim in judged(report):
        if claim["kind"] == "advice":
            advised.update(claim["about"])
    for row in report["ledger"]:
        if row["placement"]["importance"] == 3 and row["title"] != "Release 1.4.1":
            assert f"{row['repo']}@{row['sha']}" in advised, row["title"]
