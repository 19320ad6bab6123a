"""Values that a sentence allows a name and the change does not."""

from collections.abc import Callable

import pytest

from agent.audit.choices import allowed_otherwise
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]


@pytest.mark.parametrize(
    ("told", "line", "wrong"),
    [
        ("`width` may now be 16 or 64.", "+    assert width == 16 or width == 32", True),
        ("`width` may now be 16 or 32.", "+    assert width == 16 or width == 32", False),
        ("`width` 现在可取 16 或 64。", "+    assert width in (16, 32)", True),
        ("`width` 必须为 16、32 或 64。", "+    assert width in (16, 32)", False),
        ('`mode` accepts `"fast"` or `"slow"`.', '+    mode: Literal["fast", "exact"]', True),
        ("`depth` may now be 16 or 64.", "+    assert width in (16, 32)", False),
    ],
)
def test_a_name_takes_the_values_that_the_change_compares_it_with(
    commit: Make, told: str, line: str, wrong: bool
) -> None:
    made = commit("Allow another width (#3)", "-    assert width == 16", line)
    assert bool(allowed_otherwise(told, [made])) is wrong
