"""Every sentence of analysis has an anchor that stands in the evidence it cites as it is shown."""

from typing import Any

import pytest

from agent.domain.claims import Anchor, Judgement, Kind
from agent.domain.evidence import Material, Read
from agent.domain.facts import Fact, FactSheet, Severity
from agent.domain.ledger import Triage
from agent.domain.threads import Comment
from agent.packets.commit_packet import commit_packet
from tests.agent.gate.conftest import DAY, NOON, REPO, analysis, make_commit, make_issue

COMMIT = make_commit()


def anchored(
    anchor: str, text: str = "It is smaller.", file: str | None = None, **about: Any
) -> list[Judgement]:
    """List what is wrong with a sentence about a commit that rests on these words."""
    return analysis(
        COMMIT, text=text, anchors=(Anchor(cite=COMMIT.id, text=anchor, file=file),), **about
    )


@pytest.mark.parametrize(
    "anchor",
    [
        "Lower the limit of topK (#41)",
        "Lower the limit of topK",
        "The buffer holds 8 entries",
        "The buffer holds 8 entries; p50 drops from 12 ms to 7.4 ms.",
    ],
)
def test_a_whole_sentence_of_the_message_proves_something(anchor: str) -> None:
    assert anchored(anchor) == []


def test_part_of_a_line_is_an_anchor_unless_it_is_too_short_to_show_anything() -> None:
    assert anchored("the limit of") == []
    assert anchored("return pick(limit)", text="Nothing else changes in `route`.") == []
    assert "too short" in anchored("limit")[0].reason
    assert "too short" in anchored("+    if")[0].reason
    assert anchored("buffer") == []
    # Two words with a slash are no name.
    commit = make_commit(message="Fuse q/k of the router")
    anchors = (Anchor(cite=commit.id, text="q/k"),)
    assert "too short" in analysis(commit, text="It is about q/k.", anchors=anchors)[0].reason
    # A name of the sentence says enough.
    assert anchored("topK", text="The limit of `topK` falls.") == []


def test_three_chinese_characters_are_an_anchor_and_two_are_not() -> None:
    commit = make_commit(message="修复缓冲区溢出")
    for words, checks in (("缓冲区", []), ("溢出", ["anchor"])):
        anchors = (Anchor(cite=commit.id, text=words),)
        found = [no.check for no in analysis(commit, text="It is smaller.", anchors=anchors)]
        assert found == checks


COMMENTED = """@@ -1,4 +1,12 @@ class Router(Base):
+    # Larger values overflow
+    # the shared buffer.
+    limit = 8
+    \"\"\"Pick a route.
+
+    Falls back to the slow path
+    when all routes are full.
+    \"\"\"
-    /* Never more than
-     * 22 of them. */
     retries = 3
@@ -40,2 +41,2 @@
-    TIMEOUT = 30
+    TIMEOUT = 45"""
FACT = Fact(kind="constant-changed", severity=Severity.BREAKING, name="TIMEOUT", old="30", new="45")


SHOWN = make_commit(patch=COMMENTED).model_copy(
    update={"sheet": FactSheet(facts=(FACT,), route="hunks")}
)


def on_shown(anchor: str) -> list[Judgement]:
    """List what is wrong with a sentence that rests on these words of the commented commit."""
    return analysis(SHOWN, text="It is smaller.", anchors=(Anchor(cite=SHOWN.id, text=anchor),))


@pytest.mark.parametrize(
    "anchor",
    [
        "--- src/router/limits.py (modified, +4 -3)",
        "@@ -1,4 +1,12 @@ class Router(Base):",
        "class Router(Base):",
        "--- src/router/limits.py (modified, +4 -3)\n@@ -1,4 +1,12 @@ class Router(Base):\n"
        "+    # Larger values overflow",
        "[c] commit by Mira König, landed 2026-02-04, 1 files, +4 -3",
        "1 files, +4 -3\nLower the limit of topK (#41)",
        "- breaks: `TIMEOUT` changes from `30` to `45`.",
        "retries = 3",
    ],
)
def test_everything_that_a_writer_is_shown_is_an_anchor(anchor: str) -> None:
    triage = Triage(sha=SHOWN.change.commit.sha, score=1.0, reasons=(), purpose=None)
    read = Read(evidence=SHOWN, triage=triage, depth="deep")
    assert anchor in commit_packet(read, Material(repo=REPO, window=DAY, reads=[read]))
    assert on_shown(anchor) == []
    assert [no.check for no in on_shown(f"{anchor} never")] == ["anchor"]


@pytest.mark.parametrize(
    "anchor",
    [
        "Larger values overflow the shared buffer.",
        "Falls back to the slow path when all routes are full.",
        "Never more than 22 of them.",
    ],
)
def test_a_sentence_of_a_comment_or_docstring_is_an_anchor_without_its_signs(anchor: str) -> None:
    assert on_shown(anchor) == []
    assert [no.check for no in on_shown(anchor.replace(" ", " not ", 1))] == ["anchor"]


