"""The targets of writing tasks, made from the state and the evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent.domain.errors import NotFound
from agent.domain.evidence import (
    Citable,
    CommitEvidence,
    EvidenceSet,
    Material,
    Read,
    ThreadEvidence,
)
from agent.domain.evidence_id import EvidenceId
from agent.domain.look_ups import LookUp
from agent.packets.code_around_changes_text import surroundings_note
from agent.packets.commit_packet import CommitContext, earlier_commits, pieces_of
from agent.packets.look_ups_text import files_by_handle, look_ups_note
from agent.ports import CodeSource, ThreadSource
from agent.reports.affected_text import affected_line
from agent.triage.collected_commits import evidence_set_of
from agent.writing.minor_commits_target import MinorCommitsTarget
from agent.writing.summary_target import SummaryTarget, summary_evidence
from agent.writing.targets import CommitTarget
from agent.writing.tasks import Task, evidence_handles
from graphs.material_rebuilding import material_of, repository_of
from graphs.run_context import RunContext
from graphs.state import AnalysisInput, MaterialInput
from tools.affected_versions import affected_versions
from tools.code_around_changes import release_lines

TaskTarget = CommitTarget | MinorCommitsTarget | SummaryTarget


async def writing_targets(state: AnalysisInput, context: RunContext) -> dict[str, TaskTarget]:
    """Return what the tasks are about, by their keys: summaries first, then commits."""
    target_by_task: dict[str, TaskTarget] = {}
    for task in state["tasks"]:
        if task.is_summary:
            target_by_task[task.key] = SummaryTarget(
                repo=task.repo,
                account=task.account,
                languages=context.languages,
                evidence_set=summary_evidence(task),
                task=task,
            )
    target_by_task.update(await commit_targets(state, context))
    target_by_task.update(await _minor_targets(state, context))
    return target_by_task


async def _minor_targets(
    state: AnalysisInput, context: RunContext
) -> dict[str, MinorCommitsTarget]:
    """Return the batches of minor commits, each commit with its whole diff and the code around it."""
    batches = [task for task in state["tasks"] if task.minor]
    if not batches:
        return {}
    repository = repository_of(state)
    material = await material_of(repository, context)
    evidence_set = evidence_set_of(material, repository["first_look"])
    target_by_task: dict[str, MinorCommitsTarget] = {}
    for task in batches:
        reads = await _whole_reads(task, material, repository, context)
        commits: dict[str, CommitTarget] = {}
        for handle, read in reads.items():
            around = await _commit_context(read, material, repository, (), context)
            commits[handle] = _commit_target(task, read, material, evidence_set, around, context)
        target_by_task[task.key] = MinorCommitsTarget(
            repo=task.repo,
            account=task.account,
            languages=context.languages,
            evidence_set=evidence_set,
            task=task,
            commits=commits,
        )
    return target_by_task


async def _whole_reads(
    task: Task, material: Material, repository: MaterialInput, context: RunContext
) -> dict[str, Read]:
    """Return the minor commits of a task by their handles, with their patches."""
    code = (await context.repositories.open(repository["spec"])).code
    changes = await context.evidence_cache.whole(code, [commit.sha for commit in task.minor])
    read_by_id = {read.evidence.id: read for read in material.reads}
    evidence_by_id = {name: read.evidence for name, read in read_by_id.items()}
    reads: dict[str, Read] = {}
    for handle, commit in evidence_handles(task.minor, evidence_by_id).items():
        read = read_by_id[commit]
        if commit.sha in changes:
            evidence = read.evidence.model_copy(update={"change": changes[commit.sha]})
            read = replace(read, evidence=evidence)
        reads[handle] = read
    return reads


async def commit_targets(state: AnalysisInput, context: RunContext) -> dict[str, CommitTarget]:
    """Return the commits that tasks are about, by the keys of the tasks."""
    about_commits = [(task.about, task) for task in state["tasks"] if task.about]
    if not about_commits:
        return {}
    repository = repository_of(state)
    material = await material_of(repository, context)
    evidence_set = evidence_set_of(material, repository["first_look"])
    reads = {read.evidence.id: read for read in material.reads}
    target_by_task: dict[str, CommitTarget] = {}
    for commit, task in about_commits:
        look_ups = state["looked_up"].get(task.key, ())
        read = reads[commit]
        around = await _commit_context(read, material, repository, look_ups, context)
        threads = await _threads_read(look_ups, repository, context)
        target_by_task[task.key] = _commit_target(
            task,
            read,
            replace(material, threads={**material.threads, **threads}),
            evidence_set,
            around,
            context,
        )
    return target_by_task


def _commit_target(
    task: Task,
    read: Read,
    material: Material,
    evidence_set: EvidenceSet,
    around: CommitContext,
    context: RunContext,
) -> CommitTarget:
    """Return a commit with everything that may be cited about it."""
    commit = read.evidence.id
    pieces: dict[str, Citable] = {}
    pieces.update(pieces_of(read.evidence, material))
    pieces.update(around.earlier)
    for look_up in around.look_ups:
        if look_up.thread is not None and look_up.thread in material.threads:
            pieces[f"#{look_up.thread.number}"] = material.threads[look_up.thread]
    pieces.update(files_by_handle(around.look_ups))
    notes = (
        surroundings_note(around.surroundings),
        *around.earlier_releases,
        look_ups_note(around.look_ups),
    )
    note = "\n".join(notes)
    citable = {**evidence_set.by_id, **{evidence.id: evidence for evidence in pieces.values()}}
    return CommitTarget(
        repo=task.repo,
        account=task.account,
        languages=context.languages,
        evidence_set=replace(
            evidence_set, by_id=citable, seen=frozenset(citable), notes={commit: note}
        ),
        about=commit,
        citable=pieces,
        task=task,
        read=read,
        material=material,
        context=around,
    )


async def _threads_read(
    look_ups: Sequence[LookUp], repository: MaterialInput, context: RunContext
) -> dict[EvidenceId, ThreadEvidence]:
    """Return the issues and pull requests that were looked up, with their comments.

    They were read when they were shown; the answers are on record.
    """
    names = dict.fromkeys(look_up.thread for look_up in look_ups if look_up.thread)
    if not names:
        return {}
    source = (await context.repositories.open(repository["spec"])).threads
    threads: dict[EvidenceId, ThreadEvidence] = {}
    for name in names:
        if thread := await _thread(name, source):
            threads[name] = thread
    return threads


async def _thread(name: EvidenceId, source: ThreadSource) -> ThreadEvidence | None:
    assert name.number is not None, "a look-up of a thread names its number"
    try:
        thread = await source.issue(name.number)
        comments = tuple(await source.comments(name.number))
    except NotFound:
        return None
    return ThreadEvidence(thread=thread, comments=comments)


async def _commit_context(
    read: Read,
    material: Material,
    repository: MaterialInput,
    look_ups: Sequence[LookUp],
    context: RunContext,
) -> CommitContext:
    """Return the code around a commit, the earlier commits it goes back to, and their releases."""
    code = (await context.repositories.open(repository["spec"])).code
    commit = read.evidence.change.commit
    earlier = await _with_diffs(
        earlier_commits(read.evidence.id, repository["stories"], material), code, context
    )
    earlier_by_handle = {handle: evidence.change.commit for handle, evidence in earlier.items()}
    surroundings = await context.evidence_cache.surroundings(code, read.evidence)
    until = repository["window"].end
    releases = [*await release_lines(code, {"c": commit}, until)]
    affected = await affected_versions(code, read.evidence, context.evidence_cache, until=until)
    if affected is not None:
        releases.append(affected_line("c", affected))
    return CommitContext(
        surroundings=surroundings.model_copy(update={"releases": tuple(releases)}),
        earlier=earlier,
        earlier_releases=await release_lines(code, earlier_by_handle, until),
        look_ups=tuple(look_ups),
    )


async def _with_diffs(
    earlier: Mapping[str, CommitEvidence], code: CodeSource, context: RunContext
) -> dict[str, CommitEvidence]:
    """Return earlier commits with their diffs; of some, only the titles were read so far."""
    own = [
        evidence.change.commit.sha for evidence in earlier.values() if evidence.repo == code.repo
    ]
    changes = await context.evidence_cache.whole(code, own)
    with_diffs: dict[str, CommitEvidence] = {}
    for handle, evidence in earlier.items():
        change = changes.get(evidence.change.commit.sha, evidence.change)
        with_diffs[handle] = evidence.model_copy(update={"change": change})
    return with_diffs
