"""What is taken under a condition."""

from collections.abc import Callable

import pytest

from agent.audit.routes import routed_otherwise
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]
_MESSAGE = "Add matmul\n\nRouting:\n- SM >= 100 (new): cuTile implementation\n- SM < 100: Triton implementation"


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("GPUs with SM >= 100 take the cuTile implementation, older ones the Triton one.", False),
        ("GPUs with SM >= 100 take the Triton implementation, older ones the cuTile one.", True),
        ("SM ≥ 100 走 cuTile，其余走 Triton。", False),
        ("SM ≥ 100 走 Triton，其余走 cuTile。", True),
        ("SM < 100 takes Triton, otherwise cuTile is taken.", False),
        ("SM < 90 takes cuTile, otherwise Triton is taken.", False),
    ],
)
def test_each_condition_takes_what_the_change_takes_under_it(commit: Make, told: str, wrong: bool) -> None:
    evidence = commit(_MESSAGE, "+# dispatches to cuTile (SM>=100) or Triton")
    assert bool(routed_otherwise(told, [evidence])) is wrong
