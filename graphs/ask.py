"""The graph of `ask`: plan, retrieve evidence, read on, answer, check, judge, repair once, reply."""

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import uuid4

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from pydantic import ValidationError

from agent.domain.evidence import Citable, Evidence, EvidenceSet
from agent.domain.evidence_id import EvidenceId
from agent.model_errors import ContextExceeded, ModelError
from agent.ports import Step
from agent.prompt_sizes import EvidencePrompt
from agent.prompt_templates import fenced, prompt
from agent.questions_and_replies import Query, Searched
from agent.report_languages import writing_of
from agent.settings.values import RepoSpec
from agent.token_estimates import message_tokens
from agent.writing.answer_target import AnswerTarget
from agent.writing.model_sentences import answer_shape, cited
from agent.writing.tasks import Draft, Sentences, evidence_handles
from graphs.ask_context import AskContext
from graphs.ask_state import (
    AnswerInput,
    AnswerOutput,
    AskInput,
    AskState,
    QuestionReadInput,
    ReplyInput,
    ReplyOutput,
    RetrieveInput,
    RetrieveOutput,
    TargetInput,
)
from graphs.question_tools import called_answer, conversation, offered_names, read, tools
from graphs.reply_building import account_of, reply_of
from graphs.retrieving import (
    affected_by_faults,
    best_hits,
    first_releases,
    notes_on,
    parsed,
    plan,
    stream_hits,
    with_releases,
)
from graphs.sentence_steps import SentenceSteps
from graphs.tool_conversation import wants_tools
from tools.chat.requests_and_replies import trimmed
from tools.search_index_filling import Completion

_MAX_TURNS = 4  # How often a model may ask for tools
_MAX_SHOWN = 20  # Pieces of evidence that a model is shown at first
_MAX_RANKED = 60  # Pieces of evidence that a reply ranks
_MAX_TROUBLE = 200  # Characters of a model's error that a reply shows
_SMALLER_SHARES = (0.7, 0.5)  # Of the evidence, shown where a server finds the question too long

AskGraph = CompiledStateGraph[AskState, AskContext, AskInput, AskState]


def build(checkpoints: BaseCheckpointSaver[Any] | bool | None = None) -> AskGraph:
    """Wire the way of a question."""
    return _wired().compile(checkpointer=checkpoints, name="ask")


@cache
def _wired() -> StateGraph[AskState, AskContext, AskInput, AskState]:
    """Return the steps of a question, whose types LangGraph inspects once in a process."""
    graph = StateGraph(AskState, context_schema=AskContext, input_schema=AskInput)
    add_steps(graph, START)
    return graph


def add_steps(graph: StateGraph[Any, Any, Any, Any], start: str) -> None:
    """Add the steps of a question to a graph that knows after the node `start` what is asked."""
    graph.add_node("plan", plan)
    graph.add_node("retrieve", retrieve)
    graph.add_node("read", read)
    graph.add_node("tools", tools)
    graph.add_node("answer", answer)
    graph.add_node("reply", reply)
    SentenceSteps[AskState, AskContext](answer_targets).add_to(graph, "reply")

    graph.add_edge(start, "plan")
    graph.add_edge("plan", "retrieve")
    graph.add_conditional_edges("retrieve", after_retrieve, ["read", "reply"])
    graph.add_conditional_edges("read", after_read, ["tools", "answer"])
    graph.add_edge("tools", "read")
    graph.add_edge("answer", "check")
    graph.add_edge("reply", END)


def after_retrieve(state: QuestionReadInput) -> str:
    """Go on to the model if it is asked."""
    return "read" if state["messages"] else "reply"


def after_read(state: QuestionReadInput) -> str:
    """Go on to the tools that the model asks for, then to its answer."""
    messages = state["messages"]
    if called_answer(messages, answer_shape(state["query"].lang)) is not None:
        return "answer"
    return "tools" if wants_tools(messages, _MAX_TURNS) else "answer"


# ---------------------------------------------------------------- what is known


