"""The agent reads: a first look at what landed and what it weighs, a choice from a closed list, then the tools."""

import itertools
from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolInvocationError
from langgraph.runtime import Runtime

from agent.analysts.tasks import Choice, commit_handles
from agent.domain.base import AppError
from agent.domain.commits import Change, Notice, omission_notices
from agent.domain.ledger import OwnUse, Triage
from agent.domain.report import Failure
from agent.domain.spending import Account, fallback
from agent.links.recorded import day_links
from agent.links.references import LandedDay, day_references
from agent.ports import Desk, Step
from agent.prompting import ModelError, fenced, fitting, prompt
from agent.reports.chapter import share
from agent.reports.titles import shown_title
from agent.sizing import EvidencePrompt
from agent.telling import fact_sentence
from agent.triage.collected import Collected, Scales, filter_notices
from agent.triage.score import lifted, rank
from graphs.run_context import THREAD_TOOLS, ReadState, RunContext, failing_alone
from memory.statements import EarlierStatements
from tools.chat.messages import Handles, Topic, trimmed
from tools.evidence_cache import EvidenceCache
from tools.index_for_search import read_threads
from tools.toolset import ToolError, Toolset

_QUIET = 6  # So many commits can be explained one by one, also where the budget would read few of them in depth
_FENCE_TOKENS = 60  # Around the table, with the row that counts what is not in it
_PAGE = 3_000  # Tokens of one answer of a tool: what a model writes about is shown whole later
_MAX_FAILED_LISTED = 5  # Commits without a readable diff that a failure names


def explain(error: ToolError | ToolInvocationError) -> str:
    """Say to the model what it did wrong; an outage of ours is not its mistake and ends the repository."""
    return f"Error: {error}"


