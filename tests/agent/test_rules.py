"""What the rules show of a commit: the lines that prove what is told first."""

from datetime import UTC, date, datetime

from agent.analyst import Material, Read
from agent.domain import Change, Commit, FileChange, Person
from agent.evidence import CommitEvidence
from agent.facts import Fact, FactKind, FactSheet, Place, Severity
from agent.ids import RepoId
from agent.report import Depth
from agent.rules import RulesAnalyst
from agent.triage import Tier, Triage
from agent.window import Window

REPO = RepoId("octo/router")
DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
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


def fact(kind: FactKind, severity: Severity, name: str, *lines: str, old: str = "", new: str = "") -> Fact:
    place = Place(file="src/limits.py", line=1, lines=lines)
    return Fact(kind=kind, severity=severity, name=name, old=old or None, new=new or None, places=(place,))


async def excerpt(*facts: Fact, depth: Depth = Depth.DEEP, tier: Tier = Tier.HIGH) -> str:
    person = Person(name="Mira", email="mira@example.com")
    commit = Commit(
        repo=REPO,
        sha="a" * 40,
        parents=(),
        author=person,
        authored_at=NOON,
        committer=person,
        committed_at=NOON,
        message="Move things",
    )
    file = FileChange(path="src/limits.py", status="modified", additions=3, deletions=3, patch=PATCH)
    evidence = CommitEvidence(
        change=Change(commit=commit, files=(file,)), sheet=FactSheet(facts=facts, route="hunks"), landed=True
    )
    weight = Triage(sha=commit.sha, score=6, reasons=(), purpose=None, tier=tier)
    read = Read(evidence=evidence, triage=weight, depth=depth)
    claims = await RulesAnalyst().write(Material(repo=REPO, window=DAY, reads=[read]))
    return "".join(quote.text for claim in claims for quote in claim.quotes)


CHANGED = fact(FactKind.CONSTANT_CHANGED, Severity.BEHAVIOUR, "LIMIT", "-LIMIT = 1", "+LIMIT = 2", old="1", new="2")
REMOVED = fact(FactKind.FLAG_REMOVED, Severity.BREAKING, "--old-limit", '-    "--old-limit",')
ADDED = fact(FactKind.SYMBOL_ADDED, Severity.ADDITIVE, "run", " def run():", new="run()")


async def test_what_breaks_and_is_told_first_is_shown_else_what_went_with_what_came_for_it() -> None:
    assert await excerpt(REMOVED, CHANGED) == '-    "--old-limit",'
    assert await excerpt(ADDED, CHANGED) == "-LIMIT = 1\n+LIMIT = 2"


async def test_of_lines_that_do_not_stand_together_those_that_came_are_shown_with_what_changed_around_them() -> None:
    lines = ("-    def move(self, op):", "+    def move(self, host):")
    moved = fact(FactKind.PARAMETER_REMOVED, Severity.BREAKING, "Pool.move", *lines, old="op")
    assert await excerpt(moved, CHANGED) == "-    def move(self, op):\n+    total = 0\n+    def move(self, host):"


async def test_what_is_worth_knowing_is_shown_though_it_was_not_read_closely() -> None:
    assert await excerpt(CHANGED, depth=Depth.SKIM, tier=Tier.MID) == "-LIMIT = 1\n+LIMIT = 2"
    assert await excerpt(CHANGED, depth=Depth.SKIM, tier=Tier.LOW) == ""
