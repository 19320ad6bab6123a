"""What was read of one repository, put together for everybody who writes about it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import add_messages
from typing_extensions import TypedDict

from agent.domain.base import EvidenceId, NotFound
from agent.domain.evidence import Material, Read, ThreadEvidence
from agent.domain.ledger import Depth
from agent.domain.links import Related
from agent.domain.window import Window
from agent.links.candidates import related_links
from agent.links.recorded import carried_links, partners, reverted_by
from agent.reports.issue_news import with_pulls
from agent.settings.values import RepoSpec
from agent.sources import ThreadSource
from agent.stories.timeline import StoriesFound
from agent.triage.collected import Collected, Readings, Scales, known_issues
from agent.triage.score import lifted
from tools.history.find import with_past

if TYPE_CHECKING:
    from graphs.run_context import RunContext

THREAD_TOOLS = ("get_issue", "get_pull")


class ReadState(TypedDict, total=False):
    """What is known of a repository when its part is written."""

    window: Window
    spec: RepoSpec
    found: Collected
    messages: Annotated[list[AnyMessage], add_messages]
    readings: Readings
    related: list[Related]
    """What commits have to do with what they name or resemble, as a model said and a judge admitted."""
    stories: StoriesFound
    earlier: dict[str, list[EvidenceId]]
    """The earlier commits that each commit may mend or continue, by its hash."""
    beside: tuple[RepoSpec, ...]
    """The other repositories of the report."""


async def material_of(state: ReadState, deps: "RunContext") -> Material:
    """Gather what was read: from this process, or again from the record of the run."""
    repo = state["spec"].name
    if repo not in deps.gathered:
        deps.gathered[repo] = await _gathered(state, deps)
    material = _with_related(deps.gathered[repo], state, deps)
    found = state.get("stories")
    if found is None:
        return material
    code = (await deps.desks.open(state["spec"])).code
    return await with_past(material, found, code, deps.library)


def _with_related(material: Material, state: ReadState, deps: "RunContext") -> Material:
    """Put the relations that were admitted in the place of plain references."""
    related, found = state.get("related"), state["found"]
    if not related:
        return material
    earlier = deps.issues.known(material.repo, state["window"])
    known = [*(issue.id for issue in found.threads.issues), *(one.id for one in earlier.issues)]
    links = with_pulls(related_links(material.links, related, known), found.threads.pull_of)
    return replace(material, links=links, issues=(*found.threads.issues, *known_issues(found, earlier, links)))


async def _gathered(state: ReadState, deps: "RunContext") -> Material:
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
    undone = reverted_by(list(known.values()))
    reads = []
    weighed = Scales(found, state["spec"]).weigh_again(known, undone, deps.tiers)
    for one in lifted(weighed, {use.sha for use in found.own_uses}):
        depth = Depth.DEEP if one.sha in deep else Depth.GROUP if one.noise else Depth.SKIM
        reads.append(Read(evidence=known[one.sha], triage=one, depth=depth))
    earlier = deps.issues.known(repo, state["window"])
    links = with_pulls(carried_links(found.links, earlier.links, partners(known.values())), pulls)
    return Material(
        repo=repo,
        window=state["window"],
        reads=reads,
        links=links,
        issues=(*found.threads.issues, *known_issues(found, earlier, links)),
        pulls={pull.number: pull for pull in found.threads.pulls},
        threads=await _threads_read(state.get("messages", []), desk.threads),
        reverted=undone,
        background={one.id: one async for one in deps.library.skim(desk.code, readings.background)},
    )


async def _threads_read(messages: Sequence[AnyMessage], threads: ThreadSource) -> dict[EvidenceId, ThreadEvidence]:
    """Give the threads that the model looked up, with their comments: the source is asked again, and is on record."""
    calls = [call for one in messages if isinstance(one, AIMessage) for call in one.tool_calls]
    numbers = [call["args"].get("number") for call in calls if call["name"] in THREAD_TOOLS]
    found: dict[EvidenceId, ThreadEvidence] = {}
    for number in dict.fromkeys(one for one in numbers if isinstance(one, int) and one > 0):
        try:
            thread = await threads.issue(number)
            found[thread.id] = ThreadEvidence(thread=thread, comments=tuple(await threads.comments(number)))
        except NotFound:
            continue
    return found
