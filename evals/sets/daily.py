"""Daily: the report of a day tells everything that landed, what matters first, and nothing that does not hold."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from pydantic import SecretStr

from agent.domain.base import EvidenceId, Language, NotFound, RepoId
from agent.domain.evidence import ThreadEvidence
from agent.domain.links import Grade, Link, Relation
from agent.domain.report import Report
from agent.domain.window import Window
from agent.settings.values import RepoSpec, Settings
from evals.figures import Score, Target, measure, share
from evals.github_server.app import GitHubServer
from evals.github_server.responses import Allowance
from evals.harness import Bench, EvalSet, Figures
from evals.sets.citation_scores import Judged, citation_figures
from evals.sets.daily_citations import Sources, judged
from evals.sets.daily_scores import (
    Grades,
    accounted,
    covered,
    gain_in_order,
    in_both_languages,
    ordered,
    quiet,
    told,
)
from evals.sets.links_gold import closed_pairs, true_pairs
from evals.sets.oracle import between, days_of, first_parent_line, git_dir_of, last_days
from evals.worlds.gold import gold_window, importance
from evals.worlds.model import Repo, World
from tools.github.client import GitHubClient
from tools.github.threads import GitHubThreads

_TOKEN = "daily"  # noqa: S105 -- the loopback server's only token
_ALL = Target(1.0)
_MIRROR_DAYS = 3
_STORY = ("fix-", "flag-", "unfuse", "refuse", "fused", "pick", "release", "next", "octopus", "numpy-3", "forge")
"""Work of the world `full` whose days are reported beside those that have a name."""


@dataclass
class Tally:
    """The scores of all days so far."""

    ledger: list[Score] = field(default_factory=list)
    cited: list[Score] = field(default_factory=list)
    held: list[Score] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    must: list[Score] = field(default_factory=list)
    coverage: list[Score] = field(default_factory=list)
    quiet: list[Score] = field(default_factory=list)
    order: list[Score] = field(default_factory=list)
    whole: list[Score] = field(default_factory=list)
    log_order: list[Score] = field(default_factory=list)
    languages: list[Score] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


async def run(bench: Bench) -> Figures:
    """Report on days of two worlds in both languages, then on days of the mirrors."""
    tally = Tally()
    for name in ("demo",) if bench.small else ("demo", "full"):
        world = bench.world(name)
        with GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now, allowance=Allowance(token=1_000_000)) as server:
            stage = _Stage(
                world, server, tuple(link for repo in world.repos for link in _links(world, repo)), importance(world)
            )
            for day in days_to_report(world):
                bench.say(f"daily: {name}, {day}")
                await _world_day(bench, stage, day, tally)
    return {**_figures(tally), **await _mirrors(bench)}


def named_days(world: World) -> set[date]:
    """List the days that have a name; these are reported in both languages."""
    return {date.fromisoformat(text) for name, text in world.notes.items() if name.endswith(" day")}


def days_to_report(world: World) -> list[date]:
    """List the days that have a name, those before them, and those on which a part of the story landed."""
    named = named_days(world)
    keys = {text: name.partition(": ")[2] for name, text in world.notes.items() if ": " in name}
    story = {
        row.committed_at.date()
        for row in world.landed
        if row.dropped_by is None and keys.get(f"{row.repo}@{row.sha}", "").startswith(_STORY)
    }
    eves = {day - timedelta(days=1) for day in named}
    return sorted(day for day in named | eves | story if day < world.now.date())


@dataclass(frozen=True)
class _Stage:
    """A world with its server and its gold."""

    world: World
    server: GitHubServer
    links: tuple[Link, ...]
    grades: Grades


async def _world_day(bench: Bench, stage: _Stage, day: date, tally: Tally) -> None:
    world, window, where = stage.world, Window.days(day, day, "UTC"), str(day)
    specs = tuple(RepoSpec(name=RepoId(repo.full_name), path=repo.git_dir) for repo in world.repos)
    report = await _report(bench, specs, window, "en", stage.server)
    gold = [row for repo in world.repos for row in gold_window(world, repo.full_name, window.start, window.end)]
    tally.ledger += accounted(report, [(row.repo, row.sha) for row in gold], where)
    tally.must += told(report, stage.grades, where)
    tally.coverage += covered(report, stage.grades, where)
    tally.quiet += quiet(report, stage.grades, where)
    _score_order(report, stage.grades, where, tally)
    paths = {RepoId(repo.full_name): repo.git_dir for repo in world.repos}
    threads = await _threads(stage.server, report)
    sources = Sources(paths=paths, threads=threads)
    verdicts = await judged(report, sources, where)
    tally.cited += verdicts.cited
    tally.held += verdicts.held
    tally.judged += verdicts.judged
    if day in named_days(world):
        chinese = await _report(bench, specs, window, "zh", stage.server)
        tally.languages += in_both_languages(report, chinese, where)


def _score_order(report: Report, grades: Grades, where: str, tally: Tally) -> None:
    """Score the order of each repository's items and of the whole report's, beside that of `git log`."""
    items = ordered(report)
    for repo in report.repos:
        rows, mine = report.rows(repo), [row for row in items if row.repo == repo]
        if (gain := gain_in_order(mine, rows, grades)) is not None:
            tally.order.append(Score(f"{where}: {repo} {gain:.3f}", gain))
            by_log = gain_in_order(rows, rows, grades)
            tally.log_order.append(Score(f"{where}: {repo} {by_log:.3f}", by_log))
    if (gain := gain_in_order(items, report.ledger, grades)) is not None:
        tally.whole.append(Score(f"{where}: {gain:.3f}", gain))
    if not report.ledger:
        tally.whole.append(Score(f"{where}: nothing landed", float(not items and not report.claims)))


def _figures(tally: Tally) -> Figures:
    return {
        "landed commits in exactly one ledger row": share(tally.ledger, _ALL),
        "claims whose citations exist, belong there and were read": share(tally.cited, _ALL),
        "claims that hold when judged anew, each language": share(tally.held, _ALL),
        **citation_figures(tally.judged),
        "must be mentioned and is": share(tally.must, _ALL),
        "importance 2 and 3 with an item of its own": share(tally.coverage, Target(0.97)),
        "items on top that are no noise": share(tally.quiet, Target(0.97)),
        "nDCG@10, each repository": share(tally.order, Target(0.93)),
        "nDCG@10, whole report": share(tally.whole, Target(0.93)),
        "nDCG@10 of git log (b0), each repository": share(tally.log_order, Target(0.0)),
        "claims that both languages state": share(tally.languages, _ALL),
    }


# ---------------------------------------------------------------- mirrors


async def _mirrors(bench: Bench) -> Figures:
    """Report on days of the mirrors one repository at a time; gold is what plain git says."""
    tally = Tally()
    for spec in bench.mirrors:
        assert spec.path is not None
        line = await first_parent_line(git_dir_of(spec.path))
        days = days_of(bench.span) if bench.span else last_days(line[0].at, _MIRROR_DAYS)
        for day in days:
            where = f"{spec.name} {day}"
            bench.say(f"daily: {where}")
            report = await _report(bench, (spec,), Window.days(day, day, "UTC"), "en", tally=tally)
            tally.ledger += accounted(report, [(spec.name, sha) for sha in between(line, [day], "UTC")], where)
            verdicts = await judged(report, Sources(paths={spec.name: spec.path}), where)
            tally.cited += verdicts.cited
            tally.held += verdicts.held
    return {
        "landed commits in exactly one ledger row, mirrors": share(tally.ledger, _ALL),
        "claims whose citations exist, belong there and were read, mirrors": share(tally.cited, _ALL),
        "claims that hold when judged anew, mirrors": share(tally.held, _ALL),
        "seconds for one repository and day, mirrors": measure(tally.seconds, Target(30, "at most")),
    }


# ---------------------------------------------------------------- running


@contextmanager
def _fresh() -> Iterator[Path]:
    """Give a home in which nothing is remembered."""
    with tempfile.TemporaryDirectory(prefix="gitzette-daily-") as name:
        yield Path(name)


async def _report(
    bench: Bench,
    specs: tuple[RepoSpec, ...],
    window: Window,
    lang: Language,
    server: GitHubServer | None = None,
    tally: Tally | None = None,
) -> Report:
    with _fresh() as folder:
        settings = Settings(repos=specs, out=folder / "out", home=folder / "home", lang=lang)
        if server is not None:
            where = {"github_url": server.url, "token": SecretStr(_TOKEN)}
            settings = settings.model_copy(update=where)
        report, spent = await bench.system.report(settings, window)
    if tally is not None:
        tally.seconds.append(spent.seconds)
    return report


# ---------------------------------------------------------------- threads of a world


def _links(world: World, repo: Repo) -> Iterator[Link]:
    """List what the generator fixed: for all to see on GitHub, or without a word of it, which is at most likely."""
    named = closed_pairs(world, repo)
    for pair in sorted(named | true_pairs(world, repo), key=str):
        grade = Grade.A if pair in named else Grade.C
        yield Link(issue=pair.issue, change=pair.change, relation=Relation.FIXES, grade=grade)


async def _threads(server: GitHubServer, report: Report) -> dict[EvidenceId, ThreadEvidence]:
    """Read the issues and pull requests that a report cites."""
    found: dict[EvidenceId, ThreadEvidence] = {}
    async with GitHubClient(base_url=server.url, token=_TOKEN) as client:
        for name in sorted({name for claim in report.claims for name in claim.sources if "#" in name}):
            repo, _, number = name.partition("#")
            try:
                found[name] = ThreadEvidence(thread=await GitHubThreads(client, RepoId(repo)).issue(int(number)))
            except NotFound:
                continue
    return found


DAILY = EvalSet("daily", "a day's report is complete, tells what matters first, and holds", run)
