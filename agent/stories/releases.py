"""Versions and commits of other repositories that a commit moves to: requirements, submodules, pins of a build."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from agent.domain.base import EvidenceId, Frozen, RepoId
from agent.domain.commits import Commit, Headline, Issue, Release, is_version
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import FactKind
from agent.domain.links import Link, Step, Story
from agent.stories.timeline import headline, step, story

_HASH = re.compile(r"[0-9a-f]{40}")
_PINNED = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+){1,3}(?:\.?(?:post|rc|dev|a|b)\d+)*)(?![\w.]*\w)", re.ASCII)
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
            found = _HASH.fullmatch(new) or _PINNED.search(new)
            if found and old != new:
                yield fact.name, found[found.re.groups]


def may_be_of(package: str, repos: Iterable[RepoId]) -> list[RepoId]:
    """List the repositories whose name stands in that of a dependency; whether they have the version is to be asked."""
    words = set(re.split(r"[^a-z0-9]+", package.lower()))
    return [repo for repo in repos if set(re.split(r"[^a-z0-9]+", repo.lower().partition("/")[2])) <= words]


_NUMBERED = re.compile(r"v?\d+\.\d", re.ASCII)


def final(releases: Iterable[Release]) -> list[Release]:
    """Keep the versions; where a project tags every build by another name, only the newest of them."""
    ordered = sorted(releases, key=lambda one: (one.published_at, one.tag))
    builds = [one for one in ordered if not _NUMBERED.match(one.tag)]
    return [one for one in ordered if is_version(one.tag)] or builds[-1:]


_MOST = 24


def with_releases(one: Story, first: Mapping[str, Release]) -> Story:
    """Add to a story's timeline the releases that were the first to have its changes, by their hashes."""
    found = {release.tag: release for cite in one.steps if (release := first.get(cite.partition("@")[2]))}
    dated = sorted((*one.timeline, *map(_step, found.values())), key=lambda step: (step.at, step.cite))
    return one.model_copy(update={"timeline": tuple(dated)})


def release_story(release: Release, heads: Sequence[Headline]) -> Story:
    """Tell that a tag was made, and which changes of stories it is the first to have."""
    names = ", ".join(head.sha[:9] for head in heads[-_MOST:])
    en, zh = (f"; first with {names}.", f"；首次包含 {names}。") if names else (".", "。")
    steps = [step(release.repo, head, "landed") for head in heads[-_MOST:]]
    return _released(release, steps, f"{release.tag} was tagged{en}", f"{release.tag} 已打标签{zh}")


def fix_story(issue: Issue, fix: Commit, release: Release) -> Story:
    """Tell of an issue, its fix and the first release that has the fix."""
    opened = Step(cite=issue.id, at=issue.created_at, act="opened", title=issue.title)
    steps = [opened, step(fix.repo, headline(fix), "landed")]
    return _released(release, steps, f"First in {release.tag}.", f"首见于 {release.tag}。")


def fixes(links: Iterable[Link]) -> dict[str, str]:
    """Name, for each issue that is fixed, the hash of the commit that fixed it last."""
    told = [one for one in links if one.may_read_fixed and "@" in one.change]
    return {one.issue: one.change.partition("@")[2] for one in told if one.change.startswith(one.issue.split("#")[0])}


def _step(release: Release) -> Step:
    name = f"{release.repo}@{release.tag}"
    return Step(cite=name, at=release.published_at, act="released", title=release.name)


def _released(release: Release, steps: Sequence[Step], en: str, zh: str) -> Story:
    tag = _step(release)
    told = story("released", release.repo, [*steps, tag])
    return told.model_copy(update={"news": (tag.cite,), "text": {"en": en, "zh": zh}})
