"""What builds outside Python ask for: Cargo, Go, npm, git submodules."""

import re
from collections.abc import Iterator

from tools.diff.readers.keys import Entry
from tools.diff.readers.keys_json import json_entries
from tools.diff.readers.keys_toml import toml_entries
from tools.diff.readers.lines import fold, lines_of, numbered, unquote
from tools.diff.reading import Site, Source

_CARGO_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")
_FEATURES = "features"
_OPTIONAL = re.compile(r"\boptional\s*=\s*true\b")
_CARGO_FEATURES = re.compile(r"\bfeatures\s*=\s*\[([^\]]*)\]")
_CARGO_FIELD = re.compile(r'\b(version|git|rev|tag|branch)\s*=\s*"([^"]*)"')
_SHARED = "workspace"
"""What stands for a version that the workspace gives for all of its packages."""
_INHERITED = re.compile(r"\bworkspace\s*=\s*true\b")
_OF_A_PACKAGE = re.compile(
    r"lints|package|version|edition|license(?:-file)?|authors|repository|homepage|rust-version|description|keywords"
    r"|categories|readme|documentation|publish|exclude|include"
)
_NPM_TABLES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "engines", "overrides")
_NPM_RANGE = re.compile(r"^(?:[\^~<>=v]*\s*\d|git\+|github:|workspace:|file:|\*$|latest$)")
_GO_LINE = re.compile(r"^\s*(?:(require|replace|exclude|retract|go|toolchain)\s+)?([\w./~-]+)\s*(.*?)\s*(?://.*)?$")
_SUBPROJECT = re.compile(r"^Subproject commit ([0-9a-f]{40,64})(?:-dirty)?$")


def read_cargo(source: Source) -> Iterator[Site]:
    """Read Cargo.toml: packages as strings, inline tables or tables of their own."""
    for entry in toml_entries(lines_of(source), source.first_line, source.heading):
        table = next((step for step in entry.path[:-1] if step in _CARGO_TABLES), None)
        if table is not None:
            yield from _crate(entry, entry.path[entry.path.index(table) + 1 :], table)
        elif entry.path[-2:] in (("package", "version"), ("version",)) and entry.value[:1].isdigit():
            yield Site("version", "version", entry.start, entry.end, value=entry.value, scope="package")
        elif entry.path[:-1] == (_FEATURES,) and (entry.key, entry.value) != ("default", "[]"):
            # By default nothing is switched on, whether that is written down or not.
            yield Site("config", ".".join(entry.path), entry.start, entry.end, value=entry.value)
        elif entry.path == ("lib", "crate-type"):
            yield Site("config", ".".join(entry.path), entry.start, entry.end, value=entry.value)
        elif entry.key in ("rust-version", "channel") and len(entry.path) <= 3:
            yield Site("dependency", "rust", entry.start, entry.end, value=entry.value)
        elif not source.whole and (len(entry.path) == 1 or entry.path[1:] == (_SHARED,)):
            yield from _crate_in_fragment(entry)


def _crate(entry: Entry, steps: tuple[str, ...], table: str) -> Iterator[Site]:
    """Read one package: `name = "1"`, `name = { version = "1" }` or `[dependencies.name]`."""
    if len(steps) == 2 and steps[1] in ("version", "rev", "tag", "branch"):
        yield Site("dependency", steps[0], entry.start, entry.end, value=entry.value, scope=table)
    elif len(steps) == 2 and steps[1] == _SHARED and entry.value == "true":
        yield Site("dependency", steps[0], entry.start, entry.end, value=_SHARED, scope=table)
    elif len(steps) == 1:
        value = _crate_version(entry.value)
        yield Site("dependency", steps[0], entry.start, entry.end, value=value, scope=table)


def _crate_version(value: str) -> str | None:
    """Take the version of a package, or where it comes from."""
    if not value.startswith("{"):
        return value
    fields: dict[str, str] = dict(_CARGO_FIELD.findall(value))
    version = next((fields[key] for key in ("version", "rev", "tag", "branch", "git") if key in fields), None)
    if version is None and _INHERITED.search(value):
        version = _SHARED
    features = _CARGO_FEATURES.search(value)
    optional = "optional" if _OPTIONAL.search(value) else None
    return " ".join(filter(None, (version, f"[{features[1].strip()}]" if features else None, optional))) or None


def _crate_in_fragment(entry: Entry) -> Iterator[Site]:
    """Read a key whose table is out of sight: only what can be nothing but a package with a version."""
    if len(entry.path) == 2:
        if entry.value == "true" and not _OF_A_PACKAGE.fullmatch(entry.path[0]):
            yield Site("dependency", entry.path[0], entry.start, entry.end, value=_SHARED)
    elif re.match(r"^[\^~=]?\d+(?:\.\d+)*$", entry.value) and "." in entry.value and entry.key != "version":
        yield Site("dependency", entry.key, entry.start, entry.end, value=entry.value)
    elif entry.value.startswith("{") and (version := _crate_version(entry.value)):
        yield Site("dependency", entry.key, entry.start, entry.end, value=version)


def read_package_json(source: Source) -> Iterator[Site]:
    """Read package.json: dependencies of every sort, engines and the version."""
    for entry in json_entries("\n".join(lines_of(source)), source.first_line):
        if entry.path == ("version",):
            yield Site("version", "version", entry.start, entry.end, value=entry.value)
        elif len(entry.path) == 2 and entry.path[0] in _NPM_TABLES:
            yield Site("dependency", entry.key, entry.start, entry.end, value=entry.value, scope=entry.path[0])
        elif not source.whole and len(entry.path) == 1 and _NPM_RANGE.match(entry.value):
            yield Site("dependency", entry.key, entry.start, entry.end, value=entry.value)


def read_go_mod(source: Source) -> Iterator[Site]:
    """Read go.mod: modules with their versions, replacements, and the language's version."""
    block = ""
    for number, line in numbered(source):
        found = _GO_LINE.match(line)
        if found is None:
            block = "" if line.strip() == ")" else block
            continue
        word, name, rest = found[1] or block, found[2], found[3]
        if rest == "(":
            block = name
        elif found[1] in ("go", "toolchain"):
            yield Site("dependency", "go", number, number, value=name, scope=found[1])
        elif "=>" in rest:
            yield Site("dependency", name, number, number, value=fold(rest.partition("=>")[2]), scope="replace")
        elif re.match(r"^v\d\S*$", rest) and word in ("require", ""):
            yield Site("dependency", name, number, number, value=rest, scope="require")


def read_gitmodules(source: Source) -> Iterator[Site]:
    """Read where submodules come from."""
    path = ""
    for number, line in numbered(source):
        key, _, value = (part.strip() for part in line.partition("="))
        if key == "path":
            path = value
        elif key.startswith("[submodule"):
            path = unquote(key.removeprefix("[submodule").rstrip("]"))
        elif key in ("url", "branch") and path:
            yield Site("dependency", path, number, number, value=value, scope=key)


def read_submodule(source: Source) -> Iterator[Site]:
    """Read the one line that git prints for a submodule: which commit it stands at."""
    for number, line in numbered(source):
        if found := _SUBPROJECT.match(line):
            yield Site("dependency", source.path, number, number, value=found[1], scope="submodule")
