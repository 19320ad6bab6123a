"""An audit: resolve hashes, place sections in repositories, read, check, and judge the prose."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from operator import add, or_
from typing import Annotated, Any, NamedTuple, TypeVar

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send
from typing_extensions import TypedDict

from agent.analysts.ruling import Batch, Case, Control
from agent.audit import prose
from agent.audit.citations import check_citations
from agent.audit.code import check_code, fences_of
from agent.audit.entries import AuditEntry, find_commits, thread_repos
from agent.audit.findings import AuditedRepository, Finding, Library, in_order, summary
from agent.audit.layout import check_layout
from agent.audit.names import Trees, check_names, names_to_locate
from agent.audit.sections import find_doubts, nothing_resolved, set_scopes
from agent.domain.base import AppError, NotFound, RepoId, UpstreamError
from agent.domain.claims import Claim
from agent.domain.commits import Change, Commit
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import pull_number
from agent.domain.window import Window
from agent.ports import (
    CloneSource,
    CodeSource,
    NoThreads,
    Progress,
    Repositories,
    RepositorySources,
)
from agent.prompting import ModelError
from agent.settings.values import RepoSpec
from graphs.judging import judged_in_batches, read_twice
from graphs.run_context import RunContext
from tools.diff.sheet import read_facts

K = TypeVar("K")
V = TypeVar("V")
_MAX_CONCURRENT = 4  # Requests to a source, and batches at the judge
_MAX_THREADS = 300
_MAX_DIFFS = 800
_MAX_FENCED_FILES = 40
_MAX_TREES = 100  # That are searched for names
_READ_AROUND = timedelta(days=45)  # What is read of the line before and after the cited commits
_EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)
_LATEST = datetime(2099, 12, 30, tzinfo=UTC)
_NO_JUDGE = 'no judge is configured: set analyst = "model" and a model'
_TOO_MANY_COMMITS = "it cites too many commits, or their diffs could not be read"
_CONTROL_ADMITTED = "the judge admitted a sentence about another commit"
_NO_COMMIT = "it names no commit, and stands under none"
_NO_TIME = "the time for the audit was over"


@dataclass(frozen=True, kw_only=True)
class AuditDeps:
    """The context of the nodes of an audit."""

    repositories: Repositories
    progress: Progress
    deadline: float  # By the clock of the event loop
    judge: RunContext | None = None


class AuditInput(TypedDict):
    """A report, taken apart, and the repositories that may be read."""

    entries: list[AuditEntry]
    specs: tuple[RepoSpec, ...]
    linked: frozenset[RepoId]  # Those of them that nobody gave, because the report links to them


class AuditResolveInput(TypedDict):
    """A repository in which the hashes of the report are looked up."""

    entries: list[AuditEntry]
    spec: RepoSpec


class AuditResolveOutput(TypedDict, total=False):
    """A repository with the commits that the hashes may mean, or why it could not be asked."""

    resolved: Annotated[list[AuditedRepository], add]
    failures: Annotated[dict[str, str], or_]


class AuditPlaceInput(TypedDict):
    """The repositories that resolved."""

    entries: list[AuditEntry]
    resolved: Annotated[list[AuditedRepository], add]


class AuditPlaceOutput(TypedDict):
    """The repositories that sections are about, and what was not checked, one sentence each."""

    library: Library
    incomplete: Annotated[list[str], add]


class AuditScopeInput(AuditInput):
    """The state that is sent to the repositories that resolved."""

    library: Library


class AuditReadInput(AuditResolveInput):
    """A repository that is read as far as the report speaks of it."""

    library: Library


class AuditReadOutput(TypedDict, total=False):
    """A repository as it was read, or why it could not be read."""

    read_repositories: Annotated[list[AuditedRepository], add]
    failures: Annotated[dict[str, str], or_]


class AuditCheckInput(AuditScopeInput):
    """The repositories that were read."""

    read_repositories: Annotated[list[AuditedRepository], add]


class AuditCheckOutput(TypedDict):
    """The findings of code."""

    library: Library
    findings: Annotated[list[Finding], add]
    incomplete: Annotated[list[str], add]


class AuditJudgeInput(AuditScopeInput):
    """The findings of code, and the sentences that are left to the judge."""

    findings: Annotated[list[Finding], add]
    incomplete: Annotated[list[str], add]
    failures: Annotated[dict[str, str], or_]


class AuditJudgeOutput(TypedDict):
    """The findings of the judge, and the audit in figures."""

    findings: Annotated[list[Finding], add]
    incomplete: Annotated[list[str], add]
    summary: dict[str, Any]


class AuditState(AuditJudgeInput, AuditJudgeOutput):
    """The state of an audit."""

    resolved: Annotated[list[AuditedRepository], add]
    read_repositories: Annotated[list[AuditedRepository], add]


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
        return {"failures": {spec.name: _NO_TIME}}
    except AppError as error:
        return {"failures": {spec.name: str(error)}}


async def resolve_hashes(code: CodeSource, entries: Sequence[AuditEntry]) -> AuditedRepository:
    """Return a repository with the commits that the hashes of a report may mean in it."""
    hashes: dict[str, None] = {}
    for entry in entries:
        for reference in entry.references:
            if reference.kind == "commit":
                hashes[reference.value] = None
    if isinstance(code, CloneSource):
        return AuditedRepository(repo=code.repo, commits_by_hash=await code.named(list(hashes)))
    answers = await _ask_each(code.resolve, hashes)
    commits = {prefix: [commit] for prefix, commit in answers.items() if commit}
    unanswered = frozenset(hashes.keys() - answers.keys())
    return AuditedRepository(repo=code.repo, commits_by_hash=commits, unanswered=unanswered)


async def place(state: AuditPlaceInput, runtime: Runtime[AuditDeps]) -> AuditPlaceOutput:
    """Find out which repository each section is about, and which are probably the wrong ones."""
    del runtime
    library = Library(state["resolved"])
    set_scopes(state["entries"], library)
    doubts = find_doubts(state["entries"], library)
    incomplete = [doubt.text for doubt in doubts]
    if not doubts:
        incomplete = nothing_resolved(state["entries"], library)
    return {"library": Library(library.values(), doubts), "incomplete": incomplete}


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
        return {"failures": {repo: _NO_TIME}}
    except AppError as error:
        return {"failures": {repo: str(error)}}
    return {"read_repositories": [repository]}


async def check(state: AuditCheckInput, runtime: Runtime[AuditDeps]) -> AuditCheckOutput:
    """Prove or refute what code can."""
    entries = state["entries"]
    repositories = runtime.context.repositories
    library = Library(state["read_repositories"], state["library"].doubts)
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
        incomplete.append(f"code was not compared with the commits: {_NO_TIME}")
    findings.extend(check_names(entries, trees))
    findings.extend(check_layout(entries))
    return {"library": library, "findings": findings, "incomplete": incomplete}


async def judge(state: AuditJudgeInput, runtime: Runtime[AuditDeps]) -> AuditJudgeOutput:
    """Have the sentences judged that cite a commit or stand under one."""
    entries = state["entries"]
    library = state["library"]
    sentences: list[prose.ReportSentence] = []
    uncited: list[prose.ReportSentence] = []
    for sentence in prose.sentences_of(entries):
        if sentence.entry.commits:
            sentences.append(sentence)
        else:
            uncited.append(sentence)
    failures = state["failures"]
    incomplete: list[str] = []
    for repo, reason in failures.items():
        if repo not in state["linked"]:
            incomplete.append(f"{repo} was not read: {reason}")
    context = runtime.context.judge
    if context is None or not context.models:
        findings = prose.unchecked(sentences, _NO_JUDGE)
    else:
        judged = await judge_sentences(sentences, library, context, runtime.context)
        findings = judged.findings
        incomplete += judged.incomplete(context.require_models().names["judging"], len(sentences))
    findings.extend(prose.unchecked(uncited, _NO_COMMIT))
    days = sorted({str(entry.days) for entry in entries if entry.days})
    commits: set[EvidenceId] = set()
    for entry in entries:
        commits.update(commit.id for commit in entry.commits)
    totals = summary(
        in_order([*state["findings"], *findings]),
        days=days,
        commits=len(commits),
        not_read=failures,
        not_given=_not_given(entries, state["specs"]),
        incomplete=[*state["incomplete"], *incomplete],
    )
    return {"findings": findings, "incomplete": incomplete, "summary": totals}


def _not_given(entries: Sequence[AuditEntry], specs: Sequence[RepoSpec]) -> dict[str, int]:
    """Count the references to repositories that nobody gave."""
    given = {spec.name for spec in specs}
    counts = Counter[str]()
    for entry in entries:
        for reference in entry.references:
            repos = {reference.repo} if reference.repo else entry.scope
            counts.update(str(repo) for repo in repos if repo not in given)
    return dict(counts.most_common())


class Judged(NamedTuple):
    """The verdicts of a judge on the sentences of a report."""

    findings: list[Finding]
    unread: Counter[str]  # How many sentences it did not read, by the reason

    def incomplete(self, judge: str, total: int) -> list[str]:
        """Return one sentence about what the judge did not read, if there is such."""
        if not self.unread:
            return []
        [(reason, _)] = self.unread.most_common(1)
        return [f"{judge} did not read {self.unread.total()} of {total} sentences: {reason}"]


async def judge_sentences(
    sentences: Sequence[prose.ReportSentence],
    library: Library,
    context: RunContext,
    deps: AuditDeps,
) -> Judged:
    """Return a verdict on every sentence; those that cannot be judged stay not checked."""
    batches = list(prose.batches(sentences, library))
    in_batches: set[prose.ReportSentence] = set()
    for batch in batches:
        in_batches.update(batch.sentences)
    left_out = [sentence for sentence in sentences if sentence not in in_batches]
    findings = prose.unchecked(left_out, _TOO_MANY_COMMITS)
    unread = Counter({_TOO_MANY_COMMITS: len(left_out)}) if left_out else Counter[str]()
    slots = asyncio.Semaphore(_MAX_CONCURRENT)
    done = 0

    async def judge_batch(batch: prose.ProseBatch) -> None:
        nonlocal done
        try:
            async with asyncio.timeout_at(deps.deadline), slots:
                parts = await _judged_parts(batch, library, context)
        except TimeoutError:
            parts = [_JudgedPart(batch.sentences, reason=_NO_TIME)]
        for part in parts:
            if part.reason:
                unread[part.reason] += len(part.sentences)
                findings.extend(prose.unchecked(part.sentences, part.reason))
            else:
                findings.extend(part.verdicts)
        done += len(batch.sentences)
        step = f"{done} of {len(in_batches)} sentences judged"
        deps.progress.step(batch.evidence[0].repo, step)

    if batches:
        step = f"judging {len(in_batches)} sentences"
        deps.progress.step(batches[0].evidence[0].repo, step)
    await asyncio.gather(*map(judge_batch, batches))
    return Judged(findings, unread)


class _JudgedPart(NamedTuple):
    """Sentences that were judged in one question, or the reason why they were not."""

    sentences: Sequence[prose.ReportSentence]
    verdicts: Sequence[Finding] = ()
    reason: str = ""


async def _judged_parts(
    batch: prose.ProseBatch, library: Library, context: RunContext
) -> list[_JudgedPart]:
    """Judge the sentences of a batch, in several questions where they do not fit into one."""
    commits: list[CommitEvidence] = []
    for commit in batch.evidence:
        sheet = read_facts(commit.change, None)
        commits.append(commit.model_copy(update={"sheet": sheet}))
    sentence_by_id = {str(index): sentence for index, sentence in enumerate(batch.sentences)}

    def sentences_of(claims: Sequence[Claim]) -> list[prose.ReportSentence]:
        return [sentence_by_id[claim.id] for claim in claims]

    def show(claims: Sequence[Claim], budget: int) -> str:
        part = batch._replace(evidence=commits, sentences=sentences_of(claims))
        return prose.evidence_text(part, library, budget)

    async def judge_part(question: Batch) -> list[Finding]:
        return await _verdicts(question, sentences_of(question.claims), context)

    claims = []
    for claim_id, sentence in sentence_by_id.items():
        text = {"en": sentence.text}
        claims.append(Claim(id=claim_id, repo=None, role="change", text=text))
    case = Case(
        account=batch.evidence[0].repo,
        claims=claims,
        show=show,
        controls=lambda _: [Control({"en": text}) for text in batch.controls],
    )
    parts = []
    for part_claims, outcome in await judged_in_batches(case, context, judge_part):
        sentences = sentences_of(part_claims)
        if isinstance(outcome, ModelError):
            reason = f"the judge did not answer: {str(outcome)[:200]}"
            parts.append(_JudgedPart(sentences, reason=reason))
        elif not outcome:
            parts.append(_JudgedPart(sentences, reason=_CONTROL_ADMITTED))
        else:
            parts.append(_JudgedPart(sentences, outcome))
    return parts


async def _verdicts(
    batch: Batch, sentences: Sequence[prose.ReportSentence], context: RunContext
) -> list[Finding]:
    """Ask the judge twice about a batch; return nothing if it admits a sentence it must refuse."""
    first, second = await read_twice(batch, context)
    if first.admitted_controls or second.admitted_controls:
        return []
    judge_name = context.require_models().names["judging"]
    findings = []
    for claim, sentence in zip(batch.claims, sentences, strict=True):
        rulings = (first.rulings[claim.id], second.rulings[claim.id])
        findings.append(prose.verdict(sentence, rulings, batch.evidence, judge_name))
    return findings


async def read_repository(
    sources: RepositorySources,
    repository: AuditedRepository,
    entries: Sequence[AuditEntry],
    repos: Sequence[RepoId],
    progress: Progress,
) -> AuditedRepository:
    """Return a repository, one of `repos`, with the commits, threads and diffs a report names."""
    code = sources.code
    commits: dict[str, Commit] = {}
    for meant_commits in repository.commits_by_hash.values():
        commits.update({commit.sha: commit for commit in meant_commits})
    numbers = _thread_numbers(entries, repository.repo, repos)
    is_in_scope = any(repository.repo in entry.scope for entry in entries)
    if not (len(repos) == 1 or commits or numbers or is_in_scope):
        return repository
    repository = await _with_line(repository, code, entries, list(commits.values()))
    for number in numbers:
        landed = repository.pulls.get(number)
        if landed is not None:
            commits[landed.sha] = landed
    await _read_threads(repository, sources, numbers)
    shas = list(commits)[:_MAX_DIFFS]
    async for change in code.changes(shas):
        pull = pull_number(change.commit.subject)
        repository.changes[change.commit.sha] = CommitEvidence(change=change, pull=pull)
        progress.step(repository.repo, "reading commits", len(repository.changes), len(shas))
    return repository


async def _read_threads(
    repository: AuditedRepository, sources: RepositorySources, numbers: set[int]
) -> None:
    """Read the threads that no landed commit names, where there is an API to ask."""
    if isinstance(sources.threads, NoThreads):
        return
    unknown = sorted(numbers - repository.pulls.keys())[:_MAX_THREADS]
    answers = await _ask_each(sources.threads.issue, unknown)
    repository.threads = {number: thread for number, thread in answers.items() if thread}
    # A server that has nothing of all this may not have the repository.
    if repository.threads:
        repository.missing = frozenset(answers.keys() - repository.threads.keys())


def _thread_numbers(
    entries: Sequence[AuditEntry], repo: RepoId, repos: Sequence[RepoId]
) -> set[int]:
    """Return the numbers of threads that a report may mean in a repository."""
    numbers = set()
    for entry in entries:
        for reference in entry.references:
            if reference.kind == "thread" and repo in thread_repos(entry, reference, repos):
                numbers.add(int(reference.value))
    return numbers


async def _ask_each(ask: Callable[[K], Awaitable[V]], keys: Iterable[K]) -> dict[K, V | None]:
    """Ask for each key, a few at once: None for what does not exist, nothing after an outage."""
    slots = asyncio.Semaphore(_MAX_CONCURRENT)
    answers = dict[K, V | None]()

    async def ask_one(key: K) -> None:
        async with slots:
            with suppress(UpstreamError):
                try:
                    answers[key] = await ask(key)
                except NotFound:
                    answers[key] = None

    await asyncio.gather(*map(ask_one, keys))
    return answers


async def _with_line(
    repository: AuditedRepository,
    code: CodeSource,
    entries: Sequence[AuditEntry],
    commits: Sequence[Commit],
) -> AuditedRepository:
    """Return the repository with the commits that landed around the report's days and commits."""
    report_days = {entry.days for entry in entries if entry.days}
    moments = [commit.committed_at for commit in commits]
    for days in report_days:
        moments.extend(datetime.combine(day, time(12), UTC) for day in days)
    is_clone = isinstance(code, CloneSource)
    if not moments and not is_clone:
        return repository
    start = min(moments, default=_EARLIEST) - _READ_AROUND
    end = max(moments, default=_LATEST) + _READ_AROUND
    window = Window(start=max(start, _EARLIEST), end=min(end, _LATEST), tz="UTC")
    landing = await code.landed(window)
    line = tuple(row.commit for row in landing.rows)
    # A copy that ends before the report's days cannot have its commits.
    newest = max((commit.committed_at.date() for commit in line), default=date.max)
    is_shallow = any(notice.kind == "shallow" for notice in landing.notices)
    is_recent = all(days.first <= newest for days in report_days)
    return replace(repository, line=line, is_complete=is_clone and not is_shallow and is_recent)


