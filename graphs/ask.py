"""A question as a graph: retrieve, read with tools, answer, check, judge, repair once, reply."""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from agent.analysts.schema import NAMES, answer_shape
from agent.asking.packet import (
    answer_claims,
    cited,
    handles_of,
    packet_text,
)
from agent.asking.query import Hit, Query, query_of
from agent.asking.reply import Outcome, Reply, Searched
from agent.desks import Step
from agent.evidence import EvidenceId
from agent.model import ModelError
from agent.prompting import fenced, prompt
from graphs.ask_checks import check, judge, repair, repair_once
from graphs.ask_context import AskContext
from graphs.ask_state import AskInput, AskState, account_of
from graphs.asking_models import can_call_tools, models_of, packet_room
from graphs.look_up import filtered_section, named_sections, told_facts
from graphs.reading import explain
from tools.chat.trimming import trimmed
from tools.toolset import tools_of

VERSION = 2
"""Of the state that is kept; a thread that was written by another one is not gone on with."""
_BEST, _TURNS, _RANKED, _TAGGED = 20, 5, 60, 5
_KEPT, _KEPT_ID = 200, "kept-"
"""Questions and citations of a thread that are kept."""


def build(checkpointer: Any = None) -> CompiledStateGraph[AskState, AskContext, AskInput, AskState]:
    """Wire the way of a question; with a checkpointer a thread goes on from its last turn."""
    graph = StateGraph(AskState, context_schema=AskContext, input_schema=AskInput)
    for node in (retrieve, read, tools, answer, check, judge, repair, reply):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "retrieve")
    graph.add_conditional_edges("retrieve", lambda state: "read" if state["first"] else "reply", ["read", "reply"])
    graph.add_conditional_edges("read", _after_reading, ["tools", "answer"])
    graph.add_edge("tools", "read")
    graph.add_conditional_edges("answer", lambda state: "reply" if state["trouble"] else "check", ["check", "reply"])
    graph.add_edge("check", "judge")
    graph.add_conditional_edges("judge", repair_once, ["repair", "reply"])
    graph.add_edge("repair", "check")
    graph.add_edge("reply", END)
    return graph.compile(checkpointer=checkpointer, name="ask")


