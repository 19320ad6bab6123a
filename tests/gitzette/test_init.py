"""Setting up: the configuration that `init` writes, and what it leaves alone."""

import re
import subprocess
from pathlib import Path

import pytest

from agent.settings.values import Budget, RepoSpec, Settings, read_settings
from gitzette.cli import main
from gitzette.init import configuration, workflow

pytestmark = pytest.mark.usefixtures("corner")

FILE = Path("gitzette.toml")


def uncommented(text: str) -> str:
    """Take the comment signs from everything that is a key or a table."""
    return re.sub(r"(?m)^# (?=(?:\w+ = |\[))", "", text)


def test_without_a_terminal_nothing_is_asked_and_the_file_is_ready_to_fill(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    assert read_settings(FILE, {}) == Settings(tz="UTC", lang="en")
    told = capsys.readouterr()
    assert told.err == ""
    assert "wrote gitzette.toml" in told.out
    assert "Name your repositories in gitzette.toml" in told.out
    assert "gitzette doctor" in told.out
    assert sorted(file.name for file in Path.cwd().iterdir()) == ["gitzette.toml"]


def test_a_file_that_is_there_is_never_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    FILE.write_text("# mine\n")
    assert main(["init", "--repo", "a/b"]) == 2
    assert FILE.read_text() == "# mine\n"
    assert "already there and is left alone" in capsys.readouterr().err


def test_every_key_there_is_stands_in_the_file_and_can_be_uncommented() -> None:
    text = configuration([RepoSpec.model_validate("a/b")], "UTC", "en")
    for key in {*Settings.model_fields, *Budget.model_fields, *RepoSpec.model_fields} - {"token"}:
        assert re.search(rf"(?m)^(?:# )?(?:{key} = |\[+{key}\])", text), key
    FILE.write_text(uncommented(text))
    found = read_settings(FILE, {})
    # There is no limit of the cost by default, so the file can only show one.
    assert found.budget.model_copy(update={"model_cost": None}) == Budget()
    assert (found.repos[0].branch, found.repos[0].ignore_authors) == ("main", ("roll-up[bot]",))
    for key in ("source", "layout", "keep_days", "max_failed", "catch_up_days", "github_url", "git_url", "languages"):
        assert getattr(found, key) == getattr(Settings(), key), key


def test_an_odd_path_comes_back_as_it_was(tmp_path: Path) -> None:
    odd = RepoSpec.model_validate('a/b=/srv/"quoted"\\ 目录 \x7f\t$tz')
    FILE.write_text(configuration([odd], "UTC", "en"))
    assert read_settings(FILE, {}).repos == (odd,)


def test_in_a_checkout_its_own_repository_is_configured() -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://github.com/acme/engine.git"], check=True)
    assert main(["init"]) == 0
    (spec,) = read_settings(FILE, {}).repos
    assert (spec.name, spec.path) == ("acme/engine", Path())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--repo", "engine"], "write owner/name"),
        (["--repo", "a/b", "--repo", "A/B"], "named twice"),
        (["--tz", "Mars/Olympus"], "unknown time zone"),
        (["--workflow", "--repo", "a/b=../b"], "a runner of GitHub has no such path"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_written(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert not list(Path.cwd().iterdir())


def test_a_workflow_is_written_beside_an_existing_configuration_in_its_zone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    FILE.write_text('tz = "Asia/Shanghai"\nrepos = ["a/b"]\n')
    assert main(["init", "--workflow"]) == 0
    written = Path(".github/workflows/gitzette.yml")
    assert written.read_text() == workflow("Asia/Shanghai")
    written.write_text("# mine\n")
    assert main(["init", "--workflow"]) == 0
    assert written.read_text() == "# mine\n"
    assert "gitzette.yml is already there and is left alone" in capsys.readouterr().out
