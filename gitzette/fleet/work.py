"""What a worker does: read a repository's day, compose an edition of what was read, deliver it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter

from agent.domain.base import AppError, RepoId, UpstreamError
from agent.domain.report import Failure, Report, cited_by
from agent.domain.window import Window
from agent.reports.stored import merge
from agent.settings.values import Recipe, Settings
from gitzette.delivery.deliver import Deliverer, Entries, Entry, Outbox
from gitzette.fleet.editions import PartPlan, edition_of, part_plan
from gitzette.publish import bring_reports
from gitzette.sources import RecordedDesks
from gitzette.wiring import House, memory_of, open_house, run_graph
from graphs.daily import Day, Part, build_edition, build_part, part_of, report_of
from memory.artefacts import Artefact, JsonCodec
from memory.fleet import DONE, FAILED, Fleet

_PART = JsonCodec("part", TypeAdapter(Part))


@dataclass(frozen=True)
class FleetProgress:
    """Notes in the database how far each repository is."""

    fleet: Fleet
    day: str

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Note a step."""
        self.fleet.step(f"{repo} {self.day}", what, done, total)


async def read_repository(
    settings: Settings, environ: Mapping[str, str], repo: RepoId, window: Window, *, last: bool
) -> None:
    """Read a repository's day and store its part, unless that is done; `last` says that it is not tried again."""
    plan, now = part_plan(settings, repo, window), datetime.now(UTC)
    specs = (plan.spec, *plan.beside)
    async with open_house(plan.settings, environ, now, plan.run, specs, background=True) as house:
        memory = house.memory
        status = memory.fleet.statuses([plan.key]).get(plan.key)
        if status == DONE:
            return
        with memory.run_locks.hold(plan.run):
            if status == FAILED:
                # Somebody wants it tried again: what failed may have been mended.
                memory.recorder(plan.run).forget_errors()
                memory.run_locks.forget_checkpoints(plan.run)
            memory.runs.begin(plan.run, window.key, now, plan.recipe)
            begun = Day(window=window, specs=plan.recipe.repos, beside=plan.beside)
            state = await run_graph(
                build_part, house, plan.run, begun, FleetProgress(memory.fleet, window.label)
            )
            _store(house, plan, state, last=last)


def _store(house: House, plan: PartPlan, state: Any, *, last: bool) -> None:
    memory, window, repo = house.memory, plan.recipe.window, plan.spec.name
    part = part_of(state, repo)
    if part.failures and memory.recorder(plan.run).outages():
        # What is recorded is not asked for again; what was an outage is.
        memory.run_locks.forget_checkpoints(plan.run)
        if not last:
            raise UpstreamError(part.failures[0].message, retryable=True)
    report = report_of(state | {"specs": plan.recipe.repos}, house.deps.analyst)
    memory.reports.remember(report)
    memory.retention.cite(plan.run, window.key, cited_by(report))
    (body,) = _PART.encode(part)
    memory.fleet.put_part(
        plan.key, repo, window, plan.run, DONE if part.chapter else FAILED, body.body
    )
    details = {"repos": [repo], "requests": {house.client.address.host: asdict(house.client.usage)}}
    memory.runs.end(plan.run, "incomplete" if part.failures else "done", datetime.now(UTC), details)
    memory.run_locks.finish(plan.run)
    if part.chapter is None:
        raise AppError(part.failures[0].message if part.failures else "nothing could be read")


def plans_of(settings: Settings, edition: str, window: Window) -> list[PartPlan]:
    """Name the parts of an edition."""
    return [part_plan(settings, spec.name, window) for spec in edition_of(settings, edition).repos]


