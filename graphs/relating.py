"""Relating: a model reads a commit beside what it names or resembles, code checks its anchors, a judge agrees."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from agent.analysts.rules import facts_told
from agent.analysts.ruling import Batch
from agent.analysts.tasks import is_foreign
from agent.domain.base import AppError, EvidenceId, Language, NotFound, RepoId
from agent.domain.claims import Refused
from agent.domain.commits import Change, PullRequest
from agent.domain.evidence import CommitEvidence, Evidence, Material, ThreadEvidence
from agent.domain.links import Related
from agent.domain.spending import Account, fallback
from agent.links.candidates import Wanted, wanted_pairs
from agent.links.relating import Pairing, SaidRelations
from agent.ports import CodeSource, Desk, Step
from agent.prompting import ModelError, fenced
from graphs.judging import judged_or_refused
from graphs.run_context import ReadState, RunContext, material_of

_CONTROLS = 2
_Outcome = tuple[list[Related], list[Refused], Account]


async def relate(state: ReadState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Have a model name what the day's commits have to do with what they refer to; without one nothing is named."""
    deps, repo = runtime.context, state["spec"].name
    if deps.models is None:
        return {"related": []}
    material = await material_of(state, deps)
    known = deps.issues.known(repo, state["window"]).issues
    wanted = wanted_pairs(state["found"], material, known, state["stories"].pairs)
    if not wanted:
        return {"related": []}
    runtime.stream_writer(Step(repo, "relating", 0, len(wanted)))
    try:
        room = await deps.packet_room()
    except ModelError as error:
        return {"related": [], "account": fallback("relating", error)}
    wanted = await _with_patches(wanted, (await deps.desks.open(state["spec"])).code, deps)
    found = await _others(state, wanted, material, deps)
    pairings = [pairing for one in wanted if (pairing := _pairing(one, material, found, room))]
    controls = [
        claim.text for claim in facts_told(material) if claim.predicate == "fact" and claim.text
    ]
    outcomes: Sequence[_Outcome] = await asyncio.gather(
        *(_related(one, controls, deps) for one in pairings)
    )
    return {
        "related": [one for related, _, _ in outcomes for one in related],
        "refused": [one for _, refused, _ in outcomes for one in refused],
        "account": sum((lost for _, _, lost in outcomes), Account(spent=deps.asked.take(repo))),
    }


async def _with_patches(
    wanted: Sequence[Wanted], code: CodeSource, deps: RunContext
) -> list[Wanted]:
    """Read the patches of commits that were only skimmed: who shall relate them must see what they do."""
    whole = await deps.library.whole(code, [one.read.evidence.change.commit.sha for one in wanted])
    return [
        replace(one, read=replace(one.read, evidence=_patched(one.read.evidence, whole)))
        for one in wanted
    ]


def _patched(one: CommitEvidence, whole: Mapping[str, Change]) -> CommitEvidence:
    return one.model_copy(update={"change": whole.get(one.change.commit.sha, one.change)})


def _pairing(
    one: Wanted, material: Material, found: Mapping[str, Evidence], room: int
) -> Pairing | None:
    others = {found[name].id: found[name] for name in one.others if name in found}
    others.pop(one.read.evidence.id, None)
    # A pull request and the commit that it became are one; the commit shows what was done.
    shown = [other for other in others.values() if _became(other) not in others]
    return (
        Pairing(read=one.read, material=material, others=shown, said=one.said, room=room)
        if shown
        else None
    )


def _became(other: Evidence) -> EvidenceId:
    thread = other.thread if isinstance(other, ThreadEvidence) else None
    return f"{other.repo}@{thread.merge_commit}" if isinstance(thread, PullRequest) else ""


async def _related(
    pairing: Pairing, facts: Sequence[Mapping[Language, str]], deps: RunContext
) -> _Outcome:
    """Ask, check both anchors, and have the sentence judged against both sides."""
    evidence, name = pairing.text(), pairing.change.id
    try:
        answer = await deps.ask(
            "reading",
            pairing.change.repo,
            "relate",
            {"evidence": fenced(evidence, deps.mark)},
            SaidRelations,
        )
    except ModelError as error:
        return [], [], fallback("relating", error, name)
    drafts = {draft.claim.id: draft for draft in pairing.drafts(answer)}
    checked = [(draft.claim, pairing.objections(draft)) for draft in drafts.values()]
    refused = [Refused(task=name, claim=claim, reasons=wrong) for claim, wrong in checked if wrong]
    passed = [claim for claim, wrong in checked if not wrong]
    if not passed:
        return [], refused, Account()
    controls = [*(text for text in facts if is_foreign(text, evidence)), pairing.control(evidence)][
        :_CONTROLS
    ]
    batch = Batch(account=pairing.change.repo, evidence=evidence, claims=passed, controls=controls)
    verdicts, account = await judged_or_refused(batch, deps, name)
    refused += [Refused(task=name, claim=claim, reasons=(no,)) for claim, no in verdicts.refused]
    admitted = [pairing.related(drafts[claim.id], claim.judged_by) for claim in verdicts.admitted]
    return admitted, refused, account


# ---------------------------------------------------------------- the other side


async def _others(
    state: ReadState, wanted: Sequence[Wanted], material: Material, deps: RunContext
) -> dict[EvidenceId, Evidence]:
    """Read what the commits may belong to, by its name as it was written; other repositories only if reported on."""
    specs = {spec.name: spec for spec in (state["spec"], *state.get("beside", ()))}
    read = {one.evidence.id: one.evidence for one in material.reads} | dict(material.background)
    every = dict.fromkeys(name for one in wanted for name in one.others)
    found: dict[EvidenceId, Evidence] = {name: read[name] for name in every if name in read}
    names = [name for name in every if name not in read]
    for repo, spec in specs.items():
        desk = await deps.desks.open(spec)
        found |= await _threads(desk, repo, names)
        found |= await _commits(desk, [name for name in names if name.startswith(f"{repo}@")], deps)
    return found


async def _threads(
    desk: Desk, repo: RepoId, names: Iterable[EvidenceId]
) -> dict[EvidenceId, Evidence]:
    numbers = [int(name.removeprefix(f"{repo}#")) for name in names if name.startswith(f"{repo}#")]
    try:
        return {one.id: one for one in await desk.threads.discussions(numbers)} if numbers else {}
    except AppError:
        return {}


async def _commits(
    desk: Desk, names: Sequence[EvidenceId], deps: RunContext
) -> dict[EvidenceId, Evidence]:
    """Read the commits that hashes name; a short one stands for the commit that it means."""
    found: dict[EvidenceId, Evidence] = {}
    for name in names:
        try:
            commit = await desk.code.resolve(name.partition("@")[2])
        except NotFound:
            continue
        whole = await deps.library.whole(desk.code, [commit.sha])
        async for one in deps.library.skim(desk.code, [commit.sha]):
            found[name] = _patched(one, whole)
    return found
