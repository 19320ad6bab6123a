"""An audit: read the report, look up what it names in each repository in parallel, check, have the prose judged."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add, or_
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send
from typing_extensions import TypedDict

from agent.analysts.ruling import PASSING, Batch, Ruling
from agent.audit.citations import check_citations
from agent.audit.code import check_code, check_names
from agent.audit.entries import Entry, read_page
from agent.audit.lookup import Finding, Library, Repository, find_commits, in_order, summary
from agent.audit.metadata import check_metadata
from agent.audit.prose import (
    ProseBatch,
    Sentence,
    batches,
    check_output,
    evidence_text,
    sentences_of,
    unchecked,
    verdict,
)
from agent.domain.base import AppError, Language
from agent.domain.claims import Claim, Role
from agent.models import ModelError
from agent.ports import Desks, Progress
from agent.settings.values import RepoSpec
from graphs.audit_lookup import look_up, read_fenced_files, with_facts
from graphs.judging import ruled
from graphs.run_context import RunContext

_AT_ONCE = 4
_LANG: Language = "en"  # Whatever it is: a report has one.


@dataclass(frozen=True, kw_only=True)
class AuditDeps:
    """What the nodes of an audit may touch."""

    desks: Desks
    progress: Progress
    judge: RunContext | None = None


class AuditInput(TypedDict):
    """A report and the repositories that may be read."""

    text: str
    name: str
    specs: tuple[RepoSpec, ...]


class AuditState(AuditInput, total=False):
    """The state of an audit."""

    entries: list[Entry]
    found: Annotated[list[Repository], add]
    failures: Annotated[dict[str, str], or_]
    library: Library
    findings: Annotated[list[Finding], add]
    summary: dict[str, Any]


class Search(AuditState):
    """What is to be looked up in one repository."""

    spec: RepoSpec


def build() -> CompiledStateGraph[AuditState, AuditDeps, AuditInput, AuditState]:
    """Wire the audit."""
    graph = StateGraph(AuditState, context_schema=AuditDeps, input_schema=AuditInput)
    for node in (read, resolve, check, judge, summarise):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "read")
    graph.add_conditional_edges("read", assign, ["resolve", "check"])
    for edge in pairwise(("resolve", "check", "judge", "summarise", END)):
        graph.add_edge(*edge)
    return graph.compile(name="audit")


async def read(state: AuditInput) -> dict[str, Any]:
    """Take the report apart."""
    return {"entries": read_page(state["text"], state["name"], [spec.name for spec in state["specs"]])}


def assign(state: AuditState) -> list[Send] | str:
    """Hand each repository to a branch of its own."""
    return [Send("resolve", Search(**state, spec=spec)) for spec in state["specs"]] or "check"


async def resolve(state: Search, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Look up everything that the report names in one repository; each commit is read once."""
    spec, deps, alone = state["spec"], runtime.context, len(state["specs"]) == 1
    try:
        return {"found": [await look_up(await deps.desks.open(spec), state["entries"], deps.progress, alone=alone)]}
    except AppError as error:
        return {"failures": {spec.name: str(error)}}


async def check(state: AuditState, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Prove or refute what code can."""
    library, desks = Library({one.repo: one for one in state.get("found", [])}), runtime.context.desks
    entries = state["entries"]
    find_commits(entries, library)
    codes = {spec.name: (await desks.open(spec)).code for spec in state["specs"] if spec.name in library}
    findings = [
        *check_citations(entries, library),
        *check_metadata(entries, library),
        *check_names(entries),
        *check_code(entries, await read_fenced_files(codes, entries)),
        *check_output(entries),
    ]
    return {"library": library, "findings": findings}


async def judge(state: AuditState, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Have the sentences judged that cite a commit or stand under one; without a judge they are not checked."""
    library, deps = state["library"], runtime.context.judge
    sentences = sentences_of(state["entries"], library)
    if deps is None or deps.models is None:
        return {"findings": unchecked(sentences, 'no judge is configured: set analyst = "model" and a model')}
    return {"findings": await judge_sentences(sentences, library, deps)}


async def summarise(state: AuditState) -> dict[str, Any]:
    """Count the verdicts, and say what could not be read."""
    entries = state["entries"]
    days = sorted({str(entry.days) for entry in entries if entry.days})
    cited = {name for entry in entries if entry.direct for name in entry.commits}
    about = {"days": days, "commits": len(cited), "not_read": state.get("failures", {})}
    return {"summary": summary(in_order(state["findings"]), **about)}


# ---------------------------------------------------------------- the judge of prose


async def judge_sentences(sentences: Sequence[Sentence], library: Library, deps: RunContext) -> list[Finding]:
    """Give every sentence a verdict; those that cannot be judged stay not checked."""
    work = list(batches(sentences, library))
    room, gate = await deps.packet_room(), asyncio.Semaphore(_AT_ONCE)

    async def one(batch: ProseBatch) -> list[Finding]:
        async with gate:
            with_facts(library, batch.commits)
            try:
                return await _judged(batch, evidence_text(batch, library, room), deps)
            except ModelError as error:
                return unchecked(batch.sentences, f"the judge did not answer: {str(error)[:200]}")

    found = [finding for some in await asyncio.gather(*map(one, work)) for finding in some]
    judged = {sentence for batch in work for sentence in batch.sentences}
    left = [sentence for sentence in sentences if sentence not in judged]
    return [*found, *unchecked(left, "it cites too many commits, or their diffs could not be read")]


async def _judged(batch: ProseBatch, evidence: str, deps: RunContext) -> list[Finding]:
    rows = list(enumerate(batch.sentences))
    claims = [Claim(id=str(row), repo=None, role=Role.CHANGE, text={_LANG: one.text}) for row, one in rows]
    account, rulings = batch.commits[0].partition("@")[0], list[dict[str, Ruling]]()
    for turn in (0, 1):
        controls = [{_LANG: text} for text in batch.controls[turn : turn + 1] or batch.controls[:1]]
        asked = Batch(account=account, evidence=evidence, claims=claims, controls=controls)
        rulings.append(await ruled(asked, deps, backwards=turn == 1))
        if any(rulings[turn][f"x{place}"].verdict in PASSING for place in range(len(controls))):
            return unchecked(batch.sentences, "the judge admitted a sentence about another commit")
    name = deps.asked.names["judging"]
    return [verdict(one, [said[str(row)] for said in rulings], evidence, name) for row, one in rows]
