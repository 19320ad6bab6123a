"""Links that only several days together show: a fix taken back without a word, a fix of what was reported before."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.domain.report import Report
from agent.domain.window import Window
from evals.github_server.app import GitHubServer
from evals.worlds.data_model import TimelineEvent, WorldIssue
from evals.worlds.worlds import repo_from_mirror
from tests.gitzette.conftest import Engine, Served

REPO = "octo/engine"
OLD = (
    "def evict_adapter(cache):\n"
    + "".join(f"    step_{i}(cache)\n" for i in range(12))
    + "    cache.popitem()\n"
)
NEW = OLD.replace("cache.popitem()", "cache.popitem(last=False)").replace("step_3", "step_three")
OPENED = datetime(2026, 2, 1, tzinfo=UTC)
CLOSED = datetime(2026, 2, 2, 12, tzinfo=UTC)
DONE: dict[str, Any] = {"state": "closed", "closed_at": CLOSED, "state_reason": "completed"}
DEADLOCK = "[Bug] Planner deadlocks when two adapters share a stream"
ISSUES = (
    WorldIssue(
        12,
        "The oldest adapter stays for ever",
        "",
        "an",
        OPENED,
        CLOSED,
        events=(TimelineEvent("closed", CLOSED),),
        **DONE,
    ),
    WorldIssue(
        13,
        DEADLOCK,
        "`plan_streams` in `planner.py` never returns.",
        "bo",
        OPENED,
        OPENED,
        labels=("bug",),
    ),
    *(
        WorldIssue(20 + n, f"Feature {n}: a dial for thing {n}x", "", None, OPENED, OPENED)
        for n in range(12)
    ),
)


@pytest.fixture
def shas(tmp_path: Path) -> dict[str, str]:
    engine = Engine.made(tmp_path / "engine")
    planner = "def plan_streams(adapters):\n    wait(adapters)\n"
    mended = planner.replace(
        "    wait(adapters)\n", "    with streams():\n        wait(adapters)\n"
    )
    message = "fix: planner deadlocks\n\nFixes https://github.com/octo/engine/issues/13"

    def at(day: int, hour: int, minute: int = 0) -> datetime:
        return datetime(2026, 2, day, hour, minute, tzinfo=UTC)

    return {
        "first": engine.commit("Begin", at(1, 10), cache=OLD, planner=planner),
        "fix": engine.commit("Evict in order\n\nFixes #12", at(2, 11, 59), cache=NEW),
        "back": engine.commit("Go another way with adapters", at(3, 10), cache=OLD),
        "quiet": engine.commit(message, at(4, 10), planner=mended),
    }


async def test_links_of_earlier_days_count_on_later_ones(
    tmp_path: Path, shas: dict[str, str]
) -> None:
    repo = repo_from_mirror(REPO, tmp_path / "engine" / ".git", ISSUES)
    with GitHubServer([repo], tokens=(Served.token,)) as server:
        served = Served(tmp_path, server, [f"{REPO}={tmp_path / 'engine'}"])

        async def report(day: int) -> Report:
            return (
                await served.run(Window.days(date(2026, 2, day), date(2026, 2, day), "UTC"))
            ).report

        days = {day: await report(day) for day in (1, 2, 3, 4)}
        page = {
            day: (tmp_path / "out" / "reports" / f"2026-02-0{day}.md").read_bytes()
            for day in (3, 4)
        }
        request_count = len(server.requests)
        assert await report(4) == days[4]
        assert (tmp_path / "out" / "reports" / "2026-02-04.md").read_bytes() == page[4]
        assert len(server.requests) - request_count <= 4

    def links(day: int) -> list[tuple[str, str, str, str]]:
        return [
            (
                link.issue.removeprefix(REPO),
                link.change[-40:],
                link.relation.value,
                link.grade.value,
            )
            for link in days[day].links
        ]

    assert links(2) == [("#12", shas["fix"], "fixes", "A")]
    assert links(3) == [("#12", shas["back"], "reverts the fix", "A")]
    assert links(4) == [("#13", shas["quiet"], "fixes", "A")]
    assert "fix reverted by" in page[3].decode()
    # The issue is in no listing of that day: its title and that it is open are remembered.
    assert (
        "Planner deadlocks when two adapters share a stream — bo → addressed by" in page[4].decode()
    )
