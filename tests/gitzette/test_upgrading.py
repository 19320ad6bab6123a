"""Upgrading: what changes between two versions, what one's own code uses of it, and the edition of a week."""

import asyncio
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gitzette.cli import main
from tests.gitzette.conftest import Engine
from tools.toolset import open_tools

FIRST = """\
import argparse
import os

CACHE = os.environ.get("ENGINE_CACHE", "8")


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
    .replace("    swap_space: int = 4\n", "    eager: bool = False\n")
    .replace('    parser.add_argument("--swap-space", default=4)\n', "")
    .replace("prompt, best_of=1", "prompt")
)
MINE = """\
import argparse
import engine
from engine import EngineArgs, generate as made

args = EngineArgs(swap_space=2)
print(made("a", best_of=2), made("b"), engine.generate("c"))
argparse.ArgumentParser().add_argument("--swap-space")
"""


@pytest.fixture
def upgraded(engine: Engine, corner: Path) -> Engine:
    """Two versions: a flag comes and is taken back in between, another gets a new default, several things go."""
    del corner
    (engine.folder / "engine").mkdir()
    tag(engine, "engine/__init__", "Add the engine", 10, FIRST, "v1.0")
    tag(engine, "engine/__init__", "Add a fast way (#3)", 11, FIRST.replace("    return parser\n", FAST))
    revert(engine, 12)
    tag(engine, "engine/__init__", "Use two workers (#5)", 13, FIRST.replace("default=1)", "default=2)"))
    tag(engine, "engine/__init__", "Drop what is deprecated (#6)", 14, LAST.replace("default=1)", "default=2)"), "v1.1")
    return engine


def tag(engine: Engine, file: str, subject: str, hour: int, text: str, name: str = "") -> str:
    sha = engine.commit(subject, datetime(2026, 2, 9, hour, tzinfo=UTC), **{file: text})
    if name:
        subprocess.run(["git", "-C", str(engine.folder), "tag", name], check=True)
    return sha


def revert(engine: Engine, hour: int) -> None:
    when = f"2026-02-09T{hour}:00:00Z"
    env = {
        "GIT_AUTHOR_DATE": when,
        "GIT_COMMITTER_DATE": when,
        "PATH": "/usr/bin:/bin",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", *who, "-C", str(engine.folder), "revert", "--no-edit", "HEAD"], check=True, env=env)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Code of the user's own: some of it uses the engine, some has the same words, some is not to be read."""
    folder = tmp_path / "mine"
    (folder / "ignored").mkdir(parents=True)
    (folder / "app.py").write_text(MINE)
    (folder / "ignored" / "app.py").write_text(MINE)
    (folder / "run.sh").write_text(
        "# engine --swap-space 1\nengine --swap_space 4 --workers 3\nENGINE_CACHE=1 engine\n"
    )
    (folder / "other.sh").write_text("mkswap --swap-space 4 --workers 2\n")
    (folder / "out.sh").symlink_to(tmp_path / "secret.sh")
    (tmp_path / "secret.sh").write_text("engine --swap-space 4\n")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / ".gitignore").write_text("ignored/\n")
    return folder


def test_a_guide_tells_what_holds_between_two_trees_each_with_its_commit(
    upgraded: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["between", "v1.0", "1.1", *upgraded.repo, "--json"]) == 0
    guide = json.loads(capsys.readouterr().out)
    titles = dict(
        line.split(" ", 1)
        for line in subprocess.check_output(
            ["git", "-C", str(upgraded.folder), "log", "--format=%H %s"], text=True
        ).splitlines()
    )
    told = {
        (one["part"], one["name"]): [titles[cite.partition("@")[2]] for cite in one["cites"]] for one in guide["items"]
    }
    assert told == {
        ("breaks", "--swap-space"): ["Drop what is deprecated (#6)"],
        ("breaks", "ENGINE_CACHE"): ["Drop what is deprecated (#6)"],
        ("breaks", "EngineArgs.swap_space"): ["Drop what is deprecated (#6)"],
        ("breaks", "generate"): ["Drop what is deprecated (#6)"],
        ("changed", "--workers"): ["Use two workers (#5)"],
        ("new", "EngineArgs.eager"): ["Drop what is deprecated (#6)"],
    }
    assert [titles[one["sha"]] for one in guide["undone"]] == ["Add a fast way (#3)"]


def test_a_guide_is_a_page_a_tool_and_says_which_versions_there_are(
    upgraded: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["between", "v1.0", "v1.1", *upgraded.repo, "--lang", "zh"]) == 0
    page = capsys.readouterr().out
    assert "## 不再兼容 (4)" in page
    assert page.count("--fast") == 0
    assert main(["between", "v1.0", "v1.2", *upgraded.repo]) == 2
    assert "tags like it are v1.1, v1.0" in capsys.readouterr().err

    async def asked() -> str:
        tools = {tool.name: tool for tool in await open_tools("acme/engine", path=upgraded.folder)}
        return str(await tools["between"].ainvoke({"old": "v1.0", "new": "v1.1"}))

    answer = asyncio.run(asked())
    assert "changed: The default of the flag `--workers` changes from `1` to `2`." in answer
    assert "taken back:" in answer


def test_what_ones_own_code_uses_comes_first_and_nothing_else_is_marked(
    upgraded: Engine, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--date", "2026-02-09", *upgraded.repo, "--uses", str(mine), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {(one["name"], f"{one['file']}:{one['line']}") for one in report["uses"]} == {
        ("--swap-space", "run.sh:2"),
        ("--workers", "run.sh:2"),
        ("ENGINE_CACHE", "run.sh:3"),
        ("EngineArgs.swap_space", "app.py:5"),
        ("EngineArgs.swap_space", "run.sh:2"),
        ("generate(best_of)", "app.py:6"),
    }
    used = {one["sha"] for one in report["uses"]}
    rows = sorted(report["ledger"], key=lambda row: -row["weight"])
    assert {row["sha"] for row in rows[: len(used)]} == used
    assert {row["tier"] for row in rows[: len(used)]} == {"act on"}
    page = Path("gazette/reports/2026-02-09.md").read_text()
    marks = [line for line in page.splitlines() if line.startswith("**Your code uses this**")]
    assert "`run.sh:2`" in marks[0]
    assert len(marks) == len(used)
    assert main(["run", "--date", "2026-02-09", *upgraded.repo, "--uses", str(mine / "app.py")]) == 2


def test_a_week_joins_its_days_and_tells_what_came_and_went_once(
    upgraded: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--week", "2026-W07", *upgraded.repo, "--json"]) == 0
    week = json.loads(capsys.readouterr().out)
    titles = {f"{row['repo']}@{row['sha']}": row["title"] for row in week["ledger"]}
    assert len(week["ledger"]) == 5
    assert [titles[one["change"]] for one in week["came_and_went"]] == ["Add a fast way (#3)"]
    assert week["days"] == [f"2026-02-{day:02}" for day in range(9, 16)]
    page = Path("gazette/reports/2026-W07.md").read_text()
    assert page.count("Add a fast way") == 1
    assert "The flag `--swap-space` is removed." in page
    assert len(page.split()) < 1000
    assert main(["run", "--date", "2026-02-09", *upgraded.repo]) == 0
    assert "W07" not in capsys.readouterr().err
    assert main(["run", "--week", "2026-07", *upgraded.repo]) == 2
