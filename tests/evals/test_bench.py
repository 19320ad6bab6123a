"""The performance suite: its yardstick, its figures and its picture."""

import subprocess
from pathlib import Path
from xml.etree import ElementTree

from evals.bench.history import make_history
from evals.bench.plot import drawn
from evals.bench.stages import Cost, Yard
from evals.bench.suite import FLOORS, figures_of


def test_the_yardstick_has_as_many_commits_as_asked_for_and_is_always_the_same(tmp_path: Path) -> None:
    tips = set()
    for name in ("one", "other"):
        git_dir = make_history(tmp_path / name, 30)
        log = subprocess.run(["git", f"--git-dir={git_dir}", "log", "--format=%H"], capture_output=True, check=True)
        assert len(log.stdout.split()) == 31
        tips.add(log.stdout.split()[0])
    assert len(tips) == 1


async def test_every_part_is_measured_on_the_same_commits(tmp_path: Path) -> None:
    yard = Yard(tmp_path, 12)
    costs = {"reading": await yard.reading(), "facts": yard.facts(), "linking": yard.linking(), "gate": yard.gate()}
    assert {cost.count for cost in costs.values()} == {12}
    assert all(cost.ours > 0 for cost in costs.values())


def test_the_figures_tell_ratios_and_growth_and_can_be_drawn() -> None:
    costs = {part: {20: Cost(2.0, 1.0, 20), 2_000: Cost(800.0, 100.0, 2_000)} for part in FLOORS}
    figures = figures_of(costs)
    assert figures["reading beside git log -p, 20"].value == 2.0
    assert figures["reading beside git log -p, 2000"].value == 8.0
    assert figures["reading: one of 100 x as many"].value == 4.0
    assert figures["reading: one of 100 x as many"].ok is False
    picture = ElementTree.fromstring(drawn(figures))
    assert len(picture.findall(".//{http://www.w3.org/2000/svg}rect")) > 2 * len(FLOORS)
