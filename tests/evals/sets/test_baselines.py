"""The same day told in three ways."""

from datetime import date
from pathlib import Path

from agent.domain.window import Window
from evals.baselines import log_dump, one_prompt
from evals.github_server.app import GitHubServer
from evals.sets.baselines import Tally, score
from evals.stage import Stage
from evals.truth import Truth
from evals.worlds.gold import importance
from evals.worlds.worlds import build
from tools.github.http.client import GitHubClient

DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")


async def test_a_dump_tells_everything_in_no_order_and_one_prompt_does_not_see_the_end_of_the_list(
    tmp_path: Path,
) -> None:
    world = build("demo", 2, tmp_path)
    truth, grades = Truth(world), importance(world)
    with GitHubServer(world.repos, tokens=("t",), now=world.now) as server:
        async with GitHubClient(base_url=server.url, token="t") as client:
            rules = await Stage(world, client).report(None, DAY)
    dump = log_dump(rules)
    prompted, length = await one_prompt(rules, {r.full_name: r.git_dir for r in world.repos})
    tallies = {name: Tally() for name in ("rules", "dump", "prompted")}
    for name, report in (("rules", rules), ("dump", dump), ("prompted", prompted)):
        score(tallies[name], report, truth, grades, "day")
    assert len(dump.claims) == len(rules.ledger)
    assert length <= 12_000
    assert 0 < len(prompted.claims) <= 10 < len(rules.ledger)
    assert all(one.value == 1.0 for one in tallies["rules"].true)

    def order(name: str) -> float:
        return sum(one.value or 0.0 for one in tallies[name].order)

    assert order("rules") > order("dump")
    missed = [one for one in tallies["prompted"].must if one.value == 0.0]
    assert missed
    assert [one.reason for one in tallies["rules"].must if one.value != 1.0] == []
    assert {one.case for one in tallies["dump"].true} == {f"day/{claim.id}" for claim in dump.claims}
