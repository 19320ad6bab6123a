"""Relations: a model reads a commit beside what it names, code checks anchors, a judge agrees."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from langgraph.runtime import Runtime

from agent.analysts.rules import facts_told
from agent.analysts.ruling import Case, Control
from agent.analysts.tasks import is_foreign
from agent.domain.base import AppError, Language, NotFound, RepoId
from agent.domain.claims import Refused
from agent.domain.commits import Change, Commit, PullRequest
from agent.domain.evidence import CommitEvidence, Evidence, Material, ThreadEvidence
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.links import Related
from agent.domain.spending import Account, fallback
from agent.links.candidates import CommitCandidates, commit_candidates
from agent.links.relating import Pairing, SaidRelations
from agent.ports import RepositorySources, Step
from agent.prompting import ModelError
from agent.sizing import EvidencePrompt
from graphs.judging import judged_or_refused
from graphs.material import material_with_past
from graphs.run_context import RunContext
from graphs.state import RelateInput, RelateOutput

_RELATE_PROMPT = EvidencePrompt(name="relate", values={}, shape=SaidRelations)


class _Outcome(NamedTuple):
    """What became of the relations of one commit."""

    related: list[Related]
    refused: list[Refused]
    account: Account


async def relate(state: RelateInput, runtime: Runtime[RunContext]) -> RelateOutput:
    """Have a model name what the day's commits have to do with what they refer to."""
    context = runtime.context
    repo = state["spec"].name
    if context.models is None:
        return _handed_on([], Account())
    material = await material_with_past(state, context)
    issues = context.issues.known(repo, state["window"]).issues
    pairs = state["stories"].pairs
    candidates = commit_candidates(state["first_look"], material, issues, pairs)
    if not candidates:
        return _handed_on([], Account())
    runtime.stream_writer(Step(repo, "relating", 0, len(candidates)))
    try:
        limit = await context.question_limit("reading", repo)
        token_budget = limit.evidence_tokens(_RELATE_PROMPT)
        await context.asked.check_time_for_all(repo, "relations", len(candidates))
    except ModelError as error:
        return _handed_on([], fallback("relating", error))
    repositories = await _repositories(state, context)
    pairings = await _pairings(candidates, material, repositories, token_budget, context)
    facts = [claim for claim in facts_told(material) if claim.predicate == "fact" and claim.text]
    controls = [claim.text for claim in facts]
    outcomes = await asyncio.gather(
        *(_related(pairing, controls, repositories, context) for pairing in pairings)
    )
    return _handed_on(outcomes, context.take_spent(repo))


def _handed_on(outcomes: Sequence[_Outcome], account: Account) -> RelateOutput:
    """Return what became of the relations of all commits, and what that cost."""
    related: list[Related] = []
    refused: list[Refused] = []
    for outcome in outcomes:
        related += outcome.related
        refused += outcome.refused
        account += outcome.account
    return {"related": related, "refused": refused, "account": account}


async def _related(
    pairing: Pairing,
    facts: Sequence[Mapping[Language, str]],
    repositories: Mapping[RepoId, RepositorySources],
    context: RunContext,
) -> _Outcome:
    """Ask, check both anchors, and have the sentence judged against both sides."""
    repo, name = pairing.change.repo, pairing.change.id
    try:
        answer = await context.ask_about(
            "reading",
            repo,
            _RELATE_PROMPT,
            lambda budget: pairing.text((), budget),
            about=name,
        )
    except ModelError as error:
        return _Outcome([], [], fallback("relating", error, name))
    drafts = {draft.claim.id: draft for draft in pairing.drafts(answer)}
    passed = []
    refused = []
    for draft in drafts.values():
        objections = pairing.objections(draft)
        if objections:
            refused.append(Refused(task=name, claim=draft.claim, reasons=objections))
        else:
            passed.append(draft.claim)
    if not passed:
        return _Outcome([], refused, Account())

    def controls(evidence: str) -> list[Control]:
        foreign = [Control(text) for text in facts if is_foreign(text, evidence)]
        return [*foreign, Control(pairing.control(evidence))]

    case = Case(
        account=repo,
        claims=passed,
        show=pairing.text,
        controls=controls,
        required=lambda claim: [anchor.text for anchor in claim.anchors],
    )
    verdicts, account = await judged_or_refused(case, context, name)
    account += Account(judging=verdicts.judging)
    for claim, judgement in verdicts.refused:
        refused.append(Refused(task=name, claim=claim, reasons=(judgement,)))
    admitted = []
    for claim in verdicts.admitted:
        draft = drafts[claim.id]
        landed_as = await _landed_as(pairing.other(draft), repositories)
        admitted.append(pairing.related(draft, claim.judged_by, landed_as))
    return _Outcome(admitted, refused, account)


