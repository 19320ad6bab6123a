"""Shortlisting what is read beside the commits of a day: code finds candidates, one request chooses."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from agent.domain.account import Account, fallback
from agent.domain.base import RepoId
from agent.domain.evidence import Material
from agent.domain.evidence_id import EvidenceId
from agent.links.candidates import (
    Candidate,
    CommitCandidates,
    HistoryFindings,
    commit_candidates,
    is_folded,
)
from agent.links.searchable_issues import Digest
from agent.links.shortlist_prompt import MOST_CANDIDATES, Shortlist, ShortlistQuestion
from agent.model_errors import ModelError
from agent.ports import RepositorySources
from agent.prompt_sizes import EvidencePrompt, QuestionLimit, divided
from agent.prompt_templates import fenced
from graphs.run_context import RunContext
from graphs.state import RelateInput
from tools.chat.requests_and_replies import Handles
from tools.history.similar_commits import (
    footprints_of,
    line_origins_of,
    similar_commits,
    trackers_of,
)

_MAX_CHOSEN = 3  # Candidates of one commit that are read


class Shortlisted(NamedTuple):
    """The commits with what each is read beside, the likeliest first; and what choosing cost."""

    commits: list[CommitCandidates]
    account: Account


async def find_candidates(
    state: RelateInput,
    material: Material,
    repositories: Mapping[RepoId, RepositorySources],
    context: RunContext,
) -> list[CommitCandidates]:
    """Return the candidates of each commit of the day that code finds."""
    repo = material.repo
    window = state["window"]
    sources = repositories[repo]
    queries = await footprints_of(material, sources.code, context.evidence_cache)
    similar = await similar_commits(queries, repositories, window, context.stories)
    origins = await line_origins_of(material, sources.code)
    trackers = await trackers_of(state["stories"].stories, sources)
    other_issues: list[Digest] = []
    for other in repositories:
        if other != repo:
            other_issues += context.issues.known(other, window).issues
    past = HistoryFindings(
        pairs=state["stories"].pairs,
        similar=similar,
        writers=origins.writers,
        births=origins.births,
        trackers=trackers,
        issues=other_issues,
        stories=state["stories"].stories,
    )
    known_issues = context.issues.known(repo, window).issues
    patched = await _with_patches(material, sources, context)
    return commit_candidates(state["first_look"], patched, known_issues, past)


async def _with_patches(
    material: Material, sources: RepositorySources, context: RunContext
) -> Material:
    """Return the material with the diffs of skimmed commits, whose lines name what they touch."""
    shas = [read.evidence.change.commit.sha for read in material.reads]
    changes = await context.evidence_cache.whole(sources.code, shas)
    reads = []
    for read in material.reads:
        change = changes.get(read.evidence.change.commit.sha, read.evidence.change)
        evidence = read.evidence.model_copy(update={"change": change})
        reads.append(replace(read, evidence=evidence))
    return replace(material, reads=reads)


async def shortlist(
    candidates: Sequence[CommitCandidates], repo: RepoId, context: RunContext
) -> Shortlisted:
    """Return what a model chooses as worth reading; what texts name is read in any case.

    If the model cannot be asked, the commits that wrote nearly all of the lines which one takes
    out are read.
    """
    searched = [commit for commit in candidates if commit.found]
    chosen: dict[EvidenceId, list[Candidate]] = {}
    account = Account()
    if searched:
        try:
            chosen = await _chosen(searched, repo, context)
        except ModelError as error:
            account = fallback("relating", error)
            chosen = _chosen_by_rules(searched)
    ranks = {commit: rank for rank, commit in enumerate(chosen)}
    shortlisted: list[CommitCandidates] = []
    for commit in candidates:
        read_beside = tuple(chosen.get(commit.read.evidence.id, ())[:_MAX_CHOSEN])
        if read_beside or commit.named:
            shortlisted.append(replace(commit, found=read_beside))
    # What somebody names comes before what is only similar, and what is folded comes last.
    shortlisted.sort(
        key=lambda commit: (
            not commit.named,
            is_folded(commit.read),
            ranks.get(commit.read.evidence.id, len(ranks)),
        )
    )
    return Shortlisted(shortlisted, account)


def _chosen_by_rules(commits: Sequence[CommitCandidates]) -> dict[EvidenceId, list[Candidate]]:
    chosen: dict[EvidenceId, list[Candidate]] = {}
    for commit in commits:
        by_lines = [candidate for candidate in commit.found if candidate.origin == "changed lines"]
        if by_lines:
            chosen[commit.read.evidence.id] = by_lines
    return chosen


async def _chosen(
    commits: Sequence[CommitCandidates], repo: RepoId, context: RunContext
) -> dict[EvidenceId, list[Candidate]]:
    """Ask about all commits in one question, or in several where they do not fit into one."""
    form = EvidencePrompt(name="shortlist", values={"repo": repo}, shape=Shortlist, slot="rows")
    limit = await context.question_limit("reading", repo)
    budget = limit.evidence_tokens(form)

    def fits(some: Sequence[CommitCandidates]) -> bool:
        return _fitting_question(some, limit, budget) is not None

    chosen: dict[EvidenceId, list[Candidate]] = {}
    for part in divided(commits, fits):
        question = _fitting_question(part, limit, budget)
        if question is None:
            continue  # A single commit with three candidates is too long for this model
        values = {"repo": repo, "rows": fenced(question.text(), context.mark)}
        handles = Handles(("commit", "others"), question.names)
        answer = await context.ask("reading", repo, "shortlist", values, Shortlist, handles=handles)
        chosen |= question.chosen(answer)
    return chosen


def _fitting_question(
    commits: Sequence[CommitCandidates], limit: QuestionLimit, budget: int
) -> ShortlistQuestion | None:
    """Return the question with as many candidates a commit as fit into it."""
    for max_candidates in MOST_CANDIDATES:
        question = ShortlistQuestion(commits=commits, max_candidates=max_candidates)
        if limit.fenced_tokens(question.text()) <= budget:
            return question
    return None
