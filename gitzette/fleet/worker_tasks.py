"""The tasks of a worker: reading a repository's day, composing an edition, delivering it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import cast

from pydantic import TypeAdapter

from agent.domain.base import RepoId
from agent.domain.claims import Refused
from agent.domain.errors import AppError, ConfigError, UpstreamError
from agent.domain.report import Failure, Report, cited_by
from agent.domain.window import Window
from agent.reports.rerun.merge import merge
from agent.settings.values import Recipe, Settings
from gitzette.delivery.deliver import Deliverer
from gitzette.delivery.outbox import FleetOutbox
from gitzette.file_publisher import bring_reports
from gitzette.fleet.edition_plans import PartPlan, edition_of, part_plan
from gitzette.home_folder import memory_of
from gitzette.sources import RecordedRepositories
from gitzette.wiring import Services, open_services, run_graph
from graphs.day_parts import Part, build_edition, build_part, part_of, report_of_part
from graphs.state import EditionInput, PartInput, PartState
from memory.fleet import DONE, FAILED, Fleet
from memory.recorded_answers import Artefact, JsonCodec

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
    """Read a repository's day and store its part, unless that is done.

    `last` means that it will not be tried again: then what could not be read is stored as failed.
    """
    plan = part_plan(settings, repo, window)
    now = datetime.now(UTC)
    specs = (plan.spec, *plan.beside)
    async with open_services(
        plan.settings, environ, now, plan.run, specs, background=True
    ) as services:
        memory = services.memory
        status = memory.fleet.statuses([plan.key]).get(plan.key)
        if status == DONE:
            return
        with memory.run_locks.hold(plan.run):
            if status == FAILED:
                # The task was queued again: what failed may have been mended.
                memory.recorder(plan.run).forget_errors()
                memory.run_locks.forget_checkpoints(plan.run)
            memory.runs.begin(plan.run, window.key, now, plan.recipe)
            day = PartInput(window=window, specs=plan.recipe.repos, beside=plan.beside)
            progress = FleetProgress(memory.fleet, window.label)
            state = await run_graph(build_part, services, plan.run, day, progress)
            _store(services, plan, cast("PartState", state), last=last)


def _store(services: Services, plan: PartPlan, state: PartState, *, last: bool) -> None:
    memory = services.memory
    window = plan.recipe.window
    repo = plan.spec.name
    part = part_of(state, repo)
    if part.failures and memory.recorder(plan.run).outages():
        # What is recorded is not asked for again; what was an outage is.
        memory.run_locks.forget_checkpoints(plan.run)
        if not last:
            raise UpstreamError(part.failures[0].message, retryable=True)
    report = report_of_part(state, services.context.analyst)
    memory.reports.remember(report)
    memory.retention.cite(plan.run, window.key, cited_by(report))
    _put_part(memory.fleet, plan, part)
    usage = {services.client.address.host: asdict(services.client.usage)}
    details = {"repos": [repo], "requests": usage}
    status = "incomplete" if part.failures else "done"
    memory.runs.end(plan.run, status, datetime.now(UTC), details)
    memory.run_locks.finish(plan.run)
    if part.chapter is None:
        raise AppError(part.failures[0].message if part.failures else "nothing could be read")


def _put_part(fleet: Fleet, plan: PartPlan, part: Part) -> None:
    (artefact,) = _PART.encode(part)
    status = DONE if part.chapter else FAILED
    fleet.put_part(plan.key, plan.spec.name, plan.recipe.window, plan.run, status, artefact.body)


def record_failure(
    settings: Settings, environ: Mapping[str, str], repo: RepoId, window: Window, reason: str
) -> None:
    """Store that a repository's day failed for good, for the editions that have it."""
    try:
        plan = part_plan(settings, repo, window)
    except ConfigError:
        return  # No edition of this machine waits for it
    failure = Failure(repo=repo, stage="code", message=reason)
    with memory_of(settings, environ) as memory:
        if plan.key not in memory.fleet.statuses([plan.key]):
            _put_part(memory.fleet, plan, Part(failures=(failure,)))


def plans_of(settings: Settings, edition: str, window: Window) -> list[PartPlan]:
    """Return the plans of the parts of an edition."""
    return [part_plan(settings, spec.name, window) for spec in edition_of(settings, edition).repos]


