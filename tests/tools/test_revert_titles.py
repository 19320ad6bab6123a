"""Everything that reads titles of reverts agrees on which they are and what they name."""

import re
from datetime import UTC, datetime

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Commit, Person
from agent.domain.revert_messages import TITLE_WORDS, read_lineage, reverts_in
from agent.triage.title_conventions import read_heading
from tests.revert_titles import CASES, TITLE, Case
from tools.diff.commits_behind_facts import undone_pairs
from tools.diff.reverts_by_patch import lineage_facts
from tools.git.releases_with_commits import targets_of_revert
from tools.history.undone_earlier_commits import lineage_in_message

REPO = RepoId("acme/engine")
ADA = Person(name="Ada", email="ada@acme.dev")
DAY = datetime(2026, 3, 5, tzinfo=UTC)
OLD = "0123456789abcdef0123456789abcdef01234567"

every_title = pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)


def commit(sha: str, message: str) -> Commit:
    return Commit(
        repo=REPO,
        sha=sha,
        parents=("0" * 40,),
        author=ADA,
        authored_at=DAY,
        committer=ADA,
        committed_at=DAY,
        message=message,
    )


@every_title
def test_a_title_says_what_it_takes_back_or_brings_back(case: Case) -> None:
    assert reverts_in(case.title) == case.reverts
    facts = lineage_facts(case.title, None)
    assert [(fact.kind, fact.name) for fact in facts[:1]] == (
        [(case.does, case.names)] if case.does else []
    )


@every_title
def test_a_title_of_a_revert_is_found_on_the_branch_and_read_as_one(case: Case) -> None:
    if case.does or case.reverts:
        assert re.search(TITLE_WORDS, case.title, re.IGNORECASE)
    assert ("revert" in read_heading(case.title).purposes) == (case.reverts > 0)


@every_title
def test_stories_know_what_is_meant_and_what_is_only_a_part(case: Case) -> None:
    references = lineage_in_message(case.title, REPO)
    assert bool(references) == bool(case.does)
    for reference in references:
        assert reference.again == case.does.endswith("reland")
        assert reference.part == case.does.startswith("partial")


@every_title
def test_only_what_is_taken_back_as_a_whole_is_missing_from_a_release(case: Case) -> None:
    is_whole = case.does in ("revert", "reland") and not case.names.startswith("acme")
    targets = list(targets_of_revert(case.title))
    assert bool(targets) == is_whole
    assert {target.again for target in targets} <= {case.does == "reland"}


@every_title
def test_only_what_is_taken_back_as_a_whole_came_and_went_in_a_range(case: Case) -> None:
    landed = commit("a" * 40, f"{TITLE} (#41)")
    titled = {TITLE, "#41"}
    pairs = undone_pairs([commit("b" * 40, case.title), landed], {})
    expected = case.does == "revert" and case.names in titled
    assert [pair.sha for pair in pairs] == ([landed.sha] if expected else [])


def test_a_revert_that_is_reverted_did_not_come_and_go() -> None:
    revert = commit("b" * 40, f'Revert "{TITLE}"')
    again = commit("c" * 40, f'Revert "Revert "{TITLE}""')
    assert undone_pairs([again, revert, commit("a" * 40, TITLE)], {}) == []


def test_the_lines_of_git_and_of_the_button_name_what_is_taken_back() -> None:
    trailers = {
        f"This reverts commit {OLD}.": ("revert", OLD),
        "Reverts acme/engine#41": ("revert", "acme/engine#41"),
        "Reverts #41": ("revert", "#41"),
    }
    for trailer, expected in trailers.items():
        message = f"Go back to the old order\n\n{trailer}"
        assert reverts_in(message) == 1
        assert [(fact.kind, fact.name) for fact in lineage_facts(message, None)] == [expected]


def test_a_partial_revert_with_the_line_of_git_is_still_the_revert_of_a_part() -> None:
    for title in (f'Partially revert "{TITLE}"', "Partially revert the new order"):
        message = f"{title}\n\nThis reverts commit {OLD}."
        (fact,) = lineage_facts(message, None)
        assert (fact.kind, fact.old) == ("partial-revert", OLD)
        assert list(targets_of_revert(message)) == []
        landed = commit(OLD, TITLE)
        assert undone_pairs([commit("b" * 40, message), landed], {}) == []


def test_a_title_that_takes_several_changes_back_names_all_of_them() -> None:
    message = "[release] revert: #41, #42 and #43 (two ways of ordering) (#57)\n\nRevert #41."
    assert [entry.number for entry in read_lineage(message)] == [41, 42, 43]
    landed = [commit(letter * 40, f"Change {letter} (#4{letter})") for letter in "321"]
    pairs = undone_pairs([commit("b" * 40, message), *landed], {})
    assert [pair.sha for pair in pairs] == ["1" * 40, "2" * 40, "3" * 40]


def test_a_merge_of_a_revert_undoes_the_merge_of_what_it_reverts() -> None:
    landed = commit("a" * 40, f"Merge pull request #41 from ada/order\n\n{TITLE}")
    message = f'Merge pull request #57 from ada/revert-41-order\n\nRevert "{TITLE}"'
    merges = []
    for merge in (commit("b" * 40, message), landed):
        merges.append(merge.model_copy(update={"parents": ("0" * 40, "1" * 40)}))
    (pair,) = undone_pairs(merges, {})
    assert pair.sha == "a" * 40


def test_what_a_squashed_branch_undid_of_its_own_is_no_revert() -> None:
    message = f"Order requests\n\n* Try\n\n* Go back\n\nThis reverts commit {OLD}."
    assert (reverts_in(message), read_lineage(message)) == (0, [])
