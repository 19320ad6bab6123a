"""What publishes Gitzette's work elsewhere: the workflow with Pages, and the container file."""

import json
import re
from pathlib import Path
from typing import Protocol

import pytest

from gitzette.cli import main
from gitzette.init import workflow

ROOT = Path(__file__).parents[2]


class Engine(Protocol):
    """The clone of the fixture."""

    @property
    def repo(self) -> list[str]: ...


PACKAGES = ("agent", "tools", "memory", "graphs", "evals", "gitzette")


def test_pages_are_deployed_by_a_job_that_may_do_only_that() -> None:
    text = workflow("UTC")
    report, pages = text.split("\n  pages:\n")
    assert "pages: write" not in report
    assert "contents: write" not in pages
    assert "${{ !cancelled() && needs.report.outputs.site == 'yes' }}" in pages
    assert "if: vars.GITZETTE_PAGES == 'true'" in report
    for action in re.findall(r"uses: (\S+)", text):
        assert re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", action)


def test_a_workflow_installs_the_commit_that_wrote_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tmp_path / "gitzette-7.8.9.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.4\nName: gitzette\nVersion: 7.8.9\n")
    told = {"url": "https://git.example/gitzette.git", "vcs_info": {"vcs": "git", "commit_id": "a" * 40}}
    (installed / "direct_url.json").write_text(json.dumps(told))
    monkeypatch.syspath_prepend(tmp_path)
    assert f'  PACKAGE: "git+https://git.example/gitzette.git@{"a" * 40}"\n' in workflow("UTC")


def test_a_workflow_never_installs_by_a_bare_name() -> None:
    assert re.search(r'  PACKAGE: "(git\+https://.*@[0-9a-f]{40})?"\n', workflow("UTC"))


def test_no_input_of_anybody_is_pasted_into_a_script() -> None:
    for script in re.findall(r"run: \|\n((?: {10}.*\n|\n)+)", workflow("UTC")):
        assert "${{" not in script


@pytest.mark.usefixtures("corner")
def test_the_command_of_the_workflow_builds_a_site_elsewhere(engine: Engine, tmp_path: Path) -> None:
    assert main(["run", "--date", "2026-02-04", *engine.repo]) == 0
    command = re.search(r"gitzette (site --to) \"\$RUNNER_TEMP/site\"", workflow("UTC"))
    assert command is not None
    assert main([*command[1].split(), str(tmp_path / "site")]) == 0
    assert (tmp_path / "site" / "index.html").exists()


def test_the_container_has_every_package_and_runs_as_nobody_special() -> None:
    text = (ROOT / "Containerfile").read_text()
    ignored = (ROOT / ".containerignore").read_text().splitlines()
    for package in PACKAGES:
        assert f"COPY {package} {package}\n" in text
        assert f"!{package}" in ignored
    for name in re.findall(r"(?m)^COPY ((?:[\w.]+ )+)\.", text):
        assert all((ROOT / file).exists() for file in name.split())
    assert "--require-hashes" in text
    assert text.index("USER gitzette") < text.index("ENTRYPOINT")