async def retrieve(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Search what is known at once, read what is missing of the window, and search again."""
    context = runtime.context
    query = query_of(state["question"], context.bound, context.tz, context.now, context.lang)
    repos = [one.name for one in context.specs if query.filters.wants(one.name)] or [one.name for one in context.specs]

    def search(most: int) -> list[Hit]:
        hits = context.index.search(query.words, query.named, repos, query.window, most)
        if len(hits) < _BEST:
            # What has no word of the question comes last: the newest of the window.
            found = {hit.id for hit in hits}
            newest = sorted(context.index.entries(repos, query.window), key=lambda one: one[0].opened, reverse=True)
            hits += [hit for hit, _ in newest if hit.id not in found][: _BEST - len(hits)]
        known = context.all_known(hit.id for hit in hits[:_BEST])
        runtime.stream_writer({"evidence": known, "lang": query.lang})
        return hits

    search(_BEST)
    left_out = {}
    for spec in context.specs:
        if spec.name in repos:
            left_out[spec.name] = await context.reader.complete(spec, query.window or context.unread(spec.name))
            if query.window is None:
                await context.reader.fetch(spec, [one for one in query.named if one.repo in (None, spec.name)])
    hits, window = search(_RANKED), query.window or context.whole(repos)
    begun: dict[str, Any] = {
        "query": query,
        "window": window,
        "hits": hits,
        "first": "",
        "trouble": "",
        "nearest": None,
    }
    begun |= {"searched": [context.searched(repo, window, left_out[repo]) for repo in repos], "repaired": False}
    begun |= {"published": [], "failed": [], "drafts": [], "passed": []}
    # A question that was cut short may have left some.
    begun["messages"] = [RemoveMessage(str(one.id)) for one in state.get("messages") or [] if not _is_kept(one)]
    if context.deps.models is None or query.filters.any:
        return begun
    commits = [hit.id for hit in hits if hit.kind == "commit"][:_TAGGED]
    tags = await context.tags_of(commits)
    fitting = [hit.id for hit in hits[:_BEST] if hit.fits]
    before = (state.get("cites") or [])[:_BEST]
    best = dict.fromkeys((*fitting, *tags.values(), *before, *(hit.id for hit in hits[:_BEST])))
    begun["notes"] = {name: f"The first tag that contains it is {tag.partition('@')[2]}." for name, tag in tags.items()}
    await context.load(best, query.window)
    handles = handles_of([name for name in best if name in context.found], context.found)
    try:
        first = await _opening(query, handles, begun, context)
    except ModelError as error:
        return begun | {"trouble": _why(error)}
    return begun | {"handles": handles, "first": first.id, "messages": [*begun["messages"], first]}


async def _opening(
    query: Query, handles: dict[str, EvidenceId], begun: dict[str, Any], context: AskContext
) -> HumanMessage:
    """Show the question and the best evidence, and say how to look further where tools can be called."""
    deps, scope, focus = context.deps, _scope(begun["searched"]), [one.text for one in query.named]
    text = packet_text(handles, context.found, await packet_room(deps), focus, begun["notes"])
    values = {"question": fenced(query.text, deps.mark), "evidence": fenced(text or "(nothing)", deps.mark)}
    told = prompt("ask_question", values | {"scope": scope})
    more = prompt("ask_read", {"scope": scope}) if await can_call_tools(deps) else ""
    return HumanMessage(f"{told}\n{more}", id=uuid4().hex)


def _scope(searched: list[Searched]) -> str:
    return "; ".join(f"{one.repo} from {one.start:%Y-%m-%d} to {one.end:%Y-%m-%d}" for one in searched)


def _why(error: ModelError) -> str:
    return " ".join(str(error).split())[:200]


async def read(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Let the model look up what is open; its messages and the tools' answers stand before the question."""
    deps = runtime.context.deps
    models = models_of(deps)
    try:
        if not await can_call_tools(deps):
            return {}
        offered = tools_of(await runtime.context.open_tools(state["window"], state["handles"]))
        heard = trimmed(_heard(state, deps.mark), await models.context("reading") * 2 // 3)
        return {"messages": [await models.get("reading", account_of(state)).bind_tools(offered).ainvoke(heard)]}
    except ModelError:
        # Whoever is away is asked again for the answer.
        return {}


def _heard(state: AskState, mark: str) -> list[AnyMessage]:
    """Give the conversation behind what models are told before everything else; open calls of tools are left out."""
    repos = " and ".join(one.repo for one in state["searched"])
    messages = state["messages"]
    kept = messages[:-1] if _wants_tools(messages) else messages
    return [SystemMessage(prompt("system", {"repo": repos, "mark": mark})), *kept]


def _is_kept(message: AnyMessage) -> bool:
    return str(message.id).startswith(_KEPT_ID)


def _own(state: AskState) -> list[AnyMessage]:
    """Give the messages of this question."""
    messages = state.get("messages") or []
    first = next((place for place, one in enumerate(messages) if one.id == state["first"]), len(messages))
    return messages[first:]


def _after_reading(state: AskState) -> Literal["tools", "answer"]:
    asked = sum(isinstance(one, AIMessage) for one in _own(state))
    return "tools" if _wants_tools(state["messages"]) and asked <= _TURNS else "answer"


def _wants_tools(messages: Sequence[AnyMessage]) -> bool:
    return isinstance(messages[-1], AIMessage) and bool(messages[-1].tool_calls)


async def tools(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Call what the model asked for."""
    context = runtime.context
    runtime.stream_writer(Step(state["searched"][0].repo, "looking further"))
    node = ToolNode(tools_of(await context.open_tools(state["window"], state["handles"])), handle_tool_errors=explain)
    told: dict[str, Any] = await node.ainvoke({"messages": state["messages"]})
    return told


async def answer(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Have the model answer in sentences with citations and anchors, or abstain."""
    context, query = runtime.context, state["query"]
    deps = context.deps
    runtime.stream_writer(Step(state["searched"][0].repo, "answering"))
    await context.take_shown(query.window)
    handles = handles_of(list(dict.fromkeys((*state["handles"].values(), *context.found))), context.found)
    listed = [f"{handle} is {name}" for handle, name in handles.items() if name not in state["handles"].values()]
    more = f" What you looked up has handles too: {'; '.join(listed)}." if listed else ""
    values = {"language": NAMES[query.lang], "more": more}
    told = prompt("ask_answer", values)
    *before, last = _heard(state, deps.mark)
    # Some servers take no two messages of a user in a row.
    heard = (
        [*before, HumanMessage(f"{last.text}\n{told}")] if last.type == "human" else [*before, last, HumanMessage(told)]
    )
    try:
        room = await models_of(deps).context("writing") * 2 // 3
        model = models_of(deps).get("writing", account_of(state)).with_structured_output(answer_shape(query.lang))
        said: Any = await model.ainvoke(trimmed(heard, room))
    except ModelError as error:
        return {"trouble": _why(error)}
    # A tool may have listed what it has not shown: it is read now, for the gate and the judge.
    named = [one for told in (said.nearest, *(one.cites for one in said.sentences)) for one in told]
    await context.load([name for one in named for name in context.names_of(one)], query.window)
    near = [name for one in said.nearest if (name := cited(one, handles, context.found)) in context.found]
    drafts = answer_claims(said, handles, context.found, query.lang)
    handles = handles_of(list(dict.fromkeys((*handles.values(), *context.found))), context.found)
    return {"handles": handles, "drafts": drafts, "nearest": near if said.abstains or not drafts else None}


async def reply(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Put the reply together; of this question the conversation keeps what was asked and answered."""
    given = await _reply(state, runtime.context)
    gone = [RemoveMessage(str(one.id)) for one in _own(state)]
    question, said = f"{_KEPT_ID}{uuid4().hex}", f"{_KEPT_ID}{uuid4().hex}"
    return {
        "reply": given,
        "version": VERSION,
        "messages": [*gone, HumanMessage(state["question"], id=question), AIMessage(given.said, id=said)],
        "cites": list(given.cites or (hit.id for hit in given.evidence[:_BEST]))[:_KEPT],
        "turns": [*state.get("turns", []), state["question"][:300]][-_KEPT:],
    }


async def _reply(state: AskState, context: AskContext) -> Reply:
    """Choose what is published; what a question names outright is shown, whatever a model passes over."""
    query, hits, repos = state["query"], state["hits"], [one.repo for one in state["searched"]]
    claims = sorted(state["published"], key=lambda one: int(one.id[1:]))
    cites = [cite for claim in claims for cite in claim.cites]
    outcome: Outcome = "filtered" if query.filters.any else "looked up"
    if state["first"] or state["trouble"]:
        abstains = state["nearest"] is not None
        outcome = "failed" if state["trouble"] else "abstained" if abstains else "answered" if claims else "refused"
        cites += state["nearest"] or []
    sections = [filtered_section(query, repos, context)] if query.filters.any else named_sections(query, repos, context)
    said = {cite for claim in claims for cite in claim.cites}
    sections = [one for one in sections if not said & {hit.id for hit in one.hits}]
    told = list(dict.fromkeys(hit.id for section in sections for hit in section.hits[:_BEST]))
    facts = await told_facts(query, [name for name in told if "#" not in name][:10], context)
    return Reply(
        outcome=outcome,
        lang=query.lang,
        window=query.window,
        claims=(*claims, *facts),
        cites=tuple(dict.fromkeys((*cites, *told))),
        shown=tuple(dict.fromkeys(cites)),
        sections=tuple(sections),
        evidence=tuple(hits),
        known=context.all_known((*cites, *told, *(hit.id for hit in hits[: 2 * _BEST]))),
        searched=tuple(state["searched"]),
        dropped=len(state["failed"]),
        trouble=state["trouble"],
        has_model=context.deps.models is not None,
    )
