"""What the command line finds out about the checkout that somebody stands in."""

import subprocess
from pathlib import Path

import pytest

from agent.domain.evidence_id import EvidenceId
from gitzette.settings_from_arguments import checkout_here, git_output
from tests.made_repos import Work


def checkout(folder: Path, address: str) -> Work:
    work = Work(folder)
    work.commit("Begin")
    work.git("remote", "add", "origin", address)
    return work


def test_a_checkout_is_named_by_its_own_origin_whatever_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = checkout(tmp_path / "engine", "https://github.com/acme/engine.git")
    other = checkout(tmp_path / "other", "https://github.com/acme/other.git")
    settings = tmp_path / "gitconfig"
    settings.write_text('[url "https://mirror.example/"]\n\tinsteadOf = https://github.com/\n')
    # As git sets it for hooks, and as a user may have set it.
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    assert checkout_here(engine.path).name == "acme/engine"
    origin = git_output(engine.path, "remote", "get-url", "origin")
    assert origin == "https://github.com/acme/engine.git"


def test_a_linked_worktree_is_named_by_the_origin_of_its_repository(tmp_path: Path) -> None:
    engine = checkout(tmp_path / "engine", "https://github.com/acme/engine.git")
    engine.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert checkout_here(tmp_path / "linked").name == "acme/engine"


def test_a_checkout_in_a_folder_with_a_very_long_name_has_commits_that_can_be_cited(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ("long-name-" * 20)
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    spec = checkout_here(folder)
    assert EvidenceId.commit(spec.name, "0" * 40).repo == spec.name
