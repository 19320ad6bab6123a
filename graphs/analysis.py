"""Analysis: a model writes, code checks every literal, a judge reads on, and what was refused is said anew once."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import add
from typing import Annotated, Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from agent.account import Account, fallback
from agent.analyst import Material, Read
from agent.analysts.packet import Packet, commit_packet, shown_evidence
from agent.analysts.ruling import Batch, Verdicts
from agent.analysts.schema import analysis_shape, asked_languages, repair_shape, summary_shape
from agent.analysts.sentences import commit_claims, focus_of, sentence_claim, summary_claims
from agent.analysts.summing import light_dossier, summary_ground, summary_packet
from agent.analysts.tasks import Refused, Task, can_be_repaired, controls_for, refusal_text, repair_focus
from agent.claims import Claim, Judgement, Role, Verdict
from agent.desks import Step
from agent.dossier import Dossier
from agent.gate.check import refusals
from agent.model import ModelError
from agent.prompting import fenced
from agent.readings import dossier_of
from graphs.asking_models import ask, models_of, packet_room
from graphs.desk import Deps
from graphs.judging import judged
from graphs.material import ReadState, material_of


class AnalysisInput(ReadState):
    """What is known, and what to write about."""

    tasks: list[Task]


class AnalysisOutput(TypedDict, total=False):
    """What may be published, what may not, and what it took."""

    analysis: Annotated[list[Claim], add]
    refused: Annotated[list[Refused], add]
    account: Annotated[Account, add]


class AnalysisState(AnalysisInput, AnalysisOutput, total=False):
    """Sentences on their way."""

    drafts: list[tuple[str, Claim]]
    """Claims with the key of their task, to be checked."""
    passed: list[tuple[str, Claim]]
    failed: list[Refused]
    repaired: bool


@cache
def build() -> CompiledStateGraph[AnalysisState, Deps, AnalysisInput, AnalysisOutput]:
    """Wire the way of a sentence."""
    graph = StateGraph(AnalysisState, context_schema=Deps, input_schema=AnalysisInput, output_schema=AnalysisOutput)
    graph.add_node("write", write)
    graph.add_node("check", check)
    graph.add_node("judge", judge)
    graph.add_node("repair", repair)
    graph.add_node("settle", settle)
    graph.add_edge(START, "write")
    graph.add_edge("write", "check")
    graph.add_edge("check", "judge")
    graph.add_conditional_edges("judge", _repair_once, ["repair", "settle"])
    graph.add_edge("repair", "check")
    graph.add_edge("settle", END)
    return graph.compile(name="analysis")


async def write(state: AnalysisState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Have each task written, all at the same time; the models limit how many questions are under way."""
    deps = runtime.context
    packets = await _packets(state, deps)
    _tell(state, runtime, "writing")
    said = await asyncio.gather(*(_written(task, packets[task.key], state, deps) for task in state["tasks"]))
    drafts = [(task.key, claim) for task, (claims, _) in zip(state["tasks"], said, strict=True) for claim in claims]
    account = sum((account for _, account in said), _spent(state, deps))
    return {"drafts": drafts, "account": account, "repaired": False, "failed": []}


async def _written(task: Task, packet: Packet, state: AnalysisState, deps: Deps) -> tuple[list[Claim], Account]:
    values = {"languages": asked_languages(deps.languages)}
    try:
        if task.kind == "commit":
            notes = f"Your notes from reading, which are no evidence:\n{task.notes}\n" if task.notes else ""
            values |= {"evidence": fenced(packet.text, deps.mark), "notes": notes}
            answer = await ask(deps, "writing", task.account, "write", values, analysis_shape(deps.languages))
            read, material = await _read(task, state, deps)
            found = shown_evidence(packet, material, read)
            return commit_claims(answer, read.evidence, packet, found, deps.languages), Account()
        day = task.kind == "day"
        values |= {"items": fenced(packet.text, deps.mark), "scope": str(task.repo) if day else "all repositories"}
        values |= {"most": "five" if day else "seven"}
        answer = await ask(deps, "writing", task.account, "day", values, summary_shape(deps.languages))
        name, role = (f"{task.repo}.day", Role.SUMMARY) if day else ("brief", Role.BRIEF)
        return summary_claims(answer, task.rests, name, task.repo, role, deps.languages), Account()
    except ModelError as error:
        return [], fallback("explaining" if task.kind == "commit" else "summing up", error, task.about or None)


