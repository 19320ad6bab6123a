"""Who may be read in depth when not everything can be."""

from agent.domain.base import RepoId
from agent.domain.ledger import Noise, Tier, Triage
from agent.triage.collected import allot

BUSY, QUIET = RepoId("octo/busy"), RepoId("octo/quiet")


def one(name: str, score: float, tier: Tier, noise: Noise | None = None) -> Triage:
    return Triage(sha=name, score=score, reasons=(), purpose=None, tier=tier, noise=noise)


def test_what_calls_for_action_is_read_first_wherever_it_is() -> None:
    tables = {
        BUSY: [one("a", 9.0, Tier.HIGH), one("b", 4.0, Tier.MID)],
        QUIET: [one("c", 6.0, Tier.HIGH)],
    }
    shares = allot(tables, 2)
    assert (shares[BUSY].deep, shares[QUIET].deep) == (("a",), ("c",))
    assert shares[BUSY].left_out == ("b",)


def test_a_quiet_repository_is_not_starved_by_a_busy_one() -> None:
    tables = {BUSY: [one(f"b{n}", 4.0 - n / 10, Tier.MID) for n in range(9)], QUIET: [one("q", 2.6, Tier.MID)]}
    assert allot(tables, 3)[QUIET].deep == ("q",)


def test_of_low_commits_only_the_weightiest_of_a_repository_is_read_in_depth() -> None:
    tables = {BUSY: [one("a", 2.0, Tier.LOW), one("b", 8.0, Tier.LOW, Noise.CI), one("c", 1.0, Tier.LOW)]}
    assert allot(tables, 10)[BUSY].deep == ("a",)
    assert allot({BUSY: [one("a", 3.0, Tier.MID), one("b", 2.0, Tier.LOW)]}, 10)[BUSY].deep == ("a",)
    assert allot({BUSY: [one("b", 8.0, Tier.LOW, Noise.CI)]}, 10)[BUSY].deep == ()


def test_the_order_does_not_hang_on_the_order_of_the_list() -> None:
    left, right = one("a", 3.0, Tier.MID), one("b", 3.0, Tier.MID)
    assert allot({BUSY: [left, right]}, 1) == allot({BUSY: [right, left]}, 1)


def test_nothing_to_share_is_no_trouble() -> None:
    assert allot({}, 5) == {}
    assert allot({BUSY: []}, 0)[BUSY].deep == ()
