"""A commit with its pull request and issue, as they are read before anybody writes."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import pytest

from agent.analysts.packet import commit_packet
from agent.analysts.sentences import analysis_shape, commit_claims
from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.commits import Change, Comment, FileChange, Issue, PullRequest
from agent.domain.evidence import CommitEvidence, Dossier, Material, Read, ThreadEvidence
from agent.domain.facts import Fact, FactKind, FactSheet, Place, Severity
from agent.domain.ledger import Depth, Triage
from agent.domain.links import Grade, Link, Relation
from agent.domain.window import Window
from tests.made_commits import NOON, made_commit

REPO = RepoId("octo/router")
MESSAGE = "Lower the limit (#41)\n\nLarger values overflow the buffer, see `grow()` and #12."


@pytest.fixture
def file() -> Callable[..., FileChange]:
    """Change a file in hunks that are given by their lines."""

    def make(path: str, *hunks: str, **more: Any) -> FileChange:
        patch = "\n".join(f"@@ -{n}0 +{n}0 @@\n{text}" for n, text in enumerate(hunks, start=1)) or None
        lines = "\n".join(hunks).splitlines()
        plus, minus = (sum(line.startswith(sign) for line in lines) for sign in "+-")
        told = {"path": path, "status": "modified", "additions": plus, "deletions": minus, "patch": patch}
        return FileChange.model_validate(told | more)

    return make


@pytest.fixture
def read() -> Callable[..., Read]:
    """Read a commit of these files."""

    def make(files: Sequence[FileChange], message: str = MESSAGE, facts: Sequence[Fact] = ()) -> Read:
        commit = made_commit(message)
        sheet = FactSheet(facts=tuple(facts), route="hunks")
        evidence = CommitEvidence(change=Change(commit=commit, files=tuple(files)), sheet=sheet, pull=41)
        triage = Triage(sha=commit.sha, score=1.0, reasons=(), purpose=None)
        return Read(evidence=evidence, triage=triage, depth=Depth.DEEP)

    return make


@pytest.fixture
def material() -> Callable[..., Material]:
    """Put a commit beside its pull request, an issue that it names, a linked one and a stranger."""

    def make(read: Read) -> Material:
        about = {"repo": REPO, "state": "closed", "author": "jo", "labels": (), "created_at": NOON, "updated_at": NOON}
        pull = about | {"number": 41, "title": "Lower it", "body": "Use `topK = 8`.", "base": "main"}
        issue = about | {"state_reason": None, "closed_at": NOON, "comments": 1, "reactions": 0}
        named, linked, stranger = (
            Issue.model_validate(issue | {"number": number, "title": title, "body": f"About {title}."})
            for number, title in ((12, "Overflow"), (13, "Crash"), (14, "Colours"))
        )
        comment = Comment(author="kim", body="It needs `--slow`.", created_at=NOON)
        return Material(
            repo=REPO,
            window=Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC"),
            reads=[read],
            links=[Link(issue=linked.id, change=read.evidence.id, relation=Relation.FIXES, grade=Grade.A)],
            issues=(named, linked, stranger),
            pulls={41: PullRequest.model_validate(pull | {"merged_at": NOON, "merge_commit": "a" * 40})},
            threads={named.id: ThreadEvidence(thread=named, comments=(comment,))},
        )

    return make


@pytest.fixture
def fact() -> Callable[..., Fact]:
    """Make a fact that a line shows."""

    def make(line: str, severity: Severity = Severity.BREAKING) -> Fact:
        place = Place(file="any.py", line=1, lines=(line,))
        return Fact(kind=FactKind.CONSTANT_CHANGED, severity=severity, name="LIMIT", old="22", new="8", places=(place,))

    return make


@pytest.fixture
def limited(file: Callable[..., FileChange], read: Callable[..., Read]) -> Read:
    """Read a commit that lowers a limit, and does something else in another hunk."""
    hunk = "-LIMIT = 22\n+LIMIT = 8\n     grow(LIMIT)\n+    flush()"
    return read([file("router.py", hunk, "+COLOUR = 3")])


@pytest.fixture
def spoken(limited: Read, material: Callable[..., Material]) -> Callable[..., Claim]:
    """Turn a sentence about that commit into a claim."""

    def make(text: str, anchor: str, **more: Any) -> Claim:
        packet = commit_packet(limited, material(limited))
        answer = {"sentences": [{"en": text, "anchor": anchor, "cites": ["c"]} | more]}
        said = analysis_shape(("en",)).model_validate(answer)
        (claim,) = commit_claims(said, limited.evidence, packet.handles, packet.found, ("en",))
        return claim

    return make


@pytest.fixture
def known(limited: Read, material: Callable[..., Material]) -> Dossier:
    """Give the gate what was shown of that commit."""
    packet = commit_packet(limited, material(limited))
    return Dossier(found=packet.found, window=material(limited).window, seen=frozenset(packet.found))
