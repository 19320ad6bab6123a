"""Sentences of facts: names that people search for, lists that end, and each language in its own grammar."""

from typing import get_args

import pytest

from agent.domain.base import LANGUAGES, Language
from agent.domain.facts import Fact, FactKind, Severity
from agent.fact_sentences import fact_sentence, params_of, sentence
from agent.facts_worth_stating import joined, stated_facts

BREAKING = Severity.BREAKING


def fact(kind: FactKind, name: str, severity: Severity = BREAKING, **values: str) -> Fact:
    return Fact(kind=kind, severity=severity, name=name, **values)


def told(facts: list[Fact], lang: Language = "en") -> list[str]:
    return [fact_sentence(some_fact, lang) for some_fact in joined(facts)]


def test_variables_that_went_together_are_told_together_and_all_by_name() -> None:
    removed_fact = [fact("env-removed", f"VAR_{letter}") for letter in "ABCDEFGH"]
    names = ", ".join(f"`VAR_{letter}`" for letter in "ABCDEFGH")
    assert told(removed_fact) == [f"The environment variables {names} are no longer read."]
    new = [some_fact.model_copy(update={"kind": "env-added"}) for some_fact in removed_fact]
    assert "`VAR_E` and 3 more" in told(new)[0]
    assert told(removed_fact[:1]) == ["The environment variable `VAR_A` is no longer read."]
    assert told(removed_fact[:2], lang="zh") == ["不再读取环境变量 `VAR_A`、`VAR_B`。"]


def test_a_stored_fact_without_a_name_is_not_told() -> None:
    """Earlier versions found parameters of functions whose names they did not know."""
    assert stated_facts([fact("parameter-added", "", detail="m")]) == []
    named = fact("parameter-added", "Router.route", detail="m")
    assert stated_facts([named]) == [named]


def test_long_names_are_told_by_their_ends_as_long_as_they_stay_apart() -> None:
    removed = fact("parameter-removed", "ns.sub.Runner.run, f<A, B>", detail="x")
    assert told([removed]) == ["`Runner.run`, `f<A, B>` no longer take `x`."]
    alike = removed.model_copy(update={"name": "a.Gemm.Runner.run, b.Gemm.Runner.run"})
    assert told([alike]) == ["`a.Gemm.Runner.run`, `b.Gemm.Runner.run` no longer take `x`."]


@pytest.mark.parametrize("kind", [kind for group in get_args(FactKind) for kind in get_args(group)])
def test_every_kind_has_words_without_gaps_in_both_languages(kind: FactKind) -> None:
    complete_fact = fact(kind, "a.b", old="one", new="two", detail="c")
    for some_fact in (
        complete_fact,
        complete_fact.model_copy(update={"old": None}),
        complete_fact.model_copy(update={"new": None}),
    ):
        for lang in LANGUAGES:
            assert not {"{", "}", "«", "»"} & set(sentence("fact", params_of(some_fact), lang))


def test_members_and_fields_are_told_by_their_class_with_the_values_that_are_short() -> None:
    came = fact(
        "enum-member-added",
        "pkg.Backend.CPU",
        Severity.ADDITIVE,
        new="CPU = 3",
        detail="pkg.Backend",
    )
    removed_fact = fact(
        "enum-member-removed", "pkg.Backend", old="TPU = 1, XPU = f(1, 2)", detail="2 members"
    )
    assert told([came, removed_fact]) == [
        "`pkg.Backend` gains `CPU = 3`.",
        "`pkg.Backend` loses `TPU = 1`, `XPU = f(1, 2)`.",
    ]
    some_fact = fact(
        "field-added", "Args.depth", Severity.ADDITIVE, new="depth: int = 0", detail="Args"
    )
    other = fact(
        "field-added",
        "Args.width",
        Severity.ADDITIVE,
        new=f"width: int = Field({'x' * 80})",
        detail="Args",
    )
    assert told([some_fact, other]) == ["`Args` gains `depth: int = 0`, `width`."]
    assert told([some_fact.model_copy(update={"name": "depth"})], lang="zh") == [
        "新增字段 `depth: int = 0`。"
    ]


