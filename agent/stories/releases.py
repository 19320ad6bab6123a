"""Versions and commits of other repositories that a commit moves to, and the stories of releases."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

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
_MAX_NAMED = 24  # Changes that are named with a release
_PIN = re.compile(r"[A-Z][A-Z0-9_]*_(?:REVISION|GIT_TAG|TAG|COMMIT|VERSION|REF|SHA)")


class Taken(Frozen):
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


def taken(evidence: CommitEvidence) -> list[Taken]:
    """Return the dependencies that a commit moves, each once."""
    moves = {}
    for move in _moves(evidence):
        moves[move.package.lower(), move.revision] = move
    dependencies = []
    for package, revision in moves.values():
        is_hash = is_full_hash(revision)
        dependencies.append(
            Taken(
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


def final(releases: Iterable[Release]) -> list[Release]:
    """Return the versions, oldest first; candidates, nightly and other builds are none."""
    versions = [release for release in releases if is_version(release.tag)]
    return sorted(versions, key=lambda release: (release.published_at, release.tag))


def with_releases(published: Story, first_releases: Mapping[str, Release]) -> Story:
    """Return a story with the releases that were the first to have its changes, by their hashes."""
    releases: dict[str, Release] = {}
    for cite in published.steps:
        release = first_releases.get(cite.sha)
        if release is not None:
            releases[release.tag] = release
    steps = list(published.timeline)
    steps += [_step(release) for release in releases.values()]
    steps.sort(key=lambda step: (step.at, step.cite))
    return published.model_copy(update={"timeline": tuple(steps)})


def release_story(release: Release, heads: Sequence[Headline]) -> Story:
    """Return the story of a tag: which fixes and changes of stories it is the first to have."""
    newest = heads[-_MAX_NAMED:]
    tag = _step(release)
    steps = [step(release.repo, commit, "landed") for commit in newest]
    names = ", ".join(commit.sha[:9] for commit in newest)
    text: dict[Language, str] = {}
    for lang in LANGUAGES:
        phrases = catalogue(lang)["releases"]
        phrase = phrases["tagged_first_with"] if names else phrases["tagged"]
        text[lang] = phrase.format(tag=release.tag, names=names)
    released = story("released", release.repo, [*steps, tag])
    return released.model_copy(update={"news": (tag.cite,), "text": text})


def fixes(links: Iterable[Link]) -> list[str]:
    """Return, for each issue that is fixed, the hash of the commit that fixed it last."""
    last_fix: dict[EvidenceId, str] = {}
    for link in links:
        is_at_home = link.change.is_commit and link.change.repo == link.issue.repo
        if link.may_read_fixed and is_at_home:
            last_fix[link.issue] = link.change.sha
    return list(last_fix.values())


def _step(release: Release) -> StoryStep:
    return StoryStep(cite=release.id, at=release.published_at, act="released", title=release.name)
