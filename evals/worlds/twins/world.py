"""Two worlds from one seed that differ in one fact: a number, a name, a person, a version, what was fixed or undone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Literal

from evals.worlds import people
from evals.worlds.dice import Dice
from evals.worlds.drafts import Draft, Maker, bump, edited, fix, text
from evals.worlds.edits import (
    Done,
    add_constant,
    add_env,
    add_function,
    add_parameter,
    change_constant,
    change_default,
    rename_function,
)
from evals.worlds.model import World
from evals.worlds.objects import Tree
from evals.worlds.pack import write_repository
from evals.worlds.plan import filler, pull
from evals.worlds.projects import SWIFTSERVE, TENSORFORGE
from evals.worlds.pulls import Ref, Work
from evals.worlds.script import Ask, Made, Step, at, finish, perform, report, start
from evals.worlds.source import Constant, Env, Function, Param, Unit

Which = Literal["one", "other"]
OWNER, EVE, DAY = "twin-ai", "2026-02-03", "2026-02-04"
_FILE, _BUG_FILE = "tensorforge/comm.py", "include/forge/attention/page.cuh"
_SEED_FUNCTION = Function("fuse_norm", (Param("width", "int", "4"),), "int", "Fuse.", ("return width",))
_BY = people.CONTRIBUTORS[2]


@dataclass(frozen=True)
class Twin:
    """One of two worlds: what only it should be told, and what only the other should."""

    world: World
    sha: str
    """`owner/name@sha` of the commit in which they differ."""
    says: str
    not_says: str


@dataclass(frozen=True)
class _Plot:
    """What happens on the day and the day before it."""

    works: tuple[Work, ...]
    asks: tuple[Ask, ...] = ()
    steps: tuple[Step, ...] = ()
    serving: bool = False


Story = Callable[[Dice, Which], tuple[_Plot, tuple[str, str]]]
"""Plans one of the twins, and gives what tells them apart: of the one, and of the other."""


def twin(kind: str, seed: int, which: Which, folder: Path) -> Twin:
    """Make one of a pair, with its repository."""
    dice = Dice("twins", seed, kind)
    plot, (one, other) = STORIES[kind](dice, which)
    project = SWIFTSERVE if plot.serving else TENSORFORGE
    team = start(OWNER, project, seed, at("2026-01-20", "08:00"), first_number=40, repo_id=7900)
    works = [*filler(team, ((EVE, 1), (DAY, 2)), avoid=(_FILE, _BUG_FILE)), *plot.works]
    perform(team, plot.asks, works, plot.steps)
    made = finish(team, folder, repo_id=7900)
    write_repository(made.repo.git_dir, made.objects, made.refs, made.repo.default_branch)
    world = World(seed, at("2026-02-05", "08:00"), (made.repo,), made.landed)
    says, not_says = (one, other) if which == "one" else (other, one)
    return Twin(world, f"{made.repo.full_name}@{made.work['twin']}", _named(says, made), _named(not_says, made))


def _named(text: str, made: Made) -> str:
    """Put the number of an issue in the place of its key, and a hash in the place of a work's."""
    numbers = {issue.title: issue.number for issue in made.repo.issues}
    for title, number in numbers.items():
        text = text.replace(f"<<{title}>>", f"{made.repo.full_name}#{number}")
    return text


def _two(dice: Dice, values: Sequence[str]) -> tuple[str, str]:
    first = dice.pick(values)
    return first, dice.pick([value for value in values if value != first])


def _chosen(pair: tuple[str, str], which: Which) -> str:
    return pair[0] if which == "one" else pair[1]


def _coded(*changes: Callable[[str, Unit], Done]) -> _Plot:
    """Prepare on the eve, then change what matters on the day, under a title that tells nothing."""
    *before, last = changes
    works = [pull(f"eve-{n}", EVE, f"0{n + 7}:00", _BY, edited(_FILE, one)) for n, one in enumerate(before)]
    return _Plot((*works, pull("twin", DAY, "12:00", _BY, edited(_FILE, last), subject="rework the ring")))


def _number(dice: Dice, which: Which) -> tuple[_Plot, tuple[str, str]]:
    pair = _two(dice, ("96", "384", "640", "1536", "5000"))
    limit = Constant("RING_SLOTS", "int", "17", "slots of the ring")
    return _coded(
        lambda path, unit: add_constant(path, unit, limit),
        lambda path, unit: change_constant(path, unit, "RING_SLOTS", _chosen(pair, which)),
    ), pair


def _default(dice: Dice, which: Which) -> tuple[_Plot, tuple[str, str]]:
    pair = _two(dice, ("12", "48", "96", "250"))
    return _coded(
        lambda path, unit: add_function(path, unit, _SEED_FUNCTION),
        lambda path, unit: change_default(path, unit, "fuse_norm", "width", _chosen(pair, which)),
    ), pair


