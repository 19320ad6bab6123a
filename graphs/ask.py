"""A question: retrieve evidence, read on with tools, answer, check, judge, repair once, reply."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.analysts.sentences import answer_shape, cited
from agent.analysts.subjects import AnswerSubject
from agent.analysts.tasks import Draft, Sentences, evidence_handles
from agent.domain.evidence import Evidence, EvidenceSet
from agent.domain.evidence_id import EvidenceId
from agent.languages import writing_of
from agent.ports import Step
from agent.prompting import ContextExceeded, ModelError, fenced, message_tokens, prompt
from agent.questions import Query, Searched
from agent.settings.values import RepoSpec
from agent.sizing import EvidencePrompt
from graphs.ask_context import AskContext, within
from graphs.ask_state import (
    AnswerInput,
    AnswerOutput,
    AskInput,
    AskState,
    QuestionReadInput,
    QuestionReadOutput,
    QuestionToolsInput,
    QuestionToolsOutput,
    ReplyInput,
    ReplyOutput,
    RetrieveInput,
    RetrieveOutput,
    SubjectInput,
)
from graphs.looking import called, wants_tools
from graphs.replying import reply_of
from graphs.retrieving import (
    account_of,
    best_hits,
    first_releases,
    parsed,
    plan,
    stream_hits,
    with_releases,
)
from graphs.sentence_steps import SentenceSteps
from tools.chat.messages import trimmed
from tools.index_for_search import Completion
from tools.toolset import tools_of

_MAX_TURNS = 5  # How often a model may ask for tools
_MAX_WITH_VERSIONS = 5  # Commits of which the affected versions are looked up
_MAX_SHOWN = 20  # Pieces of evidence that a model is shown at first
_MAX_RANKED = 60  # Pieces of evidence that a reply ranks
_MAX_TROUBLE = 200  # Characters of a model's error that a reply shows
_SMALLER_SHARES = (0.7, 0.5)  # Of the evidence, shown where a server finds the question too long

AskGraph = CompiledStateGraph[AskState, AskContext, AskInput, AskState]


def build(checkpoints: BaseCheckpointSaver[Any] | bool | None = None) -> AskGraph:
    """Wire the way of a question."""
    graph = StateGraph(AskState, context_schema=AskContext, input_schema=AskInput)
    add_steps(graph, START)
    return graph.compile(checkpointer=checkpoints, name="ask")


def add_steps(graph: StateGraph[Any, Any, Any, Any], start: str) -> None:
    """Add the steps of a question to a graph that knows after the node `start` what is asked."""
    graph.add_node("plan", plan)
    graph.add_node("retrieve", retrieve)
    graph.add_node("read", read)
    graph.add_node("tools", tools)
    graph.add_node("answer", answer)
    graph.add_node("reply", reply)
    SentenceSteps[AskState, AskContext](subjects).add_to(graph, "reply")

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
    return "tools" if wants_tools(state["messages"], _MAX_TURNS) else "answer"


# ---------------------------------------------------------------- what is known


async def retrieve(state: RetrieveInput, runtime: Runtime[AskContext]) -> RetrieveOutput:
    """Read what is missing of the window, and rank what the question and the searches find."""
    context = runtime.context
    query = parsed(state["question"], context)
    specs = [spec for spec in context.specs if query.wants(spec.name)] or list(context.specs)
    repos = [spec.name for spec in specs]
    completions = {spec.name: await _read_missing(spec, query, context) for spec in specs}
    named = context.index.outright(query.named, repos, query.window)
    query = query.model_copy(update={"named": tuple(named)})
    hits = await best_hits(query, state, repos, context, _MAX_RANKED)
    releases = await first_releases(hits, context)
    hits = with_releases(hits, releases)
    stream_hits(hits, query, runtime)
    window = query.window or context.memory.whole(repos, context.now, context.tz)
    retrieved = RetrieveOutput(
        query=query,
        window=window,
        hits=hits,
        releases={commit: release.id for commit, release in releases.items()},
        searched=[context.searched(repo, window, completions[repo]) for repo in repos],
        evidence={},
        notes={},
        handles={},
        landed={},
        messages=[],
        sentences=Sentences(),
        nearest=None,
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
    """Add the best evidence, the tags of its commits, what was cited before, and the question."""
    query = retrieved["query"]
    hits = retrieved["hits"]
    best = [hit.id for hit in hits[:_MAX_SHOWN]]
    evidence = await context.load(best, query.window)
    with_evidence = retrieved.copy()
    with_evidence["evidence"] = evidence
    with_evidence["handles"] = evidence_handles(best, evidence)
    notes = {
        commit: f"The first release that contains it is {release.revision}."
        for commit, release in retrieved["releases"].items()
    }
    commits = [name for name in best if name.is_commit]
    affected = await context.affected_versions(evidence, commits[:_MAX_WITH_VERSIONS])
    for name, versions in affected.items():
        notes[name] = "\n".join([*notes.get(name, "").splitlines(), versions])
    with_evidence["notes"] = notes
    subject_input = SubjectInput(
        question=state["question"],
        history=state["history"],
        earlier_cites=state["earlier_cites"],
        turn=state["turn"],
        query=query,
        searched=retrieved["searched"],
        evidence=evidence,
        notes=with_evidence["notes"],
        handles=with_evidence["handles"],
    )
    try:
        opening = await _opening(subject_input, context)
    except ModelError as error:
        with_evidence["trouble"] = _trouble(error)
    else:
        with_evidence["messages"] = [opening]
    return with_evidence


async def _opening(state: SubjectInput, context: AskContext, share: float = 1.0) -> HumanMessage:
    """Return the question with the best evidence, and how to look further if tools can be called.

    The evidence takes this share of the tokens that everything else leaves for it.
    """
    query = state["query"]
    scope = "; ".join(map(_scope_text, state["searched"]))
    subject = (await subjects(state, context))["answer"]
    form = EvidencePrompt(
        name="ask_question",
        values={"question": fenced(query.text, context.mark), "scope": scope},
        shape=answer_shape(query.lang),
    )
    can_look_further = await context.can_call_tools()
    more = prompt("ask_read", {"scope": scope}) if can_look_further else ""
    ending = prompt("ask_answer", {"language": writing_of(query.lang).asked_as, "more": ""})
    earlier = [str(message.text) for message in state["history"]]
    limit = await context.question_limit("writing", account_of(state))
    tokens = limit.evidence_tokens(form) - message_tokens((more, ending, *earlier))
    names = [reference.text for reference in query.named]
    evidence = limit.fit(lambda budget: subject.overview(names, budget), int(tokens * share))
    text = form.filled(fenced(evidence or "(nothing)", context.mark))
    return HumanMessage(f"{text}\n{more}", id=uuid4().hex)


def _scope_text(searched: Searched) -> str:
    """Return a repository with the days that were read.

    Without the time of day: the same question of the same day is answered from the record.
    """
    if not searched.spans:
        return f"{searched.repo}, {searched.days_asked(clock=False)}, of which nothing was read"
    unread = searched.days_unread(clock=False)
    gaps = f" (not read: {unread})" if unread else ""
    return f"{searched.repo}, {searched.days_read(clock=False)}{gaps}"


async def subjects(state: SubjectInput, context: AskContext) -> dict[str, AnswerSubject]:
    """Return what the answer is about: everything that was read for the question."""
    del context
    query = state["query"]
    evidence = state["evidence"]
    repos = [searched.repo for searched in state["searched"]]
    subject = AnswerSubject(
        repo=repos[0],
        account=account_of(state),
        languages=(query.lang,),
        evidence_set=EvidenceSet(
            by_id=evidence,
            window=query.window,
            repos=frozenset(repos),
            seen=frozenset(evidence),
            notes=state["notes"],
        ),
        shown={handle: evidence[name] for handle, name in state["handles"].items()},
        notes=state["notes"],
    )
    return {"answer": subject}


def _trouble(error: ModelError) -> str:
    return " ".join(str(error).split())[:_MAX_TROUBLE]


# ---------------------------------------------------------------- what a model reads


async def read(state: QuestionReadInput, runtime: Runtime[AskContext]) -> QuestionReadOutput | None:
    """Ask the model what it wants to look up; the conversation so far stands before the question."""
    context = runtime.context
    models = context.asked
    try:
        if not await context.can_call_tools():
            return None
        landed = state["landed"] or await context.landed(state["window"])
        toolsets = await context.open_tools(state["window"], landed, state["handles"])
        model = models.get("reading", account_of(state)).bind_tools(tools_of(toolsets))
        token_budget = await models.context("reading") * 2 // 3
        message = await model.ainvoke(trimmed(_conversation(state, context.mark), token_budget))
    except ModelError:
        # If the model is down, go on: it is asked again for the answer.
        return None
    return {"messages": [message], "landed": landed}


def _conversation(state: AnswerInput | QuestionReadInput, mark: str) -> list[AnyMessage]:
    """Return what was said so far, after the rules; open calls of tools are left out."""
    repos = " and ".join(searched.repo for searched in state["searched"])
    messages = state["messages"]
    if wants_tools(messages):
        messages = messages[:-1]
    system = SystemMessage(prompt("system", {"repo": repos, "mark": mark}))
    return [system, *state["history"], *messages]


async def tools(state: QuestionToolsInput, runtime: Runtime[AskContext]) -> QuestionToolsOutput:
    """Call what the model asked for, and read what it was shown, so that it can be cited."""
    context = runtime.context
    window = state["query"].window
    runtime.stream_writer(Step(state["searched"][0].repo, "looking further"))
    toolsets = await context.open_tools(state["window"], state["landed"], state["handles"])
    answers = await called(tools_of(toolsets), state["messages"])
    evidence = dict(state["evidence"])
    for toolset in toolsets.values():
        evidence |= within(window, toolset.threads_read.values())
        evidence |= await _unread(sorted(toolset.seen), evidence, state["query"], context)
    return {"messages": answers, "evidence": evidence}


async def _unread(
    names: Iterable[EvidenceId],
    evidence: dict[EvidenceId, Evidence],
    query: Query,
    context: AskContext,
) -> dict[EvidenceId, Evidence]:
    """Read the evidence that is not read yet."""
    return await context.load([name for name in names if name not in evidence], query.window)


# ---------------------------------------------------------------- what a model answers


async def answer(state: AnswerInput, runtime: Runtime[AskContext]) -> AnswerOutput:
    """Have the model answer in sentences with citations and anchors, or abstain."""
    context = runtime.context
    query = state["query"]
    evidence = dict(state["evidence"])
    shown = state["handles"].values()
    runtime.stream_writer(Step(state["searched"][0].repo, "answering"))
    handles = evidence_handles([*shown, *evidence], evidence)
    listed = [f"{handle} is {name}" for handle, name in handles.items() if name not in shown]
    more = f" What you looked up has handles too: {'; '.join(listed)}." if listed else ""
    instruction = prompt("ask_answer", {"language": writing_of(query.lang).asked_as, "more": more})
    try:
        said = await _answered(state, instruction, context)
    except ModelError as error:
        return {
            "handles": state["handles"],
            "evidence": evidence,
            "sentences": Sentences(),
            "nearest": None,
            "trouble": _trouble(error),
        }
    # A tool may have listed what it has not shown: it is read now, for the gate and the judge.
    references = list(said.nearest)
    for sentence in said.sentences:
        references += sentence.cites
    repos = [spec.name for spec in context.specs]
    names = [name for text in references for name in context.memory.named(text, repos)]
    evidence |= await _unread(names, evidence, query, context)
    handles = evidence_handles([*handles.values(), *evidence], evidence)
    complete = state.copy()
    complete["handles"] = handles
    complete["evidence"] = evidence
    subject = (await subjects(complete, context))["answer"]
    drafts = [Draft(task="answer", claim=claim) for claim in subject.claims(said)]
    nearest = None
    if said.abstains or not drafts:
        ids = [cited(text, handles) for text in said.nearest]
        nearest = [name for name in ids if name in evidence]
    return {
        "handles": handles,
        "evidence": evidence,
        "sentences": Sentences.written(drafts),
        "nearest": nearest,
        "trouble": "",
    }


async def _answered(state: AnswerInput, instruction: str, context: AskContext) -> Any:
    """Ask for the answer; where the server counts more tokens than we do, with less evidence."""
    shape = answer_shape(state["query"].lang)
    model = context.asked.get("writing", account_of(state)).with_structured_output(shape)
    token_budget = await context.asked.context("writing") * 2 // 3
    messages = _conversation(state, context.mark)
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
    """Put the reply together from what the model said and what was found without it."""
    return {"reply": await reply_of(state, runtime.context)}
