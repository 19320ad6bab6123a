"""Upgrading: what changes between two versions, what one's own code uses of it, and the edition of a week."""

import asyncio
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.gitzette.conftest import Command, Engine
from tools.toolset import open_tools

FIRST = """\
import argparse
import os

CACHE = os.environ.get("ENGINE_CACHE", "8")
register("swap_size", CACHE)


class EngineArgs:
    swap_space: int = 4


def generate(prompt, best_of=1):
    return prompt


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", default=1)
    parser.add_argument("--swap-space", default=4)
    return parser
"""
FAST = '    parser.add_argument("--fast", default=0)\n    return parser\n'
LAST = (
    FIRST.replace('CACHE = os.environ.get("ENGINE_CACHE", "8")\n', "CACHE = 8\n")
    .replace('register("swap_size", CACHE)\n', "")
    .replace("    swap_space: int = 4\n", "    eager: bool = False\n")
    .replace('    parser.add_argument("--swap-space", default=4)\n', "")
    .replace("prompt, best_of=1", "prompt")
)
README = "ENGINE_CACHE=8 engine --swap-space 4 --workers 2\nengine.choose('swap_size')\n"
MINE = """\
'''Once we set ENGINE_CACHE here.'''
import argparse
import engine
from engine import EngineArgs, generate as made

args = EngineArgs(swap_space=2)
print(made("a", best_of=2), made("b"), engine.generate("c"))  # with ENGINE_CACHE
print(engine.start(swap_size=4), engine.env.ENGINE_CACHE.get())
print(engine.choose("swap_size"))
argparse.ArgumentParser().add_argument("--swap-space")
"""


@pytest.fixture
def upgraded(engine: Engine) -> Engine:
    """Two versions: a flag comes and is taken back in between, another gets a new default, several things go."""
    (engine.folder / "engine").mkdir()
    (engine.folder / "README.md").write_text(README)
    two = [text.replace("default=1)", "default=2)") for text in (FIRST, LAST)]
    landed(engine, "Add the engine", 10, FIRST, "v1.0")
    fast = landed(engine, "Add a fast way (#3)", 11, FIRST.replace("    return parser\n", FAST))
    landed(engine, f'Revert "Add a fast way (#3)"\n\nThis reverts commit {fast}.', 12, FIRST)
    landed(engine, "Use two workers (#5)", 13, two[0])
    landed(engine, "Drop what is deprecated (#6)", 14, two[1], "v1.1")
    return engine


def landed(engine: Engine, message: str, hour: int, text: str, tag: str = "") -> str:
    sha = engine.commit(
        message, datetime(2026, 2, 9, hour, tzinfo=UTC), **{"engine/__init__": text}
    )
    if tag:
        subprocess.run(["git", "-C", str(engine.folder), "tag", tag], check=True)
    return sha


@pytest.fixture
def own_checkout(tmp_path: Path) -> Path:
    """Code of the user's own: some of it uses the engine, some has the same words, some is not to be read."""
    folder = tmp_path / "mine"
    (folder / "ignored").mkdir(parents=True)
    run = "# engine --swap-space 1\nengine --swap_space 4 --workers 3\nENGINE_CACHE=1 engine\n"
    files = {"app.py": MINE, "ignored/app.py": MINE, ".gitignore": "ignored/\n", "run.sh": run}
    files |= {
        "other.sh": "mkswap --swap-space 4 --workers 2\n",
        "../secret.sh": "engine --swap-space 4\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "out.sh").symlink_to(tmp_path / "secret.sh")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def test_a_guide_tells_what_holds_between_two_trees_each_with_its_commit(
    upgraded: Engine, command: Command
) -> None:
    guide = command("between", "v1.0", "1.1", *upgraded.repo, "--json").data
    log = subprocess.check_output(
        ["git", "-C", str(upgraded.folder), "log", "--format=%H %s"], text=True
    )
    titles = dict(line.split(" ", 1) for line in log.splitlines())
    dropped = ["Drop what is deprecated (#6)"]
    titles_by_item: dict[tuple[str, str], list[str]] = {}
    for entry in guide["items"]:
        shas = [cite.partition("@")[2] for cite in entry["cites"]]
        titles_by_item[entry["part"], entry["name"]] = [titles[sha] for sha in shas]
    assert titles_by_item == {
        ("breaks", "--swap-space"): dropped,
        ("breaks", "ENGINE_CACHE"): dropped,
        ("breaks", "EngineArgs.swap_space"): dropped,
        ("breaks", "generate"): dropped,
        ("breaks", "swap_size"): dropped,
        ("changed", "--workers"): ["Use two workers (#5)"],
        ("new", "EngineArgs.eager"): dropped,
    }
    assert [titles[entry["sha"]] for entry in guide["undone"]] == ["Add a fast way (#3)"]
    page = command("between", "v1.0", "v1.1", *upgraded.repo, "--lang", "zh").out
    assert "## 不兼容的改动（5）" in page
    assert page.count("--fast") == 0
    wrong = command("between", "v1.0", "v1.2", *upgraded.repo)
    assert (wrong.status, "tags like it are v1.1, v1.0" in wrong.err) == (2, True)

    async def asked() -> str:
        tools = {tool.name: tool for tool in await open_tools("acme/engine", path=upgraded.folder)}
        return str(await tools["between"].ainvoke({"old": "v1.0", "new": "v1.1"}))

    answer = asyncio.run(asked())
    assert "changed: The default of the flag `--workers` changes from `1` to `2`." in answer
    assert "taken back:" in answer


