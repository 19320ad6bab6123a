"""Evidence, sets of evidence and claims for the tests of the gate; what is not said is ordinary."""

from datetime import UTC, date, datetime
from typing import Any

from agent.domain.base import Language, RepoId
from agent.domain.claims import Anchor, Claim, Judgement, Kind
from agent.domain.commits import Change, Commit, FileChange, Person
from agent.domain.evidence import CommitEvidence, Evidence, EvidenceSet, ThreadEvidence
from agent.domain.facts import FactSheet
from agent.domain.threads import Issue
from agent.domain.window import Window
from agent.gate.check import refusals

REPO = RepoId("octo/router")
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
PATCH = """@@ -10,5 +10,6 @@ def route(request):
     limit = request.limit
-    if topK > 22:
-        raise ValueError("topK must be at most 22")
+    # Larger values overflow the shared buffer.
+    if topK > 8:
+        raise ValueError("topK must be at most 8")
     return pick(limit)
@@ -40,2 +41,2 @@ class Router:
-    TIMEOUT = 30
+    TIMEOUT = 45
     retries = 3"""


def make_commit(
    sha: str = "a" * 40,
    message: str = "Lower the limit of topK (#41)\n\nThe buffer holds 8 entries; p50 drops from 12 ms to 7.4 ms.",
    *,
    repo: str = REPO,
    at: datetime = NOON,
    patch: str = PATCH,
    **about: Any,
) -> CommitEvidence:
    """Make a commit that lowers a limit in one file."""
    person = Person(name="Mira König", email="mira@example.com")
    people = {"author": person, "authored_at": at, "committer": person, "committed_at": at}
    commit = Commit(repo=RepoId(repo), sha=sha, parents=(), message=message, **people)
    file = FileChange(
        path="src/router/limits.py", status="modified", additions=4, deletions=3, patch=patch
    )
    return CommitEvidence(
        change=Change(commit=commit, files=(file,)),
        sheet=FactSheet(facts=(), route="hunks"),
        **about,
    )


def make_issue(**about: Any) -> ThreadEvidence:
    """Make an issue that was opened the day before and closed on the day."""
    fields = {
        "repo": REPO,
        "number": 12,
        "title": "Overflow for large topK",
        "state": "closed",
        "author": "jdoe",
    }
    fields |= {
        "body": "With topK = 16 the router crashes after 90 seconds.",
        "state_reason": "completed",
    }
    fields |= {
        "created_at": datetime(2026, 2, 3, 8, tzinfo=UTC),
        "updated_at": NOON,
        "closed_at": NOON,
    }
    return ThreadEvidence(
        thread=Issue.model_validate(
            {**fields, "labels": ("bug",), "comments": 2, "reactions": 0, **about}
        )
    )


def wrong(
    *evidence: Evidence | str,
    evidence_set: dict[str, Any] | None = None,
    lang: Language = "en",
    **about: Any,
) -> list[Judgement]:
    """List what is wrong with a fact of 2026-02-04 that cites this evidence; a name cites what is not there."""
    by_id = {piece.id: piece for piece in evidence if not isinstance(piece, str)}
    cites = tuple(piece if isinstance(piece, str) else piece.id for piece in evidence)
    ordinary = {"id": "k1", "repo": REPO, "role": "change", "cites": cites, "predicate": "fact"}
    claim = Claim(**{**ordinary, "text": {lang: "It is so."}, **about})
    return refusals(
        claim, EvidenceSet(by_id=by_id, **{"window": DAY, **(evidence_set or {})}), lang
    )


def analysis(
    first: Evidence, *others: Evidence, text: str = "", lang: Language = "en", **about: Any
) -> list[Judgement]:
    """List the refusals of a sentence of analysis; it is anchored in the title of the first evidence."""
    title = first.change.commit.title if isinstance(first, CommitEvidence) else ""
    stated = {
        "kind": Kind.STATED,
        "predicate": "says",
        "anchors": (Anchor(cite=first.id, text=title),),
    }
    return wrong(first, *others, lang=lang, **{**stated, "text": {lang: text}, **about})
