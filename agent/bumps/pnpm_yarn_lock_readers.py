"""Reads the pins of pnpm and Yarn, line by line: their lock files have one simple form of YAML."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from agent.bumps.pins import Pin, PinFile
from agent.bumps.python_pin_readers import UnreadableFile, file_of

_MAX_LINE = 4_000  # Characters; Yarn lists all ranges of a package on one line
_KEY = re.compile(
    r"""( *)(?:'([^']{1,300})'|"([^"]{1,4000})"|([^\s'"#][^:]{0,4000})):(?: +(\S.*))?"""
)
_GROUPS = ("dependencies", "devDependencies", "optionalDependencies")
_NAME = r"(@[\w.~-]{1,100}/[\w.~-]{1,214}|[\w.~-]{1,214})"
_ALIAS = re.compile(rf"(?:npm:|/)?{_NAME}[@/](\d[\w.+-]{{0,199}})")
_VERSION = re.compile(r"\d[\w.+-]{0,199}")
_PEERS = re.compile(
    r"[(_]"
)  # What stands behind a version in pnpm: the packages it was resolved for
_COMMIT = re.compile(
    r"(?:git\+)?(?:https?://(?:codeload\.)?)?(?P<repository>github\.com/[\w.-]{1,100}/[\w.-]{1,100}?)"
    r"(?:\.git)?(?:/tar\.gz/|#commit=|#|/)(?P<commit>[0-9a-f]{40})"
)
_DESCRIPTOR = re.compile(rf"{_NAME}@(?:npm:)?(?:{_NAME}@)?")
_YARN_VALUE = re.compile(r"""  "?(version|resolved|resolution)"?:? +"?([^"\s]{1,2000})"?""")


class _YamlKey(NamedTuple):
    """A key of a block mapping, and its value if that is on the same line."""

    indent: int
    name: str
    value: str


def _keys(text: str) -> Iterator[_YamlKey]:
    for line in text.splitlines():
        match = _KEY.fullmatch(line[:_MAX_LINE])
        if match is not None:
            name = match[2] or match[3] or match[4]
            yield _YamlKey(len(match[1]), name, (match[5] or "").strip("'\" "))


def read_pnpm_lock(text: str) -> PinFile:
    """Read what the projects of a `pnpm-lock.yaml` depend on; they stand below `importers` or alone."""
    if "lockfileVersion" not in text[:_MAX_LINE]:
        raise UnreadableFile("it has no lockfileVersion, as every version of the format does")
    return file_of(_pnpm_pins(text))


def _pnpm_pins(text: str) -> Iterator[Pin]:
    above: list[_YamlKey] = []  # The keys that a line stands under
    for key in _keys(text):
        while above and above[-1].indent >= key.indent:
            above.pop()
        names = [upper.name for upper in above]
        above.append(key)
        importer = ""
        if names[:1] == ["importers"]:
            importer = names[1] if len(names) > 1 else ""
            names = names[2:]
        if not names or names[0] not in _GROUPS:
            continue
        # Older versions write the version right behind the name, newer ones below it.
        is_short = len(names) == 1 and key.value
        is_long = len(names) == 2 and key.name == "version"
        if is_short or is_long:
            yield from _pin_of(key.name if is_short else names[1], key.value, importer)


def _pin_of(name: str, value: str, location: str) -> Iterator[Pin]:
    """Yield the pin of a resolved version; none for a folder of the repository."""
    commit = _COMMIT.match(value)
    if commit is not None:
        source = f"https://{commit['repository']}"
        version = commit["commit"]
        yield Pin(ecosystem="npm", name=name, version=version, source=source, location=location)
        return
    bare_value = _PEERS.split(value, maxsplit=1)[0]
    alias = _ALIAS.fullmatch(bare_value)
    if alias is not None:
        yield Pin(ecosystem="npm", name=alias[1], version=alias[2], location=location)
    elif _VERSION.fullmatch(bare_value):
        yield Pin(ecosystem="npm", name=name, version=bare_value, location=location)


def read_yarn_lock(text: str) -> PinFile:
    """Read `yarn.lock` of any version; `package.json` alone says which pins are direct."""
    pins: list[Pin] = []
    name = ""
    values: dict[str, str] = {}
    for line in [*text.splitlines(), "end:"]:
        is_entry = line[:1] not in ("", " ", "#") and line.rstrip().endswith(":")
        if is_entry:
            pins += _yarn_pin(name, values)
            descriptor = _DESCRIPTOR.match(line[:_MAX_LINE].lstrip("\"'"))
            name = (descriptor[2] or descriptor[1]) if descriptor else ""
            values = {}
            continue
        value = _YARN_VALUE.fullmatch(line[:_MAX_LINE])
        if value is not None:
            values.setdefault(value[1], value[2])
    if not pins and "yarn lockfile" not in text[:_MAX_LINE] and "__metadata:" not in text:
        raise UnreadableFile("it is no lock file of Yarn")
    return file_of(pins)


def _yarn_pin(name: str, values: dict[str, str]) -> Iterator[Pin]:
    version = values.get("version", "")
    resolution = values.get("resolved") or values.get("resolution", "")
    if not name or "@workspace:" in resolution or not version:
        return
    address = resolution.removeprefix(f"{name}@")
    commit = _COMMIT.match(address)
    if commit is not None:
        source = f"https://{commit['repository']}"
        yield Pin(
            ecosystem="npm", name=name, version=commit["commit"], source=source, is_direct=False
        )
    elif _VERSION.fullmatch(version):
        yield Pin(ecosystem="npm", name=name, version=version, is_direct=False)
