"""Gitzette with a model, as a user meets it: over real HTTP, with a model that is right, wrong or not there."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from evals.model_server.honest import honest
from evals.model_server.requests_and_answers import ModelRequest
from evals.model_server.server import ModelServer, Mood
from evals.sets.fault_storms import leak_in
from gitzette.cli import main
from tests.gitzette.conftest import Command, Engine

QUESTION = "what changed in MAX_ROUTES between 2026-02-01 and 2026-02-04?"
KEY = "sk-canary-abcdef0123456789"


pytestmark = pytest.mark.usefixtures("corner")


@pytest.fixture
def point(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelServer], None]:
    def at(server: ModelServer) -> None:
        monkeypatch.setenv("GITZETTE_MODEL", server.model)
        monkeypatch.setenv("GITZETTE_MODEL_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)

    return at


def test_a_question_is_answered_by_a_model_and_asked_once(
    engine: Engine, corner: Path, point: Callable[[ModelServer], None], command: Command
) -> None:
    with ModelServer(honest, context=16_384, without=("schema",)) as server:
        point(server)
        answer = command("ask", QUESTION, "--analyst", "model", "--json", *engine.repo).data
        request = len(server.asked)
        # The same question of the same evidence is answered from memory; what the model can do is known.
        assert command("ask", QUESTION, "--analyst", "model", "--json", *engine.repo).status == 0
        doctor_output = command("doctor").out
        assert len(server.asked) == request
    assert "scripted: 16384 tokens of context, tool calls" in doctor_output
    assert all(claim["verdict"] == "supported" for claim in answer["claims"])
    assert {claim["kind"] for claim in answer["claims"]} == {"stated"}
    assert leak_in(corner, KEY) is None


def test_where_the_model_fails_the_evidence_is_shown_and_that_is_said(
    engine: Engine, point: Callable[[ModelServer], None], command: Command, corner: Path
) -> None:
    (Path.cwd() / "gitzette.toml").write_text("[budget]\nretry_seconds = 0.0\n")
    with ModelServer(honest, lambda request: Mood("locked")) as server:
        point(server)
        result = command("ask", QUESTION, "--analyst", "model", *engine.repo)
    assert result.status == 4
    assert "from `22` to `12`" in result.out
    assert "The model did not answer (" in result.out
    assert leak_in(corner, KEY) is None


def test_a_question_whose_answer_had_the_wrong_shape_is_asked_again(
    engine: Engine, point: Callable[[ModelServer], None], command: Command
) -> None:
    spoilt = [Mood("prose")] * 20
    in_prose = ModelServer(honest, lambda request: _next(spoilt, request), context=16_384)
    with in_prose as server:
        point(server)
        first = command("ask", QUESTION, "--analyst", "model", *engine.repo)
        spoilt.clear()
        second = command("ask", QUESTION, "--analyst", "model", *engine.repo)
    assert first.status == 4
    assert "The model did not answer (" in first.out
    assert second.status == 0
    assert "The model did not answer" not in second.out


def _next(moods: list[Mood], request: ModelRequest) -> Mood | None:
    """Spoil the answers that have a shape, as long as there are moods left."""
    return moods.pop() if moods and request.schema not in (None, "Colour") else None


def test_a_context_that_is_set_changed_or_removed_later_is_heeded_at_once(
    engine: Engine,
    point: Callable[[ModelServer], None],
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moods_found = []
    with ModelServer(honest, context=65_536) as server:
        point(server)
        for day, context in enumerate(("", "6000", "32768", ""), start=1):
            monkeypatch.delenv("GITZETTE_MODEL_CONTEXT", raising=False)
            if context:
                monkeypatch.setenv("GITZETTE_MODEL_CONTEXT", context)
            (tokens,) = re.findall(r"scripted: (\d+) tokens of context", command("doctor").out)
            before = len(server.asked)
            question = f"what changed in MAX_ROUTES between 2026-02-0{day} and 2026-02-05?"
            assert command("ask", question, "--analyst", "model", *engine.repo).status == 0
            # A model with little room is offered no tools.
            offered = any("get_diff" in request.tools for request in server.asked[before:])
            moods_found.append((tokens, offered))
    assert moods_found == [("65536", True), ("6000", False), ("32768", True), ("65536", True)]


def test_a_report_says_what_the_model_wrote_and_what_it_cost(
    engine: Engine, point: Callable[[ModelServer], None], tmp_path: Path, corner: Path
) -> None:
    (Path.cwd() / "gitzette.toml").write_text(
        '[prices.scripted]\ninput = 1.0\noutput = 2.0\ncurrency = "EUR"\n'
    )
    out = tmp_path / "out"
    command = ["run", "--date", "2026-02-03", "--analyst", "model", "--out", str(out), *engine.repo]
    with ModelServer(honest, context=32_768) as server:
        point(server)
        assert main(command) == 0
    page = (out / "reports" / "2026-02-03.md").read_text()
    assert re.search(
        r"Sentences of analysis: [1-9]\d* \(.*\) and \d+ headlines, written by `scripted`\.", page
    )
    assert re.search(r"\d+ calls to models, \d+ tokens sent, \d+ received, 0\.\d+ EUR\.", page)
    data = json.loads((out / "reports" / "2026-02-03.json").read_text())
    assert data["footer"]["model"]["fallbacks"] == {}
    assert leak_in(tmp_path, KEY) is None
    assert leak_in(corner, KEY) is None
