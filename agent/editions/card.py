"""What is remembered of a landed commit beyond its report, so that questions about it need no second reading."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice

from agent.domain.base import EvidenceId, Frozen, RepoId, commit_id
from agent.domain.commits import Change
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact, FactKind, FactSheet, Severity
from agent.domain.patch import touched_names, written_names

_MESSAGE, _PATHS, _TOUCHED, _WRITTEN = 6_000, 400, 80, 150
_FACTS, _LINES = 80, 12
"""How much of a commit is worth keeping: characters and names, then facts and the lines that show them."""
_UNDOES = re.compile(r"^(?:\[[^\]\n]{1,40}\]\s*)?Revert\b|^This reverts commit ", re.MULTILINE)


class Card(Frozen):
    """One landed commit: who, when, what it calls itself, which files it touches, and what code found in it."""

    repo: RepoId
    sha: str
    at: datetime
    author: str
    title: str
    message: str  # The whole message, as far as it is worth keeping
    pull: int | None = None
    files: int = 0
    additions: int = 0
    deletions: int = 0
    paths: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()  # Functions and classes that its hunks lie in
    written: tuple[str, ...] = ()  # Names that stand on its changed lines
    facts: tuple[Fact, ...] = ()
    route: str = "hunks"

    @property
    def id(self) -> EvidenceId:
        """The name under which the commit is cited."""
        return commit_id(self.repo, self.sha)

    @property
    def kinds(self) -> frozenset[str]:
        """What it is by its facts: a commit, a revert, a re-land, something that breaks."""
        kinds, severities = {fact.kind for fact in self.facts}, {fact.severity for fact in self.facts}
        is_kind = {
            "commit": True,
            "revert": FactKind.REVERT in kinds or _UNDOES.search(self.message) is not None,
            "reland": FactKind.RELAND in kinds,
            "breaking": Severity.BREAKING in severities,
        }
        return frozenset(kind for kind, fits in is_kind.items() if fits)

    @classmethod
    def of(cls, evidence: CommitEvidence) -> "Card":
        """Note down what is worth keeping of a commit that was read."""
        commit = evidence.change.commit
        return cls(
            repo=commit.repo,
            sha=commit.sha,
            at=commit.committed_at,
            author=commit.author.name,
            title=commit.title,
            message=commit.message[:_MESSAGE],
            pull=evidence.pull,
            files=len(evidence.change.files),
            additions=evidence.change.additions,
            deletions=evidence.change.deletions,
            paths=tuple(dict.fromkeys(evidence.paths))[:_PATHS],
            touched=_names(evidence.change, touched_names, _TOUCHED),
            written=_names(evidence.change, written_names, _WRITTEN),
            facts=tuple(_short(fact) for fact in evidence.facts[:_FACTS]),
            route=evidence.sheet.route if evidence.sheet else "hunks",
        )

    def evidence(self, change: Change) -> CommitEvidence:
        """Put what was noted beside the change itself; a fact stands only where the change still shows its lines."""
        patches = {file.path: file.patch or "" for file in change.files}
        old = {file.previous_path: file.patch or "" for file in change.files if file.previous_path}
        facts = tuple(fact for fact in self.facts if _is_shown(fact, old | patches))
        sheet = FactSheet(facts=facts, route=self.route)
        return CommitEvidence(change=change, sheet=sheet, pull=self.pull)


def _names(change: Change, read: Callable[[str], Iterator[str]], most: int) -> tuple[str, ...]:
    """List the names that the patches of a change have, each once."""
    found = (name for file in change.files for name in read(file.patch or ""))
    return tuple(islice(dict.fromkeys(islice(found, 100 * most)), most))


def _short(fact: Fact) -> Fact:
    """Keep the place that proves a fact best."""
    places = tuple(place.model_copy(update={"lines": place.lines[:_LINES]}) for place in fact.places[:1])
    return fact.model_copy(update={"places": places})


def _is_shown(fact: Fact, patches: dict[str, str]) -> bool:
    return all(line in patches.get(place.file, "") for place in fact.places for line in place.lines)
