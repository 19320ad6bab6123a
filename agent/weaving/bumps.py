"""What one repository takes in of another: a version or a commit of a dependency that is reported on as well."""

import re
from collections.abc import Iterable
from datetime import datetime

from agent.domain import Frozen
from agent.evidence import CommitEvidence, EvidenceId
from agent.facts import Fact, FactKind
from agent.ids import RepoId
from agent.lists import listed
from agent.sources import Headline

_HASH = re.compile(r"[0-9a-f]{40}")
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+){1,3}(?:\.?(?:post|rc|dev|a|b)\d+)*)(?![\w.]*\w)", re.ASCII)
_PIN = re.compile(r"[A-Z][A-Z0-9_]*_(?:REVISION|GIT_TAG|TAG|COMMIT|VERSION|REF|SHA)")
_BESIDE = listed(
    """
    python py cubin jit cache version dsl nvidia lib libs core git tag ref rev commit sha csrc third party thirdparty
    3rdparty vendor vendored submodule submodules deps extern external cu12 cu13 the repo revision kernels default
    """
)


class Taken(Frozen):
    """A commit that moves a dependency to another version or commit."""

    commit: EvidenceId
    at: datetime
    package: str
    version: str = ""
    sha: str = ""


def taken(evidence: CommitEvidence) -> list[Taken]:
    """List the dependencies that a commit moves, each to one place."""
    found: dict[tuple[str, str], Taken] = {}
    for fact in evidence.facts:
        if not fact.new or not (fact.kind is FactKind.DEPENDENCY_CHANGED or _is_pin(fact)):
            continue
        # Behind a semicolon stands where it is asked for, which is no version of it.
        old, new = ((side or "").partition(";")[0] for side in (fact.old, fact.new))
        if old == new:
            continue
        sha = new if _HASH.fullmatch(new) else ""
        version = "" if sha else (match[1] if (match := _VERSION.search(new)) else "")
        if sha or version:
            one = Taken(commit=evidence.id, at=evidence.at, package=fact.name, version=version, sha=sha)
            found.setdefault((_bare(fact.name), sha or version), one)
    return list(found.values())


def _is_pin(fact: Fact) -> bool:
    """Tell a key of a build that says at which version or commit something is fetched: `CUTLASS_REVISION`."""
    return fact.kind is FactKind.CONFIG_CHANGED and _PIN.fullmatch(fact.name) is not None


def upstream_of(package: str, repos: Iterable[RepoId], own: RepoId) -> RepoId | None:
    """Tell which of these repositories a dependency comes from, by its name; None where that is not plain."""
    words = set(re.split(r"[^a-z0-9]+", package.lower())) - {""}
    fitting = []
    for repo in repos:
        owner, _, name = repo.lower().partition("/")
        parts = set(re.split(r"[^a-z0-9]+", name)) - {""}
        if repo != own and parts and parts <= words and words - parts <= _BESIDE | set(re.split(r"[^a-z0-9]+", owner)):
            fitting.append(repo)
    return fitting[0] if len(fitting) == 1 else None


def tags_of(version: str) -> tuple[str, str]:
    """Name the tags that a version may have."""
    return f"v{version}", version


def version_pattern(version: str) -> str:
    """Write what the title of a commit must fit that may set this version."""
    return version.replace(".", r"\.")


def sets_version(title: str, version: str) -> bool:
    """Tell whether a title says that the project itself now has this version."""
    value = re.escape(version)
    before = (
        r"\bversion\b[^,;:]{0,30}?\b",
        r"\breleas(?:e|ed|ing)\b\s*(?:of\s|for\s)?",
        r"^\W*",
        r"\b(?:update|bump)s?\s(?:\w+\s)?to\s",
    )
    form = rf"(?:{'|'.join(before)})v?{value}"
    return re.search(rf"{form}(?!\.?(?:post|rc|dev|a|b)?\d)", title, re.IGNORECASE) is not None and not re.match(
        r"\W*revert", title, re.IGNORECASE
    )


def version_set_by(heads: Iterable[Headline], version: str, before: datetime) -> Headline | None:
    """Find the last commit before a moment that sets a version."""
    fitting = [head for head in heads if head.at <= before and sets_version(head.title, version)]
    return max(fitting, key=lambda head: (head.at, head.sha), default=None)


def _bare(package: str) -> str:
    return " ".join(sorted((set(re.split(r"[^a-z0-9]+", package.lower())) - {""}) - _BESIDE))