async def compose(
    settings: Settings, environ: Mapping[str, str], edition: str, window: Window, *, late: bool
) -> bool:
    """Compose and publish an edition of what was read, if everything is there or it is late; tell whether it was."""
    mine, now = edition_of(settings, edition), datetime.now(UTC)
    run = f"edition-{sha256(f'{edition} {window.key}'.encode()).hexdigest()[:16]}"
    recipe = Recipe.of(mine, window, mine.repos)
    async with open_house(mine, environ, now, run, mine.repos, background=True) as house:
        memory, fleet = house.memory, house.memory.fleet
        keys = {plan.spec.name: plan.key for plan in plans_of(settings, edition, window)}
        known, there = fleet.statuses(list(keys.values())), fleet.edition(edition, window.key)
        # One that is published is composed again when everything is there, and something that it lacks.
        told = {section.repo for section in there.sections} if there else set()
        lacking = {repo for repo, key in keys.items() if known.get(key) == DONE} - told
        if not (len(known) == len(keys) and lacking if there else len(known) == len(keys) or late):
            return False
        with memory.run_locks.hold(run):
            memory.runs.begin(run, window.key, now, recipe)
            desks = RecordedDesks(**vars(house.deps.desks) | {"unopened": True})
            deps = replace(house.deps, publisher=EditionPublisher(fleet, edition), desks=desks)
            begun, display = _begun(recipe, keys, fleet), FleetProgress(fleet, window.label)
            report = (
                await run_graph(build_edition, replace(house, deps=deps), run, begun, display)
            )["report"]
            memory.retention.cite(run, window.key, cited_by(report))
            status = "incomplete" if report.failures else "done"
            memory.runs.end(run, status, datetime.now(UTC), {"repos": list(keys)})
            memory.run_locks.finish(run)
    return True


def _begun(recipe: Recipe, keys: Mapping[RepoId, str], fleet: Fleet) -> Day:
    """Put the parts that were read together; the others are told as missing."""
    found = fleet.parts(list(keys.values()))
    parts = {
        repo: _PART.decode(Artefact("part", found[key]))
        for repo, key in keys.items()
        if key in found
    }
    why = "it was not read in time"
    missing = [Failure(repo=repo, stage="code", message=why) for repo in keys if repo not in parts]
    return Day(
        window=recipe.window,
        specs=recipe.repos,
        collected={repo: part.collected for repo, part in parts.items() if part.collected},
        chapters={repo: part.chapter for repo, part in parts.items() if part.chapter},
        failures=[*(failure for part in parts.values() for failure in part.failures), *missing],
        refused=[one for part in parts.values() for one in part.refused],
    )


@dataclass(frozen=True)
class EditionPublisher:
    """Publishes an edition: it is stored in the database, from which every machine serves and delivers it."""

    fleet: Fleet
    edition: str

    def publish(self, report: Report) -> Report:
        """Store the report, merged with what the window already has."""
        there = self.fleet.edition(self.edition, report.window.key)
        report = merge(there, report) if there else report
        self.fleet.put_edition(self.edition, report)
        return report


class FleetOutbox(Outbox):
    """Notes in the database what was delivered, for every machine."""

    def __init__(self, fleet: Fleet, edition: str) -> None:
        self._fleet, self._edition = fleet, edition

    def put(self, entry: Entry) -> None:
        """Note how a report stands on a channel."""
        self._fleet.put_delivery(self._edition, entry.channel, entry.label, entry.model_dump_json())

    def read(self) -> Entries:
        """Read the entries."""
        return Entries(
            entries=tuple(map(Entry.model_validate_json, self._fleet.deliveries(self._edition)))
        )


def deliver(settings: Settings, environ: Mapping[str, str], edition: str, window: Window) -> None:
    """Send an edition to its channels, each message once."""
    mine = edition_of(settings, edition)
    with memory_of(mine, environ) as memory:
        bring_reports(memory.fleet, mine, edition)
        if there := memory.fleet.edition(edition, window.key):
            deliverer = Deliverer(
                settings=mine, environ=environ, outbox=FleetOutbox(memory.fleet, edition)
            )
            deliverer.deliver(there)
            if deliverer.failed:
                raise UpstreamError(deliverer.failed[0], retryable=True)
