"""Looking something up: a commit or a version is found in whichever configured repository has it."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.gitzette.conftest import Command, Engine

NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)


@pytest.fixture
def clones(tmp_path: Path, corner: Path) -> dict[str, Engine]:
    """Two configured clones; each has two versions, and both have a tag `stable`."""
    del corner
    engines = {}
    for number, name in enumerate(("router", "server")):
        engine = Engine.made(tmp_path / name)
        for version in (1, 2):
            when = NOON + timedelta(days=version, minutes=number)
            engine.commit(f"Raise LIMIT of {name} to {version}", when, limits=limits(version))
            git(engine, "tag", f"{name}-{version}.0")
        git(engine, "tag", "stable", "HEAD~1")
        engines[f"acme/{name}"] = engine
    lines = [f'"{name}={engine.folder}"' for name, engine in engines.items()]
    Path("gitzette.toml").write_text(f"repos = [{', '.join(lines)}]\n")
    return engines


def limits(version: int) -> str:
    return f'import os\n\nLIMIT = os.environ.get("ACME_LIMIT", "{version}")\n'


def git(engine: Engine, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(engine.folder), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_a_commit_is_found_in_the_configured_repository_that_has_it(
    clones: dict[str, Engine], command: Command
) -> None:
    for name, engine in clones.items():
        sha = git(engine, "rev-parse", "HEAD")
        result = command("facts", sha[:10], "--json")
        assert (result.status, result.data["repo"], result.data["sha"]) == (0, name, sha)
        assert [fact["name"] for fact in result.data["facts"]] == ["ACME_LIMIT"]
        # The path comes from the configuration.
        assert command("facts", sha[:10], "--repo", name, "--json").data == result.data


def test_an_address_names_its_repository_itself(
    clones: dict[str, Engine], command: Command
) -> None:
    sha = git(clones["acme/server"], "rev-parse", "HEAD")
    result = command("facts", f"https://github.com/acme/server/commit/{sha}", "--json")
    assert (result.status, result.data["repo"]) == (0, "acme/server")
    result = command("facts", f"acme/router@{sha}")
    assert (result.status, result.out) == (1, "")
    assert result.err == f"gitzette: acme/router has no commit {sha}\n"


@pytest.mark.usefixtures("clones")
def test_versions_are_compared_in_the_configured_repository_that_has_both(
    command: Command,
) -> None:
    result = command("between", "server-1.0", "server-2.0", "--json")
    assert (result.status, result.data["repo"]) == (0, "acme/server")


@pytest.mark.usefixtures("clones")
def test_a_version_of_several_repositories_is_not_guessed(command: Command) -> None:
    result = command("between", "stable", "2026-02-07")
    assert (result.status, result.out) == (2, "")
    assert result.err == (
        "gitzette: acme/router and acme/server both have 'stable' and '2026-02-07'; "
        "choose one with --repo\n"
    )
    assert command("between", "stable", "2026-02-07", "--repo", "acme/router").status == 0


@pytest.mark.usefixtures("clones")
def test_what_no_configured_repository_has_is_said_once_for_all_of_them(command: Command) -> None:
    result = command("between", "router-1.0", "server-2.0")
    assert (result.status, result.err.count("\n")) == (2, 1)
    assert "none of acme/router and acme/server has 'router-1.0' and 'server-2.0'" in result.err
    result = command("facts", "0" * 12)
    assert (result.status, result.err.count("\n")) == (2, 1)
    assert "none of acme/router and acme/server has '000000000000'" in result.err


def test_a_repository_that_cannot_be_read_is_named_and_the_others_are_searched(
    clones: dict[str, Engine], command: Command
) -> None:
    text = Path("gitzette.toml").read_text()
    router = clones["acme/router"].folder
    Path("gitzette.toml").write_text(text.replace(str(router), "/nowhere"))
    sha = git(clones["acme/server"], "rev-parse", "HEAD")
    result = command("facts", sha, "--json")
    assert (result.status, result.data["repo"]) == (0, "acme/server")
    assert "acme/router: /nowhere does not exist" in result.err
    result = command("facts", "0" * 12)
    assert (result.status, result.err.count("\n")) == (1, 2)
    assert "acme/router: /nowhere does not exist" in result.err
    assert "acme/server has no commit 000000000000" in result.err
