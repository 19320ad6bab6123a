"""Versions and commits of other repositories that a commit moves to: requirements, submodules, pins of a build."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from agent.domain.base import LANGUAGES, Frozen, Language, RepoId
from agent.domain.commits import Headline, Release, is_version
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.links import Link, Story, StoryStep
from agent.languages import catalogue
from agent.stories.timeline import step, story

_PINNED = re.compile(
    r"(?<![\w.])v?(\d+(?:\.\d+){1,3}(?:\.?(?:post|rc|dev|a|b)\d+)*)(?![\w.]*\w)", re.ASCII
)
_SUBMODULE = re.compile(r"^\+Subproject commit ([0-9a-f]{40})$", re.MULTILINE)
_MOST = 24  # Changes that are named with a release
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
        Taken(
            commit=evidence.id,
            at=evidence.at,
            package=name,
            **{"sha" if is_full_hash(to) else "version": to},
        )
        for name, to in found.values()
    ]


def _moved(evidence: CommitEvidence) -> Iterator[tuple[str, str]]:
    for file in evidence.change.files:
        yield from ((file.path, sha) for sha in _SUBMODULE.findall(file.patch or ""))
    for fact in evidence.facts:
        # A key of a build may say at which version or commit something is fetched: `CUTLASS_REVISION`.
        pinned = fact.kind == "config-key-changed" and _PIN.fullmatch(fact.name)
        if pinned or fact.kind == "dependency-changed":
            # Behind a semicolon stands where it is asked for, which is no version of it.
            old, new = ((side or "").partition(";")[0] for side in (fact.old, fact.new))
            if old == new:
                continue
            if is_full_hash(new):
                yield fact.name, new
            elif pinned_version := _PINNED.search(new):
                yield fact.name, pinned_version[1]


def may_be_of(package: str, repos: Iterable[RepoId]) -> list[RepoId]:
    """List the repositories whose name stands in that of a dependency; whether they have the version is to be asked."""
    words = set(re.split(r"[^a-z0-9]+", package.lower()))
    return [
        repo
        for repo in repos
        if set(re.split(r"[^a-z0-9]+", repo.lower().partition("/")[2])) <= words
    ]


def final(releases: Iterable[Release]) -> list[Release]:
    """Keep the versions, oldest first; candidates, nights and builds are none."""
    return sorted(
        (one for one in releases if is_version(one.tag)),
        key=lambda one: (one.published_at, one.tag),
    )


def with_releases(one: Story, first: Mapping[str, Release]) -> Story:
    """Add to a story's timeline the releases that were the first to have its changes, by their hashes."""
    found = {release.tag: release for cite in one.steps if (release := first.get(cite.sha))}
    dated = sorted(
        (*one.timeline, *map(_step, found.values())), key=lambda step: (step.at, step.cite)
    )
    return one.model_copy(update={"timeline": tuple(dated)})


def release_story(release: Release, heads: Sequence[Headline]) -> Story:
    """Tell that a tag was made, and which fixes and changes of stories it is the first to have."""
    newest = heads[-_MOST:]
    tag = _step(release)
    steps = [step(release.repo, head, "landed") for head in newest]
    names = ", ".join(head.sha[:9] for head in newest)
    text: dict[Language, str] = {}
    for lang in LANGUAGES:
        phrases = catalogue(lang)["releases"]
        phrase = phrases["tagged_first_with"] if names else phrases["tagged"]
        text[lang] = phrase.format(tag=release.tag, names=names)
    released = story("released", release.repo, [*steps, tag])
    return released.model_copy(update={"news": (tag.cite,), "text": text})


def fixes(links: Iterable[Link]) -> list[str]:
    """Name, for each issue that is fixed, the hash of the commit that fixed it last."""
    last_fix: dict[EvidenceId, str] = {}
    for link in links:
        is_at_home = link.change.is_commit and link.change.repo == link.issue.repo
        if link.may_read_fixed and is_at_home:
            last_fix[link.issue] = link.change.sha
    return list(last_fix.values())


def _step(release: Release) -> StoryStep:
    return StoryStep(cite=release.id, at=release.published_at, act="released", title=release.name)
