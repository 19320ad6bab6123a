"""The placements of all commits of a repository: by the rules, by an editor, and within floors."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from agent.domain.account import Account
from agent.domain.base import Frozen, Language
from agent.domain.claims import Refused
from agent.domain.ledger import Triage
from agent.domain.placement import CommitGroup, Importance, Placement
from agent.triage.collected_commits import Collected

USED_BY_READERS = "the readers' own code uses it"
_FLOOR_MARKS = (
    "breaks what users set",
    "breaks exported names",
    "undoes a change",
    "revert",
    "new version",
    "release",
)
"""What a commit can do that must be explained, however little an editor thinks of it."""


class Edited(Frozen):
    """The commits of a repository as its editor placed them."""

    placements: dict[str, Placement] = Field(default_factory=dict)  # By hash
    groups: tuple[CommitGroup, ...] = ()
    tokens: dict[str, int] = Field(default_factory=dict)
    """By hash, an estimate of the tokens that it takes to explain a commit."""
    refused: tuple[Refused, ...] = ()  # Reasons and labels that may not be published
    account: Account = Account()


class Proposal(NamedTuple):
    """What a model says of one commit."""

    sha: str
    importance: Importance
    reasons: Mapping[Language, str]  # Why, in each language; empty where it gives none


def placed_by_rules(collected: Collected) -> Edited:
    """Return the places that the rules give to the commits of a first look."""
    return Edited(placements=rules_placements(collected.table, collected.shas))


def rules_placements(ranking: Sequence[Triage], shas: Iterable[str]) -> dict[str, Placement]:
    """Return a place for each commit, by weight; those without a readable diff come last."""
    importance = {triaged.sha: triaged.importance for triaged in ranking}
    for sha in shas:
        importance.setdefault(sha, Importance.NOISE)
    ordered = sorted(importance, key=lambda sha: -importance[sha])
    placements = {}
    for order, sha in enumerate(ordered, start=1):
        placements[sha] = Placement(importance=importance[sha], order=order)
    return placements


def floors(ranking: Iterable[Triage], used: Collection[str]) -> dict[str, str]:
    """Return why some commits cannot be less than worth knowing, by their hashes.

    What the rules fold (tests alone, say, or what the settings leave out) has no floor.
    """
    reasons: dict[str, str] = {}
    for triaged in ranking:
        if triaged.sha in used:
            reasons[triaged.sha] = USED_BY_READERS
            continue
        marks = [mark for mark in triaged.reasons if mark in _FLOOR_MARKS]
        if marks and triaged.noise is None:
            reasons[triaged.sha] = marks[0]
    return reasons


def edited_placements(
    proposals: Sequence[Proposal],
    by_rules: Mapping[str, Placement],
    floor_reasons: Mapping[str, str],
) -> dict[str, Placement]:
    """Return the places that a model proposes, within the floors; the rules place what it omits."""
    placements: dict[str, Placement] = {}
    for order, proposal in enumerate(proposals, start=1):
        if proposal.sha not in by_rules or proposal.sha in placements:
            continue
        placements[proposal.sha] = Placement(
            importance=proposal.importance,
            order=order,
            reason=next(iter(proposal.reasons.values()), ""),
            reasons=dict(proposal.reasons),
            decided_by="model",
        )
    for sha, placement in by_rules.items():
        placements.setdefault(sha, placement)
    return in_order(_raised(placements, floor_reasons))


def settled_placements(
    edited: Edited, ranking: Sequence[Triage], shas: Sequence[str], used: Collection[str]
) -> dict[str, Placement]:
    """Return the final places, once whole files were read: the rules know more by then."""
    placements = rules_placements(ranking, shas)
    if all(placement.decided_by == "rules" for placement in edited.placements.values()):
        return placements
    for sha, placement in edited.placements.items():
        if placement.decided_by != "rules" and sha in placements:
            placements[sha] = placement
    return in_order(_raised(placements, floors(ranking, used)))


def _raised(
    placements: Mapping[str, Placement], floor_reasons: Mapping[str, str]
) -> dict[str, Placement]:
    """Lift what a model placed below its floor."""
    raised = dict(placements)
    for sha, reason in floor_reasons.items():
        placement = raised.get(sha)
        if placement is None or placement.decided_by == "rules":
            continue
        if placement.importance >= Importance.WORTH_KNOWING:
            continue
        update = {
            "importance": Importance.WORTH_KNOWING,
            "reason": reason,
            "reasons": {},
            "decided_by": "floor",
        }
        raised[sha] = placement.model_copy(update=update)
    return raised


def in_order(placements: Mapping[str, Placement]) -> dict[str, Placement]:
    """Return the places numbered by importance; of equal ones, those by a model come first."""

    def position(sha: str) -> tuple[int, bool, int]:
        placement = placements[sha]
        return -placement.importance, placement.decided_by == "rules", placement.order

    numbered = {}
    for order, sha in enumerate(sorted(placements, key=position), start=1):
        numbered[sha] = placements[sha].model_copy(update={"order": order})
    return numbered


def sorted_groups(
    groups: Iterable[CommitGroup], placements: Mapping[str, Placement]
) -> tuple[CommitGroup, ...]:
    """Return groups, and the commits in each, in the order of the report."""
    ordered = []
    for group in groups:
        commits = sorted(group.commits, key=lambda commit: placements[commit.sha].order)
        ordered.append(group.model_copy(update={"commits": tuple(commits)}))
    ordered.sort(key=lambda group: placements[group.commits[0].sha].order)
    return tuple(ordered)