async def retrieve(state: RetrieveInput, runtime: Runtime[AskContext]) -> RetrieveOutput:
    """Read what is missing of the window, and rank what the question and the searches find."""
    context = runtime.context
    query = parsed(state["question"], context)
    specs = [spec for spec in context.specs if query.wants(spec.name)] or list(context.specs)
    repos = [spec.name for spec in specs]
    completions = {spec.name: await _read_missing(spec, query, context) for spec in specs}
    outright_names = context.index.outright(query.named, repos, query.window)
    query = query.model_copy(update={"named": tuple(outright_names)})
    hits = await best_hits(query, state, repos, context, _MAX_RANKED)
    releases = await first_releases(hits, context)
    hits = with_releases(hits, releases)
    stream_hits(hits, query, runtime)
    window = query.window or context.memory.stored_window(repos, context.now, context.tz)
    retrieved = RetrieveOutput(
        query=query,
        window=window,
        hits=hits,
        releases={commit: release.id for commit, release in releases.items()},
        affected=await affected_by_faults(hits, query.window, context),
        searched=[context.searched(repo, window, completions[repo]) for repo in repos],
        evidence={},
        notes={},
        handles={},
        landed={},
        messages=[],
        sentences=Sentences(),
        nearest=None,
        corrects=False,
        absent=[],
        trouble="",
    )
    if context.models is None or query.is_filtered:
        return retrieved
    return await _with_evidence(retrieved, state, context)


async def _read_missing(spec: RepoSpec, query: Query, context: AskContext) -> Completion:
    """Read what a question needs of a repository and nobody has read yet."""
    unread = query.window or context.memory.unread(spec.name, context.now, context.tz)
    completion = await context.reader.complete(spec, unread)
    if query.window is None:
        references = [ref for ref in query.named if ref.repo in (None, spec.name)]
        await context.reader.fetch(spec, references)
    return completion


async def _with_evidence(
    retrieved: RetrieveOutput, state: AskInput, context: AskContext
) -> RetrieveOutput:
    """Add the best evidence with what code knows of it, and the message with the question."""
    query = retrieved["query"]
    best = [hit.id for hit in retrieved["hits"][:_MAX_SHOWN]]
    evidence: dict[EvidenceId, Citable] = {**await context.load(best, query.window)}
    with_evidence = retrieved.copy()
    with_evidence["evidence"] = evidence
    with_evidence["handles"] = evidence_handles(best, evidence)
    hits = retrieved["hits"]
    with_evidence["notes"] = await notes_on(
        evidence, hits, retrieved["releases"], retrieved["affected"], context
    )
    target_input = TargetInput(
        question=state["question"],
        history=state["history"],
        earlier_cites=state["earlier_cites"],
        recent_cites=state["recent_cites"],
        turn=state["turn"],
        query=query,
        searched=retrieved["searched"],
        evidence=evidence,
        notes=with_evidence["notes"],
        handles=with_evidence["handles"],
        nearest=None,
        corrects=False,
    )
    try:
        opening = await _opening(target_input, context)
    except ModelError as error:
        with_evidence["trouble"] = _trouble(error)
    else:
        with_evidence["messages"] = [opening]
    return with_evidence


async def _opening(state: TargetInput, context: AskContext, share: float = 1.0) -> HumanMessage:
    """Return the question with the best evidence in short, and the rules of the answer.

    A model that can call tools is shown them. The evidence takes this share of the tokens that
    everything else leaves for it.
    """
    query = state["query"]
    scope = "; ".join(map(_scope_text, state["searched"]))
    target = (await answer_targets(state, context))["answer"]
    form = EvidencePrompt(
        name="ask_question",
        values={"question": fenced(query.text, context.mark), "scope": scope},
        shape=answer_shape(query.lang),
    )
    rules = prompt("ask_answer", {"language": writing_of(query.lang).asked_as})
    if await context.can_call_tools():
        tool_names = ", ".join(offered_names(state["searched"]))
        rules = f"{prompt('ask_read', {'scope': scope, 'tools': tool_names})}\n{rules}"
    earlier = [str(message.text) for message in state["history"]]
    limit = await context.question_limit("writing", account_of(state))
    tokens = limit.evidence_tokens(form) - message_tokens((rules, *earlier))
    evidence = limit.fit(target.overview, int(tokens * share))
    text = form.filled(fenced(evidence or "(nothing)", context.mark))
    return HumanMessage(f"{text}\n{rules}", id=uuid4().hex)


def _scope_text(searched: Searched) -> str:
    """Return a repository with the days that were read.

    Without the time of day: the same question of the same day is answered from the record.
    """
    if not searched.spans:
        return f"{searched.repo}, {searched.days_asked(clock=False)}, of which nothing was read"
    unread = searched.days_unread(clock=False)
    gaps = f" (not read: {unread})" if unread else ""
    return f"{searched.repo}, {searched.days_read(clock=False)}{gaps}"


