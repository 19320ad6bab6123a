"""What a Dockerfile builds on, starts and lets its user set: images, arguments, environment, pinned packages."""

import re
from collections.abc import Iterator

from tools.diff.readers.lines import digest, fold, lines_of, numbered, refusal, refused, unquote
from tools.diff.readers.manifest_pins import Installed, image, pinned_by_name, pinned_in_command
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
_BARE = re.compile(r"^\s*ARG\s+([A-Za-z_]\w*)\s*$", re.IGNORECASE)
_GIVEN_BY_BUILDER = frozenset(
    f"{side}{part}" for side in ("TARGET", "BUILD") for part in ("PLATFORM", "OS", "ARCH", "VARIANT")
)
STARTS = ("ENTRYPOINT", "CMD")
"""What an image runs."""
_SHELL = re.compile(r"""\[?\s*["']?(?:/(?:usr/)?bin/)?(?:ba|z|da)?sh["']?\s*\]?$""")
"""Whoever starts an image that does nothing by itself gets a shell, whichever."""
_INSTALL = re.compile(r"\b(apt|yum|dnf|microdnf|apk|zypper)(?:-get)?\s+(?:-\S+\s+)*(?:install|add)\b")
_COMMAND_END = re.compile(r"&&|;|\|\||\|")
_SYSTEM_PACKAGE = re.compile(r"^([a-z0-9][a-z0-9.+-]+)(?:=([\w.:~+*-]+))?$")
_CLONE = re.compile(r"\bgit\s+clone\s+((?:-\S+\s+(?:[\w./-]+\s+)?)*)((?:https?://|git@)[\w.:/@-]+)([^&;|]*)")
_BRANCH = re.compile(r"(?:-b|--branch)[ =]([\w./-]+)")
_CHECKOUT = re.compile(r"\bgit\s+checkout\s+(?:-\S+\s+)*(?:(v?[\w./-]*\d[\w./-]*)|\"?\$\{?([A-Za-z_]\w*)\}?)")
_FROM_GIT = re.compile(r"\bgit\+(?:https?|ssh)://[\w.:/@-]*?/([\w.-]+?)(?:\.git)?@(v?[\w./-]*\d[\w./-]*)")
_FETCHED = re.compile(
    r"https?://\S+/([A-Za-z][A-Za-z0-9._+-]*?)[-_]v?(\d[\w.+~-]*?)\.(?:deb|rpm|tar\.\w+|t[gx]z|zip|run|sh)\b"
)
_WHEEL = re.compile(r"https?://\S+/([A-Za-z][\w.]*)-(\d[\w.!]*(?:(?:\+|%2B)[\w.]+)?)-(?:cp|py)\d")


def is_dockerfile(path: str) -> bool:
    """Say whether this is the recipe of an image."""
    return _NAME.search(path) is not None


def read(source: Source) -> Reading:
    """Give the images, arguments, variables and packages of a Dockerfile."""
    if why := refusal(source):
        return refused(why)
    sites = list(_sites(source))
    return Reading(sites=(*sites, *_asked(source, sites)), code=digest(source))


def _asked(source: Source, sites: list[Site]) -> Iterator[Site]:
    """Find the arguments that have no default anywhere: whoever builds the image gives them. A fragment cannot tell."""
    seen = {site.name for site in sites} | {site.scope for site in sites if site.kind == "image"} | _GIVEN_BY_BUILDER
    for number, line in numbered(source) if source.whole else ():
        if (found := _BARE.match(line)) and found[1] not in seen and found[1] not in _PLUMBING:
            seen.add(found[1])
            yield Site("config", found[1], number, number)


def _sites(source: Source) -> Iterator[Site]:
    """Walk over the instructions; a fragment may begin in the middle of one, most often a RUN."""
    lines, at = lines_of(source), 0
    stage, stages, shell = "", set[str](), _Shell()
    while at < len(lines):
        number = source.first_line + at
        found = _INSTRUCTION.match(lines[at])
        if found is None:
            yield from shell.read(lines[at], number, stage)
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
            settings = list(_settings(word, body, number, stage))
            shell.given |= {site.name: site.value for site in settings if site.value}
            yield from settings
        elif word in STARTS:
            yield from _started(word, body, number, stage)
        elif word == "RUN":
            for offset, line in enumerate(body):
                yield from shell.read(line, number + offset, stage)
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


def _started(word: str, body: list[str], number: int, stage: str) -> Iterator[Site]:
    """Read what an image runs, however its brackets are set."""
    value = fold(" ".join(line.rstrip().removesuffix("\\").strip() for line in body))
    if value.startswith("[") and value.endswith("]"):
        value = f"[{value[1:-1].strip()}]"
    if _SHELL.match(value) is None:
        yield Site("config", word, number, number + len(body) - 1, value=value, scope=stage)


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


class _Shell:
    """The commands of an image's recipe, read line by line: what they install, clone and fetch."""

    def __init__(self) -> None:
        self._installing = ""
        self._packages = Installed()
        self._cloned = ""
        self.given: dict[str, str] = {}
        """What arguments stand for, as far as they were read."""

    def read(self, line: str, number: int, stage: str) -> Iterator[Site]:
        """Find the packages that a line pins, the system's packages, checked out versions and fetched files."""
        if line.lstrip().startswith("#"):
            return
        yield from pinned_in_command(line, number, stage)
        yield from self._packages.read(line, number, stage)
        yield from self._system(line, number)
        for found in _CLONE.finditer(line):
            self._cloned = found[2].rpartition("/")[2].removesuffix(".git")
            if branch := _BRANCH.search(found[1] + found[3]):
                yield Site("dependency", self._cloned, number, number, value=branch[1], scope="git")
        for found in _CHECKOUT.finditer(line):
            if version := found[1] or self.given.get(found[2]):
                yield Site("dependency", self._cloned or "git checkout", number, number, value=version, scope="git")
        for found in _FROM_GIT.finditer(line):
            yield Site("dependency", found[1], number, number, value=found[2], scope="git")
        for found in (*_FETCHED.finditer(line), *_WHEEL.finditer(line)):
            yield Site("dependency", found[1], number, number, value=found[2], scope="download")

    def _system(self, line: str, number: int) -> Iterator[Site]:
        """List what is installed by the system's package manager; the list may go on for many lines."""
        text = line.rstrip()
        begun = _INSTALL.search(text)
        if begun is not None:
            self._installing = begun[1]
        if self._installing:
            listed = _COMMAND_END.split(text[begun.end() :] if begun else text, maxsplit=1)
            for word in listed[0].removesuffix("\\").split():
                if package := _SYSTEM_PACKAGE.match(word):
                    yield Site("dependency", package[1], number, number, value=package[2], scope=self._installing)
            if len(listed) > 1 or not text.endswith("\\"):
                self._installing = ""
