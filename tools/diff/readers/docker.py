"""What a Dockerfile builds on and lets its user set: base images, build arguments, environment, pinned packages."""

import re
from collections.abc import Iterator

from tools.diff.readers.lines import digest, fold, lines_of, refusal, refused, unquote
from tools.diff.readers.manifest_pins import image, pinned_by_name, pinned_in_command
from tools.diff.reading import Reading, Site, Source

_INSTRUCTION = re.compile(
    r"^\s*(FROM|ARG|ENV|RUN|COPY|ADD|CMD|ENTRYPOINT|WORKDIR|USER|LABEL|EXPOSE|SHELL|VOLUME|HEALTHCHECK|ONBUILD|STOPSIGNAL)"
    r"\s+(.*)$",
    re.IGNORECASE,
)
_FROM = re.compile(r"^(?:--platform=\S+\s+)?(\S+)(?:\s+AS\s+(\S+))?", re.IGNORECASE)
_PAIR = re.compile(r"""([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']*)""")
_NAME = re.compile(r"(?:^|/)(?:(?:Docker|Container)file[^/]*|[^/]+\.(?:Docker|docker|Container)file)$")
# Set in every image by whoever builds one, and of no interest to who runs it.
_PLUMBING = ("PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "PYTHONPATH", "DEBIAN_FRONTEND", "TZ", "HOME")


def is_dockerfile(path: str) -> bool:
    """Say whether this is the recipe of an image."""
    return _NAME.search(path) is not None


def read(source: Source) -> Reading:
    """Give the images, arguments, variables and packages of a Dockerfile."""
    if why := refusal(source):
        return refused(why)
    return Reading(sites=tuple(_sites(source)), code=digest(source))


def _sites(source: Source) -> Iterator[Site]:
    """Walk over the instructions; a fragment may begin in the middle of one, most often a RUN."""
    lines, at = lines_of(source), 0
    stage, stages = "", set[str]()
    while at < len(lines):
        number = source.first_line + at
        found = _INSTRUCTION.match(lines[at])
        if found is None:
            yield from _packages(lines[at], number, stage)
            at += 1
            continue
        word, end = found[1].upper(), _end(lines, at)
        body = [found[2], *lines[at + 1 : end + 1]]
        if word == "FROM":
            base, stage = _stage(found[2])
            # Of a fragment nobody can say whether a bare name is an image or a stage above it.
            known = source.whole or ":" in base or "/" in base
            if known and base not in stages and (site := image(base, number, stage, sure=True)):
                yield site
            stages.add(stage)
        elif word in ("ARG", "ENV"):
            yield from _settings(word, body, number, stage)
        elif word == "RUN":
            for offset, line in enumerate(body):
                yield from _packages(line, number + offset, stage)
        at = end + 1


def _end(lines: list[str], at: int) -> int:
    """Find the last line of an instruction; comments and blank lines may stand between its lines."""
    while at + 1 < len(lines) and (lines[at].rstrip().endswith("\\") or lines[at].lstrip().startswith("#")):
        at += 1
    return at


def _stage(text: str) -> tuple[str, str]:
    """Read what a stage begins from, and its name."""
    found = _FROM.match(text)
    return (found[1], found[2] or "") if found else ("", "")


def _settings(word: str, body: list[str], number: int, stage: str) -> Iterator[Site]:
    """Read `ARG A=1` and `ENV A=1 B=2`; an argument without a default only repeats a global one."""
    for offset, line in enumerate(body):
        text = line.rstrip().removesuffix("\\")
        if text.lstrip().startswith("#"):
            continue
        pairs = [(match[1], match[2]) for match in _PAIR.finditer(text)]
        if not pairs and word == "ENV" and offset == 0 and len(words := text.split(None, 1)) == 2:
            pairs = [(words[0], words[1])]
        for name, raw in pairs:
            yield from _setting(name, fold(unquote(raw)), number + offset, stage)


def _setting(name: str, value: str, line: int, stage: str) -> Iterator[Site]:
    """Read one name with its default: an image, a pinned version, or a setting."""
    if name in _PLUMBING:
        return
    pinned = pinned_by_name(name, value, line, stage)
    if pinned is not None:
        yield pinned
    elif name.upper().endswith("IMAGE") and (found := image(value, line, name)):
        yield found
    else:
        yield Site("config", name, line, line, value=value, scope=stage)


def _packages(line: str, number: int, stage: str) -> Iterator[Site]:
    """Find the packages that a line of a command pins."""
    if not line.lstrip().startswith("#"):
        yield from pinned_in_command(line, number, stage)