def test_the_commas_inside_of_a_type_separate_nothing() -> None:
    gained = fact(
        "field-added",
        "pkg.Lock",
        Severity.ADDITIVE,
        new="skipped: dict[Kind, set[int]], depth: int",
        detail="2 members",
    )
    assert told([gained]) == ["`pkg.Lock` gains `skipped: dict[Kind, set[int]]`, `depth: int`."]


def test_a_value_that_is_missing_or_long_is_not_told() -> None:
    default = fact("parameter-default-changed", "plan", old="1", new="2", detail="n")
    assert told([default]) == ["The default of `n` in `plan` changes from `1` to `2`."]
    gained = default.model_copy(update={"old": None})
    assert told([gained]) == ["`n` of `plan` may be left out now; its default is `2`."]
    # A default that is too long to be shown was there all the same.
    assert told([default.model_copy(update={"old": "x" * 200})]) == [
        "The default of `n` in `plan` changes."
    ]


def test_errors_and_checks_are_told_with_their_place_and_their_words() -> None:
    words = "\n".join(("a; b must fit", "x" * 400, "c is too large", "d is too small"))
    came = fact(
        "error-added", "ValueError, TypeError", Severity.BEHAVIOUR, new=words, detail="Args.check"
    )
    sentences = (
        "new errors `ValueError`, `TypeError`: `a; b must fit`, `c is too large`, `d is too small`."
    )
    assert told([came]) == [f"In `Args.check`, {sentences}"]
    assert told([came.model_copy(update={"detail": None})]) == [sentences.replace("new", "New", 1)]
    removed_fact = fact(
        "error-removed", "ACME_CHECK", Severity.BEHAVIOUR, old="n must be even", detail="run"
    )
    assert told([removed_fact], lang="zh") == ["`run` 中不再报错 `ACME_CHECK`：`n must be even`。"]
    again = fact(
        "error-added", "ACME_CHECK", Severity.BEHAVIOUR, new="n must be even", detail="walk"
    )
    assert stated_facts([removed_fact, again]) == []


def test_nothing_is_told_twice_and_nothing_that_says_only_that_it_is_another() -> None:
    facts = [
        fact("flag-added", "--enable-overlap", Severity.ADDITIVE, new="Args.enable_overlap"),
        fact(
            "field-added",
            "Args.enable_overlap",
            Severity.ADDITIVE,
            new="enable_overlap = None",
            detail="Args",
        ),
        fact("symbol-removed", "Kind", detail="enum"),
        fact("symbol-removed", "Kind", detail="export"),
        fact("constant-changed", "TABLE", Severity.BEHAVIOUR, old="x" * 200, new="y" * 200),
    ]
    assert [fact_sentence(some_fact, "en") for some_fact in stated_facts(facts)] == [
        "New flag `--enable-overlap`.",
        "The enumeration `Kind` is removed.",
    ]


def test_each_hook_is_told_with_the_class_that_it_belongs_to() -> None:
    hooks = [fact("hook-added", f"net.Engine.{name}") for name in ("start", "finish")]
    assert told(hooks) == [
        "Subclasses of `net.Engine` must implement `start`.",
        "Subclasses of `net.Engine` must implement `finish`.",
    ]


@pytest.mark.parametrize(
    ("days", "text"),
    [("0", "within a day before."), ("1", " a day before."), ("2", " 2 days before.")],
)
def test_lines_of_yesterday_were_not_brought_within_a_day(days: str, text: str) -> None:
    told = sentence("changes lines", {"days": days}, "en")
    assert told.startswith("Changes lines that [@2] brought")
    assert told.endswith(text)
    assert ("within" in told) is (days == "0")
