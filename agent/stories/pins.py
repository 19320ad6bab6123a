"""Versions and commits of other repositories that a commit moves to: requirements, submodules, pins of a build."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from agent.domain.base import EvidenceId, Frozen, RepoId
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import FactKind

_HASH = re.compile(r"[0-9a-f]{40}")
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+){1,3}(?:\.?(?:post|rc|dev|a|b)\d+)*)(?![\w.]*\w)", re.ASCII)
_SUBMODULE = re.compile(r"^\+Subproject commit ([0-9a-f]{40})$", re.MULTILINE)
_PIN = re.compile(r"[A-Z][A-Z0-9_]*_(?:REVISION|GIT_TAG|TAG|COMMIT|VERSION|REF|SHA)")


class Taken(Frozen):
    """A commit that moves a dependency to another version or commit."""

    commit: EvidenceId
    at: datetime
    package: str
    version: str = ""
    sha: str = ""


def taken(evidence: CommitEvidence) -> list[Taken]:
    """List the dependencies that a commit moves, each place once."""
    found = {(name.lower(), to): (name, to) for name, to in _moved(evidence)}
    return [
        Taken(commit=evidence.id, at=evidence.at, package=name, **{"sha" if _HASH.fullmatch(to) else "version": to})
        for name, to in found.values()
    ]


def _moved(evidence: CommitEvidence) -> Iterator[tuple[str, str]]:
    for file in evidence.change.files:
        yield from ((file.path, sha) for sha in _SUBMODULE.findall(file.patch or ""))
    for fact in evidence.facts:
        # A key of a build may say at which version or commit something is fetched: `CUTLASS_REVISION`.
        pinned = fact.kind is FactKind.CONFIG_CHANGED and _PIN.fullmatch(fact.name)
        if pinned or fact.kind is FactKind.DEPENDENCY_CHANGED:
            # Behind a semicolon stands where it is asked for, which is no version of it.
            old, new = ((side or "").partition(";")[0] for side in (fact.old, fact.new))
            found = _HASH.fullmatch(new) or _VERSION.search(new)
            if found and old != new:
                yield fact.name, found[found.re.groups]


def may_be_of(package: str, repos: Iterable[RepoId]) -> list[RepoId]:
    """List the repositories whose name stands in that of a dependency; whether they have the version is to be asked."""
    words = set(re.split(r"[^a-z0-9]+", package.lower()))
    return [repo for repo in repos if set(re.split(r"[^a-z0-9]+", repo.lower().partition("/")[2])) <= words]