# ---------------------------------------------------------------- both sides


async def _pairings(
    candidates: Sequence[CommitCandidates],
    material: Material,
    repositories: Mapping[RepoId, RepositorySources],
    token_budget: int,
    context: RunContext,
) -> list[Pairing]:
    """Read both sides of what may be related."""
    code = repositories[material.repo].code
    shas = [candidate.read.evidence.change.commit.sha for candidate in candidates]
    # Of commits that were only skimmed the patches are missing, and they show what was done.
    changes = await context.library.whole(code, shas)
    others = await _others(candidates, material, repositories, context)
    pairings = []
    for candidate in candidates:
        evidence = _patched(candidate.read.evidence, changes)
        read = replace(candidate.read, evidence=evidence)
        by_id = {others[name].id: others[name] for name in candidate.others if name in others}
        by_id.pop(read.evidence.id, None)
        # A pull request and the commit that it became are one; the commit shows what was done.
        shown = [other for other in by_id.values() if _merge_commit(other) not in by_id]
        if shown:
            pairing = Pairing(
                read=read,
                material=material,
                others=shown,
                mentions=candidate.mentions,
                token_budget=token_budget,
            )
            pairings.append(pairing)
    return pairings


def _patched(evidence: CommitEvidence, changes: Mapping[str, Change]) -> CommitEvidence:
    change = changes.get(evidence.change.commit.sha, evidence.change)
    return evidence.model_copy(update={"change": change})


def _merge_commit(other: Evidence) -> EvidenceId | None:
    """Return the commit that GitHub says a pull request became."""
    thread = other.thread if isinstance(other, ThreadEvidence) else None
    if not isinstance(thread, PullRequest) or not is_full_hash(thread.merge_commit or ""):
        return None
    return EvidenceId.commit(other.repo, thread.merge_commit or "")


async def _repositories(state: RelateInput, context: RunContext) -> dict[RepoId, RepositorySources]:
    """Open the sources of the repository and of the others that the report is about."""
    specs = (state["spec"], *state["beside"])
    return {spec.name: await context.repositories.open(spec) for spec in specs}


async def _others(
    candidates: Sequence[CommitCandidates],
    material: Material,
    repositories: Mapping[RepoId, RepositorySources],
    context: RunContext,
) -> dict[EvidenceId, Evidence]:
    """Read what the commits may belong to, by its name as it was written."""
    read: dict[EvidenceId, Evidence] = {one.evidence.id: one.evidence for one in material.reads}
    read |= material.background
    names: dict[EvidenceId, None] = {}
    for candidate in candidates:
        names |= dict.fromkeys(candidate.others)
    others = {name: read[name] for name in names if name in read}
    unread = [name for name in names if name not in read]
    for repo, sources in repositories.items():
        others |= await _threads(sources, repo, unread)
        shas = [name for name in unread if not name.is_thread and name.repo == repo]
        others |= await _commits(sources, shas, context)
    return others


async def _threads(
    sources: RepositorySources, repo: RepoId, names: Iterable[EvidenceId]
) -> dict[EvidenceId, Evidence]:
    numbers = [name.number for name in names if name.number is not None and name.repo == repo]
    if not numbers:
        return {}
    try:
        return {one.id: one for one in await sources.threads.discussions(numbers)}
    except AppError:
        return {}  # What cannot be read is not related


async def _commits(
    sources: RepositorySources, names: Sequence[EvidenceId], context: RunContext
) -> dict[EvidenceId, Evidence]:
    """Read the commits that hashes name; a short one stands for the commit that it means."""
    commits: dict[EvidenceId, Evidence] = {}
    for name in names:
        try:
            commit = await sources.code.resolve(name.revision)
        except NotFound:
            continue
        changes = await context.library.whole(sources.code, [commit.sha])
        async for evidence in context.library.skim(sources.code, [commit.sha]):
            commits[name] = _patched(evidence, changes)
    return commits


async def _landed_as(
    other: Evidence, repositories: Mapping[RepoId, RepositorySources]
) -> Commit | None:
    """Find the commit that a merged pull request became."""
    thread = other.thread if isinstance(other, ThreadEvidence) else None
    if not isinstance(thread, PullRequest) or not thread.merged_at or not thread.merge_commit:
        return None
    try:
        return await repositories[thread.repo].code.resolve(thread.merge_commit)
    except NotFound:
        return None  # Merged into a branch that is not read
