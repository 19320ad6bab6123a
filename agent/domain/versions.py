"""Versions: which tags name one, which comes before another, and which follow each other."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from agent.domain.base import Frozen
from agent.domain.threads import Release

_VERSION = re.compile(r"v?\d+(?:\.\d+){1,3}(?:[.-]?post\d+)?", re.ASCII)
"""A final release, as PEP 440 and semantic versioning write it; `rc1` and `-dev` are none."""
_CANDIDATE = re.compile(r"v?\d+(?:\.\d+){1,3}[.-]?(?:a|b|c|rc|alpha|beta)[.-]?\d{1,4}", re.ASCII)
"""A version that is tried before its final release."""


class ParsedTag(NamedTuple):
    """A tag and the version that it names."""

    version: Version
    tag: str


class VersionSpan(Frozen):
    """Versions that follow each other; the first is the last where there is only one."""

    first: str
    last: str


def is_version(tag: str) -> bool:
    """Return True for the tag of a final release, not of a candidate, a night or an artefact."""
    return _VERSION.fullmatch(tag) is not None


def is_version_or_candidate(tag: str) -> bool:
    """Return True for the tag of a final release or of a candidate for one."""
    return is_version(tag) or _CANDIDATE.fullmatch(tag) is not None


def in_version_order(tags: Iterable[str]) -> list[str]:
    """Return the tags that name a version, the lowest first, without other tags."""
    return [parsed.tag for parsed in sorted(_parsed(tags))]


def previous_release(release: Release, releases: Iterable[Release]) -> Release | None:
    """Return the final release that a user of this line had before.

    It is the highest lower version among those made before: what a branch of an older version
    releases later belongs to another line.
    """
    earlier: dict[str, Release] = {}
    for other in releases:
        is_made = other.published_at <= release.published_at
        if is_version(other.tag) and is_made and other.tag != release.tag:
            earlier[other.tag] = other
    parsed_release = _parsed([release.tag])
    if not parsed_release:
        return None
    version = parsed_release[0].version
    lower = [parsed for parsed in _parsed(earlier) if parsed.version < version]
    return earlier[max(lower).tag] if lower else None


def version_spans(members: Collection[str], tags: Iterable[str]) -> list[VersionSpan]:
    """Return the runs of members that are adjacent in the order of all tags, lowest first."""
    spans: list[VersionSpan] = []
    open_span: list[str] = []
    for tag in in_version_order(tags):
        if tag in members:
            open_span.append(tag)
            continue
        spans += _span(open_span)
        open_span = []
    return [*spans, *_span(open_span)]


def _span(tags: Sequence[str]) -> list[VersionSpan]:
    return [VersionSpan(first=tags[0], last=tags[-1])] if tags else []


def _parsed(tags: Iterable[str]) -> list[ParsedTag]:
    parsed: list[ParsedTag] = []
    for tag in tags:
        try:
            parsed.append(ParsedTag(Version(tag), tag))
        except InvalidVersion:
            continue
    return parsed
