"""What several doors need: a small clone with a known history, axe for pages in a browser, reports full of malice."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from agent.domain.report import Failure, ReleaseLine, Report
from agent.domain.window import Window
from agent.ports import Progress
from agent.reports.report_json import to_json
from agent.settings.values import Budget, RepoSpec, Settings
from evals.github_server.app import GitHubServer
from evals.worlds.data_model import World
from gitzette.cli import main
from gitzette.day_run import RunOutcome, run_day
from gitzette.terminal_output import QuietProgress
from tests.built_once import built_once, built_world
from tests.made_reports import made_day
from tests.made_repos import Work

# What is no text: moments, and what comes from closed lists; a report with another kind is no report.
_MOMENTS = {"start", "end", "tz", "cutoff", "landed_at", "at", "published_at"}
_CLOSED = {
    *(
        "depth",
        "tier",
        "rules_tier",
        "edited_by",
        "noise",
        "purpose",
        "event",
        "standing",
        "relation",
        "grade",
        "kind",
        "act",
        "role",
    ),
    *("coverage", "verdict", "stage"),
}
_NAMES = {
    "repo",
    "repos",
    "sha",
    "cite",
    "cites",
    "about",
    "steps",
    "news",
    "issue",
    "change",
    "tip",
    "id",
}


@dataclass(frozen=True)
class Engine:
    """A clone, and how it is given on the command line."""

    folder: Path

    @classmethod
    def made(cls, folder: Path) -> "Engine":
        """Make an empty one."""
        Work(folder)
        return cls(folder)

    @property
    def repo(self) -> list[str]:
        """The option that names it."""
        return ["--repo", f"acme/engine={self.folder}"]

    def cloned(self, folder: Path) -> "Engine":
        """Clone it to another folder."""
        subprocess.run(["git", "clone", "-q", str(self.folder), str(folder)], check=True)
        return Engine(folder)

    def commit(
        self, subject: str, when: datetime, author: str = "Ada", email: str = "", **files: str
    ) -> str:
        """Commit some files at a moment, and return the hash."""
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text)
        moment = when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        env = {}
        for role in ("AUTHOR", "COMMITTER"):
            env[f"GIT_{role}_NAME"] = author
            env[f"GIT_{role}_EMAIL"] = email or f"{author.lower()}@example.org"
            env[f"GIT_{role}_DATE"] = moment
        work = Work(self.folder)
        work.git("add", ".", env=env)
        work.git("commit", "-qm", subject, env=env)
        return work.head()


@pytest.fixture(scope="session")
def _engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    engine = Engine.made(tmp_path_factory.mktemp("template") / "engine")
    engine.commit("Add the router", datetime(2026, 2, 1, 9, tzinfo=UTC), router="MAX_ROUTES = 8\n")
    engine.commit(
        "Raise the limit of routes (#7)",
        datetime(2026, 2, 3, 9, tzinfo=UTC),
        router="MAX_ROUTES = 22\n",
    )
    engine.commit(
        "Lower the limit of routes (#9)",
        datetime(2026, 2, 4, 9, tzinfo=UTC),
        "Grace",
        router="MAX_ROUTES = 12\n",
    )
    engine.commit(
        "Tell the time", datetime.now(UTC) - timedelta(days=2), clock="def now() -> int: ...\n"
    )
    return engine.folder


@pytest.fixture
def engine(_engine: Path, tmp_path: Path) -> Engine:
    """A clone in which a limit is raised and lowered again in February, and something happened two days ago."""
    return Engine(Path(shutil.copytree(_engine, tmp_path / "engine")))


@pytest.fixture(scope="session")
def demo_world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The smallest written world of the evaluations."""
    return built_world(tmp_path_factory, "demo")


@dataclass(frozen=True)
class CommandResult:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What it said as data."""
        return json.loads(self.out)


Command = Callable[..., CommandResult]


@pytest.fixture
def command(corner: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run Gitzette with some arguments, in a corner of its own."""
    del corner

    def run_command(*arguments: str) -> CommandResult:
        capsys.readouterr()
        status = main(list(arguments))
        return CommandResult(status, *capsys.readouterr())

    return run_command


@dataclass(frozen=True)
class Demonstration:
    """What `gitzette run --demo --json` published and said, to be read and not to be changed."""

    out: Path
    result: CommandResult


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Demonstration:
    """Run the demonstration, once for all tests that only look at its result."""
    folder = built_once(tmp_path_factory, "demonstration", _demonstrate)
    result = json.loads((folder / "result.json").read_text("utf-8"))
    return Demonstration(folder / "out", CommandResult(**result))


def _demonstrate(folder: Path) -> None:
    out = StringIO()
    err = StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["run", "--demo", "--json", "--out", str(folder / "out")])
    result = {"status": status, "out": out.getvalue(), "err": err.getvalue()}
    (folder / "result.json").write_text(json.dumps(result), "utf-8")


