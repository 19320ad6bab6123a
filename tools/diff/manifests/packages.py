"""What crates, npm packages, Go modules, CMake, Dockerfiles and files of versions declare."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.diff.manifests import Leaf, ManifestEntry, Text

_CRATES = {"dependencies": "", "dev-dependencies": "dev", "build-dependencies": "build"}
_NPM = {
    "dependencies": "",
    "devDependencies": "dev",
    "peerDependencies": "peer",
    "optionalDependencies": "optional",
}
_NPM |= {"engines": "engines"}
_SOURCES = ("version", "rev", "tag", "branch", "git")
"""The keys of a crate's requirement that say which one is taken, the most telling first."""
_VERSION = re.compile(r"[\^~=<>]*\s*v?\d[^\s/]*(?:[ ,|].*)?")
_MEMBER = re.compile(r'\s*"([^"\\]+)"\s*:\s*(?:"([^"\\]*)"\s*,?\s*)?')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MODULE = re.compile(r"\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+(v\d\S*)\s*(//\s*indirect)?.*")
_LANGUAGE = re.compile(r"(go|toolchain)\s+(\S+)\s*")
_ASSIGNED = re.compile(r"""(__version__|VERSION|version)\s*(?::\s*\w+\s*)?=\s*["']([^"']+)["'].*""")


def read_cargo(text: "Text") -> Iterator["ManifestEntry"]:
    """Read the dependencies, features and versions of a crate or of a workspace."""
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
                yield text.declare(
                    "registration", name, lines, "features", value=", ".join(map(str, leaf.value))
                )
            case (*_, table, name, _) | (*_, table, name) if table in _CRATES:
                crates.setdefault((_CRATES[table], name), []).append(leaf)
            case (name,) | (name, ("version" | "rev" | "tag")) if name != "edition" and _asks(
                leaf.value
            ):
                # A fragment without the header of its table.
                crates.setdefault(("", name), []).append(leaf)
    for (owner, name), found in crates.items():
        keys = {leaf.path[-1] if leaf.path[-1] != name else "version": leaf.value for leaf in found}
        if "path" not in keys or "version" in keys:
            version = next((str(keys[key]) for key in _SOURCES if key in keys), "")
            yield text.declare(
                "dependency", name, (found[0].first, found[-1].last), owner, version=version
            )


def _asks(value: object) -> bool:
    return isinstance(value, str) and _VERSION.fullmatch(value) is not None


def read_package_json(text: "Text") -> Iterator["ManifestEntry"]:
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


def _members(text: "Text") -> Iterator[tuple[tuple[str, ...], str, tuple[int, int]]]:
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
        around = (
            around[:opened]
            if opened < 0
            else around + [(found[1] if found else "", number)] * opened
        )


def read_go_mod(text: "Text") -> Iterator["ManifestEntry"]:
    """Read the modules that a Go module requires, and the version of the language."""
    for number, line in enumerate(text.lines, start=1):
        if found := _LANGUAGE.fullmatch(line):
            yield text.declare("dependency", found[1], (number, number), version=found[2])
        elif (found := _MODULE.fullmatch(line)) and "=>" not in line:
            owner = "indirect" if found[3] else ""
            yield text.declare("dependency", found[1], (number, number), owner, version=found[2])


def read_version(text: "Text") -> Iterator["ManifestEntry"]:
    """Read a file that holds one word, or the lines of a module that assign a version."""
    name = text.path.rpartition("/")[2]
    if name.endswith(".py"):
        for number, line in enumerate(text.lines, start=1):
            if found := _ASSIGNED.fullmatch(line):
                yield text.declare("version", found[1], (number, number), value=found[2])
    elif len(words := text.whole.split()) == 1:
        at = next(number for number, line in enumerate(text.lines, start=1) if line.strip())
        yield text.declare("version", name, (at, at), value=words[0])


_COMMAND = re.compile(r"^[ \t]*(\w+)[ \t]*\(", re.MULTILINE)
_TOKEN = re.compile(r'#[^\n]*|"(?:[^"\\]|\\.)*"|[()]|[^\s()#"]+', re.DOTALL)
_TOLD = re.compile(r"CMAKE_\w+_STANDARD|\w*(?:ARCHS|ARCHITECTURES|ARCH_LIST|_VERSION)")
"""Variables that say for which machines, languages and versions a project is built."""
_CMAKE_NUMBER = re.compile(r"\d[\w.]*")


def read_cmake(text: "Text") -> Iterator["ManifestEntry"]:
    """Read the commands that declare something; a command may go over several lines."""
    after = 0
    for command in _COMMAND.finditer(text.whole):
        if command.start() >= after:
            arguments, after = _arguments(text.whole, command.end())
            lines = (text.line_at(command.start(1)), text.line_at(after - 1))
            for kind, name, part, value in (
                _declared(command[1].lower(), arguments) if arguments else ()
            ):
                yield text.declare(kind, name, lines, **{part: value})


def _arguments(whole: str, start: int) -> tuple[list[str], int]:
    """Split the arguments of a command up to its closing bracket, or to the end of a fragment."""
    found: list[str] = []
    depth, end = 1, start
    for token in _TOKEN.finditer(whole, start):
        end = token.end()
        if token[0] in "()":
            depth += 1 if token[0] == "(" else -1
            if not depth:
                break
        elif not token[0].startswith("#"):
            found.append(token[0][1:-1] if token[0].startswith('"') else token[0])
    return found, end


def _declared(command: str, arguments: list[str]) -> Iterator[tuple[str, str, str, str]]:
    """Say what a command declares: kind, name, and one part with its value."""
    name, *rest = arguments
    match command:
        case "option" | "cmake_dependent_option":
            yield "config", name, "value", rest[1] if len(rest) > 1 else "OFF"
        case "set" if "CACHE" in rest:
            yield "config", name, "value", " ".join(rest[: rest.index("CACHE")])
        case "set" if rest and _TOLD.fullmatch(name):
            # Nobody sets it from outside, but its value says for what the project is built.
            yield "build", name, "value", " ".join(rest).removesuffix(" PARENT_SCOPE")
        case "project" if version := _after("VERSION", rest):
            yield "version", name, "value", version
        case "cmake_minimum_required":
            yield "dependency", "cmake", "version", _after("VERSION", arguments)
        case "find_package":
            yield (
                "dependency",
                name,
                "version",
                rest[0] if rest and _CMAKE_NUMBER.match(rest[0]) else "",
            )
        case "fetchcontent_declare" | "externalproject_add":
            found = (_after(key, rest) for key in ("GIT_TAG", "URL", "GIT_REPOSITORY"))
            yield "dependency", name, "version", next(filter(None, found), "")


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
        yield text.declare("config", name, (line, line), stage, value=value.strip("\"'"))


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
    """Split an image into its name and its tag or digest; a bare word is the stage above."""
    name, at, digest = written.partition("@")
    head, colon, tag = name.rpartition(":")
    if at:
        yield text.declare("image", name, (line, line), owner, value=digest)
    elif colon and "/" not in tag and not head.endswith("$"):
        yield text.declare("image", head, (line, line), owner, value=tag)
    elif "/" in written:
        yield text.declare("image", written, (line, line), owner)
