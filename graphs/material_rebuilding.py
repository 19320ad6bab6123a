"""The material of a repository: its evidence by the ids that the state holds, read from the sources.

Nothing of it is kept between steps. The evidence cache returns what this process has read before,
and the record of the run returns it to a run that was resumed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.domain.evidence import CommitEvidence, Material, Read, ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth, Triage
from agent.domain.links import Related
from agent.domain.threads import Issue
from agent.links.admitted_relation_links import related_links
from agent.links.recorded_links import carried_links, partners, reverted_by
from agent.ports import CodeSource
from agent.triage.collected_commits import Collected, Scales, background_of, known_issues
from agent.triage.weights import lifted
from graphs.run_context import RunContext
from graphs.state import (
    AnalysisInput,
    CloseReading,
    MaterialInput,
    ReadingInput,
    RepositoryStepInput,
    StoriesInput,
)
from tools.history.find_stories import with_past
from tools.pull_request_templates import pull_templates


def repository_of(state: AnalysisInput) -> MaterialInput:
    """Return the repository that tasks about commits belong to."""
    repository = state["repository"]
    assert repository is not None, "tasks about commits come with their repository"
    return repository


async def close_reading(
    state: RepositoryStepInput, studied: Sequence[CommitEvidence], context: RunContext
) -> CloseReading:
    """Return what is known of the day's commits now that some were read in depth."""
    spec = state["spec"]
    first_look = state["first_look"]
    sources = await context.repositories.open(spec)
    deep = [evidence.change.commit.sha for evidence in studied]
    evidence_by_sha = await _day_evidence(sources.code, first_look, deep, context)
    reverted = reverted_by(list(evidence_by_sha.values()))
    weighed = Scales(first_look, spec).weigh_again(evidence_by_sha, reverted)
    used_shas = {use.sha for use in first_look.own_uses}
    earlier = context.issues.known(spec.name, state["window"])
    related_by_text = partners(evidence_by_sha.values())
    links = tuple(carried_links(first_look.links, earlier.links, related_by_text))
    return CloseReading(
        deep=tuple(deep),
        background=background_of(studied, first_look),
        ranking=lifted(weighed, used_shas),
        reverted=reverted,
        links=links,
        earlier_issues=tuple(known_issues(first_look, earlier, links)),
        templates=await pull_templates(sources.code, first_look),
    )


async def read_material(state: ReadingInput, context: RunContext) -> Material:
    """Return what was read of a repository's day."""
    spec = state["spec"]
    first_look = state["first_look"]
    reading = state["reading"]
    sources = await context.repositories.open(spec)
    evidence_by_sha = await _day_evidence(sources.code, first_look, reading.deep, context)
    reads = []
    for triaged in reading.ranking:
        depth = _depth(triaged, reading)
        reads.append(Read(evidence=evidence_by_sha[triaged.sha], triage=triaged, depth=depth))
    background: dict[EvidenceId, CommitEvidence] = {}
    async for evidence in context.evidence_cache.skim(sources.code, reading.background):
        background[evidence.id] = evidence
    return Material(
        repo=spec.name,
        window=state["window"],
        reads=reads,
        links=reading.links,
        issues=(*first_look.threads.issues, *reading.earlier_issues),
        pulls={pull.number: pull for pull in first_look.threads.pulls},
        templates=reading.templates,
        reverted=reading.reverted,
        background=background,
    )


def _depth(triaged: Triage, reading: CloseReading) -> Depth:
    if triaged.sha in reading.deep:
        return "deep"
    return "group" if triaged.noise else "skim"


async def _day_evidence(
    code: CodeSource, first_look: Collected, deep: Sequence[str], context: RunContext
) -> dict[str, CommitEvidence]:
    """Return the day's commits by their hashes, each as closely as it was read."""
    shas = [triaged.sha for triaged in first_look.table]
    landed = [row.commit for row in first_look.rows]
    skimmed = [evidence async for evidence in context.evidence_cache.skim(code, shas)]
    studied = await context.evidence_cache.study_all(code, deep, landed=landed)
    evidence_by_sha: dict[str, CommitEvidence] = {}
    for evidence in (*skimmed, *studied):
        sha = evidence.change.commit.sha
        # Studying some commits has corrected what the patches alone say of others.
        closest = context.evidence_cache.get(evidence.id) or evidence
        pull = first_look.threads.pull_of.get(sha)
        evidence_by_sha[sha] = closest.model_copy(update={"pull": pull})
    return evidence_by_sha


async def material_with_past(state: StoriesInput, context: RunContext) -> Material:
    """Return what was read of a repository's day, and the earlier commits that stories rest on."""
    material = await read_material(state, context)
    code = (await context.repositories.open(state["spec"])).code
    return await with_past(material, state["stories"], code, context.evidence_cache)


async def material_of(state: MaterialInput, context: RunContext) -> Material:
    """Return everything that sentences about a repository's day may be written from."""
    material = await material_with_past(state, context)
    return await _with_relations(material, state, context)


async def _with_relations(
    material: Material, state: MaterialInput, context: RunContext
) -> Material:
    """Replace plain references by the relations that were admitted, with their threads."""
    related = state["related"]
    if not related:
        return material
    first_look = state["first_look"]
    earlier = context.issues.known(material.repo, state["window"])
    links = related_links(material.links, related)
    issues = [*first_look.threads.issues, *known_issues(first_look, earlier, links)]
    listed = {issue.id for issue in issues}
    listed.update(pull.id for pull in material.pulls.values())
    listed.update(material.threads)
    missing = list(_unlisted_threads(related, listed))
    sources = await context.repositories.open(state["spec"])
    threads: dict[EvidenceId, ThreadEvidence] = {}
    if missing:
        # They were read when they were related; the answers are on record.
        for discussion in await sources.threads.discussions(missing):
            threads[discussion.id] = discussion
            if isinstance(discussion.thread, Issue):
                issues.append(discussion.thread)
    return replace(material, links=links, issues=issues, threads=threads | dict(material.threads))


def _unlisted_threads(related: Sequence[Related], listed: set[EvidenceId]) -> Iterator[int]:
    """Yield the numbers of the repository's threads that relations name and nobody has read."""
    for relation in related:
        number = relation.other.number
        if number is None or relation.is_abroad or relation.other in listed:
            continue
        yield number
