"""Names and values that a sentence puts on the other side of a diff."""

from collections.abc import Callable

import pytest

from agent.audit.sides import Sides
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]
_LINES = (
    "-limit = None",
    "+limit = DEFAULT",
    "-    first = DEFAULT or old()",
    "-    second = DEFAULT or old()",
    "+    first = None",
    "+    second = None",
)


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        # One line shows the exchange as it is told, though the names went the other way in most.
        (_LINES, False),
        (_LINES[2:], True),
    ],
)
def test_a_line_that_shows_an_exchange_outweighs_all_counting(
    commit: Make, lines: tuple[str, ...], wrong: bool
) -> None:
    told = "`limit` goes from `None` to `DEFAULT`."
    assert bool(Sides().turned(told, [commit("Take the default (#3)", *lines)])) is wrong
