"""Edits the commits of a repository: a model gives each its place, or the rules do."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from agent.domain.account import Account, fallback
from agent.domain.base import RepoId
from agent.domain.evidence import CommitEvidence
from agent.domain.ledger import Triage
from agent.domain.placement import Importance
from agent.editor.editor_answer import edition_shape, groups, proposals, tokens_per_commit
from agent.editor.placements import (
    Edited,
    Proposal,
    edited_placements,
    floors,
    placed_by_rules,
    sorted_groups,
)
from agent.editor.reasons_and_labels import EditorWords
from agent.editor.row_batches import RowBatch, row_batches, rows_in
from agent.editor.rows import CommitRow, RowWriter, release_line, row_handles
from agent.model_errors import ContextExceeded, ModelError
from agent.packets.token_budgets import BUDGET
from agent.ports import CodeSource, Step
from agent.prompt_sizes import EvidencePrompt
from agent.prompt_templates import fenced
from agent.token_estimates import tokens_of
from agent.triage.collected_commits import Collected, Scales, is_folded_by_settings
from agent.triage.weights import MAY_BREAK
from agent.writing.model_sentences import asked_languages
from graphs.edit_order_across_batches import in_one_order
from graphs.editor_look_ups import EditorLook, look_at_rows, looked_up_text
from graphs.failures import failing_alone
from graphs.judging_editor_words import judged_view
from graphs.look_up_tools import row_tools
from graphs.run_context import RunContext
from graphs.state import EditInput, EditOutput
from tools.affected_versions import first_releases
from tools.chat.requests_and_replies import Handles
from tools.history.story_releases import tags_of_window
from tools.pull_request_templates import pull_templates

_EARLIER_SHARE = 0.25  # Of a question, for what earlier questions gave the highest tier
_QUESTIONS_PER_COMMIT = 3  # One for the writer and two for the judge
_PACKET_FRAME = 3_000  # Tokens of a packet beside the diff: prompts, words, facts, uses
_PACKET_GROWTH = 2  # How much longer a diff is with the functions around it


@failing_alone("analysis")
async def edit(state: EditInput, runtime: Runtime[RunContext]) -> EditOutput:
    """Place every landed commit by the model, or by the rules where there is none."""
    context = runtime.context
    repo = state["spec"].name
    collected = state["first_look"]
    edited = placed_by_rules(collected)
    if context.models is None or not collected.landed:
        return {"edited": {repo: edited}}
    runtime.stream_writer(Step(repo, "editing"))
    day = await _read_rows(state, context)
    view = await _ask_editor(day, await _tools_for(state, context), repo, context)
    judged = await judged_view(view.proposals, view.labels, day.rows, repo, context)
    await context.announce_remarks(runtime)
    used = {use.sha for use in collected.own_uses}
    placements = edited_placements(judged.proposals, edited.placements, floors(day.ranking, used))
    edited = Edited(
        placements=placements,
        groups=sorted_groups(judged.groups, placements),
        tokens=day.tokens,
        refused=tuple(judged.refused),
        account=view.account + judged.account + context.take_spent(repo, "editing"),
    )
    return {"edited": {repo: edited}}


class _Day(NamedTuple):
    """The rows of a repository's day, the weights, and what it takes to explain each commit."""

    rows: list[CommitRow]
    ranking: list[Triage]
    tokens: dict[str, int]
    releases: str  # The tags of the window, as they stand above the rows


async def _read_rows(state: EditInput, context: RunContext) -> _Day:
    """Read the diffs once more, one after the other, for the rows that the editor is shown."""
    collected = state["first_look"]
    code = (await context.repositories.open(state["spec"])).code
    writer = RowWriter.of(collected, await pull_templates(code, collected))
    folded = {triaged.sha for triaged in collected.table if is_folded_by_settings(triaged)}
    commits = {row.commit.sha: row.commit for row in collected.landed}
    handles = {sha: handle for handle, sha in row_handles(collected).items() if sha not in folded}
    readable = [triaged.sha for triaged in collected.table if triaged.sha not in folded]
    weighed = await _weighed(state, code, readable, context)
    releases = await _releases_of_window(state, code, weighed.evidence.values())
    rows: dict[str, CommitRow] = {}
    tokens: dict[str, int] = {}
    async for change in code.changes(readable):
        sha = change.commit.sha
        # The cache keeps the facts of a large commit, and not its patches.
        evidence = weighed.evidence[sha].model_copy(update={"change": change})
        release = releases.first_with.get(sha, "")
        rows[sha] = writer.row(handles[sha], commits[sha], evidence, release)
        tokens[sha] = _explaining_tokens(evidence)
    for sha, handle in handles.items():
        if sha not in rows:
            rows[sha] = writer.row(handle, commits[sha], None)
    ordered_rows = [rows[sha] for sha in handles]
    return _Day(ordered_rows, weighed.ranking, tokens, release_line(releases.tags))


