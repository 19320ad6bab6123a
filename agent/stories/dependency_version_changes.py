"""Changes of dependencies to another version or commit, as diff and facts of a commit show them."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from agent.domain.base import Frozen, RepoId
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId, is_full_hash

_PINNED = re.compile(
    r"(?<![\w.])v?(\d+(?:\.\d+){1,3}(?:\.?(?:post|rc|dev|a|b)\d+)*)(?![\w.]*\w)", re.ASCII
)
_SUBMODULE = re.compile(r"^\+Subproject commit ([0-9a-f]{40})$", re.MULTILINE)
_PIN = re.compile(r"[A-Z][A-Z0-9_]*_(?:REVISION|GIT_TAG|TAG|COMMIT|VERSION|REF|SHA)")


class DependencyMove(Frozen):
    """A commit that moves a dependency to another version or commit."""

    commit: EvidenceId
    at: datetime
    package: str
    version: str = ""
    sha: str = ""


class _Move(NamedTuple):
    """A dependency and the version or commit that it is moved to."""

    package: str
    revision: str


def dependency_moves(evidence: CommitEvidence) -> list[DependencyMove]:
    """Return the dependencies that a commit moves, each once."""
    moves = {}
    for move in _moves(evidence):
        moves[move.package.lower(), move.revision] = move
    dependencies = []
    for package, revision in moves.values():
        is_hash = is_full_hash(revision)
        dependencies.append(
            DependencyMove(
                commit=evidence.id,
                at=evidence.at,
                package=package,
                version="" if is_hash else revision,
                sha=revision if is_hash else "",
            )
        )
    return dependencies


def _moves(evidence: CommitEvidence) -> Iterator[_Move]:
    for file in evidence.change.files:
        for sha in _SUBMODULE.findall(file.patch or ""):
            yield _Move(file.path, sha)
    for fact in evidence.facts:
        # A key of a build may say at which version or commit something is fetched.
        is_pin = fact.kind == "config-key-changed" and _PIN.fullmatch(fact.name)
        if not is_pin and fact.kind != "dependency-changed":
            continue
        old = _without_condition(fact.old)
        new = _without_condition(fact.new)
        if old == new:
            continue
        version = _PINNED.search(new)
        if is_full_hash(new):
            yield _Move(fact.name, new)
        elif version:
            yield _Move(fact.name, version[1])


def _without_condition(requirement: str | None) -> str:
    """Return a requirement without what stands behind a semicolon: where it is asked for."""
    return (requirement or "").partition(";")[0]


def may_be_of(package: str, repos: Iterable[RepoId]) -> list[RepoId]:
    """Return the repositories whose name is contained in that of a dependency.

    The caller checks whether they have the version.
    """
    package_words = _words(package)
    return [repo for repo in repos if _words(repo.partition("/")[2]) <= package_words]


def _words(name: str) -> set[str]:
    return set(re.split(r"[^a-z0-9]+", name.lower()))
