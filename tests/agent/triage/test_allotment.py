"""What is explained: the must-knows of all repositories first, within the budget."""

from agent.domain.account import Price
from agent.domain.base import RepoId
from agent.domain.placement import Decider, Importance, Placement
from agent.settings.values import Budget
from agent.triage.allotment import Candidates, ExplainingBudget, allot, allowance

BUSY = RepoId("octo/busy")
QUIET = RepoId("octo/quiet")
MUST = Importance.MUST_KNOW
WORTH = Importance.WORTH_KNOWING
MINOR = Importance.MINOR
NOISE = Importance.NOISE


def placed(*commits: tuple[str, Importance], by: Decider = "rules", tokens: int = 0) -> Candidates:
    placements = {}
    for order, (sha, importance) in enumerate(commits, start=1):
        placements[sha] = Placement(importance=importance, order=order, decided_by=by)
    shas = frozenset(placements)
    return Candidates(shas, placements, dict.fromkeys(shas, tokens))


def deep(limit: int = 10, **candidates: Candidates) -> dict[str, tuple[str, ...]]:
    repositories = {RepoId(f"octo/{name}"): listed for name, listed in candidates.items()}
    shares = allot(repositories, ExplainingBudget(commits=limit))
    return {repo.partition("/")[2]: share.deep for repo, share in shares.items()}


def test_what_must_be_known_is_read_first_wherever_it_is() -> None:
    busy = placed(("a", MUST), ("b", WORTH))
    assert deep(2, busy=busy, quiet=placed(("c", MUST))) == {"busy": ("a",), "quiet": ("c",)}


def test_a_quiet_repository_is_not_starved_by_a_busy_one() -> None:
    busy = placed(*((f"b{number}", WORTH) for number in range(9)))
    assert deep(3, busy=busy, quiet=placed(("q", WORTH)))["quiet"] == ("q",)


def test_where_rules_find_nothing_worth_knowing_the_first_commit_is_read_in_depth() -> None:
    assert deep(busy=placed(("a", MINOR), ("c", MINOR), ("b", NOISE)))["busy"] == ("a",)
    assert deep(busy=placed(("a", WORTH), ("b", MINOR)))["busy"] == ("a",)
    assert deep(busy=placed(("b", NOISE)))["busy"] == ()
    assert deep(busy=placed(("a", MINOR), by="model"))["busy"] == ()


def test_the_tokens_of_the_run_go_to_what_matters_most_and_the_rest_is_named() -> None:
    busy = placed(("a", MUST), ("b", WORTH), ("c", MINOR), by="model", tokens=40_000)
    quiet = placed(("q", MUST), by="model", tokens=40_000)
    shares = allot({BUSY: busy, QUIET: quiet}, ExplainingBudget(commits=10, tokens=100_000))
    assert (shares[BUSY].deep, shares[QUIET].deep) == (("a",), ("q",))
    assert shares[BUSY].left_out == {"b": "model_tokens"}
    assert shares[BUSY].minor == ("c",)
    alone = allot({BUSY: busy}, ExplainingBudget(commits=10, repo_tokens=50_000))
    assert alone[BUSY].left_out == {"b": "repo_model_tokens"}


def test_a_commit_that_takes_all_that_is_left_is_explained() -> None:
    busy = placed(("a", MUST), ("b", WORTH), by="model", tokens=40_000)
    for limits in ({"tokens": 80_000}, {"repo_tokens": 80_000}):
        share = allot({BUSY: busy}, ExplainingBudget(commits=2, **limits))[BUSY]
        assert (share.deep, share.left_out) == (("a", "b"), {})


def test_money_limits_the_tokens_by_the_dearest_price() -> None:
    budget = Budget(model_cost=1.0)
    prices = [Price(input=1.0, output=1.0), Price(input=10.0, output=10.0)]
    assert allowance(budget, prices).tokens == 80_000
    assert allowance(budget).tokens == int(budget.model_tokens * 0.8)
