"""An audit: look up what a report names in each repository, check it, and have the prose judged."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from operator import add, or_
from typing import Annotated, Any, TypeVar

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send
from typing_extensions import TypedDict

from agent.analysts.ruling import PASSING, Batch, Ruling
from agent.audit import prose
from agent.audit.citations import check_citations
from agent.audit.code import check_code, check_names, fences_of
from agent.audit.entries import Entry, find_commits
from agent.audit.findings import Finding, Library, Repository, in_order, summary
from agent.domain.base import AppError, CommitId, NotFound, RepoId, UpstreamError
from agent.domain.claims import Claim
from agent.domain.commits import Commit, pull_named
from agent.domain.evidence import CommitEvidence
from agent.domain.window import Window
from agent.ports import CloneSource, CodeSource, Desk, Desks, NoThreads, Progress
from agent.prompting import ModelError
from agent.settings.values import RepoSpec
from graphs.judging import ruled
from graphs.run_context import RunContext
from tools.diff.sheet import read_facts

K = TypeVar("K")
V = TypeVar("V")
_AT_ONCE, _MOST_THREADS, _MOST_DIFFS, _MOST_FILES = 4, 300, 800, 40
_AROUND = timedelta(days=45)
_EARLIEST, _LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2099, 12, 30, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class AuditDeps:
    """What the nodes of an audit may touch."""

    desks: Desks
    progress: Progress
    judge: RunContext | None = None


class AuditInput(TypedDict):
    """A report, taken apart, and the repositories that may be read."""

    entries: list[Entry]
    specs: tuple[RepoSpec, ...]


class AuditState(AuditInput, total=False):
    """The state of an audit."""

    found: Annotated[list[Repository], add]
    failures: Annotated[dict[str, str], or_]
    library: Library
    findings: Annotated[list[Finding], add]
    summary: dict[str, Any]


def build() -> CompiledStateGraph[AuditState, AuditDeps, AuditInput, AuditState]:
    """Wire the audit."""
    graph = StateGraph(AuditState, context_schema=AuditDeps, input_schema=AuditInput)
    for node in (resolve, check, judge):
        graph.add_node(node.__name__, node)
    graph.add_conditional_edges(START, assign, ["resolve", "check"])
    for edge in pairwise(("resolve", "check", "judge", END)):
        graph.add_edge(*edge)
    return graph.compile(name="audit")


def assign(state: AuditState) -> list[Send] | str:
    """Hand each repository to a branch of its own."""
    return [Send("resolve", {**state, "spec": spec}) for spec in state["specs"]] or "check"


async def resolve(state: Any, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Look up everything that the report names in one repository; each commit is read once."""
    spec, deps, alone = state["spec"], runtime.context, len(state["specs"]) == 1
    try:
        return {
            "found": [
                await look_up(
                    await deps.desks.open(spec), state["entries"], deps.progress, alone=alone
                )
            ]
        }
    except AppError as error:
        return {"failures": {spec.name: str(error)}}