async def check(state: AnalysisState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Hold every literal of every sentence to the cited evidence, in each language."""
    deps = runtime.context
    dossiers = await _dossiers(state, deps)
    passed, failed = [], list(state["failed"])
    for key, claim in state["drafts"]:
        # A summary is held to published sentences, which have no files.
        bare = tuple(anchor.model_copy(update={"file": None}) for anchor in claim.anchors)
        held = claim if claim.about else claim.model_copy(update={"anchors": bare})
        wrong = [no for lang in deps.languages for no in refusals(held, dossiers[key], lang)]
        if wrong:
            failed.append(Refused(task=key, claim=claim, reasons=tuple(wrong)))
        else:
            passed.append((key, claim))
    return {"passed": passed, "failed": failed, "drafts": []}


async def judge(state: AnalysisState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Have the judge read what passed, a batch for each task."""
    deps = runtime.context
    focus = {key: focus_of(claim for other, claim in state["passed"] if other == key) for key, _ in state["passed"]}
    packets = await _packets(state, deps, focus if state["repaired"] else {})
    _tell(state, runtime, "judging")
    tasks = {task.key: task for task in state["tasks"]}
    keys = list(dict.fromkeys(key for key, _ in state["passed"]))
    rulings = await asyncio.gather(*(_judged(tasks[key], packets, state, deps) for key in keys))
    failed, account = list(state["failed"]), _spent(state, deps)
    for key, (verdicts, lost) in zip(keys, rulings, strict=True):
        failed += [Refused(task=key, claim=claim, reasons=(no,)) for claim, no in verdicts.refused]
        account += lost + Account(judging=verdicts.judging)
    return {
        "analysis": [claim for verdicts, _ in rulings for claim in verdicts.admitted],
        "failed": failed,
        "passed": [],
        "account": account,
    }


async def _judged(
    task: Task, packets: Mapping[str, Packet], state: AnalysisState, deps: Deps
) -> tuple[Verdicts, Account]:
    """Judge the sentences of one task; those whose judge does not answer are not published."""
    claims = [claim for key, claim in state["passed"] if key == task.key]
    evidence = packets[task.key].text if task.kind == "commit" else summary_ground(claims, task.rests, task.titles)
    batch = Batch(
        account=task.account,
        evidence=evidence,
        claims=claims,
        controls=controls_for(task, evidence, state["passed"]),
        narrowed=await _narrowed(task, claims, state, deps),
    )
    try:
        return await judged(batch, deps), Account()
    except ModelError as error:
        silent = Judgement(verdict=Verdict.UNDECIDED, check="no judge", reason=str(error)[:200])
        lost = fallback("judging", error, task.about or None)
        return Verdicts(refused=[(claim, silent) for claim in claims]), lost


async def _narrowed(
    task: Task, claims: Sequence[Claim], state: AnalysisState, deps: Deps
) -> Callable[[Sequence[str]], str] | None:
    """Give the hunks of a commit that hold what its sentences name or what a judge has quoted."""
    if task.kind != "commit":
        return None
    read, material = await _read(task, state, deps)
    room = await packet_room(deps)

    def narrow(quotes: Sequence[str]) -> str:
        lines = [line.lstrip("+- ") for quote in quotes for line in quote.splitlines() if line.strip("+- ")]
        return commit_packet(read, material, room, [*focus_of(claims), *lines]).text

    return narrow


def _repair_once(state: AnalysisState) -> Literal["repair", "settle"]:
    return "repair" if not state["repaired"] and any(can_be_repaired(one) for one in state["failed"]) else "settle"


async def repair(state: AnalysisState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Show each writer all that was refused of its task, once; it may correct, shorten or give up."""
    deps = runtime.context
    wrong = [one for one in state["failed"] if can_be_repaired(one)]
    packets = await _packets(state, deps, {one.task: repair_focus(one.task, wrong) for one in wrong})
    tasks = {task.key: task for task in state["tasks"]}
    keys = [key for key in dict.fromkeys(one.task for one in wrong) if tasks[key].kind == "commit"]
    said = await asyncio.gather(*(_repaired(tasks[key], packets[key], wrong, state, deps) for key in keys))
    drafts = [(key, claim) for key, (claims, _) in zip(keys, said, strict=True) for claim in claims]
    kept = {claim.id for _, claim in drafts}
    return {
        "drafts": drafts,
        "failed": [one for one in state["failed"] if one.claim.id not in kept],
        "refused": [one.model_copy(update={"repaired": True}) for one in state["failed"] if one.claim.id in kept],
        "account": sum((account for _, account in said), _spent(state, deps)),
        "repaired": True,
    }


async def _repaired(
    task: Task, packet: Packet, wrong: Sequence[Refused], state: AnalysisState, deps: Deps
) -> tuple[list[Claim], Account]:
    mine = {str(number): one for number, one in enumerate((one for one in wrong if one.task == task.key), start=1)}
    values = {
        "evidence": fenced(packet.text, deps.mark),
        "refused": fenced("\n".join(refusal_text(number, one) for number, one in mine.items()), deps.mark),
        "languages": asked_languages(deps.languages),
    }
    try:
        answer = await ask(deps, "writing", task.account, "repair", values, repair_shape(deps.languages))
    except ModelError as error:
        return [], fallback("repairing", error, task.about or None)
    read, material = await _read(task, state, deps)
    found = shown_evidence(packet, material, read)
    claims = []
    for said in getattr(answer, "sentences", ()):
        old = mine.pop(said.id.strip("[]. "), None)
        again = sentence_claim(old.claim.id, said, read.evidence, packet, found, deps.languages) if old else None
        if old and again:
            headline = old.claim.role is Role.HEADLINE
            claims.append(
                again.model_copy(update={"role": Role.HEADLINE, "anchors": old.claim.anchors}) if headline else again
            )
    return claims, Account()


async def settle(state: AnalysisState) -> dict[str, Any]:
    """Keep what stays refused, with its reasons."""
    return {"refused": state["failed"], "failed": []}


async def _read(task: Task, state: AnalysisState, deps: Deps) -> tuple[Read, Material]:
    """Give the commit of a task as it was read, and everything around it."""
    material = await material_of(state, deps)
    return next(read for read in material.reads if read.evidence.id == task.about), material


async def _packets(
    state: AnalysisState, deps: Deps, focus: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Packet]:
    """Show each task what it is about; with a focus only the hunks that matter for some of its sentences."""
    room = await packet_room(deps)
    packets = {task.key: summary_packet(task.rests, task.titles, room) for task in state["tasks"] if task.rests}
    commits = {task.about: task.key for task in state["tasks"] if task.kind == "commit"}
    if commits:
        material = await material_of(state, deps)
        reads = {read.evidence.id: read for read in material.reads if read.evidence.id in commits}
        packets |= {
            commits[name]: commit_packet(read, material, room, (focus or {}).get(commits[name], ()))
            for name, read in reads.items()
        }
    return packets


async def _dossiers(state: AnalysisState, deps: Deps) -> dict[str, Dossier]:
    dossiers = {task.key: light_dossier(task.rests, task.titles) for task in state["tasks"] if task.rests}
    if any(task.kind == "commit" for task in state["tasks"]):
        whole = dossier_of(await material_of(state, deps), state["found"])
        dossiers |= {task.key: whole for task in state["tasks"] if task.kind == "commit"}
    return dossiers


def _spent(state: AnalysisState, deps: Deps) -> Account:
    """Take what the models were paid since this was asked last, for the accounts of these tasks."""
    accounts = dict.fromkeys(task.account for task in state["tasks"])
    return sum((Account(spent=models_of(deps).take(name)) for name in accounts), Account())


def _tell(state: AnalysisState, runtime: Runtime[Deps], what: str) -> None:
    for repo in dict.fromkeys(task.repo for task in state["tasks"] if task.repo):
        runtime.stream_writer(Step(repo, what))
