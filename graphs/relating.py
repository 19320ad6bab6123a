"""Relations between commits and threads: a model proposes, code checks, a judge confirms."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import chain
from typing import NamedTuple

from langgraph.runtime import Runtime

from agent.domain.account import Account, fallback
from agent.domain.base import Language, RepoId
from agent.domain.claims import Claim, Refused
from agent.domain.commits import Change, Commit, Headline
from agent.domain.errors import AppError
from agent.domain.evidence import CommitEvidence, Evidence, Material, ThreadEvidence
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.links import Related
from agent.domain.references import pull_number
from agent.domain.threads import PullRequest
from agent.judging.rulings import Case, Control
from agent.links.candidates import CommitCandidates
from agent.links.relating_trace import IdPair, RelatingTrace, pairs_of, ranked_candidates
from agent.links.relation_prompts import Pairing, RelationDraft, SaidRelations
from agent.model_errors import ModelError
from agent.ports import CloneSource, CodeSource, RepositorySources, Step
from agent.prompt_sizes import EvidencePrompt
from agent.stories.timeline import headline
from agent.token_estimates import tokens_of
from agent.writing.claims_by_rules import fact_claims
from agent.writing.tasks import is_foreign
from graphs.judging import judged_again_if_void
from graphs.material_rebuilding import material_with_past
from graphs.run_context import RunContext
from graphs.shortlisting_related_commits import find_candidates, shortlist
from graphs.state import RelateInput, RelateOutput
from tools.history.later_reverts import later_reverts

_RELATE_PROMPT = EvidencePrompt(name="relate", values={}, shape=SaidRelations)
_MAX_OTHERS = 3  # Others that are read beside a commit in one question
_TOKENS_PER_COMMIT = 7_000  # That a day may spend on relations, for each of its commits
_MIN_TOKENS = 300_000  # That a short day may spend
_MAX_TOKENS = 480_000  # That a long day may spend; the shortlist takes the rest of half a million
_QUESTION_TOKENS = (14_000, 10_000, 7_000, 5_000, 3_500)
"""How much of both sides one question shows: less where many pairs wait."""
_PROMPT_TOKENS = 1_700  # Of a question beside the two sides: prompts, schema, sentences, answer
_READINGS = 3  # Times that both sides are sent: to the reader, and twice to the judge
_MAX_QUESTIONS = 150  # For which both sides are read


class _Outcome(NamedTuple):
    """The admitted and refused relations of one commit, and their cost."""

    related: list[Related]
    refused: list[Refused]
    account: Account


async def relate(state: RelateInput, runtime: Runtime[RunContext]) -> RelateOutput:
    """Have a model relate the day's commits to earlier commits, issues and pull requests."""
    context = runtime.context
    repo = state["spec"].name
    if context.models is None:
        return _handed_on([], Account())
    runtime.stream_writer(Step(repo, "looking for what belongs together"))
    material = await material_with_past(state, context)
    repositories = await _repositories(state, context)
    candidates = await find_candidates(state, material, repositories, context)
    if not candidates:
        return _handed_on([], Account())
    try:
        limit = await context.question_limit("reading", repo)
        await context.require_models().check_time_for_all(repo, "relations", len(candidates))
    except ModelError as error:
        return _handed_on([], fallback("relating", error))
    shortlisted = await shortlist(candidates, repo, context)
    groups = _reading_groups(shortlisted.commits)[:_MAX_QUESTIONS]
    max_tokens = limit.evidence_tokens(_RELATE_PROMPT)
    waiting = await _pairings(groups, material, repositories, max_tokens, context)
    pairings = affordable_pairings(waiting, len(material.reads))
    account = shortlisted.account
    if len(pairings) < len(waiting):
        unread = len(waiting) - len(pairings)
        account += fallback("relating", ModelError(f"no tokens are left for {unread} questions"))
    trace = RelatingTrace(
        repo=repo,
        candidates=tuple(ranked_candidates(candidates)),
        shortlisted=tuple(pairs_of(shortlisted.commits)),
        read=tuple(_read_pairs(pairings)),
    )
    runtime.stream_writer(trace)
    runtime.stream_writer(Step(repo, "relating", 0, len(pairings)))
    controls: list[Mapping[Language, str]] = []
    for claim in fact_claims(material):
        if claim.predicate == "fact" and claim.text:
            controls.append(claim.text)
    questions = [_related(pairing, controls, repositories, context) for pairing in pairings]
    outcomes = await asyncio.gather(*questions)
    return _handed_on(outcomes, account + context.take_spent(repo, "relating"))


def affordable_pairings(pairings: Sequence[Pairing], commits: int) -> list[Pairing]:
    """Return the pairings for which a day of so many commits has tokens, the first ones first.

    Where there are many, each question shows less.
    """
    tokens = min(_MAX_TOKENS, max(_MIN_TOKENS, commits * _TOKENS_PER_COMMIT))
    affordable: list[Pairing] = []
    for question_tokens in _QUESTION_TOKENS:
        shorter = [pairing.limited(question_tokens) for pairing in pairings]
        affordable = _first_within(shorter, tokens)
        if len(affordable) == len(pairings):
            break
    return affordable


