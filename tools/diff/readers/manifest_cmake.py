"""What a CMake build asks for, lets its users set, and refuses."""

import re
from collections.abc import Iterator

from tools.diff.readers.definitions import defined
from tools.diff.readers.lines import fold, lines_of, unquote
from tools.diff.readers.manifest_pins import pinned_by_name
from tools.diff.reading import Site, Source

_COMMAND = re.compile(
    r"^\s*(project|cmake_minimum_required|find_package|set|(?:\w+_)?option|message|(?:add|target)_compile_definitions|target_compile_features|set_target_properties|add_definitions|FetchContent_Declare|ExternalProject_Add|CPMAddPackage)\s*\((.*)$",
    re.I,
)
_LOOSE_TAG = re.compile(r"^\s*GIT_TAG\s+(\S+?)\)?\s*$")
_REPOSITORY = re.compile(r"GIT_REPOSITORY\s+\S*?/([A-Za-z0-9._-]+?)(?:\.git)?\"?\s*\)?$")
_STRING = r'"(?:[^"\\]|\\.)*"'
_PIECE = re.compile(rf"{_STRING}|#[^\n]*|[()]", re.DOTALL)
_ARGUMENT = re.compile(rf'({_STRING})|([^\s()"]+)', re.DOTALL)
_VERSION = re.compile(r"(?:^|_)VERSION_")
_PINNED = re.compile(r"\d|[0-9a-f]{7,64}$")
_REFUSALS = ("FATAL_ERROR", "SEND_ERROR")
_WARNINGS = ("WARNING", "AUTHOR_WARNING", "DEPRECATION")
_DEPRECATED = re.compile(r"\bdeprecated\b", re.I)
_SETTING = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_BRANCH = re.compile(r"^\s*(if|elseif|else|endif)\s*\((.*)$", re.I)
_COMPILER = re.compile(r"COMPILER|\bMSVC\b|\bMINGW\b|clang|intel", re.I)
"""A condition of a build for one compiler: what is set there is not for everybody to set."""
_MAX_LINES = 40
_DEFINITIONS = "definitions"
_PARTS = ("MAJOR", "MINOR", "PATCH")
_VERSION_PART = re.compile(r"\s*set\s*\(\s*(\w+_VERSION)_(MAJOR|MINOR|PATCH)\s+(\d+)\s*\)", re.I)
_OPTION, _NAMED = "option", re.compile(r"[A-Z][A-Z0-9_]+$")
_LEAST, _LEAST_KNOWN = "cmake_minimum_required", "CMAKE_MINIMUM_REQUIRED_VERSION"
_STANDARD = re.compile(r"(CMAKE_)?(C|CXX|CUDA|HIP)_STANDARD$")
_FEATURE = re.compile(r"(c|cxx|cuda|hip)_std_(\d+)$")


def read_cmake(source: Source) -> Iterator[Site]:
    """Read what CMake fetches and finds, the versions and options it sets, and with what words it gives up."""
    last = -1
    for site in _sites(source):
        # A refusal right below another one goes on with it.
        goes_on = site.kind == "error" and site.start == last + 1
        last = site.end if site.kind == "error" else last
        if not goes_on:
            yield site
    if b"_VERSION_PATCH" in source.text:
        yield from _in_parts(source)


def _in_parts(source: Source) -> Iterator[Site]:
    """Read the versions that are set part by part: `set(ACME_VERSION_MAJOR 1)`, and so on."""
    found: dict[str, dict[str, tuple[str, int]]] = {}
    for number, line in enumerate(lines_of(source), start=source.first_line):
        if part := _VERSION_PART.match(line):
            found.setdefault(part[1], {})[part[2]] = part[3], number
    for name, parts in found.items():
        if all(part in parts for part in _PARTS):
            numbers = [number for _, number in parts.values()]
            version = ".".join(parts[part][0] for part in _PARTS)
            yield Site("version", name, min(numbers), max(numbers), value=version)


def _sites(source: Source) -> Iterator[Site]:
    lines, repository, at = lines_of(source), "", 0
    conditions: list[str] = []
    while at < len(lines):
        line, number = lines[at], source.first_line + at
        if found := _COMMAND.match(line):
            before = lines[at - 1] if at else ""
            arguments, at = _arguments(lines, at, found[2])
            foreign = found[1].lower() == "set" and any(map(_COMPILER.search, conditions))
            read = _defined if found[1].lower().endswith(_DEFINITIONS) else _command
            for site in read(found[1].lower(), arguments, number, source.first_line + at):
                site = site._replace(condition=" ".join(conditions)) if read is _defined else site
                if site.kind != "config" or not (foreign or _is_forced(site.name, arguments, before)):
                    yield _about(site, conditions, source.path)
        elif found := _BRANCH.match(line):
            _enter(conditions, found[1].lower(), found[2])
        elif named := _REPOSITORY.search(line.partition("#")[0]):
            repository = named[1]
        elif tag := _LOOSE_TAG.match(line.partition("#")[0]):
            name = repository or source.path.rpartition("/")[2].rpartition(".")[0]
            yield Site("dependency", name, number, number, value=unquote(tag[1]))
        at += 1


