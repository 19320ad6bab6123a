"""Versions and commits of other repositories that a commit moves to: requirements, submodules, pins of a build."""

import re
from collections.abc import Iterable
from datetime import datetime

from agent.domain import Frozen
from agent.evidence import CommitEvidence, EvidenceId
from agent.facts import Fact, FactKind
from agent.ids import RepoId

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
    found: dict[tuple[str, str], Taken] = {}
    for file in evidence.change.files:
        if moved := _SUBMODULE.search(file.patch or ""):
            one = Taken(commit=evidence.id, at=evidence.at, package=file.path, sha=moved[1])
            found[file.path.lower(), moved[1]] = one
    for fact in evidence.facts:
        if not fact.new or not (fact.kind is FactKind.DEPENDENCY_CHANGED or _is_pin(fact)):
            continue
        # Behind a semicolon stands where it is asked for, which is no version of it.
        old, new = ((side or "").partition(";")[0] for side in (fact.old, fact.new))
        sha = new if _HASH.fullmatch(new) else ""
        version = "" if sha else (match[1] if (match := _VERSION.search(new)) else "")
        if old != new and (sha or version):
            one = Taken(commit=evidence.id, at=evidence.at, package=fact.name, version=version, sha=sha)
            found.setdefault((fact.name.lower(), sha or version), one)
    return list(found.values())


def _is_pin(fact: Fact) -> bool:
    """Tell a key of a build that says at which version or commit something is fetched: `CUTLASS_REVISION`."""
    return fact.kind is FactKind.CONFIG_CHANGED and _PIN.fullmatch(fact.name) is not None


def may_be_of(package: str, repos: Iterable[RepoId], own: RepoId) -> list[RepoId]:
    """List the repositories whose name stands in that of a dependency; whether they have the version is to be asked."""
    words = set(re.split(r"[^a-z0-9]+", package.lower()))
    return [repo for repo in repos if repo != own and set(re.split(r"[^a-z0-9]+", _name(repo))) <= words]


def _name(repo: RepoId) -> str:
    return repo.lower().partition("/")[2]


def tags_of(version: str) -> tuple[str, str]:
    """Name the tags that a version may have."""
    return f"v{version}", version