class Served:
    """Repositories on loopback, and runs over them in one home and one output folder."""

    token = "c4nary-served-55d0"

    def __init__(
        self, folder: Path, server: GitHubServer, repos: Sequence[str], **settings: object
    ) -> None:
        self.folder, self.server = folder, server
        values = {
            "repos": tuple(map(RepoSpec.model_validate, repos)),
            "home": folder / "home",
            "out": folder / "out",
            "github_url": server.url,
            "git_url": server.git_url,
            "web_url": "https://git.example",
            "token": SecretStr(self.token),
            "budget": Budget(wait_seconds=1, retry_seconds=0.01),
        }
        self.settings = Settings.model_validate(values | settings)

    async def run(
        self,
        window: Window,
        display: Progress | None = None,
        run: str | None = None,
        **changed: object,
    ) -> RunOutcome:
        """Report on a window, with other settings where they are given."""
        chosen = self.settings.model_copy(update=changed)
        now = datetime.now(UTC)
        return await run_day(chosen, {}, window, chosen.repos, now, display or QuietProgress(), run)

    @property
    def files(self) -> dict[str, bytes]:
        """What is published."""
        return {
            file.name: file.read_bytes()
            for file in (self.folder / "out").rglob("*")
            if file.is_file()
        }


@pytest.fixture
def corner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder with a home of its own, and return that home."""
    (tmp_path / "corner").mkdir()
    monkeypatch.chdir(tmp_path / "corner")
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="session")
def grave() -> Callable[[Any], list[str]]:
    """Give what axe finds serious or critical in a page of a browser, with all its rules."""
    script = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")

    def look(page: Any) -> list[str]:
        page.evaluate(script)
        loaded = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
        return [
            f"{page.url} {element['id']}: {node['html'][:200]} {node['failureSummary']}"
            for element in loaded
            for node in element["nodes"]
            if element["impact"] in ("serious", "critical")
        ]

    return look


@pytest.fixture(scope="session")
def hostile_strings() -> list[str]:
    """A hundred strings that would like to be more than text."""
    loaded = json.loads(Path(__file__).with_name("hostile.json").read_bytes())
    assert len(set(loaded)) == len(loaded) == 100
    return list(loaded)


@pytest.fixture(scope="session")
def hostile_report() -> Callable[..., str]:
    """Write a report's file with one hostile string in every field; with `names`, what things are found by as well."""

    def write(day: date, bad: str, *, names: bool) -> str:
        data = to_json(_everything(day))
        return json.dumps(_spoilt(data, bad, names=names) | {"date": data["date"]})

    return write


def _everything(day: date) -> Report:
    """Make a small report that has something in every field that is shown."""
    report = made_day(day, most=2)
    kept = report.sections[:2]
    repos = tuple(section.repo for section in kept)
    released = ReleaseLine(
        tag="v1", name="one", published_at=datetime(2025, 2, 5, tzinfo=UTC), prerelease=True
    )
    return report.model_copy(
        update={
            "repos": repos,
            "sections": tuple(
                element.model_copy(update={"releases": (released,)}) for element in kept
            ),
            "ledger": tuple(row for row in report.ledger if row.repo in repos),
            "claims": tuple(claim for claim in report.claims if claim.repo in repos),
            "stories": tuple(story for story in report.stories if story.repo in repos),
            "links": tuple(link for link in report.links if link.change.split("@")[0] in repos),
            "failures": (Failure(repo=repos[0], stage="threads", message="gone"),),
        }
    )


def _spoilt(value: Any, bad: str, key: str = "", *, names: bool) -> Any:
    """Put hostile text where any text stands; names only where asked, because much is found by them."""
    if isinstance(value, dict):
        # What a fact is about has a kind of its own, which may be any text.
        closed = _CLOSED - {"kind"} if "severity" in value else _CLOSED
        return {
            name: element
            if name in closed and not isinstance(element, dict | list)
            else _spoilt(element, bad, name, names=names)
            for name, element in value.items()
        }
    if isinstance(value, list):
        return [_spoilt(element, bad, key, names=names) for element in value]
    return (
        value
        if not isinstance(value, str) or key in _MOMENTS or (key in _NAMES and not names)
        else bad
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start Chromium; what needs it is skipped where there is none."""
    path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if path is None:
        pytest.skip("NOT TESTED: there is no chromium here (apt install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a page; none may complain, open a dialogue, be wider than its window, or ask another address."""
    pages: list[Any] = []
    troubles: list[str] = []

    def refuse(dialog: Any) -> None:
        troubles.append(dialog.message)
        dialog.dismiss()

    def go(address: str, path: str, width: int = 1280, **options: Any) -> Any:
        page = browser.new_context(viewport={"width": width, "height": 844}, **options).new_page()
        pages.append(page)
        page.on(
            "console",
            lambda element: (
                troubles.append(element.text) if element.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", refuse)
        page.on(
            "request",
            lambda element: (
                None if element.url.startswith(address) else troubles.append(element.url)
            ),
        )
        page.goto(address + path)
        return page

    yield go
    for page in pages:
        wide = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide <= 0, f"{page.url} is {wide} px too wide"
        page.context.close()
    assert troubles == []