class _Weighed(NamedTuple):
    """The facts of commits by their hashes, and their weights."""

    evidence: dict[str, CommitEvidence]
    ranking: list[Triage]


async def _weighed(
    state: EditInput, code: CodeSource, readable: Sequence[str], context: RunContext
) -> _Weighed:
    """Return the facts of commits; those that may break something are read and weighed again."""
    collected = state["first_look"]
    evidence_by_sha: dict[str, CommitEvidence] = {}
    async for evidence in context.evidence_cache.skim(code, readable):
        evidence_by_sha[evidence.change.commit.sha] = evidence
    ranking = {triaged.sha: triaged for triaged in collected.table}
    scales = Scales(collected, state["spec"])
    for evidence in await _studied_for_certainty(code, collected, context):
        sha = evidence.change.commit.sha
        evidence_by_sha[sha] = evidence
        ranking[sha] = scales.weigh(evidence)
    return _Weighed(evidence_by_sha, list(ranking.values()))


class _Releases(NamedTuple):
    """The tags of the window, and which of them is the first to have a commit, by its hash."""

    tags: list[str]
    first_with: dict[str, str]


async def _releases_of_window(
    state: EditInput, code: CodeSource, commits: Iterable[CommitEvidence]
) -> _Releases:
    window = state["window"]
    releases = await tags_of_window(code, window, state["first_look"].threads.releases)
    tags = [release.tag for release in releases]
    if not tags:
        return _Releases([], {})
    first_tags = await first_releases(code, list(commits), window.end)
    return _Releases(tags, {sha: tag for sha, tag in first_tags.items() if tag in tags})


async def _studied_for_certainty(
    code: CodeSource, collected: Collected, context: RunContext
) -> list[CommitEvidence]:
    """Read whole files where a patch alone does not show whether a commit breaks something."""
    uncertain = []
    for triaged in collected.table:
        if triaged.noise is None and MAY_BREAK in triaged.reasons:
            uncertain.append(triaged.sha)
    landed = [row.commit for row in collected.rows]
    return await context.evidence_cache.study_all(code, uncertain, landed=landed)


def _explaining_tokens(evidence: CommitEvidence) -> int:
    """Estimate the tokens that it takes to write and judge sentences about a commit."""
    diff = sum(tokens_of(file.patch) for file in evidence.change.files if file.patch)
    return _QUESTIONS_PER_COMMIT * min(BUDGET, _PACKET_FRAME + _PACKET_GROWTH * diff)


class _View(NamedTuple):
    """The places that the editor gave some commits."""

    proposals: list[Proposal]
    labels: list[EditorWords]  # Of groups, which a judge has not read yet
    account: Account


OfferTools = Callable[[Sequence[CommitRow]], list[BaseTool]]
"""Returns the tools that read the repository as it is after the commits of some rows."""


async def _tools_for(state: EditInput, context: RunContext) -> OfferTools | None:
    """Return what offers tools to the editor; None if it may not look further."""
    try:
        if not await context.can_editor_look():
            return None
    except ModelError:
        return None  # The editor is asked all the same, and it is said why it does not answer
    sources = await context.repositories.open(state["spec"])
    return partial(row_tools, state=state, sources=sources, context=context)


