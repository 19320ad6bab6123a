"""Which tags are releases: final versions, as projects write them."""

import re
from collections.abc import Iterable

from agent.domain.commits import Release

_VERSION = re.compile(r"v?\d+(?:\.\d+){1,3}(?:[.-]?post\d+)?", re.ASCII)
"""A final release, as PEP 440 and semantic versioning write it; `rc1` and `-dev` are none."""

_NUMBERED = re.compile(r"v?\d+\.\d", re.ASCII)


def is_version(tag: str) -> bool:
    """Tell the tag of a final release from that of a candidate, a night or another artefact."""
    return _VERSION.fullmatch(tag) is not None


def final(releases: Iterable[Release]) -> list[Release]:
    """Keep the versions; where a project tags every build by another name, only the newest of them."""
    ordered = sorted(releases, key=lambda one: (one.published_at, one.tag))
    builds = [one for one in ordered if not _NUMBERED.match(one.tag)]
    return [one for one in ordered if is_version(one.tag)] or builds[-1:]
