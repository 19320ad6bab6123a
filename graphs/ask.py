"""A question as a graph: retrieve, read with tools, answer, check, judge, repair once, reply."""

import hashlib
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.analysts.sentences import NAMES, answer_shape
from agent.analysts.tasks import Sentences
from agent.asking.packet import AnswerSubject, cited, handles_of
from agent.asking.query import Hit, Query, query_of
from agent.asking.reply import Outcome, Reply
from agent.domain.base import EvidenceId, RepoId
from agent.domain.evidence import Dossier
from agent.models import ModelError, fenced, prompt
from agent.ports import Step
from graphs.ask_context import AskContext, AskInput, AskState
from graphs.judging import SentenceSteps
from graphs.look_up import filtered_section, named_sections, ranked, told_facts
from graphs.reading import called, wants_tools
from tools.chat.messages import trimmed
from tools.toolset import tools_of

VERSION = 2
"""Of the state that is kept; a thread that was written by another one is not gone on with."""
_BEST, _TURNS, _RANKED, _TAGGED = 20, 5, 60, 5
_KEPT, _KEPT_ID = 200, "kept-"
"""Questions and citations of a thread that are kept."""


def build(checkpointer: Any = None) -> CompiledStateGraph[AskState, AskContext, AskInput, AskState]:
    """Wire the way of a question; with a checkpointer a thread goes on from its last turn."""
    graph = StateGraph(AskState, context_schema=AskContext, input_schema=AskInput)
    for node in (retrieve, read, tools, answer, reply):
        graph.add_node(node.__name__, node)
    SentenceSteps(subjects).add_to(graph, "reply")
    graph.add_edge(START, "retrieve")
    graph.add_conditional_edges("retrieve", lambda state: "read" if _own(state) else "reply", ["read", "reply"])
    graph.add_conditional_edges(
        "read", lambda state: "tools" if wants_tools(_own(state), _TURNS) else "answer", ["tools", "answer"]
    )
    graph.add_edge("tools", "read")
    graph.add_edge("answer", "check")
    graph.add_edge("reply", END)
    return graph.compile(checkpointer=checkpointer, name="ask")


