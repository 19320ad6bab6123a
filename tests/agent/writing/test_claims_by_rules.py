"""What the rules show of a commit: the lines that prove what is told first."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.commits import FileChange
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, FactKind, FactLocation, FactSheet, Severity
from agent.domain.ledger import Depth, Tier, Triage
from agent.domain.links import Grade, Link, Relation
from agent.domain.window import Window
from agent.writing.claims_by_rules import fact_claims
from tests.agent.gate.conftest import make_issue
from tests.made_commits import made_change

REPO = RepoId("octo/router")
DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
PATCH = """@@ -1,6 +1,6 @@
-    "--old-limit",
 def run():
-    def move(self, op):
+    total = 0
+    def move(self, host):
 # How much there is.
-LIMIT = 1
+LIMIT = 2
"""


def fact(
    kind: FactKind, severity: Severity, name: str, *lines: str, old: str = "", new: str = ""
) -> Fact:
    location = FactLocation(file="src/limits.py", line=1, lines=lines)
    return Fact(
        kind=kind,
        severity=severity,
        name=name,
        old=old or None,
        new=new or None,
        places=(location,),
    )


async def written(
    *facts: Fact,
    depth: Depth = "deep",
    tier: Tier = Tier.HIGH,
    message: str = "Move things",
    **about: Any,
) -> Sequence[Claim]:
    file = FileChange(
        path="src/limits.py", status="modified", additions=3, deletions=3, patch=PATCH
    )
    evidence = CommitEvidence(
        change=made_change(file, message=message), sheet=FactSheet(facts=facts, route="hunks")
    )
    weight = Triage(sha="a" * 40, score=6, reasons=(), purpose=None, tier=tier)
    read = Read(evidence=evidence, triage=weight, depth=depth)
    return fact_claims(Material(repo=REPO, window=DAY, reads=[read], **about))


CHANGED = fact(
    "constant-changed", Severity.BEHAVIOUR, "LIMIT", "-LIMIT = 1", "+LIMIT = 2", old="1", new="2"
)


async def test_what_is_worth_knowing_is_shown_though_it_was_not_read_closely() -> None:
    claims = await written(CHANGED, depth="skim", tier=Tier.MID)
    assert [quote.text for claim in claims for quote in claim.anchors] == ["-LIMIT = 1\n+LIMIT = 2"]


async def test_code_that_no_sentence_tells_is_shown_with_its_function_after_its_author() -> None:
    lines = ("-LIMIT = 1", "+LIMIT = 2")
    inside = [fact("code-changed", Severity.BEHAVIOUR, name, *lines) for name in ("a.b", "c")]
    message = "Fix the limit\n\nThe limit was taken twice, and requests waited for ever."
    speech, *excerpts = await written(*inside, depth="skim", tier=Tier.MID, message=message)
    assert speech.speech
    assert [(claim.predicate, claim.params["name"]) for claim in excerpts] == [
        ("shows", "a.b"),
        ("shows", "c"),
    ]
    assert {quote.text for claim in excerpts for quote in claim.quotes} == {
        "-LIMIT = 1\n+LIMIT = 2"
    }
    # Beside what can be told, and in one line about a commit, lines alone say nothing.
    assert [written_claim.text["en"] for written_claim in await written(CHANGED, *inside)] == [
        "`LIMIT` changes from `1` to `2`."
    ]
    assert [
        written_claim.speech
        for written_claim in await written(*inside, depth="skim", tier=Tier.LOW, message=message)
    ] == [True]
    hidden = inside[0].model_copy(update={"severity": Severity.INTERNAL})
    assert not any(written_claim.text for written_claim in await written(hidden))


async def test_a_line_that_takes_the_place_of_another_is_told_in_a_sentence() -> None:
    exchange = fact(
        "code-changed", Severity.BEHAVIOUR, "a.b", "-LIMIT = 1", "+LIMIT = 2", old="1", new="2"
    )
    (claim,) = await written(exchange)
    assert claim.text["en"] == "In `a.b`, `1` becomes `2`."


@pytest.mark.parametrize(
    ("depth", "tier", "expected"),
    [
        ("deep", Tier.LOW, 6),
        ("skim", Tier.MID, 3),
        ("skim", Tier.LOW, 1),
        ("group", Tier.LOW, 0),
    ],
)
async def test_the_closer_a_commit_was_read_the_more_facts_are_told(
    depth: Depth, tier: Tier, expected: int
) -> None:
    facts = []
    for number in range(8):
        values = {"old": f"{number}", "new": f"{number + 9}"}
        facts.append(fact("constant-changed", Severity.BEHAVIOUR, f"LIMIT_{number}", **values))
    claims = await written(*facts, depth=depth, tier=tier)
    assert sum(claim.predicate == "fact" for claim in claims) == expected


COMMIT = EvidenceId.commit(REPO, "a" * 40)
OTHER = EvidenceId.commit(REPO, "b" * 40)
ISSUE = make_issue(state="closed").thread


@pytest.mark.parametrize(
    ("relation", "depth", "reverted", "predicates"),
    [
        (Relation.FIXES, "deep", {}, ["fixes"]),
        (Relation.MENTIONS, "deep", {}, ["refers to"]),
        # A folded commit is not said to refer to an issue, and a fix that is gone is none.
        (Relation.FIXES, "group", {}, ["fixes"]),
        (Relation.MENTIONS, "group", {}, []),
        (Relation.FIXES, "deep", {COMMIT: OTHER}, []),
        (Relation.PARTLY, "deep", {COMMIT: OTHER}, []),
        (Relation.MENTIONS, "deep", {COMMIT: OTHER}, ["refers to"]),
    ],
)
async def test_the_issues_of_a_commit_are_told_unless_its_fix_is_gone(
    relation: Relation,
    depth: Depth,
    reverted: dict[EvidenceId, EvidenceId],
    predicates: list[str],
) -> None:
    link = Link(issue=ISSUE.id, change=COMMIT, relation=relation, grade=Grade.A)
    claims = await written(depth=depth, links=[link], issues=[ISSUE], reverted=reverted)
    told = [claim.predicate for claim in claims if ISSUE.id in claim.about]
    assert told == predicates


async def test_an_earlier_commit_that_is_undone_is_background_and_one_of_the_day_is_cited() -> None:
    revert = fact("revert", Severity.BEHAVIOUR, "x", old=OTHER.sha)
    earlier = CommitEvidence(change=made_change())
    (claim,) = [one for one in await written(revert, background={OTHER: earlier}) if one.background]
    assert (claim.predicate, claim.cites, claim.background) == ("undoes", (COMMIT,), (OTHER,))
    # Of a commit that nobody read, nothing is said.
    assert "undoes" not in [one.predicate for one in await written(revert)]
    undone = [one for one in await written(reverted={COMMIT: OTHER}) if one.predicate == "undone"]
    assert [one.cites for one in undone] == [(COMMIT, OTHER)]
