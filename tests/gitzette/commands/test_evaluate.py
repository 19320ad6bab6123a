"""The command `eval`, as a user runs it; the sets here need mirrors, and say so."""

import json
from pathlib import Path

import pytest

from gitzette.commands import evaluate
from tests.gitzette.conftest import Command


def test_sets_are_printed_compared_and_drawn(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A set runs in a process of its own, which tests/gitzette/test_eval_relating.py starts.
    monkeypatch.setattr(evaluate, "_run_apart", evaluate._run_set)
    html = tmp_path / "page.html"
    before = tmp_path / "before.json"
    result = command("eval", "griffe", "facts-cost", "--json")
    assert "griffe: skipped, it needs real mirrors" in result.err
    assert result.data == {"sets": {"griffe": {}, "facts-cost": {}}}
    before.write_text(json.dumps(result.data), encoding="utf-8")
    result = command("eval", "griffe", "--html", str(html), "--baseline", str(before), "--gate")
    assert result.status == 0
    assert "griffe: skipped" in result.out
    assert "gate: everything holds" in result.out
    assert "Gitzette, evaluated" in html.read_text()