async def choose(state: ReadState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Let the model choose what to explain from the handles it is shown; nothing without a model."""
    context = runtime.context
    repo = state["spec"].name
    commits = state["found"].table
    if context.models is None or not commits:
        return {"chosen": ()}
    runtime.stream_writer(Step(repo, "choosing"))
    limit = max(len(state["deep"]), min(_QUIET, len(commits)))
    try:
        await context.models.expect(repo, limit)
        chosen = await _ask_for_choice(state, context, limit)
    except ModelError as error:
        # If the model is down, go on: writing asks it again, and the budgeted commits are read.
        chosen = ()
        account = fallback("choosing", error)
    else:
        account = Account()
    await context.announce_remarks(runtime)
    account += Account(spent=context.asked.take(repo))
    return {"chosen": chosen or state["deep"], "account": account}


async def _ask_for_choice(state: ReadState, context: RunContext, limit: int) -> tuple[str, ...]:
    """Return the hashes of the commits that the model names; ModelError where it names none."""
    rows = await _rows(state, context)
    repo = state["spec"].name
    form = EvidencePrompt(name="choose", values={"most": str(limit)}, shape=Choice, slot="table")
    question = await context.question_limit("reading", repo)
    lines = fitting([row.line for row in rows], question.evidence_tokens(form) - _FENCE_TOKENS)
    listed = {row.handle: row.sha for row in rows[: len(lines)]}
    if len(lines) < len(rows):
        lines.append(f"(and {len(rows) - len(lines)} lighter ones)")
    values = {"table": fenced("\n".join(lines), context.mark), "most": str(limit)}
    named = Handles("read", listed)
    choice = await context.ask("reading", repo, "choose", values, Choice, handles=named)
    handles = [handle.strip("[]` ") for handle in choice.read]
    chosen = dict.fromkeys(listed[handle] for handle in handles if handle in listed)
    if not chosen:
        raise ModelError("it chose nothing that can be read")
    return tuple(chosen)[:limit]


async def read(state: ReadState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask the model what it wants to look up; its own messages and the tools' answers stand before the question."""
    deps, repo = runtime.context, state["spec"].name
    messages = state.get("messages") or []
    if deps.models is None or not state["chosen"]:
        return {}
    try:
        context = await deps.models.context("reading")
        if not await deps.can_call_tools():
            return {}
        opening = [] if messages else await _opening(state, deps)
        offered = await _offered(state, deps)
        model = deps.models.get("reading", repo).bind_tools(offered, topic=_reading_topic(state))
        answer = await model.ainvoke(trimmed([*opening, *messages], context * 2 // 3))
        return {"messages": [*opening, answer], "account": Account(spent=deps.models.take(repo))}
    except ModelError as error:
        spent = Account(spent=deps.models.take(repo))
        # Without an answer there is nothing more to call.
        return {"messages": [AIMessage("")], "account": fallback("reading", error) + spent}


async def tools(state: ReadState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Call what the model asked for."""
    runtime.stream_writer(Step(state["spec"].name, "looking further"))
    return await called(await _offered(state, runtime.context), state["messages"])


async def called(offered: Sequence[BaseTool], messages: Sequence[AnyMessage]) -> dict[str, Any]:
    """Call the tools that the last message asks for."""
    answers: dict[str, Any] = await ToolNode(offered, handle_tool_errors=explain).ainvoke(
        {"messages": messages}
    )
    return answers


def wants_tools(messages: Sequence[AnyMessage] | None, turns: float = inf) -> bool:
    """Tell whether the model asked for tools and may still do so."""
    last = messages[-1] if messages else None
    asked = sum(isinstance(one, AIMessage) for one in messages or ())
    return isinstance(last, AIMessage) and bool(last.tool_calls) and asked <= turns


# ---------------------------------------------------------------- what it is shown


class _Row(NamedTuple):
    """A commit in the table that a model chooses from."""

    handle: str
    sha: str
    line: str


async def _rows(state: ReadState, context: RunContext) -> list[_Row]:
    """Return a row for each commit, heaviest first: handle, weight, title, and its first fact."""
    collected = state["found"]
    code = (await context.desks.open(state["spec"])).code
    shas = [triaged.sha for triaged in collected.table]
    titles = {row.commit.sha: shown_title(row.commit.title) for row in collected.landed}
    weights = {one.sha: f"{one.tier.value} {one.score:.1f}" for one in collected.table}
    first_facts: dict[str, str] = {}
    async for evidence in context.library.skim(code, shas):
        if evidence.facts:
            first_facts[evidence.change.commit.sha] = fact_sentence(evidence.facts[0], "en")
    rows = []
    for handle, sha in commit_handles(shas).items():
        line = f"[{handle}] {weights[sha]} {titles[sha]}"
        if sha in first_facts:
            line += f" | {first_facts[sha]}"
        rows.append(_Row(handle, sha, line))
    return rows


async def _opening(state: ReadState, context: RunContext) -> list[AnyMessage]:
    """Return the messages that begin the reading: the rules, and the commits that were chosen."""
    lines = {row.sha: row.line for row in await _rows(state, context)}
    table = "\n".join(lines[sha] for sha in state["chosen"] if sha in lines)
    system = prompt("system", {"repo": state["spec"].name, "mark": context.mark})
    question = prompt("read", {"table": fenced(table, context.mark)})
    return [SystemMessage(system), HumanMessage(question)]


def _reading_topic(state: ReadState) -> Topic:
    """Name the turn of a conversation with tools, in which commits go by their handles."""
    answers = [one for one in state.get("messages") or [] if isinstance(one, AIMessage)]
    handles = Handles("sha", commit_handles([one.sha for one in state["found"].table]))
    return Topic(f"read {state['spec'].name}, turn {len(answers) + 1}", handles)


async def _offered(state: ReadState, deps: RunContext) -> list[BaseTool]:
    """Make the tools of this repository and window; those that read threads only where threads can be read."""
    found, desk = state["found"], await deps.desks.open(state["spec"])
    handles = commit_handles([one.sha for one in found.table])
    commits = {row.commit.sha: row.commit for row in found.landed}
    notes = {
        one.sha: f"{one.tier.value} {one.score:.1f} {shown_title(commits[one.sha].title)}"
        for one in found.table
    }
    ordered = [commits[sha] for sha in handles.values()]
    recall = EarlierStatements(deps.recall, state["window"].start)
    tools = Toolset(
        desk.code, desk.threads, ordered, notes, recall, page_tokens=_PAGE, handles=handles
    )
    unread = THREAD_TOOLS if found.threads.coverage == "not read" else ()
    return [tool for tool in tools.as_tools() if tool.name not in unread]


# ---------------------------------------------------------------- the first look


@failing_alone
async def collect(state: ReadState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Take the first look at one repository."""
    runtime.stream_writer(Step(state["spec"].name, "opening"))
    desk = await runtime.context.desks.open(state["spec"])
    found = await list_commits(state, desk, runtime)
    return {"collected": {state["spec"].name: await triage(state, desk, found, runtime)}}


async def list_commits(state: ReadState, desk: Desk, runtime: Runtime[RunContext]) -> Collected:
    """Find what landed and what the window's threads say."""
    deps, spec, window = runtime.context, state["spec"], state["window"]
    runtime.stream_writer(Step(spec.name, "listing commits"))
    landing = await desk.code.landed(window, known_tip=deps.landings.known_tip(spec.name, window))
    shas = [row.commit.sha for row in (*landing.rows, *landing.late)]
    mine = share(landing, deps.landings.elsewhere(spec.name, window, shas))
    runtime.stream_writer(Step(spec.name, "reading issues and pull requests"))
    known = deps.issues.known_open(spec.name, window)
    commits = [row.commit for row in (*mine.rows, *mine.late)]
    threads = await read_threads(desk, window, commits, known)
    if known and threads.coverage != "not read" and (cut := deps.issues.cut_short(spec.name)):
        # Only the first run lists what is open; every later report rests on that list.
        threads = threads.model_copy(
            update={"coverage": "partial", "notices": (*threads.notices, cut)}
        )
    before = [(row.commit.sha[:12], owner.window) for row, owner in mine.told_before]
    told = tuple(Notice(kind="told-before", about=one) for one in before)
    return Collected(
        landing=landing.model_copy(update={"notices": (*landing.notices, *told)}),
        rows=mine.rows,
        late=mine.late,
        threads=threads,
        references=day_references(LandedDay(spec.name, landing.branch, commits, threads)),
        failures=(
            *(Failure(repo=spec.name, stage="commits", message=one) for one in landing.failures),
            *(Failure(repo=spec.name, stage="threads", message=one) for one in threads.missing),
        ),
    )


async def triage(
    state: ReadState, desk: Desk, collected: Collected, runtime: Runtime[RunContext]
) -> Collected:
    """Read every diff that may be read, and weigh the commits by what is in them."""
    deps, repo = runtime.context, state["spec"].name
    day = LandedDay(
        repo, collected.landing.branch, [row.commit for row in collected.landed], collected.threads
    )
    links = day_links(day, collected.references, deps.issues.known(repo, state["window"]).issues)
    scales = Scales(collected.model_copy(update={"links": links}), state["spec"])
    wanted = collected.shas[: desk.diffs]
    weighed: list[Triage] = []
    omissions: list[Notice] = []
    problem = "the diff could not be read"
    runtime.stream_writer(Step(repo, "reading diffs", 0, len(wanted)))
    done = itertools.count(1)

    def look(_: Change) -> None:
        runtime.stream_writer(Step(repo, "reading diffs", next(done), len(wanted)))

    try:
        async for evidence in deps.library.skim(desk.code, wanted, look):
            weighed.append(scales.weigh(evidence))
            omissions += omission_notices(evidence.change)
    except AppError as error:
        problem = str(error)
    own_uses = await _own_uses(deps, desk, collected)
    missing = set(wanted) - {one.sha for one in weighed}
    spent = dict.fromkeys(
        collected.shas[len(wanted) :], f"subject only: the budget of {desk.diffs} diffs is spent"
    )
    listed = ", ".join(sha[:12] for sha in sorted(missing)[:_MAX_FAILED_LISTED])
    message = f"{len(missing)} of {len(collected.landed)} ({listed}): {problem}"
    failed = Failure(repo=repo, stage="diffs", message=message)
    notices = (*collected.landing.notices, *omissions, *filter_notices(weighed))
    update = {
        "landing": collected.landing.model_copy(update={"notices": notices}),
        "table": lifted(rank(weighed), {one.sha for one in own_uses}),
        "own_uses": own_uses,
        "links": links,
        "unread": spent | dict.fromkeys(sorted(missing), problem),
        "failures": (*collected.failures, *([failed] if missing else [])),
    }
    return collected.model_copy(update=update)


async def _own_uses(deps: RunContext, desk: Desk, found: Collected) -> tuple[OwnUse, ...]:
    """Find what the user's own code uses of what changes; for that, commits are read with whole files."""
    if deps.own is None or not found.landed:
        return ()
    # Not with what is read of them otherwise: a resumed run has not read all of them like this.
    landed, library = [row.commit for row in found.landed], EvidenceCache()
    read = await library.study_all(desk.code, found.shas[: desk.diffs], landed=landed)
    return deps.own.found(
        desk.code.repo, {one.change.commit.sha: one.sheet.touched for one in read if one.sheet}
    )
