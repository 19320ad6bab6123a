"""Every command of the README can be typed as it stands there."""

import re
import shlex
from pathlib import Path

import pytest

from gitzette.cli import command_parser

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
BETWEEN_COMMANDS = ("&&", "||", "|", ";", ">")


def shell_commands() -> list[list[str]]:
    """Return the commands of all shell examples, each as its words."""
    commands: list[list[str]] = []
    for block in BLOCK.findall((ROOT / "README.md").read_text("utf-8")):
        for line in block.splitlines():
            words: list[str] = []
            for word in [*shlex.split(line, comments=True), "&&"]:
                if word not in BETWEEN_COMMANDS:
                    words.append(word)
                elif words:
                    commands.append(words)
                    words = []
    return commands


def own_commands() -> list[list[str]]:
    """Return the arguments of each call of Gitzette, however it is started."""
    calls = []
    for words in shell_commands():
        for position, word in enumerate(words):
            if word in ("gitzette", "./scripts/gitzette"):
                calls.append(words[position + 1 :])
                break
    return calls


@pytest.mark.parametrize("arguments", own_commands(), ids=" ".join)
def test_a_command_of_the_readme_is_one_that_there_is(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        args = command_parser().parse_args(arguments)
    except SystemExit:
        pytest.fail(capsys.readouterr().err)
    assert args.target is not None


def test_the_readme_names_only_scripts_that_there_are_and_installs_nothing_but_the_clone() -> None:
    assert len(own_commands()) > 20
    ways = {
        ("uvx", "--from", "."),
        ("pipx", "run", "--spec", "."),
        ("uv", "tool", "install", "."),
    }
    seen = set()
    for words in shell_commands():
        if words[0].startswith("./"):
            assert (ROOT / words[0]).is_file(), words
        # No name of a package index, which somebody else may own.
        if words[0] in ("uv", "uvx", "pip", "pipx"):
            (way,) = (way for way in ways if tuple(words[: len(way)]) == way)
            seen.add(way)
    assert seen == ways
