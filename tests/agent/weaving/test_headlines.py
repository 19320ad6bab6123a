"""Landed commits found again by what a message calls them."""

from datetime import UTC, datetime, timedelta

import pytest
from agent.weaving.headlines import Line

from agent.sources import Headline

_FIRST = datetime(2026, 2, 1, tzinfo=UTC)
_SHAS = ("ab" * 20, "abcd" + "0" * 36, "f" * 40, "0" * 40)
_LINE = Line(
    Headline(sha=sha, at=_FIRST + timedelta(days=day), author="A", title=f"Title {day}", pull=day or None)
    for day, sha in enumerate(_SHAS)
)


@pytest.mark.parametrize(
    ("digits", "found"),
    [
        ("f" * 40, "f" * 40),
        ("fffffff", "f" * 40),
        ("0000000", "0" * 40),
        ("abcd", "abcd" + "0" * 36),
        ("abab", "ab" * 20),
        ("ab", None),
        ("abce", None),
        ("f" * 41, None),
        ("-", None),
        ("", None),
    ],
)
def test_an_abbreviated_hash_means_one_commit_or_none(digits: str, found: str | None) -> None:
    head = _LINE.sha(digits)
    assert (head.sha if head else None) == found