def _first_within(pairings: Sequence[Pairing], tokens: int) -> list[Pairing]:
    """Return the first pairings, as many as some tokens are enough for."""
    affordable = []
    for pairing in pairings:
        tokens -= _cost(pairing)
        if tokens < 0:
            break
        affordable.append(pairing)
    return affordable


def _cost(pairing: Pairing) -> int:
    """Return the tokens needed to read both sides and to judge their relation."""
    both_sides = tokens_of(pairing.text((), pairing.token_budget))
    return _READINGS * (both_sides + _PROMPT_TOKENS)


def _reading_groups(commits: Sequence[CommitCandidates]) -> list[CommitCandidates]:
    """Split each commit's candidates into questions; the first question of each comes first."""
    rounds: list[list[CommitCandidates]] = []
    for commit in commits:
        by_id = {candidate.id: candidate for candidate in commit.found}
        others = list(dict.fromkeys((*commit.named, *by_id)))
        for number, start in enumerate(range(0, len(others), _MAX_OTHERS)):
            part = others[start : start + _MAX_OTHERS]
            named_part = [other for other in part if other not in by_id]
            candidates = [by_id[other] for other in part if other in by_id]
            if number == len(rounds):
                rounds.append([])
            rounds[number].append(replace(commit, named=tuple(named_part), found=tuple(candidates)))
    return list(chain.from_iterable(rounds))


def _read_pairs(pairings: Iterable[Pairing]) -> Iterator[IdPair]:
    for pairing in pairings:
        for other in pairing.others:
            yield IdPair(commit=pairing.change.id, other=other.id)


def _handed_on(outcomes: Sequence[_Outcome], account: Account) -> RelateOutput:
    """Combine the outcomes of all commits, with their total cost."""
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
    repo = pairing.change.repo
    name = pairing.change.id
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
    passed: list[Claim] = []
    refused: list[Refused] = []
    for draft in drafts.values():
        objections = pairing.objections(draft)
        if objections:
            refused.append(Refused(task=name, claim=draft.claim, reasons=objections))
        else:
            passed.append(draft.claim)
    if not passed:
        return _Outcome([], refused, Account())
    case = _case(pairing, passed, list(drafts.values()), facts)
    verdicts, account = await judged_again_if_void(case, context, name)
    account += Account(judging=verdicts.judging)
    for claim, judgement in verdicts.refused:
        refused.append(Refused(task=name, claim=claim, reasons=(judgement,)))
    admitted = []
    for claim in verdicts.admitted:
        draft = drafts[claim.id]
        landed_as = await _landed_as(pairing.other(draft), repositories)
        admitted.append(pairing.related(draft, claim.judged_by, landed_as))
    return _Outcome(admitted, refused, account)


def _case(
    pairing: Pairing,
    claims: Sequence[Claim],
    drafts: Sequence[RelationDraft],
    facts: Sequence[Mapping[Language, str]],
) -> Case:
    """Return the case for the judge: relations, and facts of other commits as controls."""

    def controls(evidence: str) -> list[Control]:
        siblings = pairing.controls(drafts, evidence)
        foreign = [text for text in facts if is_foreign(text, evidence)]
        return [Control(text) for text in (*siblings, *foreign)]

    def required(claim: Claim) -> list[str]:
        return [anchor.text for anchor in claim.anchors]

    return Case(
        account=pairing.change.repo,
        claims=claims,
        show=pairing.text,
        controls=controls,
        required=required,
    )


# ---------------------------------------------------------------- both sides


async def _pairings(
    groups: Sequence[CommitCandidates],
    material: Material,
    repositories: Mapping[RepoId, RepositorySources],
    token_budget: int,
    context: RunContext,
) -> list[Pairing]:
    """Read both sides of what may be related, each with the text of its pull request."""
    code = repositories[material.repo].code
    shas = [group.read.evidence.change.commit.sha for group in groups]
    # Skimmed commits have no patches, which show what was done.
    changes = await context.evidence_cache.whole(code, shas)
    others = await _others(groups, material, repositories, context)
    pulls = await _pulls(others.values(), material, repositories)
    taken_back = await _taken_back(others.values(), material, code)
    pairings: list[Pairing] = []
    for group in groups:
        evidence = _patched(group.read.evidence, changes)
        read = replace(group.read, evidence=evidence)
        names = list(group.named)
        names += [candidate.id for candidate in group.found]
        by_id = {others[name].id: others[name] for name in names if name in others}
        by_id.pop(read.evidence.id, None)
        # A pull request and the commit that it became are one; the commit shows what was done.
        distinct = [other for other in by_id.values() if _merge_commit(other) not in by_id]
        # A commit that changes nothing, as one that was already in, has nothing to do with others.
        if not distinct or not evidence.change.files:
            continue
        named_ids = {others[name].id for name in group.named if name in others}
        inferable = {candidate.id for candidate in group.found if candidate.may_be_inferred}
        pairing = Pairing(
            read=read,
            material=material,
            others=distinct,
            pulls={other.id: pulls[other.id] for other in distinct if other.id in pulls},
            mentions=group.mentions,
            named=frozenset(named_ids),
            inferable=frozenset(inferable),
            taken_back=taken_back,
            token_budget=token_budget,
        )
        pairings.append(pairing)
    return pairings


