"""The demonstration, end to end: a world, its GitHub, git over HTTP, recorded answers, and a report."""

from pathlib import Path

from tests.gitzette.conftest import Command

RECORD = (
    "gitzette/data/demo_answers.json is stale; record it anew: python scripts/record_demo.py URL"
)


def test_the_rules_report_on_every_landed_commit(command: Command) -> None:
    told = command("run", "--demo", "--analyst", "rules", "--json", "--source", "api")
    assert (told.status, told.data["failures"]) == (0, [])
    ledger = told.data["ledger"]
    assert len(ledger) == len({row["sha"] for row in ledger}) >= 30
    assert all(row["files"] is not None for row in ledger)
    assert set(told.data["footer"]["threads"].values()) == {"read"}


def test_recorded_answers_analyse_the_demonstration_in_both_languages(command: Command) -> None:
    told = command("run", "--demo", "--json", "--lang", "zh")
    assert told.status == 0
    assert "has no answers" not in told.err, RECORD
    judged = [one for one in told.data["claims"] if one["judged_by"]]
    assert len(judged) >= 30
    assert {one["judged_by"] for one in judged} == {"recorded answers"}
    for page in ("2026-02-04.md", "2026-02-04.en.md"):
        assert "`recorded answers`" in Path("gazette-demo", "reports", page).read_text("utf-8")


def test_where_answers_are_missing_the_rules_do_all_of_it(command: Command) -> None:
    told = command("run", "--demo", "--date", "2026-02-03", "--json")
    assert told.status == 0
    assert (
        "gitzette: demo_answers.json has no answers for this; the rules write the report\n"
        in told.err
    )
    assert not [one for one in told.data["claims"] if one["judged_by"]]
