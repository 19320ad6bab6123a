"""A release in the window is the first card: what breaks since the one before, picks, advisories."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.gitzette.conftest import Command, CommandResult, Engine

ARGUMENTS = """\
import argparse


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", default=1)
    parser.add_argument("--swap-space", default=4)
    return parser
"""
NO_SWAP = ARGUMENTS.replace('    parser.add_argument("--swap-space", default=4)\n', "")
TWO_WORKERS = NO_SWAP.replace("default=1", "default=2")
FAST = TWO_WORKERS.replace("    return", '    parser.add_argument("--fast")\n    return')


def git(engine: Engine, *arguments: str) -> str:
    command = ["git", "-C", str(engine.folder), *arguments]
    return subprocess.check_output(command, text=True).strip()


def land(engine: Engine, message: str, day: int, text: str) -> str:
    at = datetime(2026, 2, day, 12, len(message) % 60, tzinfo=UTC)
    return engine.commit(message, at, **{"engine/__init__": text})


@pytest.fixture
def released(engine: Engine) -> Engine:
    """A version; a second one from the line itself; and one of a release branch with two picks."""
    (engine.folder / "engine").mkdir()
    (engine.folder / "README.md").write_text("engine --swap-space 4 --workers 2\n")
    land(engine, "Add options (#30)", 5, ARGUMENTS)
    git(engine, "tag", "v1.0.0")
    land(engine, "Drop the swap space (#31)\n\nThis mends CVE 2026-12345.", 6, NO_SWAP)
    fast = land(engine, "Add a fast way (#32)", 6, FAST.replace("default=2", "default=1"))
    land(engine, f'Revert "Add a fast way (#32)"\n\nThis reverts commit {fast}.', 6, NO_SWAP)
    git(engine, "tag", "v1.1.0")
    land(engine, "Use two workers (#33)", 7, TWO_WORKERS)
    git(engine, "checkout", "-q", "-b", "release", "v1.1.0")
    land(engine, "[release] cherry-pick #33 (#35)", 8, TWO_WORKERS)
    fast = land(engine, "Add a fast way after all (#36)", 8, FAST)
    land(engine, f"Out again\n\nThis reverts commit {fast}.", 8, TWO_WORKERS)
    land(engine, "Name the version\n\nGHSA-ABCD-1234-wxyz", 8, TWO_WORKERS + "VERSION = '1.1.1'\n")
    git(engine, "tag", "v1.1.1")
    git(engine, "checkout", "-q", "main")
    return engine


def page_of(run: CommandResult) -> str:
    return Path(run.out.splitlines()[0]).read_text("utf-8")


def test_a_release_leads_the_page_with_what_breaks_and_what_it_mends(
    released: Engine, command: Command
) -> None:
    page = page_of(command("run", "--date", "2026-02-06", *released.repo))
    assert page.startswith("# engine v1.1.0 is out: 1 breaking change; CVE-2026-12345\n")
    card = page.partition("### engine v1.1.0 is out")[2].partition("\n## ")[0]
    assert "3 commits since `v1.0.0`" in card
    assert "The flag `--swap-space` is removed. — [`" in card
    assert "**Advisories**: CVE-2026-12345" in card
    assert "--fast" not in card
    assert page.index("### engine v1.1.0 is out") < page.index("## Must know")
    page = page_of(command("run", "--date", "2026-02-06", *released.repo, "--lang", "zh"))
    assert "engine v1.1.0 发布：1 处不兼容改动；CVE-2026-12345" in page


def test_a_release_branch_names_its_picks_and_nothing_that_was_undone(
    released: Engine, command: Command
) -> None:
    report = command("run", "--date", "2026-02-08", *released.repo, "--json").data
    (release,) = report["sections"][0]["releases"]
    notes = release["notes"]
    assert (release["tag"], notes["previous"]) == ("v1.1.1", "v1.1.0")
    assert [(pick["title"], pick["originals"]) for pick in notes["picks"]] == [
        ("[release] cherry-pick #33 (#35)", ["Use two workers (#33)"]),
        ("Name the version", []),
    ]
    assert [entry["text"]["en"] for entry in notes["entries"] if entry["part"] == "changed"] == [
        "The default of the flag `--workers` changes from `1` to `2`."
    ]
    assert [advisory["id"] for advisory in notes["advisories"]] == ["GHSA-abcd-1234-wxyz"]
    for layout in ("digest", "ledger"):
        arguments = ["--date", "2026-02-08", *released.repo, "--layout", layout]
        page = page_of(command("run", *arguments))
        assert "picks Use two workers" in page
        assert "fast way" not in page


def test_a_day_without_a_release_has_no_card_of_one(released: Engine, command: Command) -> None:
    page = page_of(command("run", "--date", "2026-02-07", *released.repo))
    assert "is out" not in page


def test_the_site_has_the_card_of_a_release(released: Engine, command: Command) -> None:
    command("run", "--date", "2026-02-08", *released.repo)
    assert command("site").status == 0
    (page,) = Path().rglob("en/days/2026-02-08.html")
    html = page.read_text("utf-8")
    assert "engine v1.1.1 is out" in html
    assert "Picked for this release (2)" in html


def merge(engine: Engine, number: int, title: str, day: int, text: str, message: str) -> None:
    """Merge a branch with one commit as GitHub does."""
    git(engine, "checkout", "-q", "-b", f"topic-{number}")
    land(engine, message, day, text)
    git(engine, "checkout", "-q", "-")
    subject = f"Merge pull request #{number} from ada/topic-{number}"
    name = ("-c", "user.name=Ada", "-c", "user.email=ada@acme.dev")
    git(engine, *name, "merge", "-q", "--no-ff", "-m", f"{subject}\n\n{title}", f"topic-{number}")


@pytest.fixture
def merged(engine: Engine) -> Engine:
    """A version of a release branch that takes merges, and gives one of two picks back."""
    (engine.folder / "engine").mkdir()
    land(engine, "Add options (#30)", 5, ARGUMENTS)
    git(engine, "tag", "v1.0.0")
    land(engine, "Explain the swap space (#31)", 6, ARGUMENTS + "# swap\n")
    land(engine, "Explain the workers (#32)", 6, ARGUMENTS + "# swap\n# workers\n")
    both = ARGUMENTS + "# swap\n# workers\n# both\n"
    merge(engine, 34, "Explain both", 6, both, "Explain")
    git(engine, "checkout", "-q", "-b", "release", "v1.0.0")
    merge(engine, 40, "Escape names of labels", 8, ARGUMENTS + "# 1\n", "Escape\n\nCVE-2026-4321")
    land(engine, "pick #31 and #32 (#41)", 8, ARGUMENTS + "# 1\n# swap\n# workers\n")
    land(engine, "Revert #32 and #33 (#42)", 8, ARGUMENTS + "# 1\n# swap\n")
    land(engine, "Automated pick of #34", 8, ARGUMENTS + "# 1\n# swap\n# both\n")
    git(engine, "tag", "v1.0.1")
    git(engine, "checkout", "-q", "main")
    return engine


def test_merges_of_a_release_branch_have_titles_and_the_advisories_of_what_they_brought(
    merged: Engine, command: Command
) -> None:
    report = command("run", "--date", "2026-02-08", *merged.repo, "--json").data
    notes = report["sections"][0]["releases"][0]["notes"]
    picks = {pick["title"]: pick for pick in notes["picks"]}
    (advisory,) = notes["advisories"]
    assert advisory["id"] == "CVE-2026-4321"
    (commit,) = advisory["commits"]
    assert commit != picks["Escape names of labels"]["id"]
    assert notes["titles"][commit.partition("@")[2]] == "Escape"


def test_a_pick_of_a_merge_names_what_was_merged(merged: Engine, command: Command) -> None:
    report = command("run", "--date", "2026-02-08", *merged.repo, "--json").data
    picks = report["sections"][0]["releases"][0]["notes"]["picks"]
    assert picks[-1]["originals"] == ["Explain both"]


def test_a_pick_does_not_name_what_its_branch_took_back(merged: Engine, command: Command) -> None:
    report = command("run", "--date", "2026-02-08", *merged.repo, "--json").data
    picks = report["sections"][0]["releases"][0]["notes"]["picks"]
    (several,) = [pick for pick in picks if pick["title"].startswith("pick ")]
    assert several["originals"] == ["Explain the swap space (#31)"]
