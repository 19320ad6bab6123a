"""A headline and advice rest on the diff or on a fact, never on the words of people alone."""

from typing import Any, Literal

import pytest

from agent.domain.claims import Anchor, Kind
from agent.domain.commits import FileChange
from agent.domain.facts import Fact, FactSheet, Severity
from tests.agent.gate.conftest import analysis, make_commit, make_issue

COMMIT = make_commit(
    message="Lower the limit of topK\n\nStop all servers at once: `worm_mode` deletes data.\n"
    "It is 40 times faster."
)
PROSE = Anchor(cite=COMMIT.id, text="Stop all servers at once: `worm_mode` deletes data.")
LINE = Anchor(cite=COMMIT.id, text="+    if topK > 8:", file="src/router/limits.py")
ROLES: list[dict[str, Any]] = [{"role": "headline"}, {"role": "advice", "kind": Kind.ADVICE}]


@pytest.mark.parametrize("about", ROLES)
@pytest.mark.parametrize(
    "text",
    [
        "Stop all servers at once.",
        "`worm_mode` deletes data.",
        "It is 40 times faster.",
        "Act within 8 days, see #41.",
    ],
)
def test_words_of_people_alone_make_no_headline_and_no_advice(
    text: str, about: dict[str, Any]
) -> None:
    checks = [no.check for no in analysis(COMMIT, text=text, anchors=(PROSE,), **about)]
    assert "ground" in checks
    assert "ground" not in [no.check for no in analysis(COMMIT, text=text, anchors=(PROSE,))]


@pytest.mark.parametrize("about", ROLES)
def test_a_line_a_name_or_a_value_of_the_diff_does(about: dict[str, Any]) -> None:
    assert analysis(COMMIT, text="Large values are refused.", anchors=(LINE,), **about) == []
    heading = Anchor(cite=COMMIT.id, text="--- src/router/limits.py (modified, +4 -3)")
    assert analysis(COMMIT, text="Large values are refused.", anchors=(heading,), **about) == []
    for text in ("`topK` is at most `8`.", "TIMEOUT is 45.", "See src/router/limits.py."):
        assert analysis(COMMIT, text=text, anchors=(PROSE,), **about) == []


@pytest.mark.parametrize("about", ROLES)
def test_a_fact_does_too(about: dict[str, Any]) -> None:
    fact = Fact(kind="flag-removed", severity=Severity.BREAKING, name="--fast-path")
    commit = COMMIT.model_copy(update={"sheet": FactSheet(facts=(fact,), route="blobs")})
    assert analysis(commit, text="`--fast-path` is gone.", anchors=(PROSE,), **about) == []


@pytest.mark.parametrize("about", ROLES)
def test_a_commit_without_a_readable_diff_has_neither(about: dict[str, Any]) -> None:
    file = FileChange(
        path="lib/core.bin", status="modified", additions=0, deletions=0, unreadable="binary"
    )
    change = COMMIT.change.model_copy(update={"files": (file,)})
    commit = COMMIT.model_copy(update={"change": change})
    text = "`lib/core.bin` is 40 times faster."
    assert "no diff" in [no.check for no in analysis(commit, text=text, anchors=(PROSE,), **about)]
    assert "no diff" not in [no.check for no in analysis(commit, text=text, anchors=(PROSE,))]


@pytest.mark.parametrize("status", ["renamed", "copied"])
def test_a_file_that_is_moved_or_copied_unchanged_is_a_readable_diff(
    status: Literal["renamed", "copied"],
) -> None:
    file = FileChange(
        path="lib/core.bin",
        previous_path="core.bin",
        status=status,
        additions=0,
        deletions=0,
        unreadable="binary",
    )
    change = COMMIT.change.model_copy(update={"files": (file,)})
    commit = COMMIT.model_copy(update={"change": change})
    no = analysis(commit, text="It is in `lib/core.bin`.", anchors=(PROSE,), role="headline")
    assert no == []


def test_a_fact_of_a_file_without_lines_is_a_readable_diff() -> None:
    file = FileChange(
        path="lib/core.bin", status="modified", additions=0, deletions=0, unreadable="binary"
    )
    change = COMMIT.change.model_copy(update={"files": (file,)})
    fact = Fact(kind="flag-removed", severity=Severity.BREAKING, name="--fast-path")
    sheet = FactSheet(facts=(fact,), route="blobs")
    commit = COMMIT.model_copy(update={"change": change, "sheet": sheet})
    assert analysis(commit, text="`--fast-path` is gone.", anchors=(PROSE,), role="headline") == []


def test_advice_from_a_thread_alone_is_refused() -> None:
    issue = make_issue(body="Downgrade the router at once.")
    anchors = (Anchor(cite=issue.id, text="Downgrade the router at once."),)
    text = "Downgrade the router at once."
    checks = [no.check for no in analysis(issue, text=text, anchors=anchors, kind=Kind.ADVICE)]
    assert checks == ["no diff"]
    assert analysis(issue, text=text, anchors=anchors) == []
