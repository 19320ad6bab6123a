"""What a day costs: how programs are timed."""

import sys

import pytest

from agent.domain.base import InputError
from evals.sets.day_cost import timed


def test_a_program_is_timed_with_what_it_uses_of_the_processor() -> None:
    spent = timed([sys.executable, "-c", "sum(range(3_000_000))"])
    assert 0 < spent.processor <= spent.clock * 4


def test_a_program_that_fails_is_told_with_its_last_words() -> None:
    with pytest.raises(InputError, match="no such day"):
        timed([sys.executable, "-c", "raise SystemExit('no such day')"])
