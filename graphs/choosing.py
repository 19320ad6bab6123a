"""What a model chooses to explain, from a closed list of commits."""

from typing import NamedTuple

from langgraph.runtime import Runtime

from agent.analysts.tasks import Choice, commit_handles
from agent.domain.spending import Account, fallback
from agent.ports import Step
from agent.prompting import ModelError, fenced, fitting
from agent.reports.titles import shown_title
from agent.sizing import EvidencePrompt
from agent.telling import fact_sentence
from graphs.run_context import RunContext
from graphs.state import ChooseOutput, RepositoryStepInput
from tools.chat.messages import Handles

_MIN_EXPLAINED = 6
"""So many commits may be explained where the budget would read fewer of them in depth."""
_FENCE_TOKENS = 60  # Around the table, with the row that counts what is not in it


async def choose(state: RepositoryStepInput, runtime: Runtime[RunContext]) -> ChooseOutput:
    """Let the model choose what to explain from the handles it is shown; nothing without a model."""
    context = runtime.context
    repo = state["spec"].name
    commits = state["first_look"].table
    if context.models is None or not commits:
        return {"chosen": (), "account": Account()}
    runtime.stream_writer(Step(repo, "choosing"))
    limit = max(len(state["deep"]), min(_MIN_EXPLAINED, len(commits)))
    account = Account()
    try:
        await context.models.expect(repo, limit)
        chosen = await _ask_for_choice(state, context, limit)
    except ModelError as error:
        # If the model is down, go on: writing asks it again, and the budgeted commits are read.
        chosen = state["deep"]
        account = fallback("choosing", error)
    await context.announce_remarks(runtime)
    account += context.take_spent(repo)
    return {"chosen": chosen, "account": account}


async def _ask_for_choice(
    state: RepositoryStepInput, context: RunContext, limit: int
) -> tuple[str, ...]:
    """Return the hashes of the commits that the model names; ModelError where it names none."""
    rows = await commit_rows(state, context)
    repo = state["spec"].name
    form = EvidencePrompt(name="choose", values={"most": str(limit)}, shape=Choice, slot="table")
    question = await context.question_limit("reading", repo)
    lines = fitting([row.line for row in rows], question.evidence_tokens(form) - _FENCE_TOKENS)
    listed = {row.handle: row.sha for row in rows[: len(lines)]}
    if len(lines) < len(rows):
        lines.append(f"(and {len(rows) - len(lines)} lighter ones)")
    values = {"table": fenced("\n".join(lines), context.mark), "most": str(limit)}
    handles = Handles("read", listed)
    choice = await context.ask("reading", repo, "choose", values, Choice, handles=handles)
    chosen: dict[str, None] = {}
    for text in choice.read:
        handle = text.strip("[]` ")
        if handle in listed:
            chosen[listed[handle]] = None
    if not chosen:
        raise ModelError("it chose nothing that can be read")
    return tuple(chosen)[:limit]


class CommitRow(NamedTuple):
    """A commit in the table that a model chooses from."""

    handle: str
    sha: str
    line: str


async def commit_rows(state: RepositoryStepInput, context: RunContext) -> list[CommitRow]:
    """Return a row for each commit, heaviest first: handle, weight, title, and its first fact."""
    first_look = state["first_look"]
    code = (await context.desks.open(state["spec"])).code
    shas = [triaged.sha for triaged in first_look.table]
    titles = {row.commit.sha: shown_title(row.commit.title) for row in first_look.landed}
    weights = {
        triaged.sha: f"{triaged.tier.value} {triaged.score:.1f}" for triaged in first_look.table
    }
    first_facts: dict[str, str] = {}
    async for evidence in context.library.skim(code, shas):
        if evidence.facts:
            first_facts[evidence.change.commit.sha] = fact_sentence(evidence.facts[0], "en")
    rows = []
    for handle, sha in commit_handles(shas).items():
        line = f"[{handle}] {weights[sha]} {titles[sha]}"
        if sha in first_facts:
            line += f" | {first_facts[sha]}"
        rows.append(CommitRow(handle, sha, line))
    return rows
