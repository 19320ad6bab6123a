"""Setting up: the configuration that `init` writes, and what it leaves alone."""

import re
import subprocess
from pathlib import Path

import pytest

from agent.settings.read import read_settings
from agent.settings.values import Budget, RepoSpec, Settings
from gitzette.commands.init import configuration
from tests.gitzette.conftest import Command

FILE = Path("gitzette.toml")


def uncommented(text: str) -> str:
    """Take the comment signs from everything that is a key or a table."""
    return re.sub(r"(?m)^# (?=(?:\w+ = |\[))", "", text)


def test_without_a_terminal_nothing_is_asked_and_a_file_that_is_there_is_never_replaced(
    command: Command,
) -> None:
    result = command("init")
    assert (result.status, result.err) == (0, "")
    assert read_settings(FILE, {}) == Settings(tz="UTC", lang="en")
    assert "wrote gitzette.toml" in result.out
    assert "Name your repositories in gitzette.toml" in result.out
    assert sorted(file.name for file in Path.cwd().iterdir()) == ["gitzette.toml"]
    FILE.write_text("# mine\n")
    result = command("init", "--repo", "a/b")
    assert (result.status, FILE.read_text()) == (2, "# mine\n")
    assert "already there and is left alone" in result.err


@pytest.mark.usefixtures("corner")
def test_every_key_there_is_stands_in_the_file_and_can_be_uncommented() -> None:
    odd = RepoSpec.model_validate('a/b=/srv/"quoted"\\ 目录 \x7f\t$tz')
    FILE.write_text(configuration([odd], "UTC", "en"))
    assert read_settings(FILE, {}).repos == (odd,)
    text = configuration([RepoSpec.model_validate("a/b")], "UTC", "en")
    for key in {*Settings.model_fields, *Budget.model_fields, *RepoSpec.model_fields} - {"token"}:
        assert re.search(rf"(?m)^(?:# )?(?:{key} = |\[+{key}\])", text), key
    FILE.write_text(uncommented(text))
    settings = read_settings(FILE, {})
    # There is no limit of the cost by default, so the file can only show one.
    assert settings.budget.model_copy(update={"model_cost": None}) == Budget()
    assert (settings.repos[0].branch, settings.repos[0].ignore_authors) == (
        "main",
        ("roll-up[bot]",),
    )
    for key in (
        "source",
        "layout",
        "keep_days",
        "max_failed",
        "catch_up_days",
        "github_url",
        "git_url",
        "languages",
    ):
        assert getattr(settings, key) == getattr(Settings(), key), key


def test_a_mistake_is_told_and_nothing_is_written(command: Command) -> None:
    for arguments, says in (
        (["--repo", "a/b", "--repo", "A/B"], "named twice"),
        (["--workflow", "--repo", "a/b=../b"], "a runner of GitHub has no such path"),
    ):
        result = command("init", *arguments)
        assert (result.status, says in result.err) == (2, True)
        assert not list(Path.cwd().iterdir())


def test_in_a_checkout_its_own_repository_is_configured(command: Command) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://x/acme/engine.git"], check=True)
    assert command("init").status == 0
    (spec,) = read_settings(FILE, {}).repos
    # The path is relative, so that checkout and file can be moved together.
    assert (spec.name, spec.path) == ("acme/engine", Path())


def test_a_workflow_belongs_at_the_root_of_a_repository(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    Path("deep").mkdir()
    monkeypatch.chdir("deep")
    result = command("init", "--workflow")
    assert (result.status, result.err.count("\n")) == (2, 1)
    assert "at the root of a repository only" in result.err
    assert not list(Path.cwd().iterdir())


def test_a_workflow_is_written_beside_an_existing_configuration_in_its_zone(
    command: Command,
) -> None:
    FILE.write_text('tz = "Asia/Shanghai"\nrepos = ["a/b"]\n')
    assert command("init", "--workflow").status == 0
    written = Path(".github/workflows/gitzette.yml")
    assert 'GITZETTE_TZ: "Asia/Shanghai"' in written.read_text()
    written.write_text("# mine\n")
    assert "gitzette.yml is already there and is left alone" in command("init", "--workflow").out
    assert written.read_text() == "# mine\n"
