"""The demonstration, end to end: a world, its GitHub, git over HTTP, recorded answers, and a report."""

import json
import shutil
from pathlib import Path
from typing import Any

from tests.gitzette.conftest import Command, Demonstration, SourceTree


def judged(report: Any) -> list[Any]:
    return [claim for claim in report["claims"] if claim["judged_by"]]


def test_the_rules_report_on_every_landed_commit(command: Command) -> None:
    told = command("run", "--demo", "--analyst", "rules", "--json", "--source", "api")
    assert (told.status, told.data["failures"]) == (0, [])
    ledger = told.data["ledger"]
    assert len(ledger) == len({row["sha"] for row in ledger}) >= 30
    assert all(row["files"] is not None for row in ledger)
    assert set(told.data["footer"]["threads"].values()) == {"read"}


def test_a_second_demonstration_in_the_same_folder_leaves_every_byte_as_it_was(
    command: Command, demonstration: Demonstration
) -> None:
    def published(folder: Path) -> dict[str, bytes]:
        files = (file for file in folder.rglob("*") if file.is_file())
        return {str(file.relative_to(folder)): file.read_bytes() for file in files}

    first = published(demonstration.out)
    assert len([name for name in first if not name.startswith("site/")]) == 4
    shutil.copytree(demonstration.out, "gazette-demo")
    assert command("run", "--demo").status == 0
    assert published(Path("gazette-demo")) == first


def test_where_answers_are_missing_the_rules_do_all_of_it(command: Command) -> None:
    told = command("run", "--demo", "--date", "2026-02-03", "--json")
    assert told.status == 0
    assert (
        "gitzette: demo_answers.json has no answers for this; the rules write the report\n"
        in told.err
    )
    assert not judged(told.data)


def test_the_recording_has_every_answer_and_no_other_and_nothing_of_it_is_newly_refused(
    demonstration: Demonstration,
) -> None:
    stale = [line for line in demonstration.told.err.splitlines() if "is stale" in line]
    assert stale == []
    assert demonstration.told.status == 0


def test_recorded_answers_analyse_in_both_languages_and_a_corrected_prompt_needs_no_new_recording(
    source_tree: SourceTree, demonstration: Demonstration
) -> None:
    for prompt in (source_tree.root / "agent" / "prompts").glob("*.md"):
        prompt.write_text(f"{prompt.read_text('utf-8')}\nA remark without a typo.\n", "utf-8")
    source_tree.replace(
        "tools/toolset/__init__.py", "Show an issue by its number", "Show one issue by its number"
    )
    source_tree.replace("agent/analysts/ruling.py", "verbatim, that decide", "copied, which decide")
    told = source_tree.run_demo("--json", "--lang", "zh")
    assert "is stale" not in told.err
    assert told.status == 0
    claims = judged(told.data)
    assert len(claims) >= 30
    assert {claim["judged_by"] for claim in claims} == {"recorded answers"}
    assert claims == judged(demonstration.told.data)
    reports = source_tree.root / "gazette-demo" / "reports"
    for page in ("2026-02-04.md", "2026-02-04.en.md"):
        assert "`recorded answers`" in (reports / page).read_text("utf-8")


def test_a_stale_recording_is_status_3_and_says_what_to_record_again(
    source_tree: SourceTree,
) -> None:
    file = source_tree.root / "gitzette" / "data" / "demo_answers.json"
    recording = json.loads(file.read_text("utf-8"))
    answers = recording["answers"]
    first, second, *_ = [topic for topic in sorted(answers) if topic.startswith("write ")]
    answers["write octo/nowhere"] = answers.pop(first)
    answers[second]["sentences"][0]["en"] += " See `made_up_name`."
    answers["day brief"]["sentences"][0]["rests_on"].append("octo/nowhere@1a2b.m1")
    file.write_text(json.dumps(recording), "utf-8")
    told = source_tree.run_demo("--json")
    assert told.status == 3
    (line,) = (line for line in told.err.splitlines() if "is stale" in line)
    assert f"no answer that fits: {first};" in line
    assert "no answer that fits: day brief, which speaks of octo/nowhere@1a2b.m1;" in line
    assert "nobody asks for: write octo/nowhere" in line
    assert f"refused now: {second.removeprefix('write ')}: " in line
    assert "python scripts/record_demo.py URL" in line
    # What is recorded and still holds is published all the same.
    assert len(judged(told.data)) >= 30
    reasons = told.data["footer"]["model"]["reasons"]
    assert any(first in reason for reason in reasons)
