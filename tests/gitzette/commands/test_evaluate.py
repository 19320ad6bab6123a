"""The command `eval`, as a user runs it; the sets here need mirrors, and say so."""

import json
from pathlib import Path

import pytest

from gitzette.cli import main


def test_sets_run_apart_and_are_printed_compared_and_drawn(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    html = tmp_path / "page.html"
    before = tmp_path / "before.json"
    assert main(["eval", "griffe", "facts-cost", "--json"]) == 0
    result = capfd.readouterr()
    assert "griffe: skipped, it needs real mirrors" in result.err
    assert json.loads(result.out) == {"sets": {"griffe": {}, "facts-cost": {}}}
    before.write_text(result.out, encoding="utf-8")
    assert main(["eval", "griffe", "--html", str(html), "--baseline", str(before), "--gate"]) == 0
    result = capfd.readouterr()
    assert "griffe: skipped" in result.out
    assert "gate: everything holds" in result.out
    assert "Gitzette, evaluated" in html.read_text()
