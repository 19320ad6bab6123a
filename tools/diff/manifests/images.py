"""What container images are built from, and which images and values YAML files choose."""

import re
from collections.abc import Iterator

from tools.diff.declarations import Declaration
from tools.diff.manifests.text import Text

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
