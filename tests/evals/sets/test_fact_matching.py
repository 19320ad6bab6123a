"""When a fact that was found counts as the one that was meant."""

import pytest

from agent.domain.facts import Fact, FactKind, Place, Severity
from evals.sets.fact_matching import ALIKE, Meant, brought_by, last_part, matches


def fact(kind: str, name: str, old: str | None = None, new: str | None = None, **more: object) -> Fact:
    place = Place(file=str(more.pop("file", "a.py")), line=1, lines=tuple(more.pop("lines", ())))  # type: ignore[arg-type]
    detail = more.pop("detail", None)
    return Fact(
        kind=FactKind(kind),
        severity=Severity.BEHAVIOUR,
        name=name,
        old=old,
        new=new,
        detail=None if detail is None else str(detail),
        places=(place,),
    )


@pytest.mark.parametrize(
    ("meant", "found"),
    [
        (Meant(("symbol-removed",), "Cache.get"), fact("symbol-removed", "get")),
        (Meant(("constant-changed",), "LIMIT", "4", "8"), fact("constant-changed", "atlas.LIMIT", "4", "8")),
        (Meant(("flag-default-changed",), "--a", "x", "y"), fact("flag-default-changed", "--a", '"x"', '"y"')),
        (
            Meant(("dependency-changed",), "petit_kernel", "1.0", "1.1"),
            fact("dependency-changed", "petit-kernel", "==1.0", "==1.1"),
        ),
        (Meant(("image-changed",), "", "12.8.1", "13.0"), fact("image-changed", "cuda", "12.8.1-devel", "13.0-devel")),
        (
            Meant(("enum-member-removed",), "Kind.Relu"),
            fact("enum-member-removed", "Kind", "Gelu = 0, Relu = 1", detail="2 members"),
        ),
        (Meant(("parameter-added",), "run", detail="x"), fact("parameter-added", "go, run", detail="x")),
        (Meant(ALIKE["signature-changed"], "run"), fact("parameter-reordered", "run")),
        (
            Meant(("error-added",), shows="too large"),
            fact("error-added", "ValueError", lines=('+    raise X("too large")',)),
        ),
        (Meant(("route-added",), "/health"), fact("route-added", "GET /health")),
    ],
)
def test_the_same_thing_in_other_words_is_the_same(meant: Meant, found: Fact) -> None:
    assert matches(meant, found)


@pytest.mark.parametrize(
    ("meant", "found"),
    [
        (Meant(("symbol-removed",), "Cache.get"), fact("symbol-removed", "Cache.put")),
        (Meant(("symbol-removed",), "get"), fact("symbol-added", "get")),
        (Meant(("constant-changed",), "LIMIT", "4", "8"), fact("constant-changed", "LIMIT", "4", "9")),
        (Meant(("parameter-removed",), "run", detail="x"), fact("parameter-removed", "run", detail="y")),
        (Meant(("dependency-changed",), "torch", "2.0", "2.1"), fact("dependency-changed", "torch", "==2.0", "==2.2")),
        (Meant(("error-added",), shows="too large"), fact("error-added", "ValueError", lines=("+x",))),
    ],
)
def test_another_thing_is_not(meant: Meant, found: Fact) -> None:
    assert not matches(meant, found)


def test_a_change_brings_only_what_is_said() -> None:
    meant = Meant(("env-added",), "A_B")
    assert brought_by(meant, fact("symbol-added", "_B"))
    assert not brought_by(meant, fact("symbol-removed", "_B"))


def test_a_renamed_class_brings_the_signatures_that_spell_it() -> None:
    meant = Meant(("symbol-renamed",), "New", "Old", "New")
    assert brought_by(meant, fact("signature-changed", "run", "x: list[Old]", "x: list[New]"))
    assert not brought_by(meant, fact("signature-changed", "run", "x: list[Old]", "x: set[New]"))


def test_names_end_with_their_last_part() -> None:
    assert last_part("atlas::Cache.get") == "get"
    assert last_part("vllm/a.b/c.py") == "vllm/a.b/c.py"
