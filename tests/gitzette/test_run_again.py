"""A day that is run again: whatever fails this time, nothing good of the first time is lost."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from evals.model_server.server import ModelServer
from memory.published_statements import EarlierStatements
from memory.store import open_memory
from tests.gitzette.conftest import Command, CommandResult
from tests.scripted_analysis import LIMIT_SAID, TIMEOUT_SAID, Scripted, two_commits

NOWHERE = "http://127.0.0.1:9/v1"
BRIEF = {
    "en": "`MAX_ROUTES` and `WORKER_TIMEOUT` change.",
    "zh": "`MAX_ROUTES` 和 `WORKER_TIMEOUT` 有变化。",
    "rests_on": ["c1.1", "c2.1"],
}
Run = Callable[..., CommandResult]


@pytest.fixture
def run(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Report on a day with two commits, with a model at an address."""
    clone = two_commits(tmp_path / "router")
    Path("gitzette.toml").write_text('source = "git"\n[budget]\nretry_seconds = 0.0\n')

    def at(url: str, *options: str) -> CommandResult:
        monkeypatch.setenv("GITZETTE_MODEL", "scripted")
        monkeypatch.setenv("GITZETTE_MODEL_URL", url)
        repo = f"{clone.name}={clone.folder}"
        return command("run", "--date", "2026-02-04", "--repo", repo, *options)

    return at


def published() -> dict[str, bytes]:
    files = (file for file in Path("gazette").rglob("*") if file.is_file())
    return {str(file): file.read_bytes() for file in files}


def report() -> Any:
    return json.loads(Path("gazette/reports/2026-02-04.json").read_text("utf-8"))


def judged() -> list[Any]:
    return [claim for claim in report()["claims"] if claim["judged_by"]]


def test_a_model_that_is_away_costs_no_sentence_and_is_status_3(run: Run, command: Command) -> None:
    with ModelServer(Scripted(summary=[BRIEF]), context=32_768) as server:
        assert run(server.url, "--analyst", "model").status == 0
        first = published()
        sentences = judged()
        assert len(sentences) == 5

        result = run(NOWHERE, "--analyst", "model")
        assert result.status == 3
        (line,) = (line for line in result.err.splitlines() if "the model failed" in line)
        assert line.startswith("gitzette: the model failed at everything it was asked for octo/")
        assert "gitzette: the analysis of 2 commits is kept from an earlier run" in result.err
        assert judged() == sentences
        page = Path("gazette/reports/2026-02-04.md").read_text("utf-8")
        for sentence in (LIMIT_SAID, TIMEOUT_SAID, BRIEF):
            assert str(sentence["en"]) in page
        assert "octo/router: the model's analysis is missing: " in page
        assert "the analysis of 2 commits; sentences of summary and brief: 1." in page
        assert [row["depth"] for row in report()["ledger"]] == ["deep", "deep"]
        assert not [row for row in report()["ledger"] if "not analysed" in row["reason"]]

        # It is replayed as it was published; when the model is back, all is as it was at first.
        newest = command("runs", "--json").data[0]["id"]
        again = command("run", "--replay", newest, "--json")
        record = Path("gazette/reports/2026-02-04.json").read_bytes()
        assert (again.status, again.out.encode()) == (3, record)
        assert run(server.url, "--analyst", "model").status == 0
        assert published() == first


def test_commits_keep_the_places_and_groups_that_a_model_gave_them(run: Run) -> None:
    both = {"commits": ["c1", "c2"], "label_en": "Limits and timeouts", "label_zh": "限制与超时"}
    script = Scripted(tiers={"Lower": 3, "Give": 1}, groups=[both])
    with ModelServer(script, context=32_768) as server:
        assert run(server.url, "--analyst", "model").status == 0
    first = report()
    places = [row["placement"] for row in first["ledger"]]
    assert {placement["decided_by"] for placement in places} == {"model"}
    assert len(first["groups"]) == 1
    assert run(NOWHERE, "--analyst", "model").status == 3
    assert [row["placement"] for row in report()["ledger"]] == places
    assert report()["groups"] == first["groups"]
    assert run(NOWHERE, "--analyst", "rules").status == 0
    assert [row["placement"] for row in report()["ledger"]] == places
    script.tiers = {"Lower": 0, "Give": 3}
    with ModelServer(script, context=32_768) as server:
        assert run(server.url, "--analyst", "model").status == 0
    assert {row["placement"]["importance"] for row in report()["ledger"]} == {0, 3}


def test_a_run_by_rules_keeps_what_a_model_had_written(run: Run) -> None:
    with ModelServer(Scripted(summary=[BRIEF]), context=32_768) as server:
        assert run(server.url, "--analyst", "model").status == 0
    sentences = judged()
    assert run(NOWHERE, "--analyst", "rules").status == 0
    assert judged() == sentences
    assert "written by `scripted`" in Path("gazette/README.md").read_text("utf-8")


def test_a_model_that_fails_at_everything_on_a_first_run_is_status_3_and_facts_are_told(
    run: Run,
) -> None:
    result = run(NOWHERE, "--analyst", "model", "--json")
    assert result.status == 3
    (failure,) = result.data["failures"]
    assert (failure["repo"], failure["stage"]) == ("octo/router", "model")
    message = failure["message"]
    assert message.startswith("scripted cannot be reached, or broke off; ")
    assert "`gitzette doctor`" in message
    assert f"`gitzette doctor` checks {NOWHERE}" in result.err
    published = "".join(file.read_text("utf-8") for file in Path("gazette").rglob("*.*"))
    assert NOWHERE not in published, "a private address"
    assert [claim["kind"] for claim in result.data["claims"] if claim["predicate"] == "fact"]


def test_a_later_day_recalls_analysis_that_was_kept(run: Run, tmp_path: Path) -> None:
    with ModelServer(Scripted(), context=32_768) as server:
        run(server.url, "--analyst", "model")
    run(NOWHERE, "--analyst", "model")
    day_after = datetime(2026, 2, 5, tzinfo=UTC)
    with open_memory(tmp_path / "home", date(2026, 2, 5)) as memory:
        recall = EarlierStatements(memory.statements, day_after)
        lines = recall.search("workers get more time")
    assert any("Workers get more time" in line for line in lines)
