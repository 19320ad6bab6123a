"""The stage: several reports on one world, each about its own day."""

from datetime import date, timedelta
from pathlib import Path

from agent.domain.window import Window
from evals.github_server.app import GitHubServer
from evals.stage import Stage
from evals.worlds.worlds import build
from tools.github.client import GitHubClient


async def test_a_second_day_is_told_by_what_landed_on_it(tmp_path: Path) -> None:
    world = build("demo", 1, tmp_path)
    last = date.fromisoformat(world.notes["reported day"])
    with GitHubServer(world.repos, tokens=("stage",), now=world.now) as server:
        async with GitHubClient(base_url=server.url, token="stage") as client:
            stage = Stage(world, client)
            for day in (last - timedelta(days=1), last):
                report = await stage.report(None, Window.days(day, day, "UTC"))
                landed = {f"{row.repo}@{row.sha}" for row in report.ledger}
                assert report.claims
                assert all(landed.intersection(claim.about) for claim in report.claims if claim.role == "change")
