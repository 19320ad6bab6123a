"""Retrieving evidence for a question: searches that a model plans, one ranking, and releases."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from agent.domain.affected_versions import Affected
from agent.domain.base import RepoId
from agent.domain.commits import Headline
from agent.domain.errors import UsageError
from agent.domain.evidence import Citable, ReleaseEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.threads import Release
from agent.domain.window import Window
from agent.model_errors import ModelError
from agent.ports import BranchReverts
from agent.prompt_templates import fenced, prompt
from agent.questions_and_replies import Hit, Query, query_of
from agent.reports.affected_text import affected_text
from graphs.ask_context import AskContext
from graphs.ask_state import AskInput, RetrieveInput, SearchPlanOutput
from graphs.question_name_lookup import filtered_hits, newest_first
from graphs.reply_building import account_of
from tools.history.later_reverts import LaterReverts

_MAX_SEARCHES = 4  # That a model may plan for a question
_MAX_SEARCH_TEXT = 200  # Characters of a planned search
_MIN_RANKED = 20  # Pieces of evidence that a search returns at least, if there are so many
_MAX_UNRANKED = 10  # Pieces that match the qualifiers of a planned search and none of its words
_MAX_STREAMED = 20  # Pieces of evidence that are shown while the answer is awaited
_RANK_OFFSET = 10
"""How far a first place is ahead of the others when rankings are fused: the less, the further."""
_RELEASED_COMMITS = 10  # Of the best hits, whose first release is looked up
_MAX_WITH_VERSIONS = 5  # Commits of which the affected versions are looked up
_MAX_BRANCHES = 6  # Release branches that a note names
_BEFORE_RELEASES = 5  # Hits that come before the releases that contain them


class Searches(BaseModel):
    """What a model wants to search for, and whether it is about what was talked of before."""

    goes_on: bool = Field(
        default=True,
        description="whether the question goes on with the conversation above; "
        "false if it begins another subject",
    )
    searches: list[str] = Field(
        default_factory=list,
        description="one to four searches, each a few words, with qualifiers where they help",
    )


_UNPLANNED: SearchPlanOutput = {"searches": [], "goes_on": None}


def parsed(question: str, context: AskContext) -> Query:
    """Return the question as code reads it, within the bounds of the context."""
    repos = [spec.name for spec in context.specs]
    return query_of(question, context.bound, context.tz, context.now, context.lang, repos)


# ---------------------------------------------------------------- searches


async def plan(state: AskInput, runtime: Runtime[AskContext]) -> SearchPlanOutput:
    """Stream the stored hits at once, and ask the model, if there is one, what to search for."""
    context = runtime.context
    query = parsed(state["question"], context)
    repos = [spec.name for spec in context.specs if query.wants(spec.name)]
    hits = ranked(query, repos, context, _MAX_STREAMED)
    stream_hits(hits, query, runtime)
    if context.models is None or query.is_filtered:
        return _UNPLANNED
    try:
        return await _planned(state, query, context)
    except ModelError:
        # If the model is down, go on with the words of the question: the answer asks it again.
        return _UNPLANNED


async def _planned(state: AskInput, query: Query, context: AskContext) -> SearchPlanOutput:
    if await context.is_small():
        return _UNPLANNED
    scope = " and ".join(spec.name for spec in context.specs)
    system = prompt("system", {"repo": scope, "mark": context.mark})
    values = {"question": fenced(query.text, context.mark), "scope": scope}
    messages = [
        SystemMessage(system),
        *state["history"],
        HumanMessage(prompt("ask_plan", values)),
    ]
    model = (
        context.require_models().get("reading", account_of(state)).with_structured_output(Searches)
    )
    answer = await model.ainvoke(messages)
    assert isinstance(answer, Searches)
    searches = [" ".join(text.split())[:_MAX_SEARCH_TEXT] for text in answer.searches]
    return {
        "searches": [text for text in searches if text][:_MAX_SEARCHES],
        "goes_on": answer.goes_on,
    }


def stream_hits(hits: Sequence[Hit], query: Query, runtime: Runtime[AskContext]) -> None:
    """Stream the best hits to the reader who waits for the answer."""
    best = runtime.context.memory.all(hit.id for hit in hits[:_MAX_STREAMED])
    runtime.stream_writer({"evidence": best, "lang": query.lang})


# ---------------------------------------------------------------- rankings


def ranked(
    query: Query,
    repos: Sequence[RepoId],
    context: AskContext,
    limit: int,
    common_words: Iterable[str] = (),
) -> list[Hit]:
    """Return what fits a question, ranked; if that is little, the newest of the window come last."""
    hits = context.index.search(
        query.words,
        query.named,
        repos,
        query.window,
        limit,
        common_words=frozenset(common_words),
        asked_repos=query.repos,
    )
    if len(hits) >= _MIN_RANKED:
        return hits
    ids = {hit.id for hit in hits}
    rest = [hit for hit in context.index.entries(repos, query.window) if hit.id not in ids]
    return [*hits, *newest_first(rest)[: _MIN_RANKED - len(hits)]]


async def best_hits(
    query: Query,
    state: RetrieveInput,
    repos: Sequence[RepoId],
    context: AskContext,
    limit: int,
) -> list[Hit]:
    """Return one ranking of what the question and the planned searches find.

    What earlier answers of the conversation cite joins the hits of the question.
    """
    searches = state["searches"]
    common_words = await context.common_words(" ".join((query.words, *searches)), repos)
    rankings = [ranked(query, repos, context, limit, common_words)]
    for text in searches:
        rankings.append(_planned_hits(text, repos, context, limit, common_words))
    hits = fused(rankings)[:limit]
    earlier = context.index.cited_before(state["earlier_cites"], repos, query.window)
    related_ids = _related_cites(state)
    related = [hit for hit in earlier if hit.id in related_ids]
    others = [hit for hit in earlier if hit.id not in related_ids]
    return with_conversation(hits, related, others, question_first=bool(query.named))


def _related_cites(state: RetrieveInput) -> frozenset[EvidenceId]:
    """Return what earlier answers cite that the question may be about.

    If nobody says whether it goes on with the conversation, that is what the last answers cite.
    """
    if state["goes_on"] is None:
        return frozenset(state["recent_cites"])
    return frozenset(state["earlier_cites"] if state["goes_on"] else ())


def _planned_hits(
    text: str,
    repos: Sequence[RepoId],
    context: AskContext,
    limit: int,
    common_words: Iterable[str],
) -> list[Hit]:
    """Return what a planned search finds; one with a qualifier that does not exist finds nothing."""
    try:
        query = parsed(text, context)
    except UsageError:
        return []
    requested = [repo for repo in repos if query.wants(repo)] or list(repos)
    hits = [hit for hit in ranked(query, requested, context, limit, common_words) if hit.fits]
    if not query.is_filtered:
        return hits
    matching = {hit.id: hit for hit in filtered_hits(query, requested, context)}
    kept = [hit for hit in hits if hit.id in matching]
    ids = {hit.id for hit in kept}
    others = newest_first(hit for hit in matching.values() if hit.id not in ids)
    return [*kept, *others[:_MAX_UNRANKED]]


def fused(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Return one ranking of several, in which a hit counts the more, the higher it stands in each.

    Of evidence that several rankings have, the first hit is kept with its reasons.
    """
    if len(rankings) == 1:
        return list(rankings[0])
    hits: dict[EvidenceId, Hit] = {}
    scores: dict[EvidenceId, float] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking):
            if not hit.fits:
                hits.setdefault(hit.id, hit)
                continue
            earlier = hits.get(hit.id)
            if earlier is None or not earlier.fits:
                hits[hit.id] = hit
            scores[hit.id] = scores.get(hit.id, 0.0) + 1 / (_RANK_OFFSET + rank)
    fused_hits: list[Hit] = []
    for name in sorted(hits, key=lambda name: -scores.get(name, 0.0)):
        score = round(scores.get(name, 0.0), 4)
        fused_hits.append(hits[name].model_copy(update={"score": score}))
    return fused_hits


