"""The graph of an audit: checks a report by code, and has its sentences judged."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from agent.audit import prose
from agent.audit.citation_checks import check_citations
from agent.audit.code_span_checks import check_names
from agent.audit.entries import AuditEntry, find_commits
from agent.audit.fenced_code_checks import check_code
from agent.audit.findings import in_order, summary
from agent.audit.report_layout_checks import check_layout
from agent.audit.repository_lookup_results import Library
from agent.audit.section_repositories import (
    find_doubts,
    find_other_names,
    nothing_resolved,
    set_scopes,
)
from agent.audit.versions import check_versions
from agent.domain.errors import AppError
from agent.domain.evidence_id import EvidenceId
from agent.settings.values import RepoSpec
from graphs.audit_judging import judge_sentences
from graphs.audit_state import (
    NO_TIME,
    AuditCheckInput,
    AuditCheckOutput,
    AuditDeps,
    AuditInput,
    AuditJudgeInput,
    AuditJudgeOutput,
    AuditPlaceInput,
    AuditPlaceOutput,
    AuditReadInput,
    AuditReadOutput,
    AuditResolveInput,
    AuditResolveOutput,
    AuditScopeInput,
    AuditState,
)
from graphs.repository_reading_for_audit import (
    read_fenced_files,
    read_repository,
    read_trees,
    resolve_hashes,
)

_NO_JUDGE = 'no judge is configured: set analyst = "model" and a model'
_NO_COMMIT = "it names no commit, and stands under none"


def build() -> CompiledStateGraph[AuditState, AuditDeps, AuditInput, AuditState]:
    """Wire the audit."""
    graph = StateGraph(AuditState, context_schema=AuditDeps, input_schema=AuditInput)
    for node in (resolve, place, read, check, judge):
        graph.add_node(node.__name__, node)
    graph.add_conditional_edges(START, send_to_resolve, ["resolve", "place"])
    graph.add_edge("resolve", "place")
    graph.add_conditional_edges("place", send_to_read, ["read", "check"])
    graph.add_edge("read", "check")
    graph.add_edge("check", "judge")
    graph.add_edge("judge", END)
    return graph.compile(name="audit")


def send_to_resolve(state: AuditInput) -> list[Send] | str:
    """Resolve the hashes in each repository on a branch of its own."""
    sends = []
    for spec in state["specs"]:
        sends.append(Send("resolve", AuditResolveInput(entries=state["entries"], spec=spec)))
    return sends or "place"


def send_to_read(state: AuditScopeInput) -> list[Send] | str:
    """Read each repository that resolved on a branch of its own."""
    library = state["library"]
    sends = []
    for spec in state["specs"]:
        if spec.name in library:
            repository = AuditReadInput(entries=state["entries"], library=library, spec=spec)
            sends.append(Send("read", repository))
    return sends or "check"


async def resolve(state: AuditResolveInput, runtime: Runtime[AuditDeps]) -> AuditResolveOutput:
    """Look up every hash of the report in one repository."""
    context = runtime.context
    spec = state["spec"]
    try:
        async with asyncio.timeout_at(context.deadline):
            sources = await context.repositories.open(spec)
            context.progress.step(spec.name, "looking up commits")
            return {"resolved": [await resolve_hashes(sources.code, state["entries"])]}
    except TimeoutError:
        return {"failures": {spec.name: NO_TIME}}
    except AppError as error:
        return {"failures": {spec.name: str(error)}}


async def place(state: AuditPlaceInput, runtime: Runtime[AuditDeps]) -> AuditPlaceOutput:
    """Find out which repository each section is about, and which are probably the wrong ones."""
    del runtime
    library = Library(state["resolved"])
    set_scopes(state["entries"], library)
    doubts = find_doubts(state["entries"], library)
    incomplete = [doubt.text for doubt in doubts]
    if not doubts:
        incomplete = nothing_resolved(state["entries"], library)
    other_names = find_other_names(state["entries"], library)
    return {"library": Library(library.values(), doubts, other_names), "incomplete": incomplete}


async def read(state: AuditReadInput, runtime: Runtime[AuditDeps]) -> AuditReadOutput:
    """Read what the report names in one repository: its line, pull requests and diffs."""
    context = runtime.context
    repo = state["spec"].name
    library = state["library"]
    if repo in library.doubtful:
        return {"read_repositories": [library[repo]]}
    try:
        async with asyncio.timeout_at(context.deadline):
            sources = await context.repositories.open(state["spec"])
            repository = await read_repository(
                sources, library[repo], state["entries"], list(library), context.progress
            )
    except TimeoutError:
        return {"failures": {repo: NO_TIME}}
    except AppError as error:
        return {"failures": {repo: str(error)}}
    return {"read_repositories": [repository]}


async def check(state: AuditCheckInput, runtime: Runtime[AuditDeps]) -> AuditCheckOutput:
    """Prove or refute what code can."""
    entries = state["entries"]
    repositories = runtime.context.repositories
    placed = state["library"]
    library = Library(state["read_repositories"], placed.doubts, placed.other_names)
    find_commits(entries, library)
    findings = [*check_citations(entries, library)]
    incomplete = []
    try:
        async with asyncio.timeout_at(runtime.context.deadline):
            specs = [spec for spec in state["specs"] if spec.name in library]
            codes = {spec.name: (await repositories.open(spec)).code for spec in specs}
            files = await read_fenced_files(codes, entries)
        findings.extend(check_code(entries, files))
        async with asyncio.timeout_at(runtime.context.deadline):
            trees = await read_trees(codes, entries)
    except TimeoutError:
        trees = {}
        incomplete.append(f"code was not compared with the commits: {NO_TIME}")
    findings.extend(check_names(entries, trees))
    findings.extend(check_versions(entries, library))
    findings.extend(check_layout(entries))
    return {"library": library, "findings": findings, "incomplete": incomplete}


async def judge(state: AuditJudgeInput, runtime: Runtime[AuditDeps]) -> AuditJudgeOutput:
    """Have the sentences judged that cite a commit or stand under one."""
    entries = state["entries"]
    library = state["library"]
    sentences: list[prose.ReportSentence] = []
    uncited: list[prose.ReportSentence] = []
    for sentence in prose.sentences_of(entries, library):
        if sentence.commits:
            sentences.append(sentence)
        else:
            uncited.append(sentence)
    incomplete = _unread_repositories(state)
    context = runtime.context.judge
    if context is None or not context.models:
        findings = prose.unchecked(sentences, _NO_JUDGE)
    else:
        judged = await judge_sentences(sentences, library, context, runtime.context)
        findings = judged.findings
        incomplete += judged.incomplete(context.require_models().names["judging"], len(sentences))
    findings.extend(prose.unchecked(uncited, _NO_COMMIT))
    totals = summary(
        in_order([*state["findings"], *findings]),
        days=sorted({str(entry.days) for entry in entries if entry.days}),
        commits=len(_cited_commits(entries)),
        not_read=state["failures"],
        not_given=_not_given(entries, state["specs"]),
        incomplete=[*state["incomplete"], *incomplete],
    )
    return {"findings": findings, "incomplete": incomplete, "summary": totals}


def _unread_repositories(state: AuditJudgeInput) -> list[str]:
    """Return one sentence about each given repository that could not be read."""
    sentences: list[str] = []
    for repo, reason in state["failures"].items():
        if repo not in state["linked"]:
            sentences.append(f"{repo} was not read: {reason}")
    return sentences


def _cited_commits(entries: Sequence[AuditEntry]) -> set[EvidenceId]:
    commits: set[EvidenceId] = set()
    for entry in entries:
        commits.update(commit.id for commit in entry.commits)
    return commits


def _not_given(entries: Sequence[AuditEntry], specs: Sequence[RepoSpec]) -> dict[str, int]:
    """Count the references to repositories that nobody gave."""
    given = {spec.name for spec in specs}
    counts = Counter[str]()
    for entry in entries:
        for reference in entry.references:
            repos = {reference.repo} if reference.repo else entry.scope
            counts.update(str(repo) for repo in repos if repo not in given)
    return dict(counts.most_common())
