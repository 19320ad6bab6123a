"""Entries of manifests that are not of Python: Cargo, npm, Go, CMake, Dockerfiles, version files."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tools.diff.manifests import Leaf, ManifestEntry, Text

_CRATES = {"dependencies": "", "dev-dependencies": "dev", "build-dependencies": "build"}
_NPM = {
    "dependencies": "",
    "devDependencies": "dev",
    "peerDependencies": "peer",
    "optionalDependencies": "optional",
    "engines": "engines",
}
_SOURCES = ("version", "rev", "tag", "branch", "git")
"""The keys of a crate's requirement that say which one is taken, the most exact first."""
_VERSION = re.compile(r"[\^~=<>]*\s*v?\d[^\s/]*(?:[ ,|].*)?")
_MEMBER = re.compile(r'\s*"([^"\\]+)"\s*:\s*(?:"([^"\\]*)"\s*,?\s*)?')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MODULE = re.compile(r"\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+(v\d\S*)\s*(//\s*indirect)?.*")
_LANGUAGE = re.compile(r"(go|toolchain)\s+(\S+)\s*")
_ASSIGNED = re.compile(r"""(__version__|VERSION|version)\s*(?::\s*\w+\s*)?=\s*["']([^"']+)["'].*""")


def read_cargo(text: "Text") -> Iterator["ManifestEntry"]:
    """Yield the dependencies, features and versions of a crate or of a workspace."""
    crates: dict[tuple[str, str], list[Leaf]] = {}
    for leaf in text.leaves():
        lines = (leaf.first, leaf.last)
        match leaf.path:
            case ("package", "version") | ("workspace", "package", "version") | ("version",):
                yield text.declare("version", "version", lines, value=str(leaf.value))
            case (
                ("package", "rust-version")
                | ("workspace", "package", "rust-version")
                | ("rust-version",)
            ):
                yield text.declare("dependency", "rust", lines, version=str(leaf.value))
            case ("features", name) if isinstance(leaf.value, list):
                enabled = ", ".join(map(str, leaf.value))
                yield text.declare("registration", name, lines, "features", value=enabled)
            case (*_, table, name, _) | (*_, table, name) if table in _CRATES:
                crates.setdefault((_CRATES[table], name), []).append(leaf)
            case (name,) | (name, ("version" | "rev" | "tag")) if name != "edition" and _asks(
                leaf.value
            ):
                # A fragment without the header of its table.
                crates.setdefault(("", name), []).append(leaf)
    for (owner, name), leaves in crates.items():
        keys: dict[str, object] = {}
        for leaf in leaves:
            key = leaf.path[-1]
            keys["version" if key == name else key] = leaf.value
        if "path" in keys and "version" not in keys:
            continue
        version = next((str(keys[key]) for key in _SOURCES if key in keys), "")
        lines = (leaves[0].first, leaves[-1].last)
        yield text.declare("dependency", name, lines, owner, version=version)


def _asks(value: object) -> bool:
    return isinstance(value, str) and _VERSION.fullmatch(value) is not None


def read_package_json(text: "Text") -> Iterator["ManifestEntry"]:
    """Yield the dependencies, engines, programs and the version of an npm package."""
    for path, value, line in _members(text):
        match path:
            case ("version",):
                yield text.declare_at(line, "version", "version", value=value)
            case (table, name) if table in _NPM:
                yield text.declare_at(line, "dependency", name, _NPM[table], version=value)
            case ("bin", name):
                yield text.declare_at(line, "registration", name, "bin", value=value)
            case (name,) if _asks(value):
                # A fragment without the key of its table.
                yield text.declare_at(line, "dependency", name, version=value)


class _Member(NamedTuple):
    """A string of an object that stands on a line of its own, with the keys that lead to it."""

    path: tuple[str, ...]
    value: str
    line: int


