"""Links that only several days together show: a fix taken back without a word, a fix of what was reported before."""

import os
import subprocess
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec, Settings
from evals.github_server.app import GitHubServer
from evals.worlds.mirror import repo_from_mirror
from gitzette.progress import QuietProgress
from gitzette.running import cover

REPO = "octo/engine"
TOKEN = "c4nary-links-77ab"
OLD = "def evict_adapter(cache):\n" + "".join(f"    step_{i}(cache)\n" for i in range(12)) + "    cache.popitem()\n"
NEW = OLD.replace("cache.popitem()", "cache.popitem(last=False)").replace("step_3", "step_three")
THREADS: list[dict[str, Any]] = [
    {
        "repo": REPO,
        "kind": "issue",
        "number": 12,
        "title": "The oldest adapter stays for ever",
        "state": "closed",
        "author": "an",
        "created_at": "2026-02-01T00:00:00Z",
        "closed_at": "2026-02-02T12:00:00Z",
    },
    {
        "repo": REPO,
        "kind": "issue",
        "number": 13,
        "title": "[Bug] Planner deadlocks when two adapters share a stream",
        "body": "`plan_streams` in `planner.py` never returns.",
        "author": "bo",
        "labels": ["bug"],
        "created_at": "2026-02-01T00:00:00Z",
    },
    *(
        {
            "repo": REPO,
            "kind": "issue",
            "number": 20 + number,
            "title": f"Feature {number}: a dial for thing {number}x",
            "created_at": "2026-02-01T00:00:00Z",
        }
        for number in range(12)
    ),
]


def git(folder: Path, *words: str, at: str = "2026-02-01T12:00:00Z") -> str:
    names = {f"GIT_{who}_{what}": "o" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", *words], cwd=folder, env=os.environ | names | dates, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def land(folder: Path, at: str, message: str, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message, at=at)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def shas(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "engine"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    planner = "def plan_streams(adapters):\n    wait(adapters)\n"
    return {
        "first": land(folder, "2026-02-01T10:00:00Z", "Begin", cache=OLD, planner=planner),
        "fix": land(folder, "2026-02-02T11:59:00Z", "Evict in order\n\nFixes #12", cache=NEW),
        "back": land(folder, "2026-02-03T10:00:00Z", "Go another way with adapters", cache=OLD),
        "quiet": land(
            folder,
            "2026-02-04T10:00:00Z",
            "fix: planner deadlocks\n\nFixes https://github.com/octo/engine/issues/13",
            planner=planner.replace("    wait(adapters)\n", "    with streams():\n        wait(adapters)\n"),
        ),
    }


async def test_links_of_earlier_days_count_on_later_ones(tmp_path: Path, shas: dict[str, str]) -> None:
    repo = repo_from_mirror(REPO, tmp_path / "engine" / ".git", THREADS)
    with GitHubServer([repo], tokens=(TOKEN,)) as server:
        settings = Settings(
            repos=(RepoSpec.parse(f"{REPO}={tmp_path / 'engine'}"),),
            home=tmp_path / "home",
            out=tmp_path / "out",
            github_url=server.url,
            token=SecretStr(TOKEN),
            lang="en",
            budget=Budget(wait_seconds=1, retry_seconds=0.01),
        )

        async def report(day: int) -> Report:
            window = Window.days(date(2026, 2, day), date(2026, 2, day), "UTC")
            return (await cover(settings, {}, window, settings.repos, datetime.now(UTC), QuietProgress())).report

        days = {day: await report(day) for day in (1, 2, 3, 4)}
        page = {day: (tmp_path / "out" / "reports" / f"2026-02-0{day}.md").read_bytes() for day in (3, 4)}
        asked = len(server.requests)
        assert await report(4) == days[4]
        assert (tmp_path / "out" / "reports" / "2026-02-04.md").read_bytes() == page[4]
        assert len(server.requests) - asked <= 4

    def links(day: int) -> list[tuple[str, str, str, str]]:
        return [
            (link.issue.removeprefix(REPO), link.change[-40:], link.relation.value, link.grade.value)
            for link in days[day].links
        ]

    assert links(2) == [("#12", shas["fix"], "fixes", "A")]
    assert links(3) == [("#12", shas["back"], "reverts the fix", "A")]
    assert links(4) == [("#13", shas["quiet"], "fixes", "A")]
    assert "fix reverted by" in page[3].decode()
    # The issue is in no listing of that day: its title and that it is open are remembered.
    assert "Planner deadlocks when two adapters share a stream — bo → addressed by" in page[4].decode()
