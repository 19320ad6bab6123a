"""Packages that a project still asks for, only elsewhere: on other machines, for other versions of Python."""

import re
from collections.abc import Iterator, Sequence

from agent.facts import FactKind
from tools.diff.draft import Draft, Where
from tools.diff.reading import Site

_MARKER = re.compile(
    r"(?:^|; )(\(?(?:python_(?:full_)?version|platform_\w+|sys_platform|os_name|implementation_\w+|extra)\b.*)$"
)

ANY = "any"
"""What is asked for without a version."""


def remarked(gone: Sequence[Site], come: Sequence[Site]) -> Iterator[tuple[Site, Site]]:
    """Pair a package that went from under one marker with the only one of its name that came under another."""
    went, came = (_asked(sites) for sites in (gone, come))
    for key, sites in went.items():
        others = came.get(key, [])
        if len(sites) == len(others) == 1 and (_marker(sites[0]) or _marker(others[0])):
            yield sites[0], others[0]


def remarked_draft(one: Site, other: Site) -> Draft:
    """Tell a package that is asked for under another marker, or under none any more."""
    section = _MARKER.sub("", other.scope) or None
    where = Where((one.start, one.end), (other.start, other.end))
    old, new = map(_written, (one, other))
    return Draft(FactKind.DEPENDENCY_CHANGED, other.name, one.public, where, old, new, section)


def _asked(sites: Sequence[Site]) -> dict[tuple[str, str], list[Site]]:
    found: dict[tuple[str, str], list[Site]] = {}
    for site in sites:
        if site.kind == "dependency":
            found.setdefault((site.name, _MARKER.sub("", site.scope)), []).append(site)
    return found


def _marker(site: Site) -> str:
    found = _MARKER.search(site.scope)
    return found[1] if found else ""


def _written(site: Site) -> str:
    """Write what is asked for as pip does; without a version any will do."""
    marker = _marker(site)
    return f"{site.value or ANY}; {marker}" if marker else site.value or ANY
