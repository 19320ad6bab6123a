"""Mutants: right claims pass the gate, and every way of spoiling them is caught; free prose and templates."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from evals.figures import Figure, Score, Target, share
from evals.harness import Bench, EvalSet, Figures
from evals.sets.mutants_case import Case, Judged, Kind, Operator, Place
from evals.sets.mutants_gathering import mirror_stock, world_stock
from evals.sets.mutants_prose import prose_cases, statements
from evals.sets.mutants_stock import Stock
from evals.sets.mutants_templates import template_cases, undone_cases
from evals.sets.mutants_threads import thread_cases

_CERTAIN, _MEANT = Target(1.0), Target(0.95)
_FEW, _NONE, _SAID = Target(0.01, "at most"), Target(0.0, "at most"), Target(1.0, "at most")
_FULL_COMMITS, _DEMO_COMMITS, _MIRROR_COMMITS = 40, 12, 48
"""Of how many commits templates are made."""
_DEMO_LATEST, _FULL_LATEST = 16, 6
_KINDS: tuple[Kind, ...] = ("deterministic", "semantic", "invented")


async def run(bench: Bench) -> Figures:
    """Judge everything and say how much of it was told apart."""
    figures: dict[str, Figure] = {}
    figures |= figures_of("world", [case.judged() for case in await world_cases(bench)], bench.say)
    judged = [case.judged() for case in await mirror_cases(bench)]
    if judged:
        figures |= figures_of("mirrors", judged, bench.say)
    return figures


# ---------------------------------------------------------------- cases


async def world_cases(bench: Bench) -> list[Case]:
    """Make the cases over the made-up worlds."""
    rows = statements("world")
    full = await world_stock(bench.world("full"), "full", rows, _FULL_LATEST)
    demo = await world_stock(bench.world("demo"), "demo", (), _DEMO_LATEST)
    return [
        *prose_cases(rows, full),
        *_templates(full, _FULL_COMMITS),
        *_templates(demo, _DEMO_COMMITS),
    ]


async def mirror_cases(bench: Bench) -> list[Case]:
    """Make the cases over the mirrors; statements about repositories that were not given are skipped, loudly."""
    rows = (*statements("real"), *statements("fresh"))
    given = {spec.name for spec in bench.mirrors}
    for repo in sorted({row.repo for row in rows} - given):
        left = sum(row.repo == repo for row in rows)
        bench.say(f"mutants: {left} statements about {repo} skipped: they need --repo {repo}=PATH")
    if not given:
        return []
    mine = [row for row in rows if row.repo in given]
    stock = await mirror_stock(bench.mirrors, mine)
    return [*prose_cases(mine, stock), *_templates(stock, _MIRROR_COMMITS)]


def _templates(stock: Stock, count: int) -> Iterable[Case]:
    chosen = list(islice(stock.commits.values(), 0, None, max(1, len(stock.commits) // count)))
    return [*template_cases(chosen[:count], stock), *undone_cases(stock), *thread_cases(stock)]


# ---------------------------------------------------------------- figures


def figures_of(place: Place, judged: Sequence[Judged], say: Callable[[str], None]) -> dict[str, Figure]:
    """Sum up one place: operator by operator, then by form, language and split."""
    _announce(place, judged, say)
    passed = {one.case.id for one in judged if one.case.operator is None and one.supported}
    mutants = [one for one in judged if one.case.operator is not None]
    figures: dict[str, Figure] = {}
    for operator in Operator:
        mine = [one for one in mutants if one.case.operator is operator]
        figures[f"{place}: killed, {operator}"] = _killed(mine, operator.kind)
        strict = [one for one in mine if one.case.twin in passed]
        figures[f"{place}: killed of passing twins, {operator}"] = _brief(_killed(strict, operator.kind))
    figures |= _sliced(f"{place}, all", judged, passed)
    for name, picked in _slices(judged):
        sliced = _sliced(f"{place}, {name}", picked, passed)
        figures |= {metric: _brief(figure) for metric, figure in sliced.items()}
    return figures


def _announce(place: Place, judged: Sequence[Judged], say: Callable[[str], None]) -> None:
    for form in ("free", "template"):
        mine = [one for one in judged if one.case.form == form]
        clean = sum(one.case.operator is None for one in mine)
        say(f"mutants: {place}, {form}: {clean} clean claims, {len(mine) - clean} mutants")


def _slices(judged: Sequence[Judged]) -> Iterable[tuple[str, list[Judged]]]:
    for lang in ("zh", "en"):
        yield lang, [one for one in judged if one.case.lang == lang]
    for split in ("dev", "test"):
        yield split, [one for one in judged if one.case.split == split]


def _sliced(name: str, judged: Sequence[Judged], passed: set[str]) -> dict[str, Figure]:
    free = [one for one in judged if one.case.form == "free"]
    clean = [one for one in free if one.case.operator is None]
    templates = [one for one in judged if one.case.form == "template" and one.case.operator is None]
    figures = {
        f"{name}: false alarms, free": _alarms(clean, _FEW),
        f"{name}: false alarms, templates": _alarms(templates, _NONE),
        f"{name}: undecided, clean free": _undecided(clean),
        f"{name}: undecided, clean templates": _undecided(templates),
        f"{name}: undecided, mutants": _brief(_undecided([one for one in judged if one.case.operator is not None])),
    }
    for kind in _KINDS:
        mine = [one for one in judged if one.case.operator and one.case.operator.kind == kind]
        prose = [one for one in mine if one.case.form == "free"]
        strict = [one for one in mine if one.case.twin in passed]
        figures[f"{name}: killed, {kind}"] = _brief(_killed(mine, kind))
        figures[f"{name}: killed, {kind}, free"] = _brief(_killed(prose, kind))
        figures[f"{name}: killed of passing twins, {kind}"] = _brief(_killed(strict, kind))
    return figures


def _killed(mutants: Sequence[Judged], kind: Kind) -> Figure:
    scores = [Score(_told(one), float(not one.supported)) for one in mutants]
    figure = share(scores, _CERTAIN if kind == "deterministic" else _MEANT)
    return replace(figure, worst=tuple(_told(one) for one in mutants if one.supported))


def _alarms(clean: Sequence[Judged], target: Target) -> Figure:
    figure = share([Score("", float(one.false_alarm)) for one in clean], target)
    return replace(figure, worst=tuple(_told(one) for one in clean if one.false_alarm))


def _undecided(judged: Sequence[Judged]) -> Figure:
    figure = share([Score("", float(one.undecided)) for one in judged], _SAID)
    return replace(figure, worst=tuple(_told(one) for one in judged if one.undecided))


def _brief(figure: Figure) -> Figure:
    return replace(figure, worst=())


def _told(one: Judged) -> str:
    """Tell what went wrong; of what is kept aside for testing only the name, lest it be tuned for."""
    return one.line if one.case.split == "dev" else f"{one.case.id} (test)"


MUTANTS = EvalSet("mutants", "right claims pass the gate, and every way of spoiling them is caught", run)
