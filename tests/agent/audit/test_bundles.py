"""Values that are told of several names together."""

from collections.abc import Callable

import pytest

from agent.audit.bundles import bundled_otherwise
from agent.evidence import CommitEvidence

Make = Callable[..., CommitEvidence]
_LINES = (
    '-    "block_m": 16,',
    '+        "block_m": 128,',
    '+        "block_n": 128,',
    '+        "block_k": 128',
    "+    else:",
    '+        "block_m": 32,',
    '+        "block_n": 64,',
    '+        "block_k": 256',
)


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("约束为 `block_m` 128、`block_n` 128、`block_k` 128。", False),
        ("约束为 `block_m` 128、`block_n` 128、`block_k` 256。", True),
        ("`block_m` is 32, `block_n` is 64 and `block_k` is 256.", False),
        ("`block_m` is 32, `block_n` is 64 and `block_k` is 128.", True),
        ("`block_m`: 32, `block_k`: 256", False),
        ("`block_m` 为 32，`block_k` 为 512。", True),
        ("`block_m` 8, `block_k` 16", False),
        ("`block_m` 128, `other` 256", False),
    ],
)
def test_values_told_together_stand_together(commit: Make, told: str, wrong: bool) -> None:
    assert bool(bundled_otherwise(told, [commit("Bench", *_LINES)])) is wrong
