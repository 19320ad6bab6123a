"""The set of mutants: its data, how claims are spoilt, and how the gate's verdicts are summed up."""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from agent.claims import Judgement, Verdict
from evals.harness import Bench
from evals.sets.mutants import figures_of, mirror_cases
from evals.sets.mutants_case import Case, Judged, Operator, split_of
from evals.sets.mutants_cites import one_digit_off, one_word_changed
from evals.sets.mutants_gathering import world_stock
from evals.sets.mutants_prose import DATA, Statement, Wrong, prose_cases, statements
from evals.sets.mutants_stock import Stock
from evals.sets.mutants_templates import template_cases
from evals.sets.mutants_threads import thread_cases
from evals.worlds.worlds import build


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    return asyncio.run(world_stock(build("demo", 1, tmp_path_factory.mktemp("demo")), "demo", (), 8))


def statement(stock: Stock, text: str, *wrong: Wrong) -> Statement:
    """Write a statement about the first commit that has a parent and somebody else's commit beside it."""
    commit = next(one for one in stock.commits.values() if stock.parent(one) and stock.stranger(one) and one.facts)
    told = {"id": "s", "split": "dev", "lang": "en", "repo": commit.repo, "sha": commit.change.commit.sha}
    return Statement.model_validate({**told, "also": (), "text": text, "mutants": wrong})


def operators(cases: list[Case]) -> set[Operator | None]:
    return {case.operator for case in cases}


# ---------------------------------------------------------------- data


