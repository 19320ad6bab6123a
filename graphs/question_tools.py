"""Tools of questions: which a model is offered, and how what they show becomes evidence."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from langchain_core.messages import AIMessage, AnyMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from pydantic import BaseModel

from agent.domain.base import RepoId
from agent.domain.evidence import FileEvidence
from agent.domain.evidence_id import EvidenceId
from agent.model_errors import ModelError
from agent.ports import Step
from agent.prompt_templates import prompt
from agent.questions_and_replies import Searched
from agent.reports.absence import absence_text
from agent.writing.model_sentences import answer_shape
from agent.writing.tasks import evidence_handles
from graphs.absence_search import MentionSearch
from graphs.ask_context import AskContext, within
from graphs.ask_state import (
    AnswerInput,
    QuestionReadInput,
    QuestionReadOutput,
    QuestionToolsInput,
    QuestionToolsOutput,
)
from graphs.question_name_lookup import SectionFinder
from graphs.reply_building import account_of
from graphs.tool_conversation import call_tools, wants_tools
from tools.chat.requests_and_replies import trimmed
from tools.toolset import Toolset, tools_of

_OFFERED = (
    *("search_history", "get_diff", "get_file", "find_usages"),
    *("get_issue", "get_pull", "between"),
)
_MAX_ABSENT = 2  # Names of one turn that are looked for in everything that was read
_IDENTIFIER = re.compile(r"[A-Za-z0-9_.:/-]{3,100}")
_THREAD_TOOLS = ("get_issue", "get_pull")


async def read(state: QuestionReadInput, runtime: Runtime[AskContext]) -> QuestionReadOutput | None:
    """Ask the model to answer, or for what it wants to look up before."""
    context = runtime.context
    models = context.require_models()
    try:
        if not await context.can_call_tools():
            return None
        landed = state["landed"] or await context.landed(state["window"])
        names = offered_names(state["searched"])
        toolsets = await context.open_tools(state["window"], landed, state["handles"], names)
        offered: list[BaseTool | type] = [*tools_of(toolsets)]
        offered.append(answer_shape(state["query"].lang))
        model = models.get("reading", account_of(state)).bind_tools(offered)
        token_budget = await models.context("reading") * 2 // 3
        message = await model.ainvoke(trimmed(conversation(state, context.mark), token_budget))
    except ModelError:
        # If the model is down, go on: it is asked again for the answer.
        return None
    return {"messages": [message], "landed": landed}


def offered_names(searched_repos: Sequence[Searched]) -> list[str]:
    """Return the names of the tools that have something to show."""
    has_threads = any(searched.threads for searched in searched_repos)
    return [name for name in _OFFERED if has_threads or name not in _THREAD_TOOLS]


def conversation(state: AnswerInput | QuestionReadInput, mark: str) -> list[AnyMessage]:
    """Return what was said so far, after the rules; open calls of tools are left out."""
    repos = " and ".join(searched.repo for searched in state["searched"])
    messages = state["messages"]
    if wants_tools(messages):
        messages = messages[:-1]
    system = SystemMessage(prompt("system", {"repo": repos, "mark": mark}))
    return [system, *state["history"], *messages]


def called_answer(
    messages: Sequence[AnyMessage], shape: type[BaseModel]
) -> Mapping[str, object] | None:
    """Return the arguments with which the model called its answer; None if it did not."""
    last = messages[-1] if messages else None
    if not isinstance(last, AIMessage):
        return None
    for call in last.tool_calls:
        if call["name"] == shape.__name__:
            return call["args"]
    return None


async def tools(state: QuestionToolsInput, runtime: Runtime[AskContext]) -> QuestionToolsOutput:
    """Call what the model asked for, and read what it was shown, so that it can be cited."""
    context = runtime.context
    window = state["query"].window
    runtime.stream_writer(Step(state["searched"][0].repo, "looking further"))
    names = offered_names(state["searched"])
    toolsets = await context.open_tools(state["window"], state["landed"], state["handles"], names)
    answers = await call_tools(tools_of(toolsets), state["messages"])
    evidence = dict(state["evidence"])
    notes = dict(state["notes"])
    states: dict[EvidenceId, str] = {}
    for repo, toolset in toolsets.items():
        evidence |= within(window, toolset.threads_read.values())
        unread = [name for name in sorted(toolset.seen) if name not in evidence]
        await _keep_beyond(repo, toolset, unread, context)
        # What versions show may have landed before the window.
        bound = None if _is_beyond(toolset) else window
        evidence |= await context.load(unread, bound)
        for name, text in toolset.lines_shown.items():
            evidence[name] = FileEvidence(id=name, text=text)
        states |= {name: toolset.states_shown[name.sha].state for name in toolset.lines_shown}
        new_notes = [*_state_notes(toolset), *await _notes_of_commits(repo, toolset, context)]
        evidence |= await context.load((name for name, _ in new_notes if not name.path), None)
        _add_notes(notes, new_notes)
    absences = await _absences(state, toolsets, context)
    evidence |= await context.load((name for name, _ in absences), None)
    _add_notes(notes, absences)
    handles = evidence_handles([*state["handles"].values(), *evidence], evidence)
    return {
        "messages": _with_new_handles(answers, state["handles"], handles, states, absences),
        "evidence": evidence,
        "notes": notes,
        "handles": handles,
    }


def _add_notes(notes: dict[EvidenceId, str], added: Iterable[tuple[EvidenceId, str]]) -> None:
    """Append to the notes on pieces of evidence what they do not say yet."""
    for name, note in added:
        if note not in notes.get(name, ""):
            notes[name] = "\n".join(filter(None, (notes.get(name), note)))


async def _absences(
    state: QuestionToolsInput, toolsets: Mapping[RepoId, Toolset], context: AskContext
) -> list[tuple[EvidenceId, str]]:
    """Return which names that were searched for nothing mentions, and how far code looked.

    It is a note on the newest commit of the window, up to which it holds.
    """
    names = _names_searched(state["messages"])
    absences: list[tuple[EvidenceId, str]] = []
    for searched in state["searched"] if names else ():
        newest = toolsets[searched.repo].newest
        if newest is None:
            continue
        mentions = MentionSearch(state["query"], [searched], state["evidence"], context)
        finder = SectionFinder(state["query"], [searched.repo], context, mentions)
        commit = EvidenceId.commit(searched.repo, newest.sha)
        for section in await finder.absent(names):
            text = absence_text(section.what[0], section.absence, [searched], "en", clock=False)
            absences.append((commit, text))
    return absences


def _names_searched(messages: Sequence[AnyMessage]) -> list[str]:
    """Return the identifiers that the last message searches for, each by itself."""
    last = messages[-1]
    assert isinstance(last, AIMessage)
    names: dict[str, None] = {}
    for call in last.tool_calls:
        words = str(call["args"].get("words", "")).strip()
        if call["name"] == "search_history" and _IDENTIFIER.fullmatch(words):
            names[words] = None
    return list(names)[:_MAX_ABSENT]


def _is_beyond(toolset: Toolset) -> bool:
    """Return True if the tools showed commits of versions, which may be of any time."""
    states = toolset.states_shown.values()
    return bool(toolset.guides_shown) or any(commit.tag for commit in states)


async def _keep_beyond(
    repo: RepoId, toolset: Toolset, names: Iterable[EvidenceId], context: AskContext
) -> None:
    """Store the commits of versions that were shown or compared, which may be of any time."""
    shas = dict.fromkeys(name.sha for name in names if name.is_commit)
    shas |= dict.fromkeys(guide.new_sha for guide in toolset.guides_shown)
    shas |= dict.fromkeys(commit.sha for commit in toolset.absences)
    if not _is_beyond(toolset):
        return
    spec = next(spec for spec in context.specs if spec.name == repo)
    await context.reader.keep(spec, list(shas))


def _state_notes(toolset: Toolset) -> Iterator[tuple[EvidenceId, str]]:
    """Yield for lines of files of which time they are, so that no old state passes for the present."""
    newest = toolset.newest
    for name in toolset.lines_shown:
        state = toolset.states_shown[name.sha]
        note = f"These lines are as of {state.state}."
        if newest is not None and newest.sha != name.sha:
            note += f" The newest commit that was read is of {newest.state}."
        yield name, note


async def _notes_of_commits(
    repo: RepoId, toolset: Toolset, context: AskContext
) -> list[tuple[EvidenceId, str]]:
    """Return what tools stated of commits and versions: upgrade guides, and what no file names.

    A guide is a note on the newer version: on its release, or on its commit where there is none.
    """
    notes: list[tuple[EvidenceId, str]] = []
    for guide, text in toolset.guides_shown.items():
        tags = [EvidenceId.tag(repo, tag) for tag in (guide.new, f"v{guide.new}")]
        releases = [name for name in tags if context.memory.get(name) is not None]
        notes.append(((*releases, EvidenceId.commit(repo, guide.new_sha))[0], text))
    for commit, lines in toolset.absences.items():
        state = toolset.states_shown[commit.sha].state
        notes += [(commit, f"As of {state}, {line}.") for line in lines]
    return notes


def _with_new_handles(
    answers: Sequence[AnyMessage],
    before: Mapping[str, EvidenceId],
    handles: Mapping[str, EvidenceId],
    states: Mapping[EvidenceId, str],
    absences: Sequence[tuple[EvidenceId, str]],
) -> list[AnyMessage]:
    """Append to the last answer of a tool how to cite the evidence that it shows, and its state."""
    new = {handle: name for handle, name in handles.items() if handle not in before}
    added = [f"{handle} is {name}" for handle, name in new.items()]
    handles_by_state: dict[str, list[str]] = {}
    for handle, name in new.items():
        if name in states:
            handles_by_state.setdefault(states[name], []).append(handle)
    *earlier, last = answers
    if not (added or absences) or not isinstance(last, ToolMessage):
        return list(answers)
    text = f"{last.text}\n"
    handle_of = {name: handle for handle, name in handles.items()}
    for name, absence in absences:
        if name in handle_of:
            text += f"\nA program looked for it; cite {handle_of[name]}: {absence}"
    if added:
        text += f"\nNew handles to cite: {'; '.join(added)}."
    for shown_state, of_state in handles_by_state.items():
        text += f" As of {shown_state}: {', '.join(of_state)}."
    return [*earlier, last.model_copy(update={"content": text})]