def with_conversation(
    hits: Sequence[Hit], related: Sequence[Hit], others: Sequence[Hit], *, question_first: bool
) -> list[Hit]:
    """Alternate between hits of the question and `related` ones, which earlier answers cite.

    With `question_first`, a hit of the question is the first: it names something outright. The
    others that earlier answers cite come behind everything that fits.
    """
    fitting = [hit for hit in hits if hit.fits]
    rest = [hit for hit in hits if not hit.fits]
    rankings = (fitting, related) if question_first else (related, fitting)
    merged: dict[EvidenceId, Hit] = {}
    for index in range(max(len(fitting), len(related))):
        for ranking in rankings:
            if index < len(ranking):
                merged.setdefault(ranking[index].id, ranking[index])
    for hit in (*others, *rest):
        merged.setdefault(hit.id, hit)
    return list(merged.values())


# ---------------------------------------------------------------- releases


async def first_releases(hits: Sequence[Hit], context: AskContext) -> Mapping[EvidenceId, Release]:
    """Return the first release that contains each of the best commits, of any time."""
    return await context.first_releases(best_commits(hits))


def best_commits(hits: Sequence[Hit]) -> list[EvidenceId]:
    """Return the commits of which it is looked up which release has them, and who took them back."""
    commits = [hit.id for hit in hits if hit.kind == "commit"]
    return commits[:_RELEASED_COMMITS]


