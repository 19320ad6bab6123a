"""Collecting, the first look at a repository: what landed, what threads say, what each commit weighs."""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from langgraph.runtime import Runtime

from agent.domain.base import RepoId
from agent.domain.commits import Change, Landing, Notice, omission_notices
from agent.domain.errors import AppError
from agent.domain.ledger import OwnUse, Triage
from agent.domain.report import Failure
from agent.domain.threads import Threads
from agent.links.recorded_links import day_links
from agent.links.references_in_texts import LandedDay, day_references
from agent.ports import RepositorySources, Step
from agent.reports.chapter import commits_of_report
from agent.triage.collected_commits import Collected, Scales, UnreadCommit, filter_notices
from agent.triage.weights import lifted, rank
from graphs.failures import failing_alone
from graphs.run_context import RunContext
from graphs.state import CollectInput, CollectOutput
from tools.evidence_cache import EvidenceCache
from tools.search_index_filling import read_threads

_MAX_FAILED_LISTED = 5  # Commits without a readable diff that a failure names


@failing_alone("code")
async def collect(state: CollectInput, runtime: Runtime[RunContext]) -> CollectOutput:
    """Take the first look at one repository."""
    repo = state["spec"].name
    runtime.stream_writer(Step(repo, "opening"))
    sources = await runtime.context.repositories.open(state["spec"])
    listed = await list_commits(state, sources, runtime)
    return {"collected": {repo: await triage(state, sources, listed, runtime)}}


async def list_commits(
    state: CollectInput, sources: RepositorySources, runtime: Runtime[RunContext]
) -> Collected:
    """Find what landed and what the window's threads say."""
    context = runtime.context
    repo = state["spec"].name
    window = state["window"]
    runtime.stream_writer(Step(repo, "listing commits"))
    landing = await sources.code.landed(window, known_tip=context.landings.known_tip(repo, window))
    shas = [row.commit.sha for row in (*landing.rows, *landing.late)]
    reported = commits_of_report(landing, context.landings.elsewhere(repo, window, shas))
    commits = [row.commit for row in (*reported.rows, *reported.late)]
    runtime.stream_writer(Step(repo, "reading issues and pull requests"))
    open_issues = context.issues.known_open(repo, window)
    threads = await read_threads(sources, window, commits, open_issues)
    if open_issues:
        threads = _with_listing_gap(threads, repo, context)
    earlier_notices = []
    for row, owner in reported.reported_before:
        about = (row.commit.sha[:12], owner.window)
        earlier_notices.append(Notice(kind="told-before", about=about))
    return Collected(
        landing=landing.model_copy(update={"notices": (*landing.notices, *earlier_notices)}),
        rows=reported.rows,
        late=reported.late,
        threads=threads,
        references=day_references(LandedDay(repo, landing.branch, commits, threads)),
        failures=tuple(_listing_failures(repo, landing, threads)),
    )


def _with_listing_gap(threads: Threads, repo: RepoId, context: RunContext) -> Threads:
    """Add to the threads what the first run could not list: every later report rests on that list."""
    if threads.coverage == "not read":
        return threads
    gap = context.issues.cut_short(repo)
    if not gap:
        return threads
    update = {"coverage": "partial", "notices": (*threads.notices, gap)}
    return threads.model_copy(update=update)


def _listing_failures(repo: RepoId, landing: Landing, threads: Threads) -> Iterator[Failure]:
    for message in landing.failures:
        yield Failure(repo=repo, stage="commits", message=message)
    for message in threads.missing:
        yield Failure(repo=repo, stage="threads", message=message)


async def triage(
    state: CollectInput,
    sources: RepositorySources,
    collected: Collected,
    runtime: Runtime[RunContext],
) -> Collected:
    """Read every diff that may be read, and weigh the commits by what is in them."""
    context = runtime.context
    repo = state["spec"].name
    links = day_links(
        LandedDay(
            repo,
            collected.landing.branch,
            [row.commit for row in collected.landed],
            collected.threads,
        ),
        collected.references,
        context.issues.known(repo, state["window"]).issues,
    )
    scales = Scales(collected.model_copy(update={"links": links}), state["spec"])
    shas = collected.shas[: sources.diffs]
    skimmed = await _skim(sources, shas, scales, runtime)
    own_uses = await _own_uses(context, sources, collected)
    unread = set(shas) - {triaged.sha for triaged in skimmed.weighed}
    over_budget = UnreadCommit(
        depth="list", reason=f"subject only: the budget of {sources.diffs} diffs is spent"
    )
    failed = UnreadCommit(depth="failed", reason=skimmed.problem)
    unread_commits = dict.fromkeys(collected.shas[len(shas) :], over_budget)
    unread_commits |= dict.fromkeys(sorted(unread), failed)
    failures = list(collected.failures)
    if unread:
        listed = ", ".join(sha[:12] for sha in sorted(unread)[:_MAX_FAILED_LISTED])
        message = f"{len(unread)} of {len(collected.landed)} ({listed}): {skimmed.problem}"
        failures.append(Failure(repo=repo, stage="diffs", message=message))
    notices = (
        *collected.landing.notices,
        *skimmed.omissions,
        *filter_notices(skimmed.weighed),
    )
    update = {
        "landing": collected.landing.model_copy(update={"notices": notices}),
        "table": lifted(rank(skimmed.weighed), {use.sha for use in own_uses}),
        "own_uses": own_uses,
        "links": links,
        "unread": unread_commits,
        "failures": tuple(failures),
    }
    return collected.model_copy(update=update)


class _Skimmed(NamedTuple):
    """The facts in the diffs of a day, and why some diffs could not be read."""

    weighed: list[Triage]
    omissions: list[Notice]
    problem: str


async def _skim(
    sources: RepositorySources, shas: Sequence[str], scales: Scales, runtime: Runtime[RunContext]
) -> _Skimmed:
    """Read diffs until one cannot be read, and weigh their commits."""
    repo = sources.code.repo
    weighed: list[Triage] = []
    omissions: list[Notice] = []
    problem = "the diff could not be read"
    numbers = itertools.count(1)
    runtime.stream_writer(Step(repo, "reading diffs", 0, len(shas)))

    def report_progress(_: Change) -> None:
        runtime.stream_writer(Step(repo, "reading diffs", next(numbers), len(shas)))

    try:
        async for evidence in runtime.context.evidence_cache.skim(
            sources.code, shas, report_progress
        ):
            weighed.append(scales.weigh(evidence))
            omissions += omission_notices(evidence.change)
    except AppError as error:
        problem = str(error)
    return _Skimmed(weighed, omissions, problem)


async def _own_uses(
    context: RunContext, sources: RepositorySources, collected: Collected
) -> tuple[OwnUse, ...]:
    """Find what the user's own code uses of what changes; for that, whole files are read."""
    if context.own is None or not collected.landed:
        return ()
    landed = [row.commit for row in collected.landed]
    # Not in the cache of the run: a resumed run has not read all of them like this.
    cache = EvidenceCache()
    studied = await cache.study_all(sources.code, collected.shas[: sources.diffs], landed=landed)
    touched = {}
    for evidence in studied:
        if evidence.sheet:
            touched[evidence.change.commit.sha] = evidence.sheet.touched
    return await context.own.found(sources.code.repo, touched)
