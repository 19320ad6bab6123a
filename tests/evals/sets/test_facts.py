"""How facts are scored: found, not found, not meant, not proved; and their gold says what git shows."""

import re
from collections.abc import Callable

import pytest

from agent.domain.facts import Fact, FactLocation, Severity
from evals.sets.facts import ALIKE, FactTally, Meant, brought_by, matches, prove
from evals.worlds.data_model import World
from evals.worlds.gold_facts import gold_facts

WHOLE = (
    "only-",
    "revert",
    "reland",
    "cherry-pick",
    "generated",
    "vendored",
    "file-",
    "symbol-moved",
)


def fact(
    kind: str, name: str, old: str | None = None, new: str | None = None, **more: object
) -> Fact:
    location = FactLocation(file="a.py", line=1, lines=tuple(more.pop("lines", ())))  # type: ignore[arg-type]
    given = {"severity": Severity.BREAKING, "detail": None, **more}
    return Fact.model_validate(
        {"kind": kind, "name": name, "old": old, "new": new, "places": (location,), **given}
    )


@pytest.mark.parametrize(
    ("meant", "fact_found"),
    [
        (Meant(("symbol-removed",), "Cache.get"), fact("symbol-removed", "get")),
        (
            Meant(("flag-default-changed",), "--a", "x", "y"),
            fact("flag-default-changed", "a", '"x"', '"y"'),
        ),
        (
            Meant(("dependency-changed",), "a_b", "1.0"),
            fact("dependency-changed", "a-b", "==1.0", "==1.1"),
        ),
        (
            Meant(("enum-member-removed",), "Kind.Relu"),
            fact("enum-member-removed", "Kind", "Gelu = 0, Relu = 1"),
        ),
        (
            Meant(("parameter-added",), "run", detail="x"),
            fact("parameter-added", "go, run", detail="x"),
        ),
        (Meant(tuple(ALIKE["signature-changed"]), "run"), fact("parameter-reordered", "run")),
        (Meant(("route-added",), "/health"), fact("route-added", "GET /health")),
    ],
)
def test_the_same_thing_in_other_words_is_the_same(meant: Meant, fact_found: Fact) -> None:
    assert matches(meant, fact_found)


@pytest.mark.parametrize(
    ("meant", "fact_found"),
    [
        (Meant(("symbol-removed",), "Cache.get"), fact("symbol-removed", "Cache.put")),
        (Meant(("symbol-removed",), "get"), fact("symbol-added", "get")),
        (
            Meant(("constant-changed",), "LIMIT", "4", "8"),
            fact("constant-changed", "LIMIT", "4", "9"),
        ),
        (
            Meant(("parameter-removed",), "run", detail="x"),
            fact("parameter-removed", "run", detail="y"),
        ),
    ],
)
def test_another_thing_is_not(meant: Meant, fact_found: Fact) -> None:
    assert not matches(meant, fact_found)


def test_what_is_missed_costs_recall_and_what_is_invented_precision() -> None:
    tally = FactTally()
    gold = [
        Meant(("symbol-removed",), "gone", severity="additive"),
        Meant(("flag-added",), "--new"),
    ]
    gold.append(Meant(("revert",), optional=True))
    reported = [
        fact("symbol-removed", "gone"),
        fact("symbol-removed", "other"),
        fact("revert", "abc"),
    ]
    tally.add("x", gold, [*reported, fact("symbol-added", "_x", severity=Severity.INTERNAL)])
    assert [score.value for score in tally.recall] == [1.0, 0.0]
    assert [score.value for score in tally.precision] == [1.0, 0.0, 1.0]
    assert [score.value for score in tally.severity] == [0.0]
    assert brought_by(Meant(("env-added",), "A_B"), fact("symbol-added", "_B"))


def test_a_line_that_is_not_changed_in_that_file_proves_nothing() -> None:
    lines = {"a.py": frozenset({"@@ -1 +1 @@", "-x = 1", "+x = 2"})}
    quoted = [("-x = 1", "+x = 2"), ("+x = 3",), ("@@ -1 +1 @@",)]
    scores = [
        prove("", fact("constant-changed", "x", lines=quoted_lines), lines).value
        for quoted_lines in quoted
    ]
    assert scores == [1.0, 0.0, 0.0]


def test_old_values_of_the_gold_are_in_removed_lines_and_new_ones_in_added_lines(
    facts_world: World, git: Callable[..., str]
) -> None:
    log = git(
        facts_world.repos[0].git_dir, "log", "-U0", "--no-renames", "--format=%x01%H", "-p", "main"
    )
    patches = dict(text.split("\n", 1) for text in log.split("\x01")[1:])
    for gold in gold_facts(facts_world):
        if gold.kind.startswith(WHOLE):
            continue
        for value, sign in ((gold.old, "-"), (gold.new, "+")):
            lines = "\n".join(
                line for line in patches[gold.sha].split("\n") if line.startswith(sign)
            )
            assert all(word in lines for word in re.findall(r"[\w.]+", value or "")), gold
