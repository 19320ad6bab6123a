"""What CMake files let users set, and what they build on."""

import re
from collections.abc import Iterator

from tools.diff.declarations import Declaration
from tools.diff.manifests.text import Text

_COMMAND = re.compile(r"^[ \t]*(\w+)[ \t]*\(", re.MULTILINE)
_TOKEN = re.compile(r'#[^\n]*|"(?:[^"\\]|\\.)*"|[()]|[^\s()#"]+', re.DOTALL)
_TOLD = re.compile(r"CMAKE_\w+_STANDARD|\w*(?:ARCHS|ARCHITECTURES|ARCH_LIST|_VERSION)")
"""Variables that say for which machines, languages and versions a project is built."""
_NUMBER = re.compile(r"\d[\w.]*")


def read_cmake(text: Text) -> Iterator[Declaration]:
    """Read the commands that declare something; a command may go over several lines."""
    after = 0
    for command in _COMMAND.finditer(text.whole):
        if command.start() >= after:
            arguments, after = _arguments(text.whole, command.end())
            lines = (text.line_at(command.start(1)), text.line_at(after - 1))
            for kind, name, part, value in _declared(command[1].lower(), arguments) if arguments else ():
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
            yield "config", name, "value", " ".join(rest).removesuffix(" PARENT_SCOPE")
        case "project" if version := _after("VERSION", rest):
            yield "version", name, "value", version
        case "cmake_minimum_required":
            yield "dependency", "cmake", "version", _after("VERSION", arguments)
        case "find_package":
            yield "dependency", name, "version", rest[0] if rest and _NUMBER.match(rest[0]) else ""
        case "fetchcontent_declare" | "externalproject_add":
            found = (_after(key, rest) for key in ("GIT_TAG", "URL", "GIT_REPOSITORY"))
            yield "dependency", name, "version", next(filter(None, found), "")


def _after(keyword: str, arguments: list[str]) -> str:
    return arguments[arguments.index(keyword) + 1] if keyword in arguments[:-1] else ""