async def check(state: AuditState, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Prove or refute what code can."""
    entries, desks = state["entries"], runtime.context.desks
    library = Library({one.repo: one for one in state.get("found", [])})
    find_commits(entries, library)
    codes = {
        spec.name: (await desks.open(spec)).code for spec in state["specs"] if spec.name in library
    }
    files = await read_fenced_files(codes, entries)
    proved = [
        *check_citations(entries, library),
        *check_names(entries),
        *check_code(entries, files),
    ]
    return {"library": library, "findings": [*proved, *prose.check_output(entries)]}


async def judge(state: AuditState, runtime: Runtime[AuditDeps]) -> dict[str, Any]:
    """Have the sentences judged that cite a commit or stand under one; without a judge they are not checked."""
    library, deps = state["library"], runtime.context.judge
    sentences = list(prose.sentences_of(state["entries"]))
    if deps and deps.models:
        findings = await judge_sentences(sentences, library, deps)
    else:
        findings = prose.unchecked(
            sentences, 'no judge is configured: set analyst = "model" and a model'
        )
    days = sorted({str(entry.days) for entry in state["entries"] if entry.days})
    commits = {one.id for entry in state["entries"] for one in entry.commits}
    about = {"days": days, "commits": len(commits), "not_read": state.get("failures", {})}
    return {
        "findings": findings,
        "summary": summary(in_order([*state["findings"], *findings]), **about),
    }


async def judge_sentences(
    sentences: Sequence[prose.Sentence], library: Library, deps: RunContext
) -> list[Finding]:
    """Give every sentence a verdict; those that cannot be judged stay not checked."""
    work = list(prose.batches(sentences, library))
    room, gate = await deps.packet_room(), asyncio.Semaphore(_AT_ONCE)

    async def one(batch: prose.ProseBatch) -> list[Finding]:
        async with gate:
            read = [
                one.model_copy(update={"sheet": read_facts(one.change, None)})
                for one in batch.evidence
            ]
            try:
                return await _judged(
                    batch, prose.evidence_text(batch._replace(evidence=read), library, room), deps
                )
            except ModelError as error:
                return prose.unchecked(
                    batch.sentences, f"the judge did not answer: {str(error)[:200]}"
                )

    found = [finding for some in await asyncio.gather(*map(one, work)) for finding in some]
    judged = {sentence for batch in work for sentence in batch.sentences}
    left = [sentence for sentence in sentences if sentence not in judged]
    return [
        *found,
        *prose.unchecked(left, "it cites too many commits, or their diffs could not be read"),
    ]


async def _judged(batch: prose.ProseBatch, evidence: str, deps: RunContext) -> list[Finding]:
    rows = list(enumerate(batch.sentences))
    claims = [
        Claim(id=str(row), repo=None, role="change", text={"en": one.text}) for row, one in rows
    ]
    account, rulings = batch.evidence[0].repo, list[dict[str, Ruling]]()
    for turn in (0, 1):
        controls = batch.controls[turn : turn + 1] or batch.controls[:1]
        asked = Batch(
            account=account,
            evidence=evidence,
            claims=claims,
            controls=[{"en": text} for text in controls],
        )
        rulings.append(await ruled(asked, deps, backwards=turn == 1))
        if any(rulings[turn][f"x{place}"].verdict in PASSING for place in range(len(controls))):
            return prose.unchecked(
                batch.sentences, "the judge admitted a sentence about another commit"
            )
    name = deps.asked.names["judging"]
    return [
        prose.verdict(one, [said[str(row)] for said in rulings], evidence, name)
        for row, one in rows
    ]


async def look_up(
    desk: Desk, entries: Sequence[Entry], progress: Progress, *, alone: bool
) -> Repository:
    """Find the commits, pull requests and diffs of a repository that a report names; `alone`: there is no other."""
    code, found = desk.code, Repository(repo=desk.code.repo)
    progress.step(found.repo, "looking up commits")
    digits = dict.fromkeys(
        one.value for entry in entries for one in entry.references if one.kind == "commit"
    )
    if isinstance(code, CloneSource):
        found.named = await code.named(list(digits))
    else:
        found.named = {
            prefix: [one] for prefix, one in (await _each(code.resolve, digits)).items() if one
        }
    commits = {one.sha: one for some in found.named.values() for one in some}
    numbers = _numbers(entries, found.repo, alone=alone)
    if not (alone or commits or numbers or any(found.repo in entry.scope for entry in entries)):
        return found
    await _read_line(found, code, entries, list(commits.values()))
    commits |= {one.sha: one for number in numbers if (one := found.pulls.get(number))}
    wanted = (
        sorted(numbers - found.pulls.keys())[:_MOST_THREADS]
        if not isinstance(desk.threads, NoThreads)
        else []
    )
    answers = await _each(desk.threads.issue, wanted)
    found.threads = {number: thread for number, thread in answers.items() if thread}
    # A server that has nothing of all this may not have the repository.
    found.missing = (
        frozenset(answers.keys() - found.threads.keys()) if found.threads else frozenset()
    )
    shas = list(commits)[:_MOST_DIFFS]
    async for change in code.changes(shas):
        found.changes[change.commit.sha] = CommitEvidence(
            change=change, pull=pull_named(change.commit.subject)
        )
        progress.step(found.repo, "reading commits", len(found.changes), len(shas))
    return found


def _numbers(entries: Sequence[Entry], repo: RepoId, *, alone: bool) -> set[int]:
    """List the threads that a report may mean in a repository: by address, by a heading, or as the only one."""
    threads = (
        (entry, one) for entry in entries for one in entry.references if one.kind == "thread"
    )
    named = ((one, {one.repo} if one.repo else entry.scope) for entry, one in threads)
    return {int(one.value) for one, repos in named if repo in repos or (alone and not repos)}


async def _each(ask: Callable[[K], Awaitable[V]], keys: Iterable[K]) -> dict[K, V | None]:
    """Ask for one after the other, a few at once: None for what does not exist, nothing where nobody could say."""
    gate, found = asyncio.Semaphore(_AT_ONCE), dict[K, V | None]()

    async def one(key: K) -> None:
        async with gate:
            with suppress(UpstreamError):
                try:
                    found[key] = await ask(key)
                except NotFound:
                    found[key] = None

    await asyncio.gather(*map(one, keys))
    return found


async def _read_line(
    found: Repository, code: CodeSource, entries: Sequence[Entry], commits: Sequence[Commit]
) -> None:
    """Read the landed commits around the report's days and commits."""
    days = {entry.days for entry in entries if entry.days}
    times = [commit.committed_at for commit in commits]
    times += [datetime.combine(day, time(12), UTC) for some in days for day in some]
    if not times and not isinstance(code, CloneSource):
        return
    start, end = min(times, default=_EARLIEST) - _AROUND, max(times, default=_LATEST) + _AROUND
    landing = await code.landed(
        Window(start=max(start, _EARLIEST), end=min(end, _LATEST), tz="UTC")
    )
    found.line = tuple(row.commit for row in landing.rows)
    # A copy that ends before the report's days cannot have its commits.
    newest = max((one.committed_at.date() for one in found.line), default=date.max)
    shallow = any(notice.kind == "shallow" for notice in landing.notices)
    found.whole = (
        isinstance(code, CloneSource) and not shallow and all(one.first <= newest for one in days)
    )


async def read_fenced_files(
    codes: Mapping[RepoId, CodeSource], entries: Sequence[Entry]
) -> dict[CommitId, list[str]]:
    """Read the files that a commit touches, where a fence stands below it."""
    changes = {
        one.change.commit.id: one.change for entry in fences_of(entries) for one in entry.evidence
    }
    files: dict[CommitId, list[str]] = {}
    for name, change in changes.items():
        paths = [file.path for file in change.files if file.patch][:_MOST_FILES]
        blobs = (await codes[change.commit.repo].blobs(change, paths)).values()
        files[name] = [blob.decode("utf-8", "replace") for pair in blobs for blob in pair if blob]
    return files
