"""Tools for look-ups in a repository as it is after a commit, and what they showed as evidence."""

from collections.abc import Iterator, Mapping, Sequence

from langchain_core.messages import AnyMessage
from langchain_core.tools import BaseTool

from agent.domain.base import RepoId
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.look_ups import LookUp
from agent.editor.rows import CommitRow
from agent.ports import RepositorySources
from agent.triage.collected_commits import Collected
from agent.writing.targets import CommitTarget
from graphs.run_context import RunContext
from graphs.state import EditInput, MaterialInput
from graphs.tool_conversation import ENOUGH_TOOL, ToolAnswer, tool_answers
from memory.published_statements import EarlierStatements
from tools.toolset import Toolset
from tools.toolset.pages import clean_path, shown_lines

_PAGE_TOKENS = 2_000  # Of one answer of a tool
_THREAD_TOOLS = ("get_issue", "get_pull")
_OFFERED = ("get_file", "find_usages", "get_diff", *_THREAD_TOOLS, "previous_reports")


async def offered_tools(
    target: CommitTarget, repository: MaterialInput, context: RunContext
) -> list[BaseTool]:
    """Return the tools that read the repository as it is after a commit; none of them writes."""
    sources = await context.repositories.open(repository["spec"])
    commits = _commits_by_handle(target)
    toolset = Toolset(
        sources.code,
        sources.threads,
        [evidence.change.commit for evidence in commits.values()],
        {},
        EarlierStatements(context.recall, repository["window"].start),
        page_tokens=_PAGE_TOKENS,
        handles={handle: evidence.id for handle, evidence in commits.items()},
        default_sha=target.read.evidence.change.commit.sha,
        offered=_offered_names(repository["first_look"]),
        tags_until=repository["window"].end,
    )
    return [*toolset.as_tools(), ENOUGH_TOOL]


def row_tools(
    rows: Sequence[CommitRow], state: EditInput, sources: RepositorySources, context: RunContext
) -> list[BaseTool]:
    """Return the tools that read the repository as it is after the commits of some rows."""
    landed = {row.commit.sha: row.commit for row in state["first_look"].landed}
    toolset = Toolset(
        sources.code,
        sources.threads,
        [landed[row.sha] for row in rows],
        {},
        EarlierStatements(context.recall, state["window"].start),
        page_tokens=_PAGE_TOKENS,
        handles={row.handle: row.commit for row in rows},
        offered=_offered_names(state["first_look"]),
        tags_until=state["window"].end,
    )
    return [*toolset.as_tools(), ENOUGH_TOOL]


def _offered_names(collected: Collected) -> list[str]:
    """Return the names of the tools that have something to show."""
    has_threads = collected.threads.coverage != "not read"
    return [name for name in _OFFERED if has_threads or name not in _THREAD_TOOLS]


def _commits_by_handle(target: CommitTarget) -> dict[str, CommitEvidence]:
    return {"c": target.read.evidence, **target.context.earlier}


def look_ups_of(messages: Sequence[AnyMessage], target: CommitTarget) -> Iterator[LookUp]:
    """Yield what the tools showed in a conversation about a commit, each thing once."""
    look_ups: dict[LookUp, None] = {}
    for answer in tool_answers(messages):
        look_ups[_look_up(answer, target)] = None
    yield from look_ups


def _look_up(answer: ToolAnswer, target: CommitTarget) -> LookUp:
    call = answer.call
    call_text = answer.call_text
    text = answer.text
    repo = target.read.evidence.repo
    if call["name"] == "get_file":
        lines = _lines_id(call["args"], text, target)
        return LookUp(kind="file", call=call_text, text=text, lines=lines)
    if call["name"] == "find_usages":
        return LookUp(kind="uses", call=call_text, text=text)
    if call["name"] in _THREAD_TOOLS:
        thread = EvidenceId.thread(repo, int(call["args"]["number"]))
        return LookUp(kind="thread", call=call_text, text=text, thread=thread)
    return LookUp(kind="other", call=call_text, text=text)


def _lines_id(
    arguments: Mapping[str, object], text: str, target: CommitTarget
) -> EvidenceId | None:
    """Return the id of the lines that get_file has shown; None where it showed an empty file."""
    path = str(arguments.get("path", ""))
    shown = shown_lines(text, path)
    clean = clean_path(path)
    if shown is None or clean is None:
        return None
    repo = target.read.evidence.repo
    if is_full_hash(shown.sha):  # The commit of a tag
        return _valid_lines(repo, shown.sha, clean, shown.numbers)
    for evidence in _commits_by_handle(target).values():
        sha = evidence.change.commit.sha
        if sha.startswith(shown.sha):
            return _valid_lines(evidence.repo, sha, clean, shown.numbers)
    return None


def _valid_lines(repo: RepoId, sha: str, path: str, numbers: range) -> EvidenceId | None:
    """Return the id of lines of a file; None for a path that no id can hold."""
    try:
        return EvidenceId.lines(repo, sha, path, numbers.start, numbers.stop - 1)
    except ValueError:
        return None