async def compose(
    settings: Settings, environ: Mapping[str, str], edition: str, window: Window, *, late: bool
) -> bool:
    """Compose and publish an edition if it is due; return whether it was.

    It is due when every part is read or has failed, or when it is late. One that is published is
    composed again when every part is there and one of them is not in it.
    """
    edition_settings = edition_of(settings, edition)
    now = datetime.now(UTC)
    run = f"edition-{sha256(f'{edition} {window.key}'.encode()).hexdigest()[:16]}"
    recipe = Recipe.of(edition_settings, window, edition_settings.repos)
    specs = edition_settings.repos
    async with open_services(
        edition_settings, environ, now, run, specs, background=True
    ) as services:
        memory = services.memory
        fleet = memory.fleet
        keys = {plan.spec.name: plan.key for plan in plans_of(settings, edition, window)}
        if not _is_due(fleet, edition, window, keys, late=late):
            return False
        with memory.run_locks.hold(run):
            memory.runs.begin(run, window.key, now, recipe)
            repositories = RecordedRepositories(
                **vars(services.context.repositories) | {"unopened": True}
            )
            publisher = EditionPublisher(fleet, edition)
            context = replace(services.context, publisher=publisher, repositories=repositories)
            services = replace(services, context=context)
            day = _day_of_parts(recipe, keys, fleet)
            progress = FleetProgress(fleet, window.label)
            state = await run_graph(build_edition, services, run, day, progress)
            report = state["report"]
            memory.retention.cite(run, window.key, cited_by(report))
            status = "incomplete" if report.failures else "done"
            memory.runs.end(run, status, datetime.now(UTC), {"repos": list(keys)})
            memory.run_locks.finish(run)
    return True


def _is_due(
    fleet: Fleet, edition: str, window: Window, keys: Mapping[RepoId, str], *, late: bool
) -> bool:
    statuses = fleet.statuses(list(keys.values()))
    is_complete = len(statuses) == len(keys)
    published = fleet.edition(edition, window.key)
    if published is None:
        return is_complete or late
    if not is_complete:
        return False
    published_repos = {section.repo for section in published.sections}
    read_repos = {repo for repo, key in keys.items() if statuses[key] == DONE}
    return bool(read_repos - published_repos)


def _day_of_parts(recipe: Recipe, keys: Mapping[RepoId, str], fleet: Fleet) -> EditionInput:
    """Return the state of a day from the parts that were read; the others are failures."""
    bodies = fleet.parts(list(keys.values()))
    parts: dict[RepoId, Part] = {}
    failures: list[Failure] = []
    missing: list[Failure] = []
    refused: list[Refused] = []
    for repo, key in keys.items():
        if key in bodies:
            parts[repo] = _PART.decode(Artefact("part", bodies[key]))
            failures.extend(parts[repo].failures)
            refused.extend(parts[repo].refused)
        else:
            reason = "it was not read in time"
            missing.append(Failure(repo=repo, stage="code", message=reason))
    return EditionInput(
        window=recipe.window,
        specs=recipe.repos,
        collected={repo: part.collected for repo, part in parts.items() if part.collected},
        chapters={repo: part.chapter for repo, part in parts.items() if part.chapter},
        failures=[*failures, *missing],
        refused=refused,
    )


@dataclass(frozen=True)
class EditionPublisher:
    """Stores an edition in the database, from which every machine serves and delivers it."""

    fleet: Fleet
    edition: str

    def publish(self, report: Report) -> Report:
        """Store the report, merged with what the window already has."""
        published = self.fleet.edition(self.edition, report.window.key)
        if published is not None:
            report = merge(published, report)
        self.fleet.put_edition(self.edition, report)
        return report


def deliver(settings: Settings, environ: Mapping[str, str], edition: str, window: Window) -> None:
    """Send an edition to its channels, each message once."""
    edition_settings = edition_of(settings, edition)
    with memory_of(edition_settings, environ) as memory:
        bring_reports(memory.fleet, edition_settings, edition)
        report = memory.fleet.edition(edition, window.key)
        if report is None:
            return
        outbox = FleetOutbox(memory.fleet, edition)
        deliverer = Deliverer(settings=edition_settings, environ=environ, outbox=outbox)
        deliverer.deliver(report)
        if deliverer.failed:
            raise UpstreamError(deliverer.failed[0], retryable=True)
