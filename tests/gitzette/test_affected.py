"""Affected versions where a reader meets them: on the page, in the data, in `facts`, before a writer."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.gitzette.conftest import Command, CommandResult, Engine

ROUTER = "def route(size):\n    if size > limit():\n        return None\n    return size\n"
FAULTY = ROUTER.replace("size > limit()", "size >= limit() or size == 0")


@pytest.fixture
def mended(engine: Engine) -> Engine:
    """A version with a fault, and two days later its fix, which names what brought the fault."""
    for subject, day, text, tag in (
        ("Add routes (#20)", 1, ROUTER, "v1.0.0"),
        ("Route by size (#21)", 2, FAULTY, "v1.1.0"),
        ("Fix empty routes (#22)\n\nThe fault was introduced in #21.", 4, ROUTER, ""),
    ):
        engine.commit(subject, datetime(2026, 2, day, 12, tzinfo=UTC), routes=text)
        if tag:
            subprocess.run(["git", "-C", str(engine.folder), "tag", tag], check=True)
    return engine


def shas(engine: Engine) -> dict[str, str]:
    log = subprocess.check_output(
        ["git", "-C", str(engine.folder), "log", "--format=%H %s"], text=True
    )
    return {line.partition(" ")[2]: line.partition(" ")[0] for line in log.splitlines()}


def test_an_answer_without_a_model_says_which_versions_have_the_fault(
    mended: Engine, command: Command
) -> None:
    bounds = ["--since", "2026-02-01", "--until", "2026-02-05", *mended.repo]
    question = "are empty routes broken in my version?"
    result = command("ask", question, *bounds)
    _, _, below = result.out.partition("Fix empty routes")
    assert "- Affected: `v1.1.0`; no release has the fix yet." in below.splitlines()[1]
    chinese = command("ask", question, *bounds, "--lang", "zh").out
    assert "受影响版本：`v1.1.0`；尚无版本包含修复。" in chinese
    evidence = command("ask", question, *bounds, "--json").data["evidence"]
    hashes = shas(mended)
    pieces = {piece["id"].partition("@")[2]: piece for piece in evidence}
    fix = pieces[hashes["Fix empty routes (#22)"]]
    assert fix["affected"]["contains_fault"] == ["v1.1.0"]
    assert fix["affected"]["introduced"].endswith(hashes["Route by size (#21)"])
    assert pieces[hashes["Add routes (#20)"]]["release"] == "acme/engine@v1.0.0"
    assert "affected" not in pieces[hashes["Add routes (#20)"]]


def page_of(run: CommandResult) -> str:
    return Path(run.out.splitlines()[0]).read_text("utf-8")


def test_a_report_says_which_versions_have_the_fault_that_a_commit_mends(
    mended: Engine, command: Command
) -> None:
    report = command("run", "--date", "2026-02-04", *mended.repo, "--json").data
    hashes = shas(mended)
    rows = {row["sha"]: row for row in report["ledger"]}
    affected = rows[hashes["Fix empty routes (#22)"]]["affected"]
    assert affected["introduced"] == f"acme/engine@{hashes['Route by size (#21)']}"
    assert affected["contains_fault"] == ["v1.1.0"]
    assert affected["contains_fix"] == []
    page = page_of(command("run", "--date", "2026-02-04", *mended.repo))
    introduced = hashes["Route by size (#21)"][:7]
    (line,) = [line for line in page.splitlines() if line.startswith("Affected: `v1.1.0`, since")]
    assert introduced in line
    assert line.endswith("; no release has the fix yet.")
    page = page_of(command("run", "--date", "2026-02-04", *mended.repo, "--lang", "zh"))
    (line,) = [line for line in page.splitlines() if line.startswith("受影响版本：`v1.1.0`（")]
    assert introduced in line
    assert line.endswith("；尚无版本包含修复。")


def test_a_fix_says_in_which_release_it_is_or_that_none_has_it_yet(
    engine: Engine, command: Command
) -> None:
    engine.commit("Add routes (#20)", datetime(2026, 2, 1, 12, tzinfo=UTC), routes=ROUTER)
    subprocess.run(["git", "-C", str(engine.folder), "tag", "v1.0.0"], check=True)
    first = ROUTER.replace("    return size", "    if not size:\n        return 1\n    return size")
    engine.commit("fix: Route by size", datetime(2026, 2, 4, 9, tzinfo=UTC), routes=first)
    subprocess.run(["git", "-C", str(engine.folder), "tag", "v1.1.0"], check=True)
    second = first + "\n\nassert limit() > 0\n"
    engine.commit("fix: Return a number", datetime(2026, 2, 4, 12, tzinfo=UTC), routes=second)
    report = command("run", "--date", "2026-02-04", *engine.repo, "--json").data
    releases = {row["title"]: row["first_release"] for row in report["ledger"]}
    assert releases["fix: Route by size"] == "v1.1.0"
    assert releases["fix: Return a number"] == ""
    page = page_of(command("run", "--date", "2026-02-04", *engine.repo))
    assert "In release `v1.1.0`." in page
    assert "Not in a final release yet." in page


def test_the_facts_of_a_fix_name_the_versions_with_the_fault(
    mended: Engine, command: Command
) -> None:
    fix = shas(mended)["Fix empty routes (#22)"]
    subprocess.run(["git", "-C", str(mended.folder), "tag", "v1.1.1"], check=True)
    data = command("facts", fix, *mended.repo, "--json").data
    assert data["affected"]["contains_fault"] == ["v1.1.0"]
    assert data["affected"]["contains_fix"] == ["v1.1.1"]
    text = command("facts", fix, *mended.repo).out
    assert "Affected: `v1.1.0`; fixed in `v1.1.1`." in text
