"""The repository where time is difficult: midnights, summer time, wrong clocks, late pushes, rewritten history."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

from evals.worlds import people
from evals.worlds.drafts import by_chance
from evals.worlds.full.calendar import AMERICAN_DST, EUROPEAN_DST
from evals.worlds.projects import ROUTEKIT
from evals.worlds.script import Ask, Made, Step, at, finish, perform, start
from evals.worlds.team import Team

_MIRA, _ZHANG, _CHIDI, _SAANVI = people.MAINTAINERS

MIDNIGHTS = (
    ("utc", "2026-03-03", 0),
    ("shanghai", "2026-03-04", 8),
    ("new york", "2026-03-06", -5),
    ("kolkata", "2026-03-07", 5.5),
    ("auckland", "2026-03-11", 13),
)
"""Zones and the local days whose first and last second have a commit, as have the seconds next to them."""
AMERICAN = ("04:59:59", "05:00:00", "06:59:59", "07:00:00", "+03:59:59", "+04:00:00")
"""UTC times around the short day of New York: its midnights and the skipped hour; a plus means the next day."""
EUROPEAN = ("-22:59:59", "-23:00:00", "00:59:59", "01:00:00", "21:59:59", "22:00:00")
"""The same for Berlin; a minus means the day before."""


def make(seed: int, folder: Path, owner: str) -> Made:
    """Make the repository, which had another name once."""
    team = start(owner, ROUTEKIT, seed, at("2026-02-02", "10:00"), first_number=1, repo_id=8003)
    ask = Ask(
        "zero", at("2026-02-05"), people.CONTRIBUTORS[3], "Weight of zero?", "Never, or only when all others are down?"
    )
    steps = [Step(moment, _commit(moment, tags), pushes=True) for moment, tags in sorted(_moments())]
    steps += [
        Step(at("2026-03-14", "09:00"), _skewed, pushes=True),
        Step(at("2026-03-20", "09:00"), _late, pushes=True),
        Step(at("2026-03-23", "09:00"), _to_be_rewritten, pushes=True),
        Step(at("2026-03-24", "09:00"), _rewrite),
    ]
    perform(team, [ask], [], steps)
    return finish(team, folder, repo_id=8003, former_names=(f"{owner}/loadkit", "mira-koenig/loadkit"))


def _moments() -> list[tuple[datetime, tuple[str, ...]]]:
    rows: list[tuple[datetime, tuple[str, ...]]] = []
    for _, day, hours in MIDNIGHTS:
        local = datetime.fromisoformat(day).replace(tzinfo=timezone(timedelta(hours=hours)))
        for seconds in (-1, 0, 86_399, 86_400):
            rows.append((local + timedelta(seconds=seconds), ("midnight",)))
    for name, day, clocks in (("american", AMERICAN_DST, AMERICAN), ("european", EUROPEAN_DST, EUROPEAN)):
        for clock in clocks:
            shift = {"+": 1, "-": -1}.get(clock[0], 0)
            rows.append((at(day, clock.lstrip("+-")) + timedelta(days=shift), ("dst", name)))
    rows += [(at(f"2026-03-{day}", "15:30"), ()) for day in ("13", "16", "18", "19", "27")]
    return rows


def _commit(moment: datetime, tags: tuple[str, ...]) -> Callable[[Team], str]:
    """Plan a commit at exactly this second."""
    return lambda team: _at(team, moment, *tags)


def _at(team: Team, moment: datetime, *tags: str) -> str:
    draft = by_chance(team.project, team.dice)(team.history.tree())
    message = draft.subject[:1].upper() + draft.subject[1:]
    note = team.note(message, team.dice.pick(people.MAINTAINERS), moment, edits=draft.edits, tags=tags)
    return team.history.commit(team.history.branch, draft.touches, note)


def _skewed(team: Team) -> None:
    """Commit with clocks that are decades off, between commits with good ones."""
    _at(team, at("2026-03-14", "08:00"))
    team.landed["past clock"] = _at(team, at("1999-12-31", "23:59:59"), "skewed")
    team.landed["future clock"] = _at(team, at("2037-06-01", "00:00:00", hours=8), "skewed")
    _at(team, at("2026-03-14", "08:30"))


def _late(team: Team) -> None:
    """Push what was committed days ago, on top of what others pushed since."""
    team.landed["late"] = _at(team, at("2026-03-17", "11:00"), "late")
    team.landed["late too"] = _at(team, at("2026-03-17", "23:30", hours=-5), "late")
    _at(team, at("2026-03-20", "08:55"))


def _to_be_rewritten(team: Team) -> None:
    team.landed["kept"] = _at(team, at("2026-03-23", "08:00"))
    for clock in ("08:10", "08:20", "08:30"):
        team.landed[f"rewritten {clock}"] = _at(team, at("2026-03-23", clock))


def _rewrite(team: Team) -> None:
    """Force-push: two of three commits are made anew with a later date, one is gone."""
    history = team.history
    history.heads[history.branch] = team.landed["kept"]
    for clock in ("08:40", "08:50"):
        team.landed[f"rewriting {clock}"] = _at(team, at("2026-03-24", clock), "rewritten")
    history.push(at("2026-03-24", "09:00"), forced=True)
