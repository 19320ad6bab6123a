"""Errors that keep their words and are raised under another condition, or under the same one in another way."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
CHECK = """class Batch:
    def check(self, count):
        names = list(range(count))
        size = self.size
{above}        if {condition}:
            raise ValueError("the names do not fit the batch")
        return names
"""


def _batch(condition: str, above: str = "") -> dict[str, str]:
    return {"pkg/batch.py": CHECK.format(condition=condition, above=above)}


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("len(self.names) != count", "len(self.names) != self.total"),
        ("count > self.most", "count > self.most and not self.lazy"),
        ("self.fast or self.lazy", "self.fast"),
        ("self.kind != Kind.A", "self.kind not in (Kind.A, Kind.B)"),
    ],
)
async def test_an_error_under_another_condition_is_told_with_both(
    facts_of: "FactsOf", route: str, old: str, new: str
) -> None:
    (fact,) = await facts_of(_batch(old), _batch(new), route)
    assert (fact.kind, fact.name, fact.detail) == (FactKind.ERROR_CHANGED, "ValueError", "Batch.check")
    assert (fact.old, fact.new) == (f"if {old}", f"if {new}")
    assert fact.severity is Severity.BEHAVIOUR


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("count > self.most", "self.most < count"),
        ("self.most < count", "most < count"),
        ("count > self.size", "count > size"),
        ("count > total", "count > full"),
        ("self.kind != 'a'", "self.kind != Kind.A"),
        ("not self.names", "len(self.names) == 0"),
        ("not self.fits(count, kind='.json')", "not self.fits(count)"),
    ],
)
async def test_the_same_condition_in_another_way_is_not_told(
    facts_of: "FactsOf", route: str, old: str, new: str
) -> None:
    assert await facts_of(_batch(old), _batch(new), route) == []


@ROUTES
async def test_a_part_that_an_early_return_asks_for_now_is_not_told(facts_of: "FactsOf", route: str) -> None:
    early = "        if not self.fast:\n            return names\n"
    assert await facts_of(_batch("self.fast and self.lazy"), _batch("self.lazy", early), route) == []


@ROUTES
async def test_a_name_that_holds_what_was_asked_about_is_not_told(facts_of: "FactsOf", route: str) -> None:
    held = "        wanted = self.most\n"
    assert await facts_of(_batch("count > self.most"), _batch("count > wanted", held), route) == []
