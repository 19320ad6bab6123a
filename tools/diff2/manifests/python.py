"""What Python projects declare in pyproject.toml, setup.cfg and files of requirements."""

import re
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from tools.diff2.declarations import Declaration
from tools.diff2.manifests.text import Text
from tools.diff2.manifests.toml import Leaf, leaves, orphans

_OPTION = re.compile(r"(--?[a-z-]+)[\s=]+(\S+)")
_FILES = ("-r", "--requirement", "-c", "--constraint")
_SETTINGS = ("-i", "--index-url", "--extra-index-url", "-f", "--find-links")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_HASH = re.compile(r"\s--hash=\S+|\\$")
_SECTION = re.compile(r"\[([^\]]+)\]\s*")
_KEY = re.compile(r"([\w.-]+)\s*[=:]\s*(.*)")


def read_pyproject(text: Text) -> Iterator[Declaration]:
    """Read the standard tables of pyproject.toml and those of Poetry."""
    for line in orphans(text):
        yield from text.listed(line)
    for leaf in leaves(text):
        yield from _standard(leaf, text)
        if leaf.path[:2] == ("tool", "poetry"):
            yield from _poetry(leaf, text)


def _standard(leaf: Leaf, text: Text) -> Iterator[Declaration]:
    lines = (leaf.first, leaf.last)
    match leaf.path:
        case ("project", "dependencies") | ("dependencies",):
            yield from _requirements(leaf, text, "")
        case ("build-system", "requires") | ("requires",):
            yield from _requirements(leaf, text, "build")
        case ("project", "optional-dependencies", extra):
            yield from _requirements(leaf, text, f"optional:{extra}")
        case ("dependency-groups", group):
            yield from _requirements(leaf, text, dev_owner(group))
        case ("project", "requires-python") | ("requires-python",) if isinstance(leaf.value, str):
            yield text.declare("dependency", "python", lines, version=leaf.value)
        case ("project", "version") | ("version",) if isinstance(leaf.value, str):
            yield text.declare("version", "version", lines, value=leaf.value)
        case ("project", ("scripts" | "gui-scripts") as table, name):
            yield text.declare("registration", name, lines, table, value=str(leaf.value))
        case ("project", "entry-points", group, name):
            yield text.declare("registration", name, lines, group, value=str(leaf.value))
        case (extra,):
            # A fragment without the header of its table: a list of requirements is most likely an extra.
            found = _requirements(leaf, text, f"optional:{extra}")
            yield from (one for one in found if one.parts)


def dev_owner(group: str) -> str:
    """Name a group of dependencies that only developers install."""
    return "dev" if group == "dev" else f"dev:{group}"


def _requirements(leaf: Leaf, text: Text, owner: str) -> Iterator[Declaration]:
    for written, line in leaf.strings(text):
        yield from text.requirement(written, line, owner)


def _poetry(leaf: Leaf, text: Text) -> Iterator[Declaration]:
    lines = (leaf.first, leaf.last)
    match leaf.path[2:], leaf.value:
        case ("version",), str(value):
            yield text.declare("version", "version", lines, value=value)
        case ("scripts", name), str(value):
            yield text.declare("registration", name, lines, "scripts", value=value)
        case (*table, "dependencies", name) | (*table, "dependencies", name, "version" | "rev" | "tag"), str(value):
            owner = dev_owner(table[-1]) if table else ""
            yield text.declare("dependency", canonicalize_name(name), lines, owner, version=value)


def read_requirements(text: Text) -> Iterator[Declaration]:
    """Read a file of requirements or constraints line by line, as pip does."""
    for number, line in text.numbered():
        written = _HASH.sub("", _COMMENT.sub("", line)).strip()
        if not written.startswith("-"):
            yield from text.requirement(written, number)
        elif option := _OPTION.fullmatch(written):
            name, value = option.groups()
            if name in _FILES:
                yield text.declare("config", written, (number, number))
            elif name in _SETTINGS:
                yield text.declare("config", name, (number, number), value=value)
            elif name in ("-e", "--editable"):
                yield from text.requirement(value, number)


def ini_values(text: Text) -> Iterator[tuple[str, str, str, int]]:
    """Give section, key, one line of the value and its number; further lines of a value are indented."""
    section = key = ""
    for number, line in text.numbered():
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        if found := _SECTION.fullmatch(line):
            section, key = found[1], ""
        elif (found := _KEY.fullmatch(bare)) and (not line[0].isspace() or section.startswith("submodule ")):
            key = found[1]
            if found[2]:
                yield section, key, found[2], number
        elif line[0].isspace():
            yield section, key, bare, number


def read_setup_cfg(text: Text) -> Iterator[Declaration]:
    """Read the sections of setuptools in setup.cfg."""
    for section, key, value, line in ini_values(text):
        lines = (line, line)
        match section, key:
            case ("options", "install_requires") | ("", "install_requires"):
                yield from text.requirement(value, line)
            case ("options", "setup_requires"):
                yield from text.requirement(value, line, "build")
            case "options.extras_require", extra:
                yield from text.requirement(value, line, f"optional:{extra}")
            case ("options" | ""), "python_requires":
                yield text.declare("dependency", "python", lines, version=value)
            case ("metadata" | ""), "version":
                yield text.declare("version", "version", lines, value=value)
            case "options.entry_points", group:
                yield from text.entry_point(value, line, group)
            case "", "":
                # A fragment that begins inside a list.
                yield from (one for one in text.requirement(value, line) if one.parts)


def read_gitmodules(text: Text) -> Iterator[Declaration]:
    """Read which repositories stand where; a fragment that lacks the path of one leaves that one out."""
    paths: dict[str, tuple[str, int]] = {}
    for section, key, value, line in ini_values(text):
        if key == "path":
            paths[section] = (value, line)
        elif key == "url" and section in paths:
            path, first = paths[section]
            yield text.declare("dependency", path, (first, line), version=value)
