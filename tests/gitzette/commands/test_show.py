"""`gitzette show`: reports, commits, threads and releases, from the published files."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.domain.base import RepoId
from agent.reports.report_json import dump
from tests.analysed_report import LIMIT, ROUTER, analysed_report
from tests.gitzette.conftest import Command, Demonstration


@pytest.fixture
def day(demonstration: Demonstration) -> Any:
    file = demonstration.out / "reports" / "2026-02-04.json"
    return json.loads(file.read_text("utf-8"))


def test_a_report_is_shown_by_its_day_and_the_newest_without_one(
    demonstration: Demonstration, command: Command, day: Any
) -> None:
    out = ("--out", str(demonstration.out))
    page = (demonstration.out / "reports" / "2026-02-04.md").read_text("utf-8")
    assert command("show", *out).out == page.replace("https://git.example", "https://github.com")
    assert command("show", "2026-02-04", *out, "--json").data == day


def test_a_commit_is_shown_with_its_tier_its_order_the_reason_and_who_decided(
    demonstration: Demonstration, command: Command, day: Any
) -> None:
    row = next(row for row in day["ledger"] if row["placement"]["reason"])
    placement = row["placement"]
    out = ("--out", str(demonstration.out))
    result = command("show", row["sha"][:9], *out)
    assert result.status == 0
    assert f"**Tier {placement['importance']}, " in result.out
    assert f"number {placement['order']} of its repository" in result.out
    assert placement["reason"].rstrip(".") in result.out
    assert "(decided by the model)" in result.out
    data = command("show", f"{row['repo']}@{row['sha']}", *out, "--json").data
    assert (data["kind"], data["report"], data["tier"]) == (
        "commit",
        "2026-02-04",
        placement["importance"],
    )
    assert (data["order"], data["reason"], data["decided_by"]) == (
        placement["order"],
        placement["reason"],
        placement["decided_by"],
    )
    assert all(claim["about"][0] == data["id"] for claim in data["claims"])
    for claim in data["claims"]:
        assert all(quote["text"].split("\n")[0] in result.out for quote in claim["quotes"][:1])


def test_a_thread_is_shown_with_the_commits_that_address_it(
    demonstration: Demonstration, command: Command, day: Any
) -> None:
    commits = {f"{row['repo']}@{row['sha']}": row for row in day["ledger"]}
    link = next(link for link in day["links"] if link["change"] in commits)
    repo, _, number = link["issue"].partition("#")
    out = ("--out", str(demonstration.out))
    result = command("show", link["issue"], *out)
    assert link["change"].partition("@")[2][:7] in result.out
    assert commits[link["change"]]["title"].split(" (#")[0] in result.out
    data = command("show", f"#{number}", "--repo", repo, *out, "--json").data
    assert (data["kind"], data["id"]) == ("thread", link["issue"])
    assert link["change"] in [entry["change"] for entry in data["links"]]


def test_a_release_is_shown_by_its_tag(
    demonstration: Demonstration, command: Command, day: Any
) -> None:
    section = next(section for section in day["sections"] if section["releases"])
    tag = section["releases"][0]["tag"]
    out = ("--out", str(demonstration.out))
    shown = command("show", tag, *out).out
    assert f"{section['repo']}@{tag}" in shown
    assert f"{tag} is out" in shown
    assert section["releases"][0]["notes"]["advisories"][0]["id"] in shown
    data = command("show", f"{section['repo']}@{tag}", *out, "--json").data
    assert (data["kind"], data["tag"], data["report"]) == ("release", tag, "2026-02-04")


def test_what_is_not_there_or_ambiguous_is_one_line_with_the_next_step(command: Command) -> None:
    assert "make one with" in command("show").err
    assert "make one with `gitzette run`" in command("show", LIMIT[:8]).err
    report = analysed_report()
    twin = report.ledger[0].model_copy(update={"repo": RepoId("octo/cache")})
    rows = (*report.ledger, twin)
    folder = Path("gazette/reports")
    folder.mkdir(parents=True)
    (folder / f"{report.window.label}.json").write_text(
        dump(report.model_copy(update={"ledger": rows})), "utf-8"
    )
    for what, advice in (
        ("2026-01-01", "the newest is"),
        ("v9.9", "write a day, a hash, #NUMBER or a tag"),
        ("abcdef1", "`gitzette facts abcdef1`"),
        ("#999", "`gitzette ask` searches"),
        (twin.sha[:8], "write more digits, or owner/name@HASH"),
    ):
        result = command("show", what)
        assert (result.status, result.out) == (2, ""), what
        assert result.err.count("\n") == 1
        assert advice in result.err
    assert command("show", LIMIT[:8], "--repo", ROUTER).status == 0