def test_a_heading_and_a_comment_of_a_thread_are_anchors_and_so_is_a_note_of_code() -> None:
    comment = Comment(author="kim", body="It needs `--slow`.", created_at=NOON)
    issue = make_issue().model_copy(update={"comments": (comment,)})
    note = {issue.id: "The first tag that contains it is v1.2."}
    for words in (
        "[#12] issue #12 of octo/router, opened 2026-02-03 by jdoe, closed: Overflow for large",
        "kim: It needs `--slow`.",
        "The first tag that contains it is v1.2.",
    ):
        anchors = (Anchor(cite=issue.id, text=words),)
        assert (
            analysis(issue, text="It fails.", anchors=anchors, evidence_set={"notes": note}) == []
        )
    text = "The first release with it is v1.2."
    anchors = (Anchor(cite=issue.id, text="The first tag that contains it is v1.2."),)
    assert analysis(issue, text=text, anchors=anchors, evidence_set={"notes": note}) == []
    assert [no.check for no in analysis(issue, text=text, anchors=anchors)] == ["version", "anchor"]


@pytest.mark.parametrize(
    ("anchor", "file"),
    [
        ("+    if topK > 8:", None),
        ("if topK > 8:", "src/router/limits.py"),
        ("-    if topK > 22:\n-        raise ValueError(“topK must be at most 22”)", "limits.py"),
        ("TIMEOUT = 30\n    TIMEOUT = 45", None),
    ],
)
def test_changed_lines_stand_with_or_without_their_signs(anchor: str, file: str | None) -> None:
    assert anchored(anchor, text="`topK` and `TIMEOUT` change.", file=file) == []


@pytest.mark.parametrize(
    ("anchor", "file"),
    [
        ("if topK > 9:", None),
        ("The buffer holds 9 entries", None),
        ("if topK > 22: … TIMEOUT = 30", None),
        ("if topK > 8:", "src/router/other.py"),
        ("", None),
    ],
)
def test_an_anchor_that_is_not_verbatim_is_refused(anchor: str, file: str | None) -> None:
    assert [(objection.verdict, objection.check) for objection in anchored(anchor, file=file)] == [
        ("quote", "anchor")
    ]


def test_one_good_anchor_does_not_cover_for_a_false_one() -> None:
    anchors = tuple(
        Anchor(cite=COMMIT.id, text=text) for text in ("The buffer holds 8 entries", "It holds 9")
    )
    (objection,) = analysis(COMMIT, text="It is smaller.", anchors=anchors)
    assert objection.literal == "It holds 9"


def test_a_sentence_without_an_anchor_or_with_one_of_other_evidence_is_refused() -> None:
    assert "no anchor" in analysis(COMMIT, text="It is smaller.", anchors=())[0].reason
    other = Anchor(cite=make_issue().id, text="Overflow for large topK")
    assert "not cited" in analysis(COMMIT, text="It is smaller.", anchors=(other,))[0].reason


def test_sentences_of_a_thread_count_without_bullets_and_a_label_is_none() -> None:
    issue = make_issue(
        body="Steps:\n\n- The router\n  crashes early\n- Then it hangs.", labels=("crash",)
    )
    for words in ("The router crashes early", "Then it hangs."):
        assert analysis(issue, text="It fails.", anchors=(Anchor(cite=issue.id, text=words),)) == []
    assert analysis(issue, text="It fails.", anchors=(Anchor(cite=issue.id, text="crash"),)) != []


def test_facts_and_quotations_need_no_anchor_and_free_words_do() -> None:
    assert (
        analysis(COMMIT, text="`nowhere` is 99.", kind=Kind.FACT, predicate="fact", anchors=())
        == []
    )
    assert analysis(COMMIT, text="`nowhere` is 99.", kind=Kind.FACT, anchors=()) != []


def test_the_old_value_was_removed_and_the_new_one_added() -> None:
    title = "Lower the limit of topK"
    assert anchored(title, old="22", new="8") == []
    assert anchored(title, old="`TIMEOUT = 30`", new="TIMEOUT = 45") == []
    assert [objection.check for objection in anchored(title, old="8", new="22")] == ["old", "new"]
    assert [objection.check for objection in anchored(title, old="retries = 3")] == ["old"]


def test_the_paths_of_a_moved_file_are_an_old_and_a_new_value() -> None:
    file = COMMIT.change.files[0].model_copy(
        update={"status": "renamed", "previous_path": "src/limits.py"}
    )
    change = COMMIT.change.model_copy(update={"files": (file,)})
    moved = COMMIT.model_copy(update={"change": change})
    assert analysis(moved, text="It moves.", old="src/limits.py", new=file.path) == []
    checks = [no.check for no in analysis(moved, text="It moves.", old=file.path, new="limits.py")]
    assert "old" in checks
    assert analysis(COMMIT, text="It moves.", new=file.path)[0].check == "new"


def test_several_lines_of_a_note_are_one_anchor_with_the_handles_between_them() -> None:
    lines = "[c] is in no release so far\n[p1] the first release with it is v1.2"
    note = {COMMIT.id: f"Uses of `topK`:\n{lines}\n"}
    anchors = (Anchor(cite=COMMIT.id, text=lines),)
    assert analysis(COMMIT, text="It fails.", anchors=anchors, evidence_set={"notes": note}) == []
