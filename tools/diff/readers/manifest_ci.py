"""Which images, actions and packages the YAML of automation pins: workflows, compose files, chart values, hooks."""

import re
from collections.abc import Iterator

from tools.diff.readers.keys import Entry
from tools.diff.readers.keys_yaml import yaml_entries
from tools.diff.readers.lines import fold, lines_of, numbered
from tools.diff.readers.manifest_pins import image, pinned_by_name, pinned_in_command
from tools.diff.reading import Site, Source

_USES = re.compile(r"^([\w.-]+/[\w./-]+)@(\S+)$")
_IMAGE_KEY = re.compile(r"(?:^|[_-])(?:image|container)$", re.IGNORECASE)
_REPOSITORY_KEY = re.compile(r"^[a-z0-9.-]+(?:/[a-z0-9._-]+)+$")
_SETTING = re.compile(r"^[A-Z][A-Z0-9_]+$")
_MATRIX = "matrix"
_DOTTED = re.compile(r"\d\.\d")
_TAG = re.compile(r"^[\w][\w.-]*$")


def read_ci(source: Source) -> Iterator[Site]:
    """Give every image, action and package at a version, each once per file."""
    seen: set[tuple[str, str, str | None]] = set()
    for site in _all(source):
        key = (site.kind, site.name, site.value)
        if key not in seen:
            seen.add(key)
            yield site


def _all(source: Source) -> Iterator[Site]:
    """Give every site, repeated ones too."""
    yield from images(yaml_entries(lines_of(source), source.first_line))
    for number, line in numbered(source):
        if "==" in line or "<" in line or ">" in line:
            yield from pinned_in_command(line, number)


def images(entries: Iterator[Entry]) -> Iterator[Site]:
    """Find what entries of YAML pin: `image:`, `uses:`, `repository:` with `tag:`, `rev:`, `X_VERSION:`."""
    repository: tuple[tuple[str, ...], str] = ((), "")
    for entry in entries:
        if entry.items is not None:
            if _MATRIX in entry.path[:-1] and entry.key != "include" and entry.items:
                listed = ", ".join(item.text for item in entry.items)
                yield Site("config", entry.key, entry.start, entry.end, value=listed[:300], scope=_MATRIX)
            for item in entry.items:
                yield from _found(image(item.text, item.line))
            continue
        if entry.key in ("repository", "repo"):
            repository = (entry.path[:-1], entry.value)
        yield from _pinned(entry, repository[1] if _beside(entry.path[:-1], repository[0]) else "")


def _beside(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Say whether two keys are of the same map; a list item is called by its name only after its first key."""
    return one == other or (one[:-1] == other[:-1] and bool(other) and other[-1].startswith("["))


def _pinned(entry: Entry, repository: str) -> Iterator[Site]:
    """Read one entry with a scalar."""
    key, value, line = entry.key, entry.value, entry.start
    if key == "uses":
        if found := _USES.match(value):
            yield Site("dependency", found[1], line, line, value=found[2], scope="uses")
    elif _IMAGE_KEY.search(key):
        yield from _found(image(value, line, sure=True))
    elif key in ("tag", "rev") and repository:
        yield Site("image" if key == "tag" else "dependency", repository, line, line, value=value, scope=key)
    elif _REPOSITORY_KEY.match(key) and _TAG.match(value) and any(character.isdigit() for character in value):
        yield Site("image", key, line, line, value=value)
    elif pinned := pinned_by_name(key.upper(), value, line) if _is_version(value) and not _varies(entry) else None:
        yield Site(pinned.kind, key, line, line, value=value)
    elif (site := image(value, line)) is not None:
        yield site
    elif entry.path[-2:-1] == ("env",) and _SETTING.match(key) and value:
        yield Site("config", key, line, entry.end, value=fold(value)[:300], scope="env")


def _varies(entry: Entry) -> bool:
    """Say whether this only names a variant of a job: `rocm_tag` in a matrix is what an image is called, not a pin."""
    named = _MATRIX in entry.path[:-1] and entry.key.lower().endswith("_tag")
    return named and _DOTTED.search(entry.value) is None


def _is_version(value: str) -> bool:
    """Say whether this can be a version, tag or commit; an expression cannot."""
    return _TAG.match(value) is not None and any(character.isdigit() for character in value)


def _found(site: Site | None) -> Iterator[Site]:
    """Give a site if there is one."""
    if site is not None:
        yield site
