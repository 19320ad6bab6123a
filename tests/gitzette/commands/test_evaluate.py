"""The command `eval`, as a user runs it; the sets here need mirrors, and say so."""

import json
import subprocess
import sys
from pathlib import Path


def evaluate(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own: what its sets say goes to the output of the first
    process that started one."""
    command = [sys.executable, "-m", "gitzette", "eval", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_sets_run_apart_and_are_printed_compared_and_drawn(tmp_path: Path) -> None:
    html = tmp_path / "page.html"
    before = tmp_path / "before.json"
    result = evaluate("griffe", "facts-cost", "--json")
    assert "griffe: skipped, it needs real mirrors" in result.stderr
    assert json.loads(result.stdout) == {"sets": {"griffe": {}, "facts-cost": {}}}
    before.write_text(result.stdout, encoding="utf-8")
    result = evaluate("griffe", "--html", str(html), "--baseline", str(before), "--gate")
    assert "griffe: skipped" in result.stdout
    assert "gate: everything holds" in result.stdout
    assert "Gitzette, evaluated" in html.read_text()