async def affected_by_faults(
    hits: Sequence[Hit], window: Window | None, context: AskContext
) -> dict[EvidenceId, Affected]:
    """Return which versions have the faults that the best commits mend, where that is known."""
    commits = best_commits(hits)[:_MAX_WITH_VERSIONS]
    return await context.affected_versions(await context.load(commits, window), commits)


def with_releases(hits: Sequence[Hit], releases: Mapping[EvidenceId, Release]) -> list[Hit]:
    """Return hits with the releases that were the first to contain the best ones behind these."""
    best = list(hits[:_BEFORE_RELEASES])
    contained: dict[EvidenceId, list[EvidenceId]] = {}
    for hit in best:
        if hit.id in releases:
            contained.setdefault(releases[hit.id].id, []).append(hit.id)
    release_by_id = {release.id: release for release in releases.values()}
    release_hits = []
    for name, commits in contained.items():
        release_hits.append(
            Hit(
                id=name,
                kind="release",
                opened=f"{release_by_id[name].published_at:%Y-%m-%dT%H:%M:%SZ}",
                score=best[-1].score,
                first_with=tuple(commits),
            )
        )
    ranked_before = {hit.id for hit in best}
    behind = [hit for hit in release_hits if hit.id not in ranked_before]
    ids = {hit.id for hit in behind}
    others = [hit for hit in hits[_BEFORE_RELEASES:] if hit.id not in ids]
    return [*best, *behind, *others]


# ---------------------------------------------------------------- what code knows of evidence


async def notes_on(
    evidence: Mapping[EvidenceId, Citable],
    hits: Sequence[Hit],
    releases: Mapping[EvidenceId, EvidenceId],
    affected: Mapping[EvidenceId, Affected],
    context: AskContext,
) -> dict[EvidenceId, str]:
    """Return what code knows of pieces beside their text: their release, and who took them back."""
    commits = best_commits(hits)
    reverts = await context.later_reverts(commits)
    on_branches = await context.reverts_on_branches(commits)
    notes: dict[EvidenceId, str] = {}
    for commit in commits:
        lines = []
        if commit in releases:
            lines.append(f"The first release that contains it is {releases[commit].revision}.")
        elif commit.repo in reverts:
            lines.append("No release contains it yet.")
        if commit.repo in reverts:
            lines.append(_revert_line(commit, reverts[commit.repo]))
        if commit.repo in on_branches:
            lines += _branch_lines(commit, on_branches[commit.repo])
        if commit in affected:
            lines.append(affected_text(affected[commit], "en"))
        if lines:
            notes[commit] = "\n".join(lines)
    for name, piece in evidence.items():
        if isinstance(piece, ReleaseEvidence):
            release = piece.release
            notes[name] = f"{release.tag} was released on {release.published_at:%Y-%m-%d}."
    return notes


def _revert_line(commit: EvidenceId, reverts: LaterReverts) -> str:
    revert = reverts.by_sha.get(commit.sha)
    if revert is not None:
        return f"It was taken back on {revert.at:%Y-%m-%d} by {revert.sha[:12]}: {revert.title}"
    return f"As of {reverts.until:%Y-%m-%d}, nothing on {reverts.branch} takes it back."


def _branch_lines(commit: EvidenceId, on_branches: BranchReverts) -> Iterator[str]:
    """Yield which release branches take a commit back, and which were looked at."""
    branches_by_revert: dict[Headline, list[str]] = {}
    for standing in on_branches.by_sha.get(commit.sha, ()):
        branches_by_revert.setdefault(standing.revert, []).append(standing.branch)
    for revert, branches in branches_by_revert.items():
        taken_back = f"{revert.at:%Y-%m-%d} by {revert.sha[:12]}: {revert.title}"
        yield f"On {_some(branches)} it was taken back on {taken_back}"
    if on_branches.branches and not branches_by_revert:
        yield f"None of {_some(on_branches.branches)} takes it back either."


def _some(branches: Sequence[str]) -> str:
    """Return the names of branches, the latest ones of many, and how many others there are."""
    latest = branches[-_MAX_BRANCHES:]
    others = len(branches) - len(latest)
    return f"{', '.join(latest)}{f' and {others} other release branches' if others else ''}"
