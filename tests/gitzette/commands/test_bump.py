"""`bump`: a pull request that bumps a dependency, from the lock file to the comment."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from evals.github_server.app import GitHubServer
from evals.github_server.rest import ACTIONS_BOT
from evals.worlds.data_model import Pull, Repo, WorldComment
from tests.gitzette.conftest import Command, CommandResult
from tests.made_repos import Work

ROOT = Path(__file__).parents[3]
AT = datetime(2026, 2, 4, tzinfo=UTC)
PROJECT = '[project]\nname = "Paint-Box"\nversion = "{}"\n'
OLD_CANVAS = """\
import os

MODE = os.environ.get("PAINT_MODE", "fast")


class Canvas:
    def line(self, start, end, width=1):
        return start


def blend(first, second, gamma=2.2):
    return first


def dither(image):
    return image
"""
NEW_CANVAS = """\
class Canvas:
    def line(self, start, end, *, colour):
        return start


def blend(first, second):
    return first
"""
OWN = """\
import paint
from paint import dither
from paint.canvas import Canvas, blend as mix

canvas = Canvas()
canvas.line((0, 0), (1, 1))
mix(1, 2, gamma=2.4)
mix(1, 2)
try:
    from paint.canvas import dither as also
except ImportError:
    also = None
"""
CONFIGURATION = '[bump]\nregistries = false\n[bump.packages]\n"pypi:paint-box" = "ada/paint"\n'


@dataclass
class Project:
    """A repository with a pull request that bumps a package, and where the package comes from."""

    own_work: Work
    package: Work
    base: str
    tip: str

    def repos(self, comments: tuple[WorldComment, ...] = ()) -> list[Repo]:
        pull = Pull(
            number=7,
            title="Bump paint-box",
            body="",
            author="dependabot[bot]",
            created_at=AT,
            updated_at=AT,
            base_sha=self.base,
            head_ref="bump",
            head_sha=self.tip,
            comments=comments,
        )
        return [
            Repo(1, "bob", "own", "main", self.own_work.path / ".git", pulls=(pull,)),
            Repo(2, "ada", "paint", "main", self.package.path / ".git"),
        ]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    package = Work(tmp_path / "paint")
    exports = "from .canvas import Canvas, blend"
    package.commit(
        "Release 1.0",
        {
            "pyproject.toml": PROJECT.format("1.0"),
            "src/paint/__init__.py": f"{exports}, dither\n",
            "src/paint/canvas.py": OLD_CANVAS,
        },
    )
    package.git("tag", "v1.0")
    package.commit(
        "Release 2.0",
        {
            "pyproject.toml": PROJECT.format("2.0"),
            "src/paint/__init__.py": f"{exports}\n",
            "src/paint/canvas.py": NEW_CANVAS,
        },
    )
    package.git("tag", "v2.0")
    own_work = Work(tmp_path / "own")
    base = own_work.commit(
        "Begin",
        {
            "gitzette.toml": CONFIGURATION,
            "requirements.txt": "paint-box==1.0\n",
            "app/__init__.py": "",
            "app/draw.py": OWN,
        },
    )
    tip = own_work.commit("Bump something harmless", {"requirements.txt": "paint-box==2.0\n"})
    return Project(own_work, package, base, tip)


@pytest.fixture
def bump(project: Project, command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `bump` on the project; the package is read from its clone."""
    monkeypatch.setenv("GITHUB_REPOSITORY", "bob/own")

    def run(*options: str, span: str = "") -> CommandResult:
        span = span or f"{project.base}..{project.tip}"
        clones = ["--repo", f"ada/paint={project.package.path}"]
        return command("bump", span, "--checkout", str(project.own_work.path), *clones, *options)

    return run


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which GitHub Actions takes the summary of a step."""
    file = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    return file


def serve(server: GitHubServer, monkeypatch: pytest.MonkeyPatch, token: str = "t0ken") -> None:
    monkeypatch.setenv("GITZETTE_GITHUB_URL", server.url)
    monkeypatch.setenv("GITZETTE_GIT_URL", server.git_url)
    monkeypatch.setenv("GITZETTE_WEB_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_TOKEN", token)


def comments_of(server: GitHubServer, number: int = 7) -> list[dict[str, Any]]:
    """Return all comments of a pull request, as anybody sees them."""
    listed: list[dict[str, Any]] = []
    for page in range(1, 10):
        address = f"{server.url}/repos/bob/own/issues/{number}/comments?per_page=100&page={page}"
        with urllib.request.urlopen(address) as answer:
            listed += json.load(answer)
    return listed


def test_the_lines_that_fail_stand_first_with_a_permanent_link(
    bump: Command, project: Project
) -> None:
    result = bump()
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0] == "### 3 lines of your code fail with the new versions of 1 dependency"
    link = f"https://github.com/bob/own/blob/{project.tip}/app/draw.py#L"
    assert lines[2].startswith(f"- **[`app/draw.py:2`]({link}2)** `paint.dither` is gone")
    assert (
        f"[`app/draw.py:6`]({link}6)** `paint.canvas.Canvas.line`: it needs `colour`" in result.out
    )
    assert (
        f"[`app/draw.py:7`]({link}7)** `paint.canvas.blend`: it does not take `gamma`" in result.out
    )
    assert "app/draw.py:8" not in result.out
    assert "**you use this**: 3 lines fail" in result.out


def test_a_line_of_an_annotated_object_may_fail(bump: Command, project: Project) -> None:
    own_code = "from paint import Canvas\n\ndef draw(canvas: Canvas):\n    canvas.line(1, 2)\n"
    project.own_work.git("checkout", "-q", "-B", "main", project.base)
    base = project.own_work.commit("Annotate", {"app/draw.py": own_code})
    tip = project.own_work.commit("Bump", {"requirements.txt": "paint-box==2.0\n"})
    result = bump("--fail-on", "used-breaking", span=f"{base}..{tip}")
    assert result.status == 0
    assert "1 line of your code may fail with the new versions" in result.out
    assert re.search(r"- \[`app/draw.py:4`\]\(\S+\) may fail: .* it needs `colour`", result.out)
    assert "**you use this**: 1 line may fail |" in result.out


def test_a_line_whose_failure_is_caught_does_not_fail(bump: Command) -> None:
    (outcome,) = bump("--format", "json").data["outcomes"]
    guarded = [use for use in outcome["uses"] if use["is_guarded"]]
    assert [(use["line"], use["name"]) for use in guarded] == [(10, "paint.canvas.dither")]
    assert "10" not in "".join(bump("--format", "github").out.split("line=")[1:])


def test_both_commits_and_the_reason_for_the_repository_are_told(
    bump: Command, project: Project
) -> None:
    out = bump().out
    old = project.package.git("rev-parse", "v1.0")
    new = project.package.git("rev-parse", "v2.0")
    assert f"https://github.com/ada/paint/commit/{old}" in out
    assert f"https://github.com/ada/paint/commit/{new}" in out
    assert "(configured)" in out
    assert "imported as `paint`" in out


def test_a_variable_that_is_no_longer_read_concerns_who_sets_it(
    bump: Command, project: Project
) -> None:
    files = {
        "run.sh": "# starts paint\nexport PAINT_MODE=slow\n",
        "app/mode.py": 'import os\n\nimport paint\n\nmode = os.environ.get("PAINT_MODE")\n',
    }
    project.own_work.git("checkout", "-q", "-B", "main", project.base)
    base = project.own_work.commit("Set", files)
    tip = project.own_work.commit("Bump", {"requirements.txt": "paint-box==2.0\n"})
    (outcome,) = bump("--format", "json", span=f"{base}..{tip}").data["outcomes"]
    changed = [(use["file"], use["line"]) for use in outcome["uses"] if use["effect"] == "changed"]
    assert changed == [("run.sh", 2)]


def test_what_names_cannot_show_is_said(bump: Command) -> None:
    out = bump().out
    assert "a change of behaviour without a changed name" in out
    assert "safe" not in out.lower()


def test_no_use_is_told_with_the_number_of_names_and_files(bump: Command, project: Project) -> None:
    project.own_work.git("checkout", "-q", project.base)
    project.own_work.git("rm", "-q", "app/draw.py")
    project.own_work.git("checkout", "-q", "-B", "main")
    base = project.own_work.commit("Draw nothing")
    tip = project.own_work.commit("Bump", {"requirements.txt": "paint-box==2.0\n"})
    out = bump(span=f"{base}..{tip}").out
    assert re.search(
        r"no use found of the \d+ changed names, in 3 files, none of which imports", out
    )


def test_an_input_of_an_action_that_is_gone_is_told_at_the_line_that_gives_it(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "bob/own")
    action = Work(tmp_path / "action")
    old = action.commit("One", {"action.yml": "inputs:\n  colour:\n    required: false\n"})
    new = action.commit("Two", {"action.yml": "inputs:\n  shade:\n    required: true\n"})
    own_work = Work(tmp_path / "own")
    step = "steps:\n  - uses: ada/paint@{}\n    with:\n      colour: red\n"
    base = own_work.commit("Begin", {".github/workflows/ci.yml": step.format(old)})
    tip = own_work.commit("Bump", {".github/workflows/ci.yml": step.format(new)})
    options = ["--checkout", str(own_work.path), "--repo", f"ada/paint={action.path}"]
    result = command("bump", f"{base}..{tip}", *options, "--fail-on", "used-breaking")
    assert result.status == 0
    assert "`.github/workflows/ci.yml:4`" in result.out
    assert "the input `colour` is gone; GitHub warns and ignores it" in result.out


def test_what_changed_of_an_action_is_told_with_the_steps_that_lack_an_input(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "bob/own")
    action = Work(tmp_path / "action")
    declared = (
        "inputs:\n  size:\n    default: {}\n{}outputs:\n  {}:\n    value: 1\nruns:\n  using: {}\n"
    )
    needed = "  shade:\n    required: true\n"
    old = action.commit("One", {"action.yml": declared.format("1", "", "path", "node16")})
    new = action.commit("Two", {"action.yml": declared.format("2", needed, "file", "node24")})
    own_work = Work(tmp_path / "own")
    steps = (
        "steps:\n  - uses: ada/paint@{0}\n  - uses: ada/paint@{0}\n    with:\n      shade: red\n"
    )
    base = own_work.commit("Begin", {".github/workflows/ci.yml": steps.format(old)})
    tip = own_work.commit("Bump", {".github/workflows/ci.yml": steps.format(new)})
    options = ["--checkout", str(own_work.path), "--repo", f"ada/paint={action.path}"]
    (outcome,) = command("bump", f"{base}..{tip}", *options, "--format", "json").data["outcomes"]
    assert outcome["breaking_changes"] == [
        "It runs with `node24` instead of `node16`.",
        "The default of the input `size` is `2` instead of `1`.",
        "The input `shade` is required now.",
        "The output `path` is gone.",
    ]
    (use,) = outcome["uses"]
    assert (use["line"], use["is_certain"]) == (2, False)
    assert use["text"] == "the input `shade` is required now, and this step does not give it"


def test_fail_on_used_breaking_ends_with_status_3(bump: Command, project: Project) -> None:
    assert bump("--fail-on", "used-breaking").status == 3
    tip = project.own_work.commit(
        "Mend", {"app/draw.py": "from paint import blend\n\nblend(1, 2)\n"}
    )
    assert bump("--fail-on", "used-breaking", span=f"{project.base}..{tip}").status == 0


def test_a_call_that_came_with_the_bump_is_written_for_the_new_version(
    bump: Command, project: Project
) -> None:
    mended = "from paint import Canvas\n\nCanvas().line(1, 2, colour=3)\n"
    tip = project.own_work.commit("Mend", {"app/draw.py": mended})
    (outcome,) = bump("--format", "json", span=f"{project.base}..{tip}").data["outcomes"]
    assert outcome["uses"] == []


def test_annotations_are_for_lines_that_fail_alone(bump: Command) -> None:
    lines = bump("--format", "github").out.splitlines()
    assert [line.split("::")[1].split(",title")[0] for line in lines] == [
        "error file=app/draw.py,line=2",
        "error file=app/draw.py,line=6",
        "error file=app/draw.py,line=7",
    ]


@pytest.mark.parametrize(
    "arguments",
    [["--comment"], ["nothing..here"], ["no-range"], ["--fail-on", "everything"], ["--uses", "/"]],
)
def test_wrong_use_is_status_2(arguments: list[str], project: Project, command: Command) -> None:
    try:
        result = command("bump", *arguments, "--checkout", str(project.own_work.path))
        status = result.status
    except SystemExit as ended:
        status = int(ended.code or 0)
    assert status == 2


def test_the_configuration_of_the_pull_request_itself_decides_nothing(
    bump: Command, project: Project
) -> None:
    hostile = CONFIGURATION.replace("ada/paint", "mallory/paint")
    tip = project.own_work.commit(
        "Bump", {"gitzette.toml": f'github_url = "http://evil"\n{hostile}'}
    )
    (outcome,) = bump("--format", "json", span=f"{project.base}..{tip}").data["outcomes"]
    assert outcome["mapping"]["repo"] == "ada/paint"


def test_one_comment_is_created_then_updated_and_the_summary_is_written(
    bump: Command, project: Project, summary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = tuple(WorldComment(number, "eve", f"talk {number}", AT) for number in range(1, 251))
    with GitHubServer(project.repos(others)) as server:
        serve(server, monkeypatch)
        assert bump("--pr", "7", "--comment").status == 0
        first = comments_of(server)
        tip = project.own_work.commit("Mend", {"app/draw.py": "import paint\n"})
        result = bump("--pr", "7", "--comment", span=f"{project.base}..{tip}")
        second = comments_of(server)
    assert "the comment of #7 is updated" in result.err
    assert len(first) == len(second) == 251
    assert "3 lines of your code fail" in first[-1]["body"]
    assert "fail with" not in second[-1]["body"]
    assert first[-1]["user"]["login"] == ACTIONS_BOT
    assert summary.read_text("utf-8").count("### ") == 2


def test_the_marker_in_the_comment_of_somebody_else_is_not_ours(
    bump: Command, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = WorldComment(1, "eve", "<!-- gitzette-bump bob/own -->\nAll is well.", AT)
    with GitHubServer(project.repos((forged,))) as server:
        serve(server, monkeypatch)
        bump("--pr", "7", "--comment")
        comments = comments_of(server)
    assert [comment["user"]["login"] for comment in comments] == ["eve", ACTIONS_BOT]
    assert comments[0]["body"] == forged.body


def test_a_pull_request_that_bumps_nothing_gets_no_comment(
    bump: Command, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip = project.own_work.commit("Write", {"README.md": "Words.\n"})
    with GitHubServer(project.repos()) as server:
        serve(server, monkeypatch)
        result = bump("--pr", "7", "--comment", span=f"{project.tip}..{tip}")
        assert comments_of(server) == []
    assert "the comment of #7 is not needed" in result.err


@pytest.mark.parametrize("token", ["reading-t0ken", "unknown-t0ken"])
def test_a_token_that_may_not_write_gets_the_summary_alone(
    token: str, bump: Command, project: Project, summary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with GitHubServer(project.repos()) as server:
        serve(server, monkeypatch, token)
        result = bump("--pr", "7", "--comment")
        assert comments_of(server) == []
    assert result.status == 0
    assert "no comment was written" in result.err
    assert "3 lines of your code fail" in summary.read_text("utf-8")


def test_the_commits_of_a_pull_request_are_asked_for(
    command: Command, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with GitHubServer(project.repos()) as server:
        serve(server, monkeypatch)
        monkeypatch.setenv("GITHUB_REPOSITORY", "bob/own")
        checkout = ["--checkout", str(project.own_work.path)]
        result = command("bump", "--pr", "7", *checkout, "--format", "json")
    assert (result.data["base"], result.data["tip"]) == (project.base, project.tip)
    assert result.data["outcomes"][0]["mapping"]["repo"] == "ada/paint"


def test_the_action_comments_once_and_updates_it_on_the_second_push(
    project: Project, tmp_path: Path
) -> None:
    runner = Runner(tmp_path / "runner", project)
    with GitHubServer(project.repos()) as server:
        runner.run(server, project.tip)
        first = comments_of(server)
        tip = project.own_work.commit("Mend", {"app/draw.py": "import paint\n"})
        runner.run(server, tip)
        second = comments_of(server)
    assert len(first) == len(second) == 1
    assert first[0]["id"] == second[0]["id"]
    assert first[0]["body"] != second[0]["body"]
    assert runner.summary.read_text("utf-8").count("### ") == 2


@pytest.mark.heavy  # The command has the same test with this token, without the action
def test_the_action_writes_the_summary_alone_for_a_fork(project: Project, tmp_path: Path) -> None:
    runner = Runner(tmp_path / "runner", project)
    with GitHubServer(project.repos()) as server:
        # GitHub gives workflows of forks a token that only reads.
        runner.run(server, project.tip, token="reading-t0ken")
        assert comments_of(server) == []
    assert "3 lines of your code fail" in runner.summary.read_text("utf-8")


def test_the_action_reads_pull_requests_of_the_authors_it_is_told(
    project: Project, tmp_path: Path
) -> None:
    runner = Runner(tmp_path / "runner", project)
    assert runner.wants("dependabot[bot]", "dependabot[bot] renovate[bot]")
    assert not runner.wants("mallory", "dependabot[bot] renovate[bot]")
    assert not runner.wants("$(touch x)", "a b")
    assert runner.wants("anybody", "")


def test_the_action_leaves_no_token_in_the_checkout_and_runs_outside_of_it() -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"]["steps"]
    checkout = next(step for step in steps if "checkout" in step.get("uses", ""))
    assert checkout["with"]["persist-credentials"] is False
    assert steps[-1]["working-directory"] == "${{ runner.temp }}"
    # What a pull request may choose reaches a shell through variables alone.
    assert not [step["run"] for step in steps if "${{" in step.get("run", "")]
    script = (ROOT / "action" / "run.sh").read_text("utf-8")
    assert "--no-config --isolated" in script


class Runner:
    """The steps of action.yml, as a runner of GitHub Actions starts them."""

    def __init__(self, folder: Path, project: Project) -> None:
        folder.mkdir()
        self.folder = folder
        self.project = project
        self.summary = folder / "summary.md"
        self.output = folder / "output"
        self.action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
        # Stands in for uvx, which would fetch packages: the same program, from this source.
        uvx = folder / "bin" / "uvx"
        uvx.parent.mkdir()
        uvx.write_text(
            "#!/bin/bash\n"
            'while [[ "$1" != gitzette ]]; do shift; done; shift\n'
            f'exec {sys.executable} -P -m gitzette "$@"\n'
        )
        uvx.chmod(0o755)

    def _step(self, index: int, environ: dict[str, str]) -> None:
        step = self.action["runs"]["steps"][index]
        inherited = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        search_path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        subprocess.run(
            ["bash", "-c", step["run"]],
            cwd=self.folder,
            env=inherited
            | {"PATH": search_path, "PYTHONPATH": str(ROOT), "GITHUB_ACTION_PATH": str(ROOT)}
            | {"GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_OUTPUT": str(self.output)}
            | {"RUNNER_TEMP": str(self.folder), "GITHUB_REPOSITORY": "bob/own"}
            | environ,
            check=True,
        )

    def wants(self, author: str, authors: str) -> bool:
        self.output.unlink(missing_ok=True)
        self._step(0, {"AUTHOR": author, "AUTHORS": authors})
        return self.output.read_text() == "wanted=true\n"

    def run(self, server: GitHubServer, tip: str, token: str = "t0ken") -> None:
        environ = {
            "GITHUB_TOKEN": token,
            "GITZETTE_HOME": str(self.folder / "home"),
            "GITZETTE_GITHUB_URL": server.url,
            "GITZETTE_GIT_URL": server.git_url,
            "GITZETTE_WEB_URL": "https://github.com",
            "BASE": self.project.base,
            "TIP": tip,
            "NUMBER": "7",
            "CHECKOUT": str(self.project.own_work.path),
            "USES": "",
            "FAIL_ON": "",
            "COMMENT": "true",
        }
        assert set(self.action["runs"]["steps"][-1]["env"]) == set(environ)
        self._step(-1, environ)
