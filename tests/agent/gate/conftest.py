"""Evidence, dossiers and claims for the tests of the gate; what is not said is ordinary."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest

from agent.domain.base import Language, RepoId
from agent.domain.claims import Anchor, Claim, Judgement, Kind
from agent.domain.commits import Change, Commit, FileChange, Issue, Person
from agent.domain.evidence import CommitEvidence, Dossier, Evidence, ThreadEvidence
from agent.domain.facts import Fact, FactSheet
from agent.domain.window import Window
from agent.gate.check import refusals

REPO = RepoId("octo/router")
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
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


def commit_evidence(
    sha: str = "a" * 40,
    message: str = "Lower the limit of topK (#41)\n\nThe buffer holds 8 entries; p50 drops from 12 ms to 7.4 ms.",
    *,
    repo: str = REPO,
    author: tuple[str, str] = ("Mira König", "mira@example.com"),
    at: datetime = NOON,
    authored_at: datetime | None = None,
    files: Sequence[FileChange] | None = None,
    patch: str = PATCH,
    facts: Sequence[Fact] = (),
    parents: Sequence[str] = (),
    **about: Any,
) -> CommitEvidence:
    """Make a commit that lowers a limit in one file."""
    person = Person(name=author[0], email=author[1])
    commit = Commit(
        repo=RepoId(repo),
        sha=sha,
        parents=tuple(parents),
        author=person,
        authored_at=authored_at or at,
        committer=person,
        committed_at=at,
        message=message,
    )
    one = FileChange(path="src/router/limits.py", status="modified", additions=4, deletions=3, patch=patch)
    change = Change(commit=commit, files=tuple([one] if files is None else files))
    return CommitEvidence(change=change, sheet=FactSheet(facts=tuple(facts), route="hunks"), **about)


@pytest.fixture
def make_commit() -> Callable[..., CommitEvidence]:
    """Make a commit."""
    return commit_evidence


@pytest.fixture
def make_issue() -> Callable[..., ThreadEvidence]:
    """Make an issue that was opened and closed on the day."""

    def make(number: int = 12, **about: Any) -> ThreadEvidence:
        told = {
            "repo": REPO,
            "number": number,
            "title": "Overflow for large topK",
            "body": "With topK = 16 the router crashes after 90 seconds.",
            "state": "closed",
            "state_reason": "completed",
            "author": "jdoe",
            "labels": ("bug",),
            "created_at": datetime(2026, 2, 3, 8, tzinfo=UTC),
            "updated_at": NOON,
            "closed_at": NOON,
            "comments": 2,
            "reactions": 0,
            **about,
        }
        return ThreadEvidence(thread=Issue.model_validate(told))

    return make


@pytest.fixture
def make_dossier() -> Callable[..., Dossier]:
    """Put evidence into a dossier of 2026-02-04, UTC."""

    def make(*evidence: Evidence, **about: Any) -> Dossier:
        day = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
        return Dossier(found={one.id: one for one in evidence}, **{"window": day, **about})

    return make


@pytest.fixture
def make_claim() -> Callable[..., Claim]:
    """Make a claim about the evidence; a text alone is English."""

    def make(*evidence: Evidence | str, text: str | dict[Language, str] = "", **about: Any) -> Claim:
        cites = tuple(one if isinstance(one, str) else one.id for one in evidence)
        texts: dict[Language, str] = {"en": text} if isinstance(text, str) and text else text or {}
        return Claim(**{"id": "k1", "repo": REPO, "role": "change", "cites": cites, "text": texts, **about})

    return make


@pytest.fixture
def analysis(make_claim: Callable[..., Claim], make_dossier: Callable[..., Dossier]) -> Callable[..., list[Judgement]]:
    """List the refusals of a sentence of analysis; it is anchored in the title of the first evidence."""

    def run(*evidence: Evidence, text: str | dict[Language, str] = "", lang: Language = "en", **about: Any) -> Any:
        first = evidence[0]
        title = first.change.commit.title if isinstance(first, CommitEvidence) else ""
        anchors = about.pop("anchors", (Anchor(cite=first.id, text=title),))
        texts = {lang: text} if isinstance(text, str) else text
        claim = make_claim(*evidence, text=texts, anchors=anchors, **{"kind": Kind.STATED, **about})
        return refusals(claim, make_dossier(*evidence), lang)

    return run


@pytest.fixture
def fault(make_claim: Callable[..., Claim], make_dossier: Callable[..., Dossier]) -> Callable[..., Judgement | None]:
    """Say what one check finds wrong with a claim that cites this evidence; a name cites what is not there."""

    def run(
        check: Callable[[Claim, Dossier, Language], Judgement | None],
        *evidence: Evidence | str,
        lang: Language = "en",
        dossier: dict[str, Any] | None = None,
        **about: Any,
    ) -> Judgement | None:
        found = [one for one in evidence if not isinstance(one, str)]
        return check(make_claim(*evidence, **about), make_dossier(*found, **(dossier or {})), lang)

    return run
