"""What is built and deployed: CMake, Dockerfiles, Helm values, compose files and workflows."""

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


_INSTRUCTION = re.compile(
    r"\s*(FROM|ARG|ENV|RUN|COPY|ADD|CMD|ENTRYPOINT|WORKDIR|USER|LABEL|EXPOSE|SHELL|VOLUME|HEALTHCHECK|ONBUILD)\s+(.*)"
)
_FROM = re.compile(r"(?:--platform=\S+\s+)?(\S+)(?:\s+AS\s+(\S+))?\s*", re.IGNORECASE)
_PAIR = re.compile(r"""(?<!\w)([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']*)""")
_PIN = re.compile(r"""(?<![\w$.-])([A-Za-z][\w.-]*)(?:\[[\w,-]*\])?==([\d$][\w.{}$+*!-]*)""")
_INSTALL = re.compile(r"\bpip3? install\s+(.*)")
_BARE = re.compile(r"[A-Za-z][\w.-]*(?:\[[\w,-]*\])?")
_IMAGE = re.compile(r"""\s*(?:-\s+)?image:\s*["']?([^\s"'#{}]+)["']?\s*(?:#.*)?""")
_KEY = re.compile(r"""( *)([\w.-]+):(?:\s+(?:"([^"\\]*)"|'([^']*)'|([^\s"'#{[&*|>][^#]*?)))?\s*(?:#.*)?""")


def read_dockerfile(text: Text) -> Iterator[Declaration]:
    """Read the images of all stages, arguments, variables, and the Python packages that are pinned."""
    word = stage = ""
    goes_on = False
    for number, line in enumerate(text.lines, start=1):
        if line.lstrip().startswith("#"):
            continue
        if not goes_on and (found := _INSTRUCTION.fullmatch(line)):
            word, line = found.groups()
        if word == "FROM" and (begun := _FROM.fullmatch(line)):
            stage = begun[2] or ""
            yield from _image(begun[1], number, text, stage)
        elif word in ("ARG", "ENV"):
            for name, value in _PAIR.findall(line):
                yield text.declare("config", name, (number, number), stage, value=value.strip("\"'"))
        elif word in ("", "RUN"):
            for name, version in _PIN.findall(line):
                yield text.declare("dependency", name.lower(), (number, number), stage, version=f"=={version}")
            for words in _INSTALL.findall(line):
                for word in filter(_BARE.fullmatch, words.split("&&")[0].split()):
                    yield text.declare("dependency", word.lower(), (number, number), stage)
        goes_on = line.rstrip().endswith("\\")


def _image(written: str, line: int, text: Text, owner: str = "") -> Iterator[Declaration]:
    """Split an image into its name and its tag or digest; a bare word is the stage above."""
    name, at, digest = written.partition("@")
    head, colon, tag = name.rpartition(":")
    if at:
        yield text.declare("image", name, (line, line), owner, value=digest)
    elif colon and "/" not in tag and not head.endswith("$"):
        yield text.declare("image", head, (line, line), owner, value=tag)
    elif "/" in written:
        yield text.declare("image", written, (line, line), owner)


def read_yaml(text: Text) -> Iterator[Declaration]:
    """Read which images a workflow, a composition of containers or a chart runs."""
    for number, line in enumerate(text.lines, start=1):
        if found := _IMAGE.fullmatch(line):
            yield from _image(found[1], number, text)


def read_values(text: Text) -> Iterator[Declaration]:
    """Read the plain values of a chart by their dotted keys; lists and blocks of text are passed over."""
    around: list[tuple[int, str]] = []
    for number, line in enumerate(text.lines, start=1):
        indent = len(line) - len(line.lstrip(" "))
        if line.lstrip()[:1] in ("", "#"):
            continue
        while around and around[-1][0] >= indent:
            around.pop()
        found = _KEY.fullmatch(line)
        # What stands under anything but a plain key has no name here.
        known = (not indent or bool(around)) and all(key for _, key in around)
        around.append((indent, found[2] if found else ""))
        value = next((part for part in found.groups()[2:] if part is not None), None) if found else None
        if found and known and value is not None:
            yield text.declare("config", ".".join(key for _, key in around), (number, number), value=value)