def _members(text: "Text") -> Iterator[_Member]:
    """Yield the strings of objects; an object in a list has no key, and is passed over."""
    keys: list[str] = []
    for number, line in enumerate(text.lines, start=1):
        member = _MEMBER.match(line)
        key = member[1] if member else ""
        if member and member[2] is not None and member.end() == len(line):
            path = (*keys, key)
            if path[0] == "":
                path = path[1:]  # The outermost object has no key
            if "" not in path:
                yield _Member(path, member[2], number)
        depth = _opened(_STRING.sub("", line))
        keys = keys[:depth] if depth < 0 else keys + [key] * depth


def _opened(code: str) -> int:
    """Return how many more objects and lists a line opens than it closes."""
    opening = code.count("{") + code.count("[")
    closing = code.count("}") + code.count("]")
    return opening - closing


def read_go_mod(text: "Text") -> Iterator["ManifestEntry"]:
    """Yield the modules that a Go module requires, and the version of the language."""
    for number, line in enumerate(text.lines, start=1):
        if language := _LANGUAGE.fullmatch(line):
            yield text.declare_at(number, "dependency", language[1], version=language[2])
        elif (module := _MODULE.fullmatch(line)) and "=>" not in line:
            owner = "indirect" if module[3] else ""
            yield text.declare_at(number, "dependency", module[1], owner, version=module[2])


def read_version(text: "Text") -> Iterator["ManifestEntry"]:
    """Yield the version in a file that holds one word, or those that a Python module assigns."""
    file_name = text.path.rpartition("/")[2]
    is_module = file_name.endswith(".py")
    words = text.joined.split()
    for number, line in enumerate(text.lines, start=1):
        if is_module:
            if assigned := _ASSIGNED.fullmatch(line):
                yield text.declare_at(number, "version", assigned[1], value=assigned[2])
        elif line.strip() and len(words) == 1:
            yield text.declare_at(number, "version", file_name, value=words[0])


_COMMAND = re.compile(r"^[ \t]*(\w+)[ \t]*\(", re.MULTILINE)
_TOKEN = re.compile(r'#[^\n]*|"(?:[^"\\]|\\.)*"|[()]|[^\s()#"]+', re.DOTALL)
_BUILD_VARIABLE = re.compile(r"CMAKE_\w+_STANDARD|\w*(?:ARCHS|ARCHITECTURES|ARCH_LIST|_VERSION)")
"""Variables that say for which machines, languages and versions a project is built."""
_CMAKE_NUMBER = re.compile(r"\d[\w.]*")


def read_cmake(text: "Text") -> Iterator["ManifestEntry"]:
    """Yield what the commands of CMake declare; a command may go over several lines."""
    end = 0
    for command in _COMMAND.finditer(text.joined):
        if command.start() < end:
            continue
        arguments, end = _arguments(text.joined, command.end())
        if not arguments:
            continue
        lines = (text.line_at(command.start(1)), text.line_at(end - 1))
        for kind, name, part, value in _declared(command[1].lower(), arguments):
            yield text.declare(kind, name, lines, **{part: value})


class _Arguments(NamedTuple):
    """The arguments of a command, and the offset behind it."""

    words: list[str]
    end: int


def _arguments(text: str, start: int) -> _Arguments:
    """Return the arguments of a command up to its closing bracket, or to the end of a fragment."""
    words: list[str] = []
    depth = 1
    end = start
    for token in _TOKEN.finditer(text, start):
        end = token.end()
        word = token[0]
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
            if depth == 0:
                break
        elif word.startswith('"'):
            words.append(word[1:-1])
        elif not word.startswith("#"):
            words.append(word)
    return _Arguments(words, end)


class _CommandEntry(NamedTuple):
    """The declaration of a command: one part of it with its value."""

    kind: str
    name: str
    part: str
    value: str


