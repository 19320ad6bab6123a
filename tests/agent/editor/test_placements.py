"""An editor places commits; what breaks or is used by readers stays worth knowing, whatever it thinks."""

from collections.abc import Sequence

import pytest

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Noise, Tier, Triage
from agent.domain.placement import CommitGroup, Importance, Placement
from agent.editor.placements import (
    USED_BY_READERS,
    Edited,
    Proposal,
    edited_placements,
    floors,
    rules_placements,
    settled_placements,
    sorted_groups,
)

NOISE, MINOR, WORTH, MUST = Importance


def triage(
    sha: str, tier: Tier = Tier.LOW, *, reasons: Sequence[str] = (), noise: Noise | None = None
) -> Triage:
    return Triage(sha=sha, score=1.0, reasons=tuple(reasons), purpose=None, noise=noise, tier=tier)


def proposal(sha: str, importance: Importance, reason: str = "it is so") -> Proposal:
    return Proposal(sha, importance, {"en": reason, "zh": "如此"} if reason else {})


def order(placements: dict[str, Placement]) -> list[str]:
    return sorted(placements, key=lambda sha: placements[sha].order)


RANKING = [triage("a", Tier.HIGH), triage("b", Tier.MID), triage("c"), triage("d", noise="tests")]
BY_RULES = rules_placements(RANKING, ["d", "e", "a"])


def test_the_rules_place_commits_by_tier_and_those_without_a_readable_diff_last() -> None:
    importance = {sha: placement.importance for sha, placement in BY_RULES.items()}
    assert importance == {"a": MUST, "b": WORTH, "c": MINOR, "d": NOISE, "e": NOISE}
    assert order(BY_RULES) == ["a", "b", "c", "d", "e"]
    assert {placement.decided_by for placement in BY_RULES.values()} == {"rules"}


@pytest.mark.parametrize(
    ("about", "floor"),
    [
        (triage("a", reasons=("feature", "revert")), "revert"),
        (triage("a", reasons=("breaks what users set", "release")), "breaks what users set"),
        (triage("a", reasons=("feature",)), None),
        # What the rules fold has none, unless readers use it.
        (triage("a", reasons=("release",), noise="docs"), None),
        (triage("used", reasons=("feature",), noise="docs"), USED_BY_READERS),
        (triage("used", reasons=("release",)), USED_BY_READERS),
    ],
)
def test_what_breaks_or_is_used_by_readers_has_a_floor(about: Triage, floor: str | None) -> None:
    assert floors([about], {"used"}).get(about.sha) == floor


def test_a_proposal_replaces_the_place_by_the_rules_and_they_place_what_it_omits() -> None:
    proposals = [
        proposal("c", MUST),
        proposal("c", NOISE),  # A commit is placed once
        proposal("unknown", MUST),
        proposal("a", MUST, reason=""),
    ]
    placements = edited_placements(proposals, BY_RULES, {})
    assert order(placements) == ["c", "a", "b", "d", "e"]
    assert [placements[sha].order for sha in order(placements)] == [1, 2, 3, 4, 5]
    assert (placements["c"].importance, placements["c"].decided_by) == (MUST, "model")
    assert (placements["c"].reason, placements["c"].reasons["zh"]) == ("it is so", "如此")
    assert (placements["a"].reason, placements["b"].decided_by) == ("", "rules")


@pytest.mark.parametrize(
    ("proposed", "importance", "decider", "reason"),
    [
        (NOISE, WORTH, "floor", "revert"),
        (MINOR, WORTH, "floor", "revert"),
        (WORTH, WORTH, "model", "it is so"),
        (MUST, MUST, "model", "it is so"),
    ],
)
def test_a_commit_that_is_placed_below_its_floor_is_lifted_to_it_and_no_other(
    proposed: Importance, importance: Importance, decider: str, reason: str
) -> None:
    placement = edited_placements([proposal("a", proposed)], BY_RULES, {"a": "revert"})["a"]
    assert (placement.importance, placement.decided_by) == (importance, decider)
    assert placement.reason == reason
    assert bool(placement.reasons) == (decider == "model")


def test_the_rules_are_not_lifted_to_the_floor_and_strangers_are_not_placed() -> None:
    placements = edited_placements([], BY_RULES, {"c": "revert", "unknown": "revert"})
    assert (placements["c"].importance, placements["c"].decided_by) == (MINOR, "rules")
    assert "unknown" not in placements


def test_among_equals_those_that_a_model_placed_come_first_in_its_order() -> None:
    proposals = [proposal("d", WORTH), proposal("c", WORTH)]
    assert order(edited_placements(proposals, BY_RULES, {})) == ["a", "d", "c", "b", "e"]


def test_once_whole_files_were_read_the_rules_place_anew_what_no_model_placed() -> None:
    edited = Edited(placements=edited_placements([proposal("c", MUST)], BY_RULES, {}))
    later = [triage("b", Tier.HIGH), triage("a"), triage("c", reasons=("revert",))]
    settled = settled_placements(edited, later, ["a", "b", "c"], {"c"})
    assert order(settled) == ["c", "b", "a"]
    assert [settled[sha].decided_by for sha in "cba"] == ["model", "rules", "rules"]
    # A commit that turns out to be used is lifted by then.
    minor = Edited(placements=edited_placements([proposal("c", MINOR)], BY_RULES, {}))
    assert settled_placements(minor, later, [], {"c"})["c"].reason == USED_BY_READERS
    by_rules = settled_placements(Edited(placements=BY_RULES), later, ["e"], ())
    assert by_rules == rules_placements(later, ["e"])


def test_groups_and_the_commits_in_them_are_in_the_order_of_the_report() -> None:
    def group(*shas: str) -> CommitGroup:
        repo = RepoId("octo/router")
        commits = tuple(EvidenceId.commit(repo, sha * 40) for sha in shas)
        return CommitGroup(repo=repo, commits=commits, label={"en": "limits"})

    placements = {}
    for number, sha in enumerate("abcd", start=1):
        placements[sha * 40] = Placement(importance=WORTH, order=number)
    groups = sorted_groups([group("d", "b"), group("c", "a")], placements)
    assert [[commit.sha[0] for commit in one.commits] for one in groups] == [["a", "c"], ["b", "d"]]