async def read_trees(codes: Mapping[RepoId, CodeSource], entries: Sequence[AuditEntry]) -> Trees:
    """Return which of the names that a diff has not stand elsewhere in the files of the commit.

    Only a clone is searched, and only for a limited number of commits.
    """
    trees: dict[EvidenceId, frozenset[str]] = {}
    names_by_commit = names_to_locate(entries)
    for commit, sought in islice(names_by_commit.items(), _MAX_TREES):
        code = codes.get(commit.repo)
        if not isinstance(code, CloneSource):
            continue
        with suppress(UpstreamError):
            names = await code.names_in_tree(commit.sha, sorted(sought.names))
            values = await code.names_in_tree(commit.sha, sorted(sought.values), sought.paths)
            if names is not None and values is not None:
                trees[commit] = names | values
    return trees


async def read_fenced_files(
    codes: Mapping[RepoId, CodeSource], entries: Sequence[AuditEntry]
) -> dict[EvidenceId, list[str]]:
    """Return the texts of the files that a commit touches, where a fence stands below it."""
    changes: dict[EvidenceId, Change] = {}
    for entry in fences_of(entries):
        for evidence in entry.evidence:
            changes[evidence.change.commit.id] = evidence.change
    files: dict[EvidenceId, list[str]] = {}
    for name, change in changes.items():
        paths = [file.path for file in change.files if file.patch][:_MAX_FENCED_FILES]
        blobs = await codes[change.commit.repo].blobs(change, paths)
        texts: list[str] = []
        for versions in blobs.values():
            texts.extend(blob.decode("utf-8", "replace") for blob in versions if blob)
        files[name] = texts
    return files
