"""What was read of one repository, put together for everybody who writes about it."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import add_messages
from typing_extensions import TypedDict

from agent.analyst import Material, Read
from agent.domain import Frozen, Issue
from agent.dossier import Dossier
from agent.errors import NotFound
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ThreadEvidence
from agent.facts import FactKind
from agent.ids import commit_id
from agent.linking.digest import as_issue
from agent.linking.known import Known
from agent.linking.undoing import carried_links, partners
from agent.links import Link
from agent.report import Depth
from agent.settings import RepoSpec
from agent.sources import ThreadSource
from agent.threads import with_pulls
from agent.triage import Tier, Triage, rank
from agent.weaving.woven import Woven
from agent.window import Window
from graphs.collect import Collected, Scales
from graphs.desk import Deps
from graphs.weaving import with_past

_LESS = 0.001
_THREAD_TOOLS = ("get_issue", "get_pull")


class Readings(Frozen):
    """Which commits were read in depth, and which commits of earlier days beside them."""

    deep: tuple[str, ...] = ()
    background: tuple[str, ...] = ()


class ReadState(TypedDict, total=False):
    """What is known of a repository when its part is written."""

    window: Window
    spec: RepoSpec
    found: Collected
    messages: Annotated[list[AnyMessage], add_messages]
    readings: Readings
    woven: Woven


def readings_of(studied: Sequence[CommitEvidence], found: Collected) -> Readings:
    """Note what was studied, and what of earlier days it undoes or brings back."""
    landed = {row.commit.sha for row in found.landed}
    background = sorted({old for evidence in studied for old in _undone(evidence)} - landed)
    return Readings(deep=tuple(one.change.commit.sha for one in studied), background=tuple(background))


def _undone(evidence: CommitEvidence) -> list[str]:
    kinds = (FactKind.REVERT, FactKind.RELAND)
    return [fact.old for fact in evidence.facts if fact.kind in kinds and fact.old and len(fact.old) == 40]


async def material_of(state: ReadState, deps: Deps) -> Material:
    """Gather what was read: from this process, or again from the record of the run."""
    repo = state["spec"].name
    if repo not in deps.gathered:
        deps.gathered[repo] = await _gathered(state, deps)
    found = state.get("woven")
    if found is None:
        return deps.gathered[repo]
    code = (await deps.desks.open(state["spec"])).code
    return await with_past(deps.gathered[repo], found, code, deps.library)


async def _gathered(state: ReadState, deps: Deps) -> Material:
    repo, found, readings = state["spec"].name, state["found"], state["readings"]
    desk = await deps.desks.open(state["spec"])
    table, landed = [one.sha for one in found.table], [row.commit for row in found.rows]
    skimmed = {one.change.commit.sha: one async for one in deps.library.skim(desk.code, table)}
    studied = await deps.library.study_all(desk.code, readings.deep, landed=landed)
    deep = {one.change.commit.sha: one for one in studied}
    pulls = found.threads.pull_of
    # Studying some has put right what the patches alone say of others.
    read = {sha: deps.library.get(one.id) or one for sha, one in (skimmed | deep).items()}
    known = {sha: one.model_copy(update={"pull": pulls.get(sha)}) for sha, one in read.items()}
    undone = _reverted(list(known.values()))
    reads = []
    for one in _weighed_again(known, undone, Scales(found, state["spec"]), deps):
        depth = Depth.DEEP if one.sha in deep else Depth.GROUP if one.tier is Tier.NOISE else Depth.SKIM
        reads.append(Read(evidence=known[one.sha], triage=one, depth=depth))
    earlier = deps.issues.known(repo, state["window"])
    links = with_pulls(carried_links(found.links, earlier.links, partners(known.values())), pulls)
    return Material(
        repo=repo,
        window=state["window"],
        reads=reads,
        links=links,
        issues=(*found.threads.issues, *_known_issues(found, earlier, links)),
        pulls={pull.number: pull for pull in found.threads.pulls},
        threads=await _threads_read(state.get("messages", []), desk.threads),
        reverted=undone,
        background={one.id: one async for one in deps.library.skim(desk.code, readings.background)},
    )


async def _threads_read(messages: Sequence[AnyMessage], threads: ThreadSource) -> dict[EvidenceId, ThreadEvidence]:
    """Give the threads that the model looked up, with their comments: the source is asked again, and is on record."""
    calls = [call for one in messages if isinstance(one, AIMessage) for call in one.tool_calls]
    numbers = [call["args"].get("number") for call in calls if call["name"] in _THREAD_TOOLS]
    found: dict[EvidenceId, ThreadEvidence] = {}
    for number in dict.fromkeys(one for one in numbers if isinstance(one, int) and one > 0):
        try:
            thread = await threads.issue(number)
            found[thread.id] = ThreadEvidence(thread=thread, comments=tuple(await threads.comments(number)))
        except NotFound:
            continue
    return found


def _known_issues(found: Collected, earlier: Known, links: Sequence[Link]) -> list[Issue]:
    """Give the issues of earlier days that something today addresses."""
    fresh, wanted = {issue.id for issue in found.threads.issues}, {link.issue for link in links}
    return [as_issue(one) for one in earlier.issues if one.id in wanted and one.id not in fresh]


def _weighed_again(
    known: Mapping[str, CommitEvidence], undone: Mapping[EvidenceId, EvidenceId], scales: Scales, deps: Deps
) -> tuple[Triage, ...]:
    """Rank the commits by what is known after reading: whole files show more than a patch does.

    What landed and was undone in the same window leaves nothing to act on.
    """
    gone = {*undone, *undone.values()}
    weighed = []
    for evidence in known.values():
        one = scales.weigh(evidence)
        settled = min(one.score, deps.tiers.high - _LESS) if evidence.id in gone else one.score
        weighed.append(one.model_copy(update={"score": settled}))
    return rank(weighed, deps.tiers)


def _reverted(commits: Sequence[CommitEvidence]) -> dict[EvidenceId, EvidenceId]:
    """Tell which commit of the window undid which, by the patch or by what the message names."""
    by_pull = {f"#{one.pull}": one.id for one in commits if one.pull}
    mine = {one.id for one in commits}
    pairs: dict[EvidenceId, EvidenceId] = {}
    for one in commits:
        for fact in one.facts:
            if fact.kind is FactKind.REVERT:
                named = (f"{one.repo}@{fact.old}", by_pull.get("#" + fact.name.rpartition("#")[2], ""))
                pairs |= {old: one.id for old in named if old in mine and old != one.id}
    return pairs


def dossier_of(material: Material, found: Collected) -> Dossier:
    """Give the gate everything that was read of a repository."""
    known: dict[EvidenceId, Evidence] = {read.evidence.id: read.evidence for read in material.reads}
    known |= material.background
    known |= {issue.id: ThreadEvidence(thread=issue) for issue in material.issues}
    known |= {pull.id: ThreadEvidence(thread=pull) for pull in material.pulls.values()}
    known |= material.threads
    late = frozenset(commit_id(row.commit.repo, row.commit.sha) for row in found.late)
    return Dossier(
        found=known,
        window=material.window,
        seen=frozenset(known),
        links=tuple(material.links),
        reverted=material.reverted,
        late=late,
    )