async def _ask_editor(
    day: _Day, offer_tools: OfferTools | None, repo: RepoId, context: RunContext
) -> _View:
    """Ask about all rows, in as few questions as possible; the rules place what cannot be asked."""
    proposed: list[Proposal] = []
    labels: list[EditorWords] = []
    account = Account()
    must_know: list[CommitRow] = []
    try:
        waiting = await _batches(day, repo, context)
    except ModelError as error:
        return _View([], [], fallback("editing", error))
    number = 0
    while waiting:
        batch = waiting.pop(0)
        number += 1
        about = repo if number == 1 else f"{repo}, part {number}"
        question = _Question(batch, day.releases, must_know, about)
        look = EditorLook()
        if offer_tools is not None:
            offered = offer_tools(batch.rows)
            look = await look_at_rows(question.rows_text, about, offered, repo, context)
            account += look.account
        try:
            view = await _ask_batch(question, look.answers, repo, context)
        except ContextExceeded as error:
            if len(batch.rows) == 1:
                account += fallback("editing", error)
                continue
            waiting = [*_halves(batch), *waiting]
            continue
        except ModelError as error:
            account += fallback("editing", error)
            continue
        proposed += view.proposals
        labels += view.labels
        highest: set[str] = set()
        for proposal in view.proposals:
            if proposal.importance is Importance.MUST_KNOW:
                highest.add(proposal.sha)
        must_know += [row for row in batch.rows if row.sha in highest]
    if number > 1 and proposed:
        ordered = await in_one_order(proposed, day.rows, repo, context)
        return _View(ordered.proposals, labels, account + ordered.account)
    return _View(proposed, labels, account)


def _halves(batch: RowBatch) -> list[RowBatch]:
    middle = len(batch.rows) // 2
    max_lines = batch.max_lines // 2
    return [RowBatch(batch.rows[:middle], max_lines), RowBatch(batch.rows[middle:], max_lines)]


async def _batches(day: _Day, repo: RepoId, context: RunContext) -> list[RowBatch]:
    """Divide the rows by what one question can show and one answer can place."""
    limit = await context.question_limit("reading", repo)
    form = _form(repo, context, "")
    frame = tokens_of(fenced("", context.mark))
    max_tokens = limit.evidence_tokens(form) - frame - tokens_of(day.releases)
    max_rows = limit.answer_tokens // tokens_per_commit(context.languages)
    batches = row_batches(day.rows, max_tokens, max_rows)
    if len(batches) == 1:
        return batches
    return row_batches(day.rows, int(max_tokens * (1 - _EARLIER_SHARE)), max_rows)


def _form(repo: RepoId, context: RunContext, earlier: str, looked_up: str = "") -> EvidencePrompt:
    values = {
        "repo": repo,
        "languages": asked_languages(context.languages),
        "earlier": earlier,
        "looked_up": looked_up,
    }
    shape = edition_shape(context.languages)
    return EvidencePrompt(name="edit", values=values, shape=shape, slot="rows")


class _Question(NamedTuple):
    """The rows of a batch, and what stands around them."""

    batch: RowBatch
    releases: str
    must_know: Sequence[CommitRow]
    about: str

    @property
    def rows_text(self) -> str:
        """The rows as they are shown before and after looking further."""
        return self.releases + self.batch.text


async def _ask_batch(
    question: _Question, looked_up: Sequence[str], repo: RepoId, context: RunContext
) -> _View:
    """Ask about one batch with what was looked up; if that fails, without it."""
    if looked_up:
        with suppress(ModelError):
            return await _ask_once(question, looked_up, repo, context)
    return await _ask_once(question, (), repo, context)


async def _ask_once(
    question: _Question, looked_up: Sequence[str], repo: RepoId, context: RunContext
) -> _View:
    """Ask about one batch; an answer that places none of it is an error of the model."""
    limit = await context.question_limit("reading", repo)
    earlier = ""
    listing = rows_in(question.must_know, int(limit.tokens * _EARLIER_SHARE), {})
    if listing:
        earlier = (
            "\nFor comparison, commits of the same day that already have tier 3; do not place them"
            f" again:\n{fenced(listing, context.mark)}"
        )
    form = _form(repo, context, earlier)
    if looked_up:
        max_tokens = limit.evidence_tokens(form) - limit.fenced_tokens(question.rows_text)
        form = _form(repo, context, earlier, looked_up_text(looked_up, limit, max_tokens))
    rows = {row.handle: row for row in question.batch.rows}
    answer = await context.ask(
        "reading",
        repo,
        form.name,
        {**form.values, form.slot: fenced(question.rows_text, context.mark)},
        form.shape,
        about=question.about,
        handles=Handles(("commit", "commits"), {row.handle: row.sha for row in rows.values()}),
    )
    proposed = proposals(answer, rows, context.languages)
    if not proposed:
        raise ModelError("it placed none of the commits that it was shown")
    return _View(proposed, list(groups(answer, rows, context.languages)), Account())
