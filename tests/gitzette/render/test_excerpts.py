"""Excerpts: the lines that a sentence rests on, as they stand in their file."""

from agent.domain.claims import Anchor, Claim
from agent.domain.evidence_id import EvidenceId
from gitzette.render.excerpts import excerpts_of

COMMIT = EvidenceId("acme/engine@" + "a" * 40)


def test_lines_that_stand_apart_in_a_file_are_not_shown_as_if_they_followed_each_other() -> None:
    check = Anchor(cite=COMMIT, text="+    if ring.closed:\n+        raise Stop", file="ring.py")
    limit = Anchor(cite=COMMIT, text="+LIMIT = 3", file="ring.py")
    claim = Claim(
        id="m1",
        repo=COMMIT.repo,
        role="effect",
        predicate="says",
        about=(COMMIT,),
        cites=(COMMIT,),
        text={"en": "`LIMIT` is `3`."},
        anchors=(check, limit),
    )
    (excerpt,) = excerpts_of(COMMIT, claim, "`LIMIT` is `3`.")
    lines = [line.text for line in excerpt.lines]
    assert lines == ["+    if ring.closed:", "+        raise Stop", "…", "+LIMIT = 3"]
