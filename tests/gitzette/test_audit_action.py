"""The action that audits the reports of a pull request, whose files are hostile input."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from evals.github_server.app import GitHubServer
from evals.worlds.data_model import Repo
from tests.made_repos import Work

ROOT = Path(__file__).parents[2]


@dataclass
class Action:
    """The step of the action, with a repository that GitHub serves."""

    folder: Path
    engine: Work

    @property
    def checkout(self) -> Path:
        """The checkout of the pull request."""
        return self.folder / "checkout"

    def run(self, files: str) -> subprocess.CompletedProcess[str]:
        """Run the script of the action."""
        repo = Repo(1, "acme", "engine", "main", self.engine.path / ".git")
        inherited = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        with GitHubServer([repo]) as server:
            environ = {
                "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
                "PYTHONPATH": str(ROOT),
                "GITHUB_ACTION_PATH": str(ROOT / "action" / "audit"),
                "GITHUB_WORKSPACE": str(self.checkout),
                "RUNNER_TEMP": str(self.folder),
                "GITZETTE_HOME": str(self.folder / "home"),
                "GITZETTE_GITHUB_URL": server.url,
                "GITZETTE_GIT_URL": server.git_url,
                "GITZETTE_WEB_URL": "https://github.com",
                "GITHUB_TOKEN": "t0ken",
                "FILES": files,
                "REPOSITORIES": "acme/engine",
                "FAIL_ON": "wrong",
            }
            script = str(ROOT / "action" / "audit" / "audit.sh")
            return subprocess.run(
                ["bash", script],
                cwd=self.checkout,
                env=inherited | environ,
                capture_output=True,
                text=True,
                check=False,
            )


@pytest.fixture
def action(tmp_path: Path) -> Action:
    (tmp_path / "checkout" / "reports").mkdir(parents=True)
    uvx = tmp_path / "bin" / "uvx"
    uvx.parent.mkdir()
    uvx.write_text(
        "#!/bin/bash\n"
        'while [[ "$1" != gitzette ]]; do shift; done; shift\n'
        f'exec {sys.executable} -P -m gitzette "$@"\n'
    )
    uvx.chmod(0o755)
    engine = Work(tmp_path / "engine")
    engine.commit("Begin", {"core.py": ""})
    return Action(tmp_path, engine)


def test_a_dead_hash_is_wrong_in_its_line_whatever_the_checkout_configures(action: Action) -> None:
    (action.checkout / "gitzette.toml").write_text('analyst = "model"\nnonsense = 1\n')
    sha = action.engine.git("rev-parse", "HEAD")
    report = action.checkout / "reports" / "day.md"
    report.write_text(f"# acme/engine\n\n- Begin ({sha[:10]})\n- Lost (abc1234def)\n")
    ended = action.run("reports/*.md")
    assert ended.returncode == 3
    (line,) = ended.stdout.splitlines()
    assert line.startswith("::error file=reports/day.md,line=4,title=References to nothing::")
    assert "nonsense" not in ended.stderr


@pytest.mark.parametrize("name", ["link.md", "linked/x.md", "../engine/core.py", "gitzette.toml"])
def test_what_is_no_file_of_the_checkout_is_refused(action: Action, name: str) -> None:
    secret = action.folder / "secret"
    secret.mkdir()
    (secret / "x.md").write_text("# secret\n")
    (action.checkout / "link.md").symlink_to(secret / "x.md")
    (action.checkout / "linked").symlink_to(secret)
    (action.checkout / "gitzette.toml").write_text("")
    ended = action.run(name)
    assert ended.returncode == 2
    assert "secret" not in ended.stdout.replace(name, "")
