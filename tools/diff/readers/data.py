"""What a configuration file sets: every key of YAML, TOML and JSON with its value."""

from collections.abc import Iterator
from itertools import islice

from tools.diff.readers.keys import ANONYMOUS, Entry
from tools.diff.readers.keys_json import json_entries
from tools.diff.readers.keys_toml import toml_entries
from tools.diff.readers.keys_yaml import yaml_entries
from tools.diff.readers.lines import digest, lines_of, refusal, refused
from tools.diff.readers.manifest_ci import images
from tools.diff.reading import Reading, Site, Source

MAX_KEYS = 2_000
MAX_VALUE = 400
_YAML = (".yaml", ".yml")
_JSON = (".json", ".jsonc", ".json5")


def read(source: Source) -> Reading:
    """Give every key under its dotted path; beyond the limit the rest is said to be unread."""
    if why := refusal(source):
        return refused(why)
    entries = list(islice(_entries(source), MAX_KEYS + 1))
    problems = (f"more than {MAX_KEYS:,} keys",) if len(entries) > MAX_KEYS else ()
    sites = [site for entry in entries[:MAX_KEYS] if (site := _site(entry)) is not None]
    pinned = images(iter(entries[:MAX_KEYS])) if source.path.endswith(_YAML) else ()
    return Reading(sites=(*sites, *pinned), code=_digest(source), problems=problems)


def _entries(source: Source) -> Iterator[Entry]:
    """Choose the format by the name."""
    if source.path.endswith(_YAML):
        return yaml_entries(lines_of(source), source.first_line)
    if source.path.endswith(_JSON):
        return json_entries("\n".join(lines_of(source)), source.first_line)
    return toml_entries(lines_of(source), source.first_line, source.heading)


def _site(entry: Entry) -> Site | None:
    """Name a key by its path; an item without a name of its own cannot be told from its neighbours."""
    if not entry.path or ANONYMOUS in entry.path:
        return None
    # A text of several lines is content rather than a setting.
    value = entry.value if len(entry.value) <= MAX_VALUE else None
    return Site("config", ".".join(entry.path), entry.start, entry.end, value=value)


def _digest(source: Source) -> str:
    """Digest the content; JSON has no comments that could be left out."""
    return digest(source, "" if source.path.endswith(".json") else "#", indented=source.path.endswith(_YAML))