async def _taken_back(
    others: Iterable[Evidence], material: Material, code: CodeSource
) -> dict[EvidenceId, Headline]:
    """Return the reverts, before the window's end, of earlier commits, by the reverted commit."""
    if not isinstance(code, CloneSource):
        return {}
    headlines: dict[str, Headline] = {}
    for other in others:
        if isinstance(other, CommitEvidence) and other.repo == material.repo:
            headlines[other.id.sha] = headline(other.change.commit)
    newest = max(read.evidence.at for read in material.reads)
    reverts = await later_reverts(code, list(headlines.values()), newest + timedelta(seconds=1))
    if reverts is None:
        return {}
    return {EvidenceId.commit(material.repo, sha): by for sha, by in reverts.by_sha.items()}


async def _pulls(
    others: Iterable[Evidence],
    material: Material,
    repositories: Mapping[RepoId, RepositorySources],
) -> dict[EvidenceId, ThreadEvidence]:
    """Return the pull requests that brought other commits, by the ids of the commits."""
    pull_of: dict[EvidenceId, EvidenceId] = {}
    for other in others:
        if isinstance(other, CommitEvidence):
            number = other.pull or pull_number(other.change.commit.title)
            if number is not None:
                pull_of[other.id] = EvidenceId.thread(other.repo, number)
    threads: dict[EvidenceId, Evidence] = {}
    for pull in material.pulls.values():
        threads[pull.id] = ThreadEvidence(thread=pull)
    unread = [name for name in dict.fromkeys(pull_of.values()) if name not in threads]
    for repo, sources in repositories.items():
        threads |= await _threads(sources, repo, unread)
    pulls: dict[EvidenceId, ThreadEvidence] = {}
    for commit, name in pull_of.items():
        thread = threads.get(name)
        if isinstance(thread, ThreadEvidence):
            pulls[commit] = thread
    return pulls


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
    groups: Sequence[CommitCandidates],
    material: Material,
    repositories: Mapping[RepoId, RepositorySources],
    context: RunContext,
) -> dict[EvidenceId, Evidence]:
    """Read the candidates of the commits, by their ids as they were written."""
    read: dict[EvidenceId, Evidence] = {}
    for commit in material.reads:
        read[commit.evidence.id] = commit.evidence
    read |= material.background
    names: dict[EvidenceId, None] = {}
    for group in groups:
        names.update(dict.fromkeys(group.named))
        names.update(dict.fromkeys(candidate.id for candidate in group.found))
    existing = [name for name in names if name in read]
    code = repositories[material.repo].code
    # Of earlier commits in stories, only the titles may have been read so far.
    changes = await context.evidence_cache.whole(
        code, [name.sha for name in existing if name.is_commit]
    )
    others: dict[EvidenceId, Evidence] = {}
    for name in existing:
        evidence = read[name]
        if isinstance(evidence, CommitEvidence):
            evidence = _patched(evidence, changes)
        others[name] = evidence
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
        discussions = await sources.threads.discussions(numbers)
    except AppError:
        return {}  # Threads that cannot be read are not related
    return {discussion.id: discussion for discussion in discussions}


async def _commits(
    sources: RepositorySources, names: Sequence[EvidenceId], context: RunContext
) -> dict[EvidenceId, Evidence]:
    """Read the commits that hashes name; a short one stands for the commit that it means."""
    commits: dict[EvidenceId, Evidence] = {}
    for name in names:
        try:
            commit = await sources.code.resolve(name.revision)
            changes = await context.evidence_cache.whole(sources.code, [commit.sha])
            async for evidence in context.evidence_cache.skim(sources.code, [commit.sha]):
                commits[name] = _patched(evidence, changes)
        except AppError:
            continue  # Commits that cannot be read are not related
    return commits


async def _landed_as(
    other: Evidence, repositories: Mapping[RepoId, RepositorySources]
) -> Commit | None:
    """Return the commit that a merged pull request became."""
    thread = other.thread if isinstance(other, ThreadEvidence) else None
    if not isinstance(thread, PullRequest) or not thread.merged_at or not thread.merge_commit:
        return None
    try:
        return await repositories[thread.repo].code.resolve(thread.merge_commit)
    except AppError:
        return None  # Merged into a branch that is not read, or out of reach
