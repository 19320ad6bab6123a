"""What crates, npm packages and Go modules declare, and files that hold nothing but versions."""

import re
from collections.abc import Iterator

from tools.diff.declarations import Declaration
from tools.diff.manifests.text import Leaf, Text, leaves

_CRATES = {"dependencies": "", "dev-dependencies": "dev", "build-dependencies": "build"}
_NPM = {"dependencies": "", "devDependencies": "dev", "peerDependencies": "peer", "optionalDependencies": "optional"}
_NPM |= {"engines": "engines"}
_SOURCES = ("version", "rev", "tag", "branch", "git")
"""The keys of a crate's requirement that say which one is taken, the most telling first."""
_VERSION = re.compile(r"[\^~=<>]*\s*v?\d[^\s/]*(?:[ ,|].*)?")
_MEMBER = re.compile(r'\s*"([^"\\]+)"\s*:\s*(?:"([^"\\]*)"\s*,?\s*)?')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MODULE = re.compile(r"\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+(v\d\S*)\s*(//\s*indirect)?.*")
_LANGUAGE = re.compile(r"(go|toolchain)\s+(\S+)\s*")
_ASSIGNED = re.compile(r"""(__version__|VERSION|version)\s*(?::\s*\w+\s*)?=\s*["']([^"']+)["'].*""")


def read_cargo(text: Text) -> Iterator[Declaration]:
    """Read the dependencies, features and versions of a crate or of a workspace."""
    crates: dict[tuple[str, str], list[Leaf]] = {}
    for leaf in leaves(text):
        lines = (leaf.first, leaf.last)
        match leaf.path:
            case ("package", "version") | ("workspace", "package", "version") | ("version",):
                yield text.declare("version", "version", lines, value=str(leaf.value))
            case ("package", "rust-version") | ("workspace", "package", "rust-version") | ("rust-version",):
                yield text.declare("dependency", "rust", lines, version=str(leaf.value))
            case ("features", name) if isinstance(leaf.value, list):
                yield text.declare("registration", name, lines, "features", value=", ".join(map(str, leaf.value)))
            case (*_, table, name, _) | (*_, table, name) if table in _CRATES:
                crates.setdefault((_CRATES[table], name), []).append(leaf)
            case (name,) | (name, ("version" | "rev" | "tag")) if name != "edition" and _asks(leaf.value):
                # A fragment without the header of its table.
                crates.setdefault(("", name), []).append(leaf)
    for (owner, name), found in crates.items():
        keys = {leaf.path[-1] if leaf.path[-1] != name else "version": leaf.value for leaf in found}
        if "path" not in keys or "version" in keys:
            version = next((str(keys[key]) for key in _SOURCES if key in keys), "")
            yield text.declare("dependency", name, (found[0].first, found[-1].last), owner, version=version)


def _asks(value: object) -> bool:
    return isinstance(value, str) and _VERSION.fullmatch(value) is not None


def read_package_json(text: Text) -> Iterator[Declaration]:
    """Read the dependencies, engines, programs and the version of an npm package."""
    for path, value, (_, line) in _members(text):
        match path:
            case ("version",):
                yield text.declare("version", "version", (line, line), value=value)
            case (table, name) if table in _NPM:
                yield text.declare("dependency", name, (line, line), _NPM[table], version=value)
            case ("bin", name):
                yield text.declare("registration", name, (line, line), "bin", value=value)
            case (name,) if _asks(value):
                # A fragment without the key of its table.
                yield text.declare("dependency", name, (line, line), version=value)


def read_versions_json(text: Text) -> Iterator[Declaration]:
    """Read a JSON file of versions; buildx writes a variable's value as its `default`."""
    for path, value, (outer, line) in _members(text):
        baked = path[0] == "variable" and path[2:] == ("default",)
        name = path[1] if baked else ".".join(path)
        yield text.declare("config", name, (outer if baked else line, line), value=value)


def _members(text: Text) -> Iterator[tuple[tuple[str, ...], str, tuple[int, int]]]:
    """Give the strings that stand on lines of their own, with their keys, the line of their object and their own."""
    around: list[tuple[str, int]] = []
    for number, line in enumerate(text.lines, start=1):
        found = _MEMBER.match(line)
        if found and found[2] is not None and found.end() == len(line):
            path = (*(key for key, _ in around), found[1])
            # The outermost object has no key; an object in a list has none either, and is passed over.
            if "" not in (path := path[1:] if path[0] == "" else path):
                yield path, found[2], (around[-1][1] if around else number, number)
        bare = _STRING.sub("", line)
        opened = sum(map(bare.count, "{[")) - sum(map(bare.count, "}]"))
        around = around[:opened] if opened < 0 else around + [(found[1] if found else "", number)] * opened


def read_go_mod(text: Text) -> Iterator[Declaration]:
    """Read the modules that a Go module requires, and the version of the language."""
    for number, line in enumerate(text.lines, start=1):
        if found := _LANGUAGE.fullmatch(line):
            yield text.declare("dependency", found[1], (number, number), version=found[2])
        elif (found := _MODULE.fullmatch(line)) and "=>" not in line:
            owner = "indirect" if found[3] else ""
            yield text.declare("dependency", found[1], (number, number), owner, version=found[2])


def read_version(text: Text) -> Iterator[Declaration]:
    """Read a file that holds one word, or the lines of a module that assign a version."""
    name = text.path.rpartition("/")[2]
    if name.endswith(".py"):
        for number, line in enumerate(text.lines, start=1):
            if found := _ASSIGNED.fullmatch(line):
                yield text.declare("version", found[1], (number, number), value=found[2])
    elif len(words := text.whole.split()) == 1:
        at = next(number for number, line in enumerate(text.lines, start=1) if line.strip())
        yield text.declare("version", name, (at, at), value=words[0])