def _arguments(lines: list[str], at: int, rest: str) -> tuple[list[str], int]:
    """Take a command's arguments up to its closing parenthesis, and the line that has it."""
    text, depth = "\n".join([rest, *lines[at + 1 : at + _MAX_LINES]]), 1
    kept, since = [], 0
    for piece in _PIECE.finditer(text):
        sign = piece[0][0]
        depth += (sign == "(") - (sign == ")")
        if sign == "#" or depth == 0:
            kept.append(text[since : piece.start()])
            since = piece.end()
        if depth == 0:
            at += text.count("\n", 0, piece.end())
            break
    else:
        kept.append(text[since:])
        at += text.count("\n")
    found = _ARGUMENT.findall("".join(kept))
    return [quoted[1:-1] if quoted else bare for quoted, bare in found], at


def _enter(conditions: list[str], word: str, condition: str) -> None:
    """Keep the conditions under which the next line is reached."""
    if word != "if" and conditions:
        conditions.pop()
    if word != "endif":
        conditions.append(condition)


def _about(site: Site, conditions: list[str], path: str) -> Site:
    """Name what is deprecated: the setting that the words name, or that is asked for before they are said."""
    if site.kind != "deprecation":
        return site
    named = (found for text in (site.value or "", *reversed(conditions)) for found in _SETTING.findall(text))
    return site._replace(name=next(named, path.rpartition("/")[2]))


def _defined(command: str, arguments: list[str], start: int, end: int) -> Iterator[Site]:
    """Read what is defined for a compiler."""
    return defined(arguments, start, end, target=command.startswith("target"))


def _is_forced(name: str, arguments: list[str], before: str) -> bool:
    """Tell whether what a user sets is overwritten: a value is forced, and not only where there is none."""
    return "FORCE" in arguments[3:] and name not in before


def _command(command: str, arguments: list[str], start: int, end: int) -> Iterator[Site]:
    """Read one command's arguments."""
    upper = [argument.upper() for argument in arguments]
    if not arguments:
        return
    name = arguments[0]
    if command in ("set", _OPTION) or (command.endswith(_OPTION) and len(arguments) > 1 and _NAMED.match(name)):
        yield from _setting(command, arguments, start, end)
        return
    if command == _LEAST:
        # Up to which version policies are known (`3.14...3.28`) asks nobody for more.
        if name == "VERSION" and len(arguments) > 1 and "$" not in arguments[1]:
            yield Site("config", _LEAST_KNOWN, start, end, value=arguments[1].partition("...")[0])
        return
    if command in ("target_compile_features", "set_target_properties"):
        yield from _standards(arguments, start, end)
        return
    if command == "message":
        if name in _REFUSALS and len(arguments) > 1:
            yield Site("error", name, start, end, value=fold("".join(arguments[1:])))
        elif name in _WARNINGS and _DEPRECATED.search(said := fold("".join(arguments[1:]))):
            yield Site("deprecation", name, start, end, value=said)
        return
    if command == "find_package":
        if len(arguments) > 1 and arguments[1][:1].isdigit():
            yield Site("dependency", name, start, end, value=arguments[1], scope=command)
        return
    key = next((key for key in ("GIT_TAG", "VERSION", "URL") if key in upper[:-1]), None)
    if key is None:
        return
    value = arguments[upper.index(key) + 1]
    if command == "project" and "$" in value:
        return
    if command == "project":
        yield Site("version", "version", start, end, value=value)
    else:
        yield Site("dependency", name, start, end, value=value)


def _setting(command: str, arguments: list[str], start: int, end: int) -> Iterator[Site]:
    """Read what can be set when building, and names that stand for a version, wherever that word is in them."""
    name, cached = arguments[0], "CACHE" in arguments[2:]
    if "$" in name:
        return
    if command == "set" and len(arguments) == 2 and _PINNED.match(arguments[1]):
        value = arguments[1]
        if (standard := _STANDARD.match(name)) and standard[1]:
            yield Site("config", name, start, end, value=value)
        elif pinned := pinned_by_name(name, value, start):
            yield pinned
        elif "." in value and _VERSION.search(name):
            yield Site("dependency", name, start, start, value=value)
    elif cached and "INTERNAL" not in arguments:
        yield Site("config", name, start, end, value=" ".join(arguments[1 : arguments.index("CACHE")]))
    elif command != "set":
        # A macro of the project's own (`lib_option`) takes what `option` takes.
        yield Site("config", name, start, end, value=arguments[2] if len(arguments) > 2 else "OFF")


def _standards(arguments: list[str], start: int, end: int) -> Iterator[Site]:
    """Read by which standards of their languages a target is compiled."""
    target, *rest = arguments
    for at, word in enumerate(rest):
        if feature := _FEATURE.match(word):
            yield Site("config", f"CMAKE_{feature[1].upper()}_STANDARD", start, end, value=feature[2], scope=target)
        elif (language := _STANDARD.match(word)) and rest[at + 1 : at + 2] and rest[at + 1].isdigit():
            yield Site("config", f"CMAKE_{language[2]}_STANDARD", start, end, value=rest[at + 1], scope=target)
