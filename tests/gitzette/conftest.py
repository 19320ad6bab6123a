"""What several doors need: a small clone whose history is known, and axe, which looks at pages in a browser."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Engine:
    """A clone, and how it is given on the command line."""

    folder: Path

    @property
    def repo(self) -> list[str]:
        """The option that names it."""
        return ["--repo", f"acme/engine={self.folder}"]

    def cloned(self, folder: Path) -> "Engine":
        """Clone it to another folder."""
        subprocess.run(["git", "clone", "-q", str(self.folder), str(folder)], check=True)
        return Engine(folder)

    def commit(self, subject: str, when: datetime, author: str = "Ada", **files: str) -> str:
        """Commit some files at a moment, and return the hash."""
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text)
        moment = when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        env = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment, "GIT_CONFIG_GLOBAL": "/dev/null"}
        who = ["-c", f"user.name={author}", "-c", f"user.email={author.lower()}@example.org"]
        git = ["git", *who, "-C", str(self.folder)]
        subprocess.run([*git, "add", "."], check=True, env=env | {"PATH": "/usr/bin:/bin"})
        subprocess.run([*git, "commit", "-qm", subject], check=True, env=env | {"PATH": "/usr/bin:/bin"})
        return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """A clone in which a limit is raised and lowered again in February, and something happened two days ago."""
    folder = tmp_path / "engine"
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    engine = Engine(folder)
    engine.commit("Add the router", datetime(2026, 2, 1, 9, tzinfo=UTC), router="MAX_ROUTES = 8\n")
    engine.commit("Raise the limit of routes (#7)", datetime(2026, 2, 3, 9, tzinfo=UTC), router="MAX_ROUTES = 22\n")
    engine.commit(
        "Lower the limit of routes (#9)", datetime(2026, 2, 4, 9, tzinfo=UTC), "Grace", router="MAX_ROUTES = 12\n"
    )
    engine.commit("Tell the time", datetime.now(UTC) - timedelta(days=2), clock="def now() -> int: ...\n")
    return engine


@pytest.fixture
def corner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder with a home of its own, and with none of the user's settings; gives the home."""
    (tmp_path / "corner").mkdir()
    monkeypatch.chdir(tmp_path / "corner")
    monkeypatch.setenv("GITZETTE_HOME", str(tmp_path / "home"))
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.fixture(scope="session")
def grave() -> Callable[[Any], list[str]]:
    """Give what axe finds serious or critical in a page of a browser, with all its rules."""
    script = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")

    def look(page: Any) -> list[str]:
        page.evaluate(script)
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
        return [
            f"{page.url} {one['id']}: {node['html'][:200]} {node['failureSummary']}"
            for one in found
            for node in one["nodes"]
            if one["impact"] in ("serious", "critical")
        ]

    return look