async def retrieve(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Search what is known at once, read what is missing of the window, and search again."""
    context = runtime.context
    query = query_of(state["question"], context.bound, context.tz, context.now, context.lang)
    specs = [one for one in context.specs if query.filters.wants(one.name)] or list(context.specs)
    repos, left_out = [one.name for one in specs], dict[RepoId, int]()
    known = context.memory
    _found(query, repos, runtime, _BEST)
    for spec in specs:
        unread = query.window or known.unread(spec.name, context.now, context.tz)
        left_out[spec.name] = await context.reader.complete(spec, unread)
        if query.window is None:
            await context.reader.fetch(spec, [one for one in query.named if one.repo in (None, spec.name)])
    hits, window = _found(query, repos, runtime, _RANKED), query.window or known.whole(repos, context.now, context.tz)
    searched = [context.searched(repo, window, left_out[repo]) for repo in repos]
    begun = {"query": query, "window": window, "hits": hits, "searched": searched, "handles": {}}
    begun |= {"sentences": Sentences(), "nearest": None, "trouble": ""}
    # A question that was cut short may have left messages.
    gone = [RemoveMessage(str(one.id)) for one in _own(state)]
    if context.models is None or query.filters.any:
        return begun | {"messages": gone}
    begun["handles"] = await _handles(query, hits, state, context)
    try:
        return begun | {"messages": [*gone, await _opening(query, {**state, **begun}, context)]}
    except ModelError as error:
        return begun | {"messages": gone, "trouble": _why(error)}


def _found(query: Query, repos: Sequence[RepoId], runtime: Runtime[AskContext], most: int) -> list[Hit]:
    hits, context = ranked(query, repos, runtime.context, most), runtime.context
    runtime.stream_writer({"evidence": context.memory.all(hit.id for hit in hits[:_BEST]), "lang": query.lang})
    return hits


async def _handles(query: Query, hits: list[Hit], state: AskState, context: AskContext) -> dict[str, EvidenceId]:
    """Read the best evidence, the tags of its commits, and what was cited before."""
    tags = await context.load_tags([hit.id for hit in hits if hit.kind == "commit"][:_TAGGED])
    fitting = [hit.id for hit in hits[:_BEST] if hit.fits]
    best = [*fitting, *tags, *(state.get("cites") or [])[:_BEST], *(hit.id for hit in hits[:_BEST])]
    await context.load(best, query.window)
    return handles_of(best, context.found)


async def _opening(query: Query, state: Any, context: AskContext) -> HumanMessage:
    """Show the question and the best evidence, and say how to look further where tools can be called."""
    spans = [f"{one.repo} from {one.start:%Y-%m-%d} to {one.end:%Y-%m-%d}" for one in state["searched"]]
    scope, subject = {"scope": "; ".join(spans)}, (await subjects(state, context))["answer"]
    text = subject.evidence((), [one.text for one in query.named]) or "(nothing)"
    values = {"question": fenced(query.text, context.mark), "evidence": fenced(text, context.mark)}
    more = prompt("ask_read", scope) if await context.can_call_tools() else ""
    return HumanMessage(f"{prompt('ask_question', values | scope)}\n{more}", id=uuid4().hex)


async def subjects(state: AskState, context: AskContext) -> dict[str, AnswerSubject]:
    """Give what the answer is about: everything that was read for the question."""
    query, found, repos = state["query"], context.found, [one.repo for one in state["searched"]]
    subject = AnswerSubject(
        repo=repos[0],
        account=_account(state),
        languages=(query.lang,),
        room=await context.packet_room(),
        dossier=Dossier(found=found, window=query.window, repos=frozenset(repos), seen=frozenset(found)),
        handles=state["handles"],
        notes=context.notes,
    )
    return {"answer": subject}


def _account(state: AskState) -> str:
    """Name the account that pays for a question."""
    told = f"{len(state.get('turns') or [])} {state['question']} {state['searched'][0].end}"
    return f"question {hashlib.sha256(told.encode()).hexdigest()[:12]}"


def _why(error: ModelError) -> str:
    return " ".join(str(error).split())[:200]


async def read(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Let the model look up what is open; its messages and the tools' answers stand before the question."""
    context = runtime.context
    models = context.asked
    try:
        if not await context.can_call_tools():
            return {}
        offered = tools_of(await context.open_tools(state["window"], state["handles"]))
        heard = trimmed(_heard(state, context.mark), await models.context("reading") * 2 // 3)
        return {"messages": [await models.get("reading", _account(state)).bind_tools(offered).ainvoke(heard)]}
    except ModelError:
        # Whoever is away is asked again for the answer.
        return {}


def _heard(state: AskState, mark: str) -> list[AnyMessage]:
    """Give the conversation behind what models are told before everything else; open calls of tools are left out."""
    repos = " and ".join(one.repo for one in state["searched"])
    kept = state["messages"][:-1] if wants_tools(state["messages"]) else state["messages"]
    return [SystemMessage(prompt("system", {"repo": repos, "mark": mark})), *kept]


def _own(state: AskState) -> list[AnyMessage]:
    """Give the messages of this question; the others were kept of earlier ones."""
    return [one for one in state.get("messages") or [] if not str(one.id).startswith(_KEPT_ID)]


async def tools(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Call what the model asked for."""
    runtime.stream_writer(Step(state["searched"][0].repo, "looking further"))
    opened = await runtime.context.open_tools(state["window"], state["handles"])
    return await called(tools_of(opened), state["messages"])


async def answer(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Have the model answer in sentences with citations and anchors, or abstain."""
    context, query, shown = runtime.context, state["query"], state["handles"].values()
    runtime.stream_writer(Step(state["searched"][0].repo, "answering"))
    await context.take_shown(query.window)
    handles = handles_of([*shown, *context.found], context.found)
    listed = [f"{handle} is {name}" for handle, name in handles.items() if name not in shown]
    more = f" What you looked up has handles too: {'; '.join(listed)}." if listed else ""
    told = prompt("ask_answer", {"language": NAMES[query.lang], "more": more})
    *before, last = _heard(state, context.mark)
    # Some servers take no two messages of a user in a row.
    end = [HumanMessage(f"{last.text}\n{told}")] if last.type == "human" else [last, HumanMessage(told)]
    models = context.asked
    try:
        heard = trimmed([*before, *end], await models.context("writing") * 2 // 3)
        model = models.get("writing", _account(state)).with_structured_output(answer_shape(query.lang))
        said: Any = await model.ainvoke(heard)
    except ModelError as error:
        return {"trouble": _why(error)}
    # A tool may have listed what it has not shown: it is read now, for the gate and the judge.
    named = [one for told in (said.nearest, *(one.cites for one in said.sentences)) for one in told]
    repos = [spec.name for spec in context.specs]
    await context.load([name for one in named for name in context.memory.named(one, repos)], query.window)
    handles = handles_of([*handles.values(), *context.found], context.found)
    near = [name for one in said.nearest if (name := cited(one, handles, context.found)) in context.found]
    subject = (await subjects({**state, "handles": handles}, context))["answer"]
    drafts = tuple(("answer", claim) for claim in subject.claims(said))
    nearest = near if said.abstains or not drafts else None
    return {"handles": handles, "sentences": Sentences(drafts=drafts), "nearest": nearest}


async def reply(state: AskState, runtime: Runtime[AskContext]) -> dict[str, Any]:
    """Put the reply together; of this question the conversation keeps what was asked and answered."""
    given = await _reply(state, runtime.context)
    gone = [RemoveMessage(str(one.id)) for one in _own(state)]
    question, said = (f"{_KEPT_ID}{uuid4().hex}" for _ in range(2))
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
    claims = sorted(state["sentences"].published, key=lambda one: int(one.id[1:]))
    said = [cite for claim in claims for cite in claim.cites]
    outcome: Outcome = "filtered" if query.filters.any else "looked up"
    if state["trouble"]:
        outcome = "failed"
    elif _own(state):
        outcome = "abstained" if state["nearest"] is not None else "answered" if claims else "refused"
    look = filtered_section if query.filters.any else named_sections
    sections = [one for one in look(query, repos, context) if not {*said} & {hit.id for hit in one.hits}]
    told = list(dict.fromkeys(hit.id for section in sections for hit in section.hits[:_BEST]))
    facts = await told_facts(query, [name for name in told if "#" not in name][:10], context)
    shown = tuple(dict.fromkeys((*said, *(state["nearest"] or []))))
    return Reply(
        outcome=outcome,
        lang=query.lang,
        window=query.window,
        claims=(*claims, *facts),
        cites=tuple(dict.fromkeys((*shown, *told))),
        shown=shown,
        sections=tuple(sections),
        evidence=tuple(hits),
        known=context.memory.all((*shown, *told, *(hit.id for hit in hits[: 2 * _BEST]))),
        searched=tuple(state["searched"]),
        dropped=len(state["sentences"].failed),
        trouble=state["trouble"],
        has_model=context.models is not None,
    )
