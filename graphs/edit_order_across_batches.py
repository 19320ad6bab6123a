"""The order of a day's upper commits across the batches in which it was edited."""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import BaseModel, Field

from agent.domain.account import Account, fallback
from agent.domain.base import RepoId
from agent.domain.placement import Importance
from agent.editor.placements import Proposal
from agent.editor.row_batches import rows_in
from agent.editor.rows import CommitRow
from agent.model_errors import ModelError
from agent.prompt_sizes import EvidencePrompt
from graphs.run_context import RunContext
from tools.chat.requests_and_replies import Handles


class CommitOrder(BaseModel):
    """An order of commits."""

    commits: list[str] = Field(
        default_factory=list, description="the handles, the most important first"
    )


class OrderedProposals(NamedTuple):
    """Places in one order over all questions."""

    proposals: list[Proposal]
    account: Account = Account()


async def in_one_order(
    proposals: Sequence[Proposal], rows: Sequence[CommitRow], repo: RepoId, context: RunContext
) -> OrderedProposals:
    """Have the editor order what it gave the upper tiers; without an answer they stand as they do."""
    upper = {}
    for proposal in proposals:
        if proposal.importance >= Importance.WORTH_KNOWING:
            upper[proposal.sha] = proposal
    shown_rows = [row for row in rows if row.sha in upper]
    try:
        order = await _asked_order(shown_rows, upper, repo, context)
    except ModelError as error:
        return OrderedProposals(list(proposals), fallback("editing", error))
    position = {sha: number for number, sha in enumerate(order)}
    ordered = sorted(proposals, key=lambda proposal: position.get(proposal.sha, len(position)))
    return OrderedProposals(ordered)


async def _asked_order(
    rows: Sequence[CommitRow], placed: dict[str, Proposal], repo: RepoId, context: RunContext
) -> list[str]:
    """Return the hashes of commits in the order of an answer, each once."""
    sha_by_handle = {row.handle: row.sha for row in rows}
    form = EvidencePrompt(name="edit_order", values={"repo": repo}, shape=CommitOrder, slot="rows")

    def show(budget: int) -> str:
        by_tier = sorted(rows, key=lambda row: -placed[row.sha].importance)
        tiers = {row.handle: f"tier {placed[row.sha].importance}" for row in rows}
        return rows_in(by_tier, budget, tiers)

    answer = await context.ask_about(
        "reading", repo, form, show, about=repo, handles=Handles("commits", sha_by_handle)
    )
    handles = [handle.strip("[]`. ") for handle in answer.commits]
    return list(
        dict.fromkeys(sha_by_handle[handle] for handle in handles if handle in sha_by_handle)
    )
