"""How an issue stands now, by its own state and by what is linked with it."""

from collections.abc import Mapping, Sequence

from agent.domain.base import EvidenceId
from agent.domain.commits import Issue
from agent.domain.links import Grade, Link, Relation, Standing
from agent.links.digest import Digest
from agent.links.undoing import BROUGHT_BACK


def standing(
    issue: Issue | Digest, links: Sequence[Link], reverted: Mapping[EvidenceId, EvidenceId] | None = None
) -> Standing:
    """Tell how an issue stands; a fix counts as long as nothing took it back, and a reopened issue is not fixed."""
    own = [link for link in links if link.issue == issue.id]
    fixes = [link for link in own if link.may_read_fixed]
    if issue.state_reason in ("not_planned", "duplicate"):
        return Standing.GIVEN_UP
    if _taken_back(own) or (fixes and all(_is_undone(link.change, reverted or {}) for link in fixes)):
        return Standing.UNDONE
    if issue.state == "open" and issue.state_reason == "reopened":
        return Standing.REOPENED
    if fixes:
        return Standing.FIXED if issue.state == "closed" else Standing.ADDRESSED
    if any(link.may_read_likely for link in own):
        return Standing.LIKELY
    return Standing.OPEN if issue.state == "open" else Standing.CLOSED


def _taken_back(links: Sequence[Link]) -> bool:
    """Tell whether more fixes were taken back than brought back."""
    undone = sum(link.relation is Relation.REVERTS and link.grade in (Grade.A, Grade.B) for link in links)
    return undone > sum(link.may_read_fixed and "".join(link.evidence).startswith(BROUGHT_BACK) for link in links)


def _is_undone(change: str, reverted: Mapping[EvidenceId, EvidenceId]) -> bool:
    """Follow who undid whom: a revert that was itself undone leaves the change in place."""
    undone, seen = False, {change}
    while (by := reverted.get(change)) is not None and by not in seen:
        undone, change = not undone, by
        seen.add(by)
    return undone