def test_a_guide_puts_changes_of_one_commit_together_and_folds_what_is_new(
    upgraded: Engine, command: Command
) -> None:
    page = command("between", "v1.0", "v1.1", *upgraded.repo).out
    breaks = page.partition("## What breaks (5)")[2].partition("## ")[0]
    assert breaks.count("Drop what is deprecated") == 1
    assert breaks.count("\n  - ") == 5
    assert "<summary>New settings (1)</summary>" in page


def test_options_of_a_deleted_script_come_last(upgraded: Engine, command: Command) -> None:
    script = (
        'import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument("--check")\n'
    )
    upgraded.commit(
        "Add a script (#7)", datetime(2026, 2, 9, 15, tzinfo=UTC), **{"engine/compile": script}
    )
    subprocess.run(["git", "-C", str(upgraded.folder), "tag", "v1.2"], check=True)
    (upgraded.folder / "engine/compile.py").unlink()
    upgraded.commit("Delete the script (#8)", datetime(2026, 2, 9, 16, tzinfo=UTC))
    subprocess.run(["git", "-C", str(upgraded.folder), "tag", "v1.3"], check=True)
    items = command("between", "v1.2", "v1.3", *upgraded.repo, "--json").data["items"]
    assert [(item["part"], item["name"]) for item in items] == [("deleted scripts", "--check")]
    page = command("between", "v1.2", "v1.3", *upgraded.repo).out
    assert "## What breaks (0)" in page
    assert "<summary>Options of deleted scripts (1)</summary>" in page


def test_a_guide_says_that_ones_own_code_uses_nothing_that_changed(
    upgraded: Engine, tmp_path: Path, command: Command
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "app.py").write_text("import engine\n\nprint(engine.__name__)\n")
    (folder / "run.sh").write_text("engine --help\n")
    page = command("between", "v1.0", "v1.1", *upgraded.repo, "--uses", str(folder)).out
    assert "Your code (2 files) uses nothing that changed." in page
    assert "uses nothing" not in command("between", "v1.0", "v1.1", *upgraded.repo).out


def test_what_ones_own_code_uses_comes_first_and_nothing_else_is_marked(
    upgraded: Engine, own_checkout: Path, command: Command
) -> None:
    report = command(
        "run", "--date", "2026-02-09", *upgraded.repo, "--uses", str(own_checkout), "--json"
    ).data
    assert {(entry["name"], f"{entry['file']}:{entry['line']}") for entry in report["uses"]} == {
        ("--swap-space", "run.sh:2"),
        ("--workers", "run.sh:2"),
        ("ENGINE_CACHE", "app.py:8"),
        ("ENGINE_CACHE", "run.sh:3"),
        ("EngineArgs.swap_space", "app.py:6"),
        ("generate(best_of)", "app.py:7"),
        ("swap_size", "app.py:9"),
    }
    used = {entry["sha"] for entry in report["uses"]}
    rows = sorted(report["ledger"], key=lambda row: -row["weight"])
    assert {row["sha"] for row in rows[: len(used)]} == used
    assert {row["tier"] for row in rows[: len(used)]} == {3}
    page = Path("gazette/reports/2026-02-09.md").read_text()
    marks = [line for line in page.splitlines() if line.startswith("**Your code uses this**")]
    assert "`ENGINE_CACHE run.sh:3`" in marks[0]
    assert len(marks) == len(used)
    assert (
        command(
            "run", "--date", "2026-02-09", *upgraded.repo, "--uses", str(own_checkout / "app.py")
        ).status
        == 2
    )


def test_a_week_joins_its_days_and_tells_what_came_and_went_once(
    upgraded: Engine, command: Command
) -> None:
    week = command("run", "--week", "2026-W07", *upgraded.repo, "--json").data
    titles = {f"{row['repo']}@{row['sha']}": row["title"] for row in week["ledger"]}
    assert len(week["ledger"]) == 5
    assert [titles[entry["change"]] for entry in week["came_and_went"]] == ["Add a fast way (#3)"]
    assert week["days"] == [f"2026-02-{day:02}" for day in range(9, 16)]
    page = Path("gazette/reports/2026-W07.md").read_text()
    assert page.count("Add a fast way") == 1
    assert "The flag `--swap-space` is removed." in page
    assert len(page.split()) < 1000
    assert command("run", "--week", "2026-07", *upgraded.repo).status == 2
