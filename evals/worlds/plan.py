"""Planning pull requests by the calendar, both those with a part in the story and those that nobody remembers."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from evals.worlds import people
from evals.worlds.chores import chore, with_test
from evals.worlds.dice import Dice
from evals.worlds.drafts import Draft, Maker, by_chance
from evals.worlds.model import User
from evals.worlds.objects import Tree
from evals.worlds.pulls import Ref, Work
from evals.worlds.script import at
from evals.worlds.team import Team

_BODIES = (
    "No functional change intended.",
    "Tested on one node with 8x H100; the numbers are in the pull request.",
    "This is the smaller half. The rest follows when the interface has settled.",
    "在 8 卡机器上验证通过。",
    "Needed for the nightly build.\n\nSee the discussion in the pull request for the alternatives.",
)


def pull(key: str, day: str, clock: str, author: User, make: Maker, *refs: Ref, **more: Any) -> Work:
    """Plan a pull request that was opened some hours before it landed; the rest is as `Work` has it."""
    landed = at(day, clock, hours=people.ZONES.get(author.login, 0))
    return Work(key, landed - timedelta(hours=7, minutes=len(key)), landed, author, make, refs, **more)


def filler(
    team: Team, days: Iterable[tuple[str, int]], *, avoid: tuple[str, ...] = (), minutes: int = 1435, steps: int = 1
) -> list[Work]:
    """Plan so many pull requests for each day, within its first minutes."""
    works = []
    dice = team.dice
    for day, count in days:
        for i in range(count):
            second = dice.between(300, minutes * 60)
            clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
            author = dice.pick((*people.MAINTAINERS, *people.CONTRIBUTORS))
            chinese = author in people.CHINESE and dice.chance(0.5)
            make = chore(dice) if dice.chance(0.15) else _coded(team, avoid)
            more = {"chinese": chinese, "steps": dice.between(1, steps), "trailer": _trailer(dice)}
            works.append(pull(f"topic-{day[5:]}-{i}", day, clock, author, make, **more))
    return works


def _coded(team: Team, avoid: tuple[str, ...]) -> Maker:
    """Change the source, now and then with a test."""
    make = by_chance(team.project, team.dice, avoid)

    def do(tree: Tree) -> Draft:
        draft = make(tree)
        if draft.kind in ("docs", "refactor") or not team.dice.chance(0.4):
            return draft
        return replace(draft, touches=(*draft.touches, with_test(tree, draft.area, team.dice)))

    return do


def _trailer(dice: Dice) -> str:
    """End some messages with a paragraph, a second author or a signature."""
    who = dice.pick(people.CONTRIBUTORS)
    body = dice.pick(_BODIES) if dice.chance(0.3) else ""
    role = dice.pick(("Co-authored-by", "Signed-off-by")) if dice.chance(0.25) else ""
    return "\n\n".join(part for part in (body, role and f"{role}: {who.name} <{who.email}>") if part)
