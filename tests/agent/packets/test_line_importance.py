"""Code is shortened so that what decides about a change is kept."""

from agent.packets.line_importance import by_importance
from agent.packets.lines_in_budget import excerpt

FUNCTION = (
    " def step(self, batch):",
    "     if batch.is_prefill:",
    *(f"         prepare({number})" for number in range(40)),
    "-        backend = 1",
    "+        backend = 2",
    "         check(backend)",
    *(f"         work({number})" for number in range(40)),
    "     return backend",
)


def shortened(budget: int) -> list[str]:
    return excerpt(FUNCTION, budget, order=by_importance(FUNCTION)).text.splitlines()


def test_every_line_has_its_place_in_the_order() -> None:
    assert sorted(by_importance(FUNCTION)) == list(range(len(FUNCTION)))


def test_changes_their_conditions_and_what_follows_are_kept_where_little_fits() -> None:
    lines = shortened(170)
    for line in ("-        backend = 1", "+        backend = 2", "         check(backend)"):
        assert line in lines
    assert "     if batch.is_prefill:" in lines
    assert " def step(self, batch):" in lines
    # More of what follows the change than of what comes before it.
    assert sum("work(" in line for line in lines) > sum("prepare(" in line for line in lines)


def test_changed_lines_come_before_everything_else() -> None:
    (first, second, *_) = by_importance(FUNCTION)
    assert {FUNCTION[first], FUNCTION[second]} == {"-        backend = 1", "+        backend = 2"}


def test_a_table_of_very_many_changed_lines_is_ordered_at_once() -> None:
    table = [" TABLE = {", *(f'+    "{number}": {number},' for number in range(100_000)), " }"]
    assert by_importance(table)[0] == 1
