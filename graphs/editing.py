"""Edits the commits of a repository: a model gives each its place, or the rules do."""

from collections.abc import Sequence
from typing import NamedTuple

from langgraph.runtime import Runtime

from agent.analysts.packet import BUDGET
from agent.analysts.ruling import Case
from agent.analysts.sentences import asked_languages
from agent.domain.claims import Claim
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Triage
from agent.domain.placement import CommitGroup, Importance
from agent.domain.spending import Account, fallback
from agent.editor.answer import (
    TOKENS_PER_COMMIT,
    claim_about,
    edition_shape,
    groups,
    proposals,
)
from agent.editor.batches import RowBatch, row_batches
from agent.editor.placements import (
    Edited,
    Proposal,
    edited_placements,
    floors,
    placed_by_rules,
    sorted_groups,
)
from agent.editor.rows import CommitRow, RowWriter, row_handles
from agent.languages import writing_of
from agent.ports import CodeSource, Step
from agent.prompting import ContextExceeded, ModelError, fenced, fitting, tokens_of
from agent.sizing import EvidencePrompt
from agent.triage.collected import Collected, Scales, is_folded_by_settings
from agent.triage.score import MAY_BREAK
from graphs.failing import failing_alone
from graphs.judging import judged_or_refused
from graphs.run_context import RunContext
from graphs.state import EditInput, EditOutput
from tools.chat.messages import Handles
from tools.history.past import pull_templates

_EARLIER_SHARE = 0.15  # Of a question, for what earlier questions gave the highest tier
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
    view = await _ask_editor(day.rows, repo, context)
    judged = await _judged_groups(view.groups, day.rows, context)
    await context.announce_remarks(runtime)
    used = {use.sha for use in collected.own_uses}
    placements = edited_placements(view.proposals, edited.placements, floors(day.ranking, used))
    edited = Edited(
        placements=placements,
        groups=sorted_groups(judged.groups, placements),
        tokens=day.tokens,
        account=view.account + judged.account + context.take_spent(repo),
    )
    return {"edited": {repo: edited}}


class _JudgedGroups(NamedTuple):
    """The groups whose labels a judge admits."""

    groups: list[CommitGroup]
    account: Account


async def _judged_groups(
    grouped: Sequence[CommitGroup], rows: Sequence[CommitRow], context: RunContext
) -> _JudgedGroups:
    """Have the labels of groups judged by the rows of their commits, like headlines."""
    if not grouped:
        return _JudgedGroups([], Account())
    row_by_commit = {row.commit: row for row in rows}
    group_by_claim: dict[str, CommitGroup] = {}
    claims: list[Claim] = []
    for group in grouped:
        claim = claim_about([row_by_commit[commit] for commit in group.commits], group.label)
        claims.append(claim)
        group_by_claim[claim.id] = group

    def show(some: Sequence[Claim], budget: int) -> str:
        commits: dict[EvidenceId, None] = {}
        for claim in some or claims:
            commits.update(dict.fromkeys(claim.about))
        texts = [row_by_commit[commit].text() for commit in commits]
        if sum(map(tokens_of, texts)) > budget:
            texts = [row_by_commit[commit].text(0) for commit in commits]
        return "\n".join(fitting(texts, budget))

    case = Case(account=grouped[0].repo, claims=claims, show=show)
    verdicts, account = await judged_or_refused(case, context, None)
    admitted = [group_by_claim[claim.id] for claim in verdicts.admitted]
    return _JudgedGroups(admitted, account)


class _Day(NamedTuple):
    """The rows of a repository's day, the weights, and what it takes to explain each commit."""

    rows: list[CommitRow]
    ranking: list[Triage]
    tokens: dict[str, int]