async def answer_targets(state: TargetInput, context: AskContext) -> dict[str, AnswerTarget]:
    """Return what the answer is about: everything that was read for the question."""
    del context
    query = state["query"]
    evidence = state["evidence"]
    repos = [searched.repo for searched in state["searched"]]
    target = AnswerTarget(
        repo=repos[0],
        account=account_of(state),
        languages=(query.lang,),
        evidence_set=EvidenceSet(
            by_id=evidence,
            window=query.window,
            repos=frozenset(repos),
            seen=frozenset(evidence),
            # What was read may be cited, whenever it landed: it was read within the bounds.
            late=frozenset(evidence),
            notes=state["notes"],
        ),
        citable={handle: evidence[name] for handle, name in state["handles"].items()},
        notes=state["notes"],
        question=state["question"],
        denies=state["corrects"] or state["nearest"] is not None,
    )
    return {"answer": target}


def _trouble(error: ModelError) -> str:
    return " ".join(str(error).split())[:_MAX_TROUBLE]


# ---------------------------------------------------------------- what a model answers


async def answer(state: AnswerInput, runtime: Runtime[AskContext]) -> AnswerOutput:
    """Have the model answer in sentences with citations and anchors, or abstain."""
    context = runtime.context
    runtime.stream_writer(Step(state["searched"][0].repo, "answering"))
    try:
        written = _answer_by_call(state) or await _answered(state, context)
    except ModelError as error:
        return {
            "handles": state["handles"],
            "evidence": state["evidence"],
            "sentences": Sentences(),
            "nearest": None,
            "corrects": False,
            "absent": [],
            "trouble": _trouble(error),
        }
    evidence = {**state["evidence"], **await _cited_unread(written, state, context)}
    handles = evidence_handles([*state["handles"].values(), *evidence], evidence)
    complete = state.copy()
    complete["handles"] = handles
    complete["evidence"] = evidence
    target = (await answer_targets(complete, context))["answer"]
    drafts = [Draft(task="answer", claim=claim) for claim in target.claims(written)]
    corrects = written.corrects and bool(drafts)
    nearest = None
    if not drafts or (written.abstains and not corrects):
        ids = [cited(text, handles) for text in written.nearest]
        nearest = [name for name in ids if name in evidence]
    return {
        "handles": handles,
        "evidence": evidence,
        "sentences": Sentences.written(drafts),
        "nearest": nearest,
        "corrects": corrects,
        "absent": [" ".join(text.split()) for text in written.absent],
        "trouble": "",
    }


def _answer_by_call(state: AnswerInput) -> Any:
    """Return the answer that the model called as a tool; None if it must be asked for it."""
    shape = answer_shape(state["query"].lang)
    arguments = called_answer(state["messages"], shape)
    if arguments is None:
        return None
    try:
        return shape.model_validate(arguments)
    except ValidationError:
        return None


async def _cited_unread(
    written: Any, state: AnswerInput, context: AskContext
) -> dict[EvidenceId, Evidence]:
    """Read what is cited and was only listed by a tool, for the gate and the judge."""
    references = list(written.nearest)
    for sentence in written.sentences:
        references += sentence.cites
    repos = [spec.name for spec in context.specs]
    names: list[EvidenceId] = []
    for text in references:
        if text.strip("[]` ") not in state["handles"]:
            names += context.memory.resolve(text, repos)
    unread = [name for name in names if name not in state["evidence"]]
    return await context.load(unread, state["query"].window)


async def _answered(state: AnswerInput, context: AskContext) -> Any:
    """Ask for the answer; where the server counts more tokens than we do, with less evidence."""
    language = writing_of(state["query"].lang).asked_as
    instruction = prompt("ask_now", {"language": language})
    shape = answer_shape(state["query"].lang)
    model = context.require_models().get("writing", account_of(state)).with_structured_output(shape)
    token_budget = await context.require_models().context("writing") * 2 // 3
    messages = conversation(state, context.mark)
    rules = messages[0]
    for share in _SMALLER_SHARES:
        try:
            return await model.ainvoke(trimmed(_instructed(messages, instruction), token_budget))
        except ContextExceeded:
            opening = await _opening(state, context, share)
            messages = [rules, *state["history"], opening]
    return await model.ainvoke(trimmed(_instructed(messages, instruction), token_budget))


def _instructed(messages: Sequence[AnyMessage], instruction: str) -> list[AnyMessage]:
    """Append what is to be done now; some servers take no two messages of a user in a row."""
    *before, last = messages
    if last.type == "human":
        return [*before, HumanMessage(f"{last.text}\n{instruction}")]
    return [*messages, HumanMessage(instruction)]


async def reply(state: ReplyInput, runtime: Runtime[AskContext]) -> ReplyOutput:
    """Build the reply from the sentences of the model and what code found without it."""
    return {"reply": await reply_of(state, runtime.context)}