def test_the_manifest_counts_what_the_files_hold() -> None:
    manifest = json.loads((DATA / "mutants_manifest.json").read_text(encoding="utf-8"))
    for name, count in (("world", 110), ("real", 110), ("fresh", 100)):
        rows, told = statements(name), manifest["files"][f"mutants_{name}.jsonl"]
        assert told["statements"] == len(rows) == count
        assert told["splits"] == Counter(row.split for row in rows)
        assert told["languages"] == Counter(row.lang for row in rows) == {"en": count // 2, "zh": count // 2}
        assert told["mutants"] == Counter(wrong.operator.value for row in rows for wrong in row.mutants)


def test_every_statement_is_set_apart_by_its_name_and_differs_from_its_mutants() -> None:
    rows = [*statements("world"), *statements("real"), *statements("fresh")]
    assert len({row.id for row in rows}) == len(rows)
    for row in rows:
        assert row.split == split_of(row.id)
        assert row.text not in {wrong.text for wrong in row.mutants}
        assert all(bool(wrong.reverted_by) is (wrong.operator is Operator.REVERTED) for wrong in row.mutants)


# ---------------------------------------------------------------- spoiling


def test_one_digit_and_one_word_are_changed_and_nothing_else() -> None:
    cite = f"a/b@{'0123456789' * 4}"
    assert sum(one != other for one, other in zip(cite, one_digit_off(cite), strict=True)) == 1
    words, changed = "return pick(limit) or None", one_word_changed("return pick(limit) or None")
    assert sum(one != other for one, other in zip(words.split(), changed.split(), strict=True)) == 1


@pytest.mark.parametrize(
    ("text", "operator", "wrong"),
    [
        ("It takes 30 ms now.", Operator.NUMBER, "It takes 31 ms now."),
        ("It takes 30 ms now.", Operator.NUMBER, "It takes 30 s now."),
        ("The share is 0.25 of a step.", Operator.NUMBER, "The share is 0.26 of a step."),
        ("The pin moves from 1.2.0 to 1.3.0.", Operator.NEGATION, "The pin moves from 1.3.0 to 1.2.0."),
        ("It adds `pack_rope`.", Operator.NEGATION, "It removes `pack_rope`."),
        ("It adds `pack_rope`.", Operator.INVENTED, "It adds `packrope`."),
        ("The page says “graphs need more memory”.", Operator.QUOTE_WORD, "The page says “graxhs need more memory”."),
        ("It was due on 2026-02-28.", Operator.DATE, "It was due on 2026-03-01."),
    ],
)
def test_what_stands_in_a_sentence_is_changed(stock: Stock, text: str, operator: Operator, wrong: str) -> None:
    made = [one for one in prose_cases([statement(stock, text)], stock) if one.operator is operator]
    assert wrong in {one.text for one in made}


def test_what_is_said_not_to_have_happened_is_not_turned_around(stock: Stock) -> None:
    row = statement(stock, "It has not added a flag.")
    assert Operator.NEGATION not in operators(list(prose_cases([row], stock)))


def test_a_statement_is_judged_on_its_day_and_its_reverted_mutant_by_what_is_known_today(stock: Stock) -> None:
    undoing = next(iter(stock.commits.values())).change.commit.sha
    row = statement(stock, "It is there.", Wrong(operator=Operator.REVERTED, text="It is there.", reverted_by=undoing))
    clean, mutant = list(prose_cases([row], stock))[:2]
    assert f"{row.repo}@{row.sha}" not in clean.dossier.reverted
    assert mutant.dossier.reverted[f"{row.repo}@{row.sha}"] == f"{row.repo}@{undoing}"
    assert mutant.dossier.as_of == stock.now


def test_templates_are_spoilt_in_every_certain_way_and_each_mutant_has_a_clean_twin(stock: Stock) -> None:
    made = [*template_cases(list(stock.commits.values()), stock), *thread_cases(stock)]
    assert {one for one in Operator if one.kind == "deterministic"} <= operators(made)
    assert len({one.id for one in made}) == len(made)
    clean = {one.id: one for one in made if one.operator is None}
    for mutant in (one for one in made if one.operator is not None):
        twin = clean[mutant.twin]
        assert (mutant.claim, mutant.dossier) != (twin.claim, twin.dossier)
        assert mutant.split == twin.split


def test_a_citation_that_is_wrong_missing_or_unread_never_passes(stock: Stock) -> None:
    certain = (Operator.SHA, Operator.MISSING, Operator.UNSEEN, Operator.OTHER_REPO)
    made = template_cases(list(stock.commits.values()), stock)
    assert not [one.line for case in made if case.operator in certain and (one := case.judged()).supported]


# ---------------------------------------------------------------- figures


def judged(stock: Stock, operator: Operator | None, verdict: Verdict, *, name: str = "s", split: str = "dev") -> Judged:
    clean = next(iter(prose_cases([statement(stock, "It is so.")], stock)))
    changed = {"id": name, "operator": operator, "twin": "s" if operator else "", "split": split}
    return Judged(Case(**{**vars(clean), **changed}), Judgement(verdict=verdict))


def test_a_mutant_is_killed_unless_it_is_supported_and_strictly_only_beside_a_twin_that_passes(stock: Stock) -> None:
    rows = [
        judged(stock, None, Verdict.SUPPORTED),
        judged(stock, Operator.SHA, Verdict.NONEXISTENT, name="a"),
        judged(stock, Operator.SHA, Verdict.SUPPORTED, name="b"),
        judged(stock, Operator.CAUSAL, Verdict.UNDECIDED, name="c"),
    ]
    figures = figures_of("world", rows, lambda _: None)
    assert figures[f"world: killed, {Operator.SHA}"].value == 0.5
    assert figures[f"world: killed of passing twins, {Operator.CAUSAL}"].n == 1
    assert figures["world, all: undecided, mutants"].value == pytest.approx(1 / 3)
    without = figures_of("world", [judged(stock, None, Verdict.UNDECIDED), *rows[1:]], lambda _: None)
    assert without[f"world: killed of passing twins, {Operator.CAUSAL}"].n == 0


def test_a_right_claim_called_wrong_is_a_false_alarm_and_one_undecided_is_not(stock: Stock) -> None:
    rows = [
        judged(stock, None, Verdict.UNDECIDED),
        judged(stock, None, Verdict.NUMBER, name="x", split="test"),
    ]
    figures = figures_of("mirrors", rows, lambda _: None)
    assert figures["mirrors, all: false alarms, free"].value == 0.5
    assert figures["mirrors, all: undecided, clean free"].value == 0.5
    assert figures["mirrors, dev: false alarms, free"].ok
    assert figures["mirrors, all: false alarms, free"].worst == ("x (test)",)


async def test_statements_about_repositories_that_were_not_given_are_skipped_loudly(tmp_path: Path) -> None:
    said: list[str] = []
    bench = Bench(folder=tmp_path, mirrors=(), span=None, system=None, say=said.append)  # type: ignore[arg-type]
    assert await mirror_cases(bench) == []
    assert any("93 statements about sgl-project/sglang skipped" in line for line in said)