def _renamed(dice: Dice, which: Which) -> tuple[_Plot, tuple[str, str]]:
    pair = _two(dice, ("join_norm", "merge_norm", "weld_norm", "bind_norm"))
    return _coded(
        lambda path, unit: add_function(path, unit, _SEED_FUNCTION),
        lambda path, unit: rename_function(path, unit, "fuse_norm", _chosen(pair, which)),
    ), pair


def _added(dice: Dice, which: Which) -> tuple[_Plot, tuple[str, str]]:
    pair = _two(dice, ("plan_ring", "drain_ring", "split_ring", "probe_ring"))
    made = replace(_SEED_FUNCTION, name=_chosen(pair, which))
    return _coded(lambda path, unit: add_function(path, unit, made)), pair


def _parameter(dice: Dice, which: Which) -> tuple[_Plot, tuple[str, str]]:
    pair = _two(dice, ("lane", "stride", "fanout", "depth_limit"))
    param = Param(_chosen(pair, which), "int", "0")
    return _coded(
        lambda path, unit: add_function(path, unit, _SEED_FUNCTION),
        lambda path, unit: add_parameter(path, unit, "fuse_norm", param),
    ), pair


def _variable(dice: Dice, which: Which) -> tuple[_Plot, tuple[str, str]]:
    pair = _two(dice, ("FORGE_RING_DEBUG", "FORGE_RING_TRACE", "FORGE_RING_SLOW"))
    return _coded(lambda path, unit: add_env(path, unit, Env(_chosen(pair, which), "0"))), pair


def _version(dice: Dice, which: Which) -> tuple[_Plot, tuple[str, str]]:
    pair = _two(dice, ("2.10.0", "2.11.1", "2.12.3"))
    work = pull("twin", DAY, "12:00", _BY, bump("torch", _chosen(pair, which)), subject="refresh the pins")
    return _Plot((work,), serving=True), pair


def _author(dice: Dice, which: Which) -> tuple[_Plot, tuple[str, str]]:
    first = dice.pick(people.CONTRIBUTORS)
    second = dice.pick([one for one in people.CONTRIBUTORS if one != first])
    by = first if which == "one" else second
    make = edited(_FILE, lambda path, unit: add_function(path, unit, _SEED_FUNCTION))
    return _Plot((pull("twin", DAY, "12:00", by, make, subject="rework the ring"),)), (first.name, second.name)


def _fixed(dice: Dice, which: Which) -> tuple[_Plot, tuple[str, str]]:
    """Close one of two reports; the other stays open."""
    asks = (
        report("one", "paged-overflow", at("2026-02-01", "21:14"), people.CONTRIBUTORS[5]),
        Ask(
            "other",
            at("2026-02-02", "09:00"),
            people.CONTRIBUTORS[3],
            "Pages are lost on restart",
            "See title.",
            ("bug",),
        ),
    )
    if dice.chance(0.5):
        asks = (replace(asks[0], at=at("2026-02-02", "10:14")), asks[1])
    work = pull("twin", DAY, "12:00", _BY, fix("paged-overflow", _BUG_FILE), Ref(which), subject="rework the pages")
    return _Plot((work,), asks), (f"<<{asks[0].title}>>", f"<<{asks[1].title}>>")


def _undone(dice: Dice, which: Which) -> tuple[_Plot, tuple[str, str]]:
    """Take it back the same day, or leave it."""
    lines = "".join(f"WEIGHT_{step} = {step * 3 + dice.between(1, 9)}\n" for step in range(14))
    works = (pull("twin", DAY, "09:00", _BY, _whole(lines), subject="bring the table"),)
    when = at(DAY, "18:30")
    opened = when - timedelta(minutes=35)
    step = Step(
        when,
        lambda team: team.revert("undo", "twin", opened, when, people.MAINTAINERS[0], "The nightly fails."),
        "undo",
        opened,
        pushes=True,
    )
    return _Plot(works, steps=(step,) if which == "one" else ()), ("undone", "kept")


def _whole(lines: str) -> Maker:
    make = text("tensorforge/table.py", "", lines, "feat", "bring the table", "引入表格")

    def do(tree: Tree) -> Draft:
        return make(tree)

    return do


STORIES: dict[str, Story] = {
    "number": _number,
    "default": _default,
    "renamed": _renamed,
    "added": _added,
    "parameter": _parameter,
    "variable": _variable,
    "version": _version,
    "author": _author,
    "fixed": _fixed,
    "undone": _undone,
}
"""What a pair can differ in."""
