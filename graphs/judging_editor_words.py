"""Judging the words of an editor, reasons of places and labels of groups, by the gate and a judge."""

from collections.abc import Sequence
from typing import NamedTuple

from agent.domain.account import Account
from agent.domain.base import RepoId
from agent.domain.claims import Refused
from agent.domain.placement import CommitGroup
from agent.editor.placements import Proposal
from agent.editor.reasons_and_labels import EditorWords, judged_case, reason_of
from agent.editor.rows import CommitRow
from graphs.judging import judged_again_if_void
from graphs.run_context import RunContext

_MIN_GROUP = 2


class JudgedView(NamedTuple):
    """The places and groups of an editor with the words that hold, and those that do not."""

    proposals: list[Proposal]  # Without the reasons that were refused
    groups: list[CommitGroup]
    refused: list[Refused]
    account: Account


async def judged_view(
    proposals: Sequence[Proposal],
    labels: Sequence[EditorWords],
    rows: Sequence[CommitRow],
    repo: RepoId,
    context: RunContext,
) -> JudgedView:
    """Hold reasons and labels to the rows that they are about, all in the same question.

    A refused reason leaves the place as it is; a group without its label is none.
    """
    row_by_sha = {row.sha: row for row in rows}
    words = list(labels)
    for proposal in proposals:
        if proposal.reasons:
            words.append(reason_of(row_by_sha[proposal.sha], proposal.reasons))
    judged = await _judged_words(words, repo, context)
    kept_proposals: list[Proposal] = []
    for proposal in proposals:
        reason = reason_of(row_by_sha[proposal.sha], proposal.reasons)
        is_admitted = reason.name in judged.admitted
        kept_proposals.append(proposal if is_admitted else proposal._replace(reasons={}))
    admitted_labels = [label for label in labels if label.name in judged.admitted]
    return JudgedView(kept_proposals, _groups(admitted_labels), judged.refused, judged.account)


class _JudgedWords(NamedTuple):
    """The names of words that a judge admits, and the words that code or judge refused."""

    admitted: set[str]
    refused: list[Refused]
    account: Account


async def _judged_words(
    words: Sequence[EditorWords], repo: RepoId, context: RunContext
) -> _JudgedWords:
    """Check words by code, then have a judge read those to which code has no objection."""
    passed: list[EditorWords] = []
    refused: list[Refused] = []
    for editor_words in words:
        objections = tuple(editor_words.objections())
        if objections:
            refused.append(Refused(task=repo, claim=editor_words.claim, reasons=objections))
        else:
            passed.append(editor_words)
    if not passed:
        return _JudgedWords(set(), refused, Account())
    case = judged_case(passed, repo, context.languages)
    verdicts, account = await judged_again_if_void(case, context, None, together=True)
    claim_by_name = {editor_words.name: editor_words.claim for editor_words in passed}
    for judged_claim, judgement in verdicts.refused:
        claim = claim_by_name[judged_claim.id]
        refused.append(Refused(task=repo, claim=claim, reasons=(judgement,)))
    admitted = {claim.id for claim in verdicts.admitted}
    return _JudgedWords(admitted, refused, account + Account(judging=verdicts.judging))


def _groups(labels: Sequence[EditorWords]) -> list[CommitGroup]:
    """Return the groups of labels; a commit belongs to the first that has it."""
    grouped: set[str] = set()
    groups: list[CommitGroup] = []
    for label in labels:
        commits = tuple(row.commit for row in label.rows if row.sha not in grouped)
        if len(commits) < _MIN_GROUP:
            continue
        grouped.update(commit.sha for commit in commits)
        groups.append(CommitGroup(repo=commits[0].repo, commits=commits, label=dict(label.text)))
    return groups