async def _read_rows(state: EditInput, context: RunContext) -> _Day:
    """Read the diffs once more, one after the other, for the rows that the editor is shown."""
    collected = state["first_look"]
    code = (await context.repositories.open(state["spec"])).code
    writer = RowWriter.of(collected, await pull_templates(code, collected))
    folded = {triaged.sha for triaged in collected.table if is_folded_by_settings(triaged)}
    commits = {row.commit.sha: row.commit for row in collected.landed}
    handles = {sha: handle for handle, sha in row_handles(collected).items() if sha not in folded}
    skimmed: dict[str, CommitEvidence] = {}
    readable = [triaged.sha for triaged in collected.table if triaged.sha not in folded]
    async for evidence in context.evidence_cache.skim(code, readable):
        skimmed[evidence.change.commit.sha] = evidence
    ranking = {triaged.sha: triaged for triaged in collected.table}
    scales = Scales(collected, state["spec"])
    for evidence in await _studied_for_certainty(code, collected, context):
        sha = evidence.change.commit.sha
        skimmed[sha] = evidence
        ranking[sha] = scales.weigh(evidence)
    rows: dict[str, CommitRow] = {}
    tokens: dict[str, int] = {}
    async for change in code.changes(readable):
        sha = change.commit.sha
        # The cache keeps the facts of a large commit, and not its patches.
        evidence = skimmed[sha].model_copy(update={"change": change})
        rows[sha] = writer.row(handles[sha], commits[sha], evidence)
        tokens[sha] = _explaining_tokens(evidence)
    for sha, handle in handles.items():
        if sha not in rows:
            rows[sha] = writer.row(handle, commits[sha], None)
    return _Day([rows[sha] for sha in handles], list(ranking.values()), tokens)


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
    groups: list[CommitGroup]
    account: Account


async def _ask_editor(rows: Sequence[CommitRow], repo: str, context: RunContext) -> _View:
    """Ask about all rows, in as few questions as possible; the rules place what cannot be asked."""
    proposed: list[Proposal] = []
    grouped: list[CommitGroup] = []
    account = Account()
    must_know: list[CommitRow] = []
    try:
        waiting = await _batches(rows, repo, context)
    except ModelError as error:
        return _View([], [], fallback("editing", error))
    number = 0
    while waiting:
        batch = waiting.pop(0)
        number += 1
        try:
            view = await _ask_batch(batch, must_know, repo, context, number)
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
        grouped += view.groups
        highest: set[str] = set()
        for proposal in view.proposals:
            if proposal.importance is Importance.MUST_KNOW:
                highest.add(proposal.sha)
        must_know += [row for row in batch.rows if row.sha in highest]
    return _View(proposed, grouped, account)


def _halves(batch: RowBatch) -> list[RowBatch]:
    middle = len(batch.rows) // 2
    max_lines = batch.max_lines // 2
    return [RowBatch(batch.rows[:middle], max_lines), RowBatch(batch.rows[middle:], max_lines)]


async def _batches(rows: Sequence[CommitRow], repo: str, context: RunContext) -> list[RowBatch]:
    """Divide the rows by what one question can show and one answer can place."""
    limit = await context.question_limit("reading", repo)
    form = _form(repo, context, "")
    frame = tokens_of(fenced("", context.mark))
    max_tokens = limit.evidence_tokens(form) - frame
    max_rows = limit.answer_tokens // TOKENS_PER_COMMIT
    batches = row_batches(rows, max_tokens, max_rows)
    if len(batches) == 1:
        return batches
    return row_batches(rows, int(max_tokens * (1 - _EARLIER_SHARE)), max_rows)


def _form(repo: str, context: RunContext, earlier: str) -> EvidencePrompt:
    lang = context.languages[0]
    values = {
        "repo": repo,
        "language": writing_of(lang).asked_as,
        "languages": asked_languages(context.languages),
        "earlier": earlier,
    }
    shape = edition_shape(context.languages)
    return EvidencePrompt(name="edit", values=values, shape=shape, slot="rows")


async def _ask_batch(
    batch: RowBatch,
    must_know: Sequence[CommitRow],
    repo: str,
    context: RunContext,
    number: int,
) -> _View:
    """Ask about one batch; an answer that places none of it is an error of the model."""
    limit = await context.question_limit("reading", repo)
    headings = [row.heading for row in must_know]
    earlier_headings = fitting(headings, int(limit.tokens * _EARLIER_SHARE))
    earlier = ""
    if earlier_headings:
        listing = "\n".join(earlier_headings)
        earlier = (
            "\nFor comparison, commits of the same day that already have tier 3; do not place them"
            f" again:\n{fenced(listing, context.mark)}"
        )
    form = _form(repo, context, earlier)
    rows = {row.handle: row for row in batch.rows}
    answer = await context.ask(
        "reading",
        repo,
        form.name,
        {**form.values, form.slot: fenced(batch.text, context.mark)},
        form.shape,
        about=repo if number == 1 else f"{repo}, part {number}",
        handles=Handles(("commit", "commits"), {row.handle: row.sha for row in batch.rows}),
    )
    proposed = proposals(answer, rows, context.languages[0])
    if not proposed:
        raise ModelError("it placed none of the commits that it was shown")
    grouped = groups(answer, rows, context.languages, batch.rows[0].commit.repo)
    return _View(proposed, list(grouped), Account())