def _declared(command: str, arguments: list[str]) -> Iterator[_CommandEntry]:
    """Yield what a command declares."""
    name, *rest = arguments
    match command:
        case "option" | "cmake_dependent_option":
            default = rest[1] if len(rest) > 1 else "OFF"
            yield _CommandEntry("config", name, "value", default)
        case "set" if "CACHE" in rest:
            value = " ".join(rest[: rest.index("CACHE")])
            yield _CommandEntry("config", name, "value", value)
        case "set" if rest and _BUILD_VARIABLE.fullmatch(name):
            # Nobody sets it from outside, but its value says for what the project is built.
            value = " ".join(rest).removesuffix(" PARENT_SCOPE")
            yield _CommandEntry("build", name, "value", value)
        case "project" if version := _after("VERSION", rest):
            yield _CommandEntry("version", name, "value", version)
        case "cmake_minimum_required":
            yield _CommandEntry("dependency", "cmake", "version", _after("VERSION", arguments))
        case "find_package":
            has_version = rest and _CMAKE_NUMBER.match(rest[0])
            yield _CommandEntry("dependency", name, "version", rest[0] if has_version else "")
        case "fetchcontent_declare" | "externalproject_add":
            sources = (_after(key, rest) for key in ("GIT_TAG", "URL", "GIT_REPOSITORY"))
            yield _CommandEntry("dependency", name, "version", next(filter(None, sources), ""))


def _after(keyword: str, arguments: list[str]) -> str:
    return arguments[arguments.index(keyword) + 1] if keyword in arguments[:-1] else ""


_INSTRUCTION = re.compile(
    r"\s*(FROM|ARG|ENV|RUN|COPY|ADD|CMD|ENTRYPOINT|WORKDIR|USER|LABEL|EXPOSE|SHELL|VOLUME|HEALTHCHECK|ONBUILD)\s+(.*)"
)
_FROM = re.compile(r"(?:--platform=\S+\s+)?(\S+)(?:\s+AS\s+(\S+))?\s*", re.IGNORECASE)
_PAIR = re.compile(r"""(?<!\w)([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']*)""")
_PIN = re.compile(r"""(?<![\w$.-])([A-Za-z][\w.-]*)(?:\[[\w,-]*\])?==([\d$][\w.{}$+*!-]*)""")
_INSTALL = re.compile(r"\bpip3? install\s+(.*)")
_BARE = re.compile(r"[A-Za-z][\w.-]*(?:\[[\w,-]*\])?")


def read_dockerfile(text: "Text") -> Iterator["ManifestEntry"]:
    """Yield the images of all stages, arguments, variables, and the Python packages installed."""
    instruction = ""
    stage = ""
    is_continued = False
    for number, line in enumerate(text.lines, start=1):
        if line.lstrip().startswith("#"):
            continue
        arguments = line
        begun = None if is_continued else _INSTRUCTION.fullmatch(line)
        if begun is not None:
            instruction, arguments = begun.groups()
        image = _FROM.fullmatch(arguments) if instruction == "FROM" else None
        if image is not None:
            stage = image[2] or ""
            yield from _image(image[1], number, text, stage)
        elif instruction in ("ARG", "ENV"):
            yield from _variables(arguments, number, text, stage)
        elif instruction in ("", "RUN"):
            yield from _installed_packages(arguments, number, text, stage)
        is_continued = line.rstrip().endswith("\\")


def _variables(arguments: str, line: int, text: "Text", stage: str) -> Iterator["ManifestEntry"]:
    for name, value in _PAIR.findall(arguments):
        yield text.declare_at(line, "config", name, stage, value=value.strip("\"'"))


def _installed_packages(
    arguments: str, line: int, text: "Text", stage: str
) -> Iterator["ManifestEntry"]:
    for name, version in _PIN.findall(arguments):
        yield text.declare("dependency", name.lower(), (line, line), stage, version=f"=={version}")
    for packages in _INSTALL.findall(arguments):
        for word in packages.split("&&")[0].split():
            if _BARE.fullmatch(word):
                yield text.declare("dependency", word.lower(), (line, line), stage)


def _image(written: str, line: int, text: "Text", owner: str = "") -> Iterator["ManifestEntry"]:
    """Yield an image with its tag or digest; a bare word is the name of an earlier stage."""
    name, at, digest = written.partition("@")
    image, colon, tag = name.rpartition(":")
    if at:
        yield text.declare_at(line, "image", name, owner, value=digest)
    elif colon and "/" not in tag and not image.endswith("$"):
        yield text.declare_at(line, "image", image, owner, value=tag)
    elif "/" in written:
        yield text.declare_at(line, "image", written, owner)
