"""What a claim cites must be well named, be there, belong here, and have been read."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from agent.claims import Quote, Verdict
from agent.evidence import CommitEvidence, ThreadEvidence, Unresolved
from agent.gate.references import references

Make = Callable[..., Any]


@pytest.fixture
def wrong(fault: Make) -> Make:
    """Check the references of a claim; a few words are there if none are given."""
    return lambda *evidence, **about: fault(references, *evidence, **{"text": "It is so.", **about})


@pytest.mark.parametrize(
    "text",
    [
        "Lowers the limit [@1].",
        "Lowers `topK` from 22 to 8, as decided in version 0.6.3.",
        "The decade of facade code was effaced.",
        "Uses `@property` and `x[i2]`, 1000000 tokens at most.",
        "降低 `topK` 的上限 [@1]。",
        "Handles C# and #include lines.",
    ],
)
def test_ordinary_words_are_well_formed(wrong: Make, make_commit: Make, text: str) -> None:
    assert wrong(make_commit(), text=text) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Lowers it in a1b2c3d.", "a1b2c3d"),
        ("Lowers it in `a1b2c3d`.", "a1b2c3d"),
        (f"Lowers it, see {'a' * 40}.", "a" * 40),
        ("Lowers it, see aaaaaaaa.", "aaaaaaaa"),
        ("Fixes #12.", "#12"),
        ("修复了#12。", "#12"),
        ("Fixes GH-12.", "GH-12"),
        ("Fixes octo/router#12.", "#12"),
        ("See https://example.com/x for more.", "https://example.com/x"),
        ("See www.example.com for more.", "www.example.com"),
        ("见github.com/octo/router。", "github.com"),
        ("Thanks to @jdoe for it.", "@jdoe"),
        ("感谢@jdoe。", "@jdoe"),
        ("Lowers it [@2].", "[@2]"),
        ("Lowers it [@0].", "[@0]"),
        ("Lowers it [@x].", "[@x]"),
        ("Lowers it [@1", "[@1"),
        ("Lowers it [c9].", "[c9]"),
        ("Lowers\u202e it.", "invisible"),
        ("", "no words"),
        ("   ", "no words"),
        ("word " * 500, "2499 signs"),
    ],
)
def test_names_that_only_code_may_print_are_malformed(wrong: Make, make_commit: Make, text: str, told: str) -> None:
    found = wrong(make_commit(), text={"en": text})
    assert found.verdict is Verdict.MALFORMED
    assert told in found.reason


def test_a_claim_that_cites_nothing_is_malformed(wrong: Make) -> None:
    assert "nothing is cited" in wrong().reason


@pytest.mark.parametrize("cite", ["c1", "octo/router", "octo/router@" + "a" * 39, "octo/router#0", "octo/router@A" * 2])
def test_a_citation_that_is_no_name_of_evidence_is_malformed(wrong: Make, cite: str) -> None:
    found = wrong(cite)
    assert found.verdict is Verdict.MALFORMED
    assert cite in found.reason


def test_speaking_of_or_quoting_what_is_not_cited_is_malformed(wrong: Make, make_commit: Make) -> None:
    assert "not cited" in wrong(make_commit(), about=("octo/router#9",)).reason
    assert "not cited" in wrong(make_commit(), quotes=(Quote(cite="octo/router#9", text="x"),)).reason


def test_a_structured_statement_without_its_value_is_malformed(wrong: Make, make_commit: Make) -> None:
    assert "'title'" in wrong(make_commit(), predicate="titled", text={}).reason
    assert "files or additions" in wrong(make_commit(), predicate="counts", text={}).reason
    assert "quotation" in wrong(make_commit(), predicate="shows", text={}).reason


def test_a_commit_that_is_not_there_does_not_exist(wrong: Make) -> None:
    found = wrong("octo/router@" + "b" * 40)
    assert (found.verdict, found.check) == (Verdict.NONEXISTENT, "missing")


def test_the_reason_of_a_failed_lookup_is_told_even_for_damaged_names(wrong: Make) -> None:
    name = "a" * 39
    unresolved = {name: Unresolved(kind="missing", reason="39 digits, and no commit begins with them")}
    found = wrong(name, dossier={"unresolved": unresolved})
    assert (found.verdict, found.reason) == (Verdict.NONEXISTENT, "39 digits, and no commit begins with them")


def test_an_ambiguous_hash_names_no_commit(wrong: Make) -> None:
    unresolved = {"abcdef1": Unresolved(kind="ambiguous", reason="abcdef1 fits 2 commits")}
    found = wrong("abcdef1", dossier={"unresolved": unresolved})
    assert (found.verdict, found.check) == (Verdict.NONEXISTENT, "ambiguous")


def test_what_no_source_could_tell_is_undecided(wrong: Make) -> None:
    unresolved = {"octo/router#5": Unresolved(kind="unread", reason="threads were not read")}
    found = wrong("octo/router#5", dossier={"unresolved": unresolved})
    assert (found.verdict, found.check) == (Verdict.UNDECIDED, "unread")


def test_a_missing_citation_weighs_more_than_an_unread_one_in_front_of_it(wrong: Make) -> None:
    unresolved = {"octo/router#5": Unresolved(kind="unread", reason="threads were not read")}
    found = wrong("octo/router#5", "octo/router#6", dossier={"unresolved": unresolved})
    assert found.verdict is Verdict.NONEXISTENT


def test_a_commit_of_another_repository_is_out_of_scope(wrong: Make, make_commit: Make) -> None:
    other = make_commit(repo="octo/kernels")
    assert "belongs to octo/kernels" in wrong(other).reason
    assert wrong(other, repo=None) is None
    assert "does not speak" in wrong(other, repo=None, dossier={"repos": frozenset({"octo/router"})}).reason
    assert wrong(make_commit(repo="Octo/Router")) is None


def test_a_commit_that_never_landed_is_out_of_scope(wrong: Make, make_commit: Make) -> None:
    assert "default branch" in wrong(make_commit(landed=False)).reason
    assert wrong(make_commit(landed=True)) is None


def test_the_window_is_half_open(wrong: Make, make_commit: Make) -> None:
    first, last = datetime(2026, 2, 4, tzinfo=UTC), datetime(2026, 2, 5, tzinfo=UTC)
    assert wrong(make_commit(at=first)) is None
    assert "after the window 2026-02-04" in wrong(make_commit(at=last)).reason
    assert wrong(make_commit(at=last), dossier={"window": None}) is None


def test_an_earlier_commit_may_be_background_or_late_but_not_new(wrong: Make, make_commit: Make) -> None:
    old: CommitEvidence = make_commit(at=datetime(2026, 1, 30, tzinfo=UTC))
    new: CommitEvidence = make_commit("b" * 40)
    assert "told as new" in wrong(old).reason
    assert wrong(old, dossier={"late": frozenset({old.id})}) is None
    assert wrong(new, old, cites=(new.id,), background=(old.id,)) is None
    later = make_commit(at=datetime(2026, 2, 6, tzinfo=UTC))
    assert "after the window" in wrong(new, later, cites=(new.id,), background=(later.id,)).reason


def test_an_old_issue_is_news_only_together_with_a_new_change(wrong: Make, make_commit: Make, make_issue: Make) -> None:
    was = datetime(2026, 1, 3, tzinfo=UTC)
    old: ThreadEvidence = make_issue(created_at=was, updated_at=was, closed_at=None, state="open")
    assert "told as new" in wrong(old).reason
    assert wrong(make_commit(), old) is None


def test_nothing_after_the_reading_may_be_told(wrong: Make, make_commit: Make) -> None:
    assert (
        "after the sources were read"
        in wrong(make_commit(), dossier={"as_of": datetime(2026, 2, 4, 11, tzinfo=UTC)}).reason
    )


def test_what_was_not_read_in_this_run_is_unseen(wrong: Make, make_commit: Make) -> None:
    commit = make_commit()
    assert wrong(commit, dossier={"seen": frozenset()}).verdict is Verdict.UNSEEN
    assert wrong(commit, dossier={"seen": frozenset({commit.id})}) is None
