"""Versions pinned outside of manifests: in commands, in the values of names like `X_VERSION`, in image references."""

import re
from collections.abc import Iterator

from tools.diff.reading import Site

_NAME = r"[A-Za-z][A-Za-z0-9._-]{0,99}"
_EXTRAS = r"(?:\[[A-Za-z0-9,._ ${}-]{0,99}\])?"
_REST = r"[0-9][\w.*+!-]*(?:,[<>=!~]+[\w.*+!-]+)*"
_EXACT = re.compile(rf"(?<![\w$\[{{./-])({_NAME}){_EXTRAS}==({_REST})")
_QUOTED = re.compile(rf"""(?P<q>["'])({_NAME}){_EXTRAS}([<>!~]=?{_REST})(?P=q)""")
_COMPARED = 3
_LOOKED_FOR = re.compile(r"\b[efz]?grep\b(?:\"[^\"]*\"|'[^']*'|[^\"'|&;)])*")
"""What a command only looks for in a file."""
_PIN = re.compile(
    r"(?:^|_)(?:VERSION|VER|TAG|COMMIT|REF|BRANCH|REV|SHA|HASH)(?:_(?:HASH|DEFAULT|SHA|ID|TAG))?$", re.IGNORECASE
)
_OF_A_FORMAT = re.compile(r"(?:METADATA|SCHEMA|FORMAT|LAYOUT|PROTOCOL|MANIFEST)_VERSION", re.IGNORECASE)
_OWN = re.compile(r"^(?:PROJECT_|PACKAGE_|APP_|RELEASE_)?VERSION$", re.IGNORECASE)
_IMAGE = re.compile(
    r"^((?:[a-z0-9.-]{1,80}(?::\d{1,5})?/)?[a-z0-9$\{\}_.-]{1,100}(?:/[a-zA-Z0-9$\{\}_.-]{1,100}){0,5})"
    r"(?::([\w.$\{\}-]{1,200}))?(?:@(sha256:[0-9a-f]{64}))?$"
)
_PIP = re.compile(r"\bpip3?(?:\.\d+)?\s+install\b")
_COMMAND_END = re.compile(r"&&|;|\|\||\||\)|\s\d?>")
_PACKAGE = re.compile(rf"""(?P<q>["']?)({_NAME}){_EXTRAS}(==\$\{{?\w+\}}?)?(?P=q)""")
_WITH_VALUE = re.compile(
    r"-[rcefit]|--(?:requirement|constraint|build-constraint|overrides|editable|find-links|index-url|extra-index-url"
    r"|index|default-index|index-strategy|target|python|python-version|platform|prefix|root|src|group|prerelease"
    r"|torch-backend|no-binary|only-binary|timeout|retries|trusted-host|cache-dir|config-settings|progress-bar"
    r"|link-mode|log|proxy|report|(?:upgrade|refresh|reinstall|no-build-isolation)-package)"
)
_FILE = re.compile(r"\.(?:whl|txt|in|gz|zip)$")


def normal(name: str) -> str:
    """Write the name of a Python package as indexes do (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned_in_command(text: str, line: int, scope: str = "") -> Iterator[Site]:
    """Find the packages that a shell command installs at a version."""
    if "grep" in text:
        text = _LOOKED_FOR.sub("", text)
    if "==" in text:
        for found in _EXACT.finditer(text):
            # `n==1` compares in some other language; a version has more to it, or its package a longer name.
            if "." not in found[2] and len(found[1]) <= _COMPARED:
                continue
            yield Site("dependency", normal(found[1]), line, line, value=f"=={found[2]}", scope=scope)
    if "<" in text or ">" in text or "~=" in text:
        for found in _QUOTED.finditer(text):
            yield Site("dependency", normal(found[2]), line, line, value=found[3], scope=scope)


class Installed:
    """The packages that `pip install` is told to install at whatever version, read line by line."""

    def __init__(self) -> None:
        self._going_on = False

    def read(self, text: str, line: int, scope: str = "") -> Iterator[Site]:
        """Find the packages without a version, or with one that a variable holds; lists may go on for many lines."""
        begun = _PIP.search(text) if "install" in text else None
        if begun is None and not self._going_on:
            return
        listed = _COMMAND_END.split(text[begun.end() :] if begun else text, maxsplit=1)
        self._going_on = len(listed) == 1 and text.rstrip().endswith("\\")
        asks = False
        for word in listed[0].split(" #")[0].removesuffix("\\").split():
            package = None if asks else _PACKAGE.fullmatch(word)
            asks = _WITH_VALUE.fullmatch(word) is not None
            if package is not None and not _FILE.search(package[2]):
                yield Site("dependency", normal(package[2]), line, line, value=package[3], scope=scope)


def pinned_by_name(name: str, value: str, line: int, scope: str = "") -> Site | None:
    """Read `NCCL_VERSION=2.30.7` and its like as what it pins; None when the name says nothing of a version."""
    if not value or not _PIN.search(name) or _OF_A_FORMAT.search(name):
        return None
    return Site("version" if _OWN.match(name) else "dependency", name, line, line, value=value, scope=scope)


def image(reference: str, line: int, scope: str = "", *, sure: bool = False) -> Site | None:
    """Read `repository/name:tag`; unless `sure` that it is an image, it must have both a path and a tag."""
    found = _IMAGE.match(reference)
    if found is None or found[1].startswith(("$", ".")):
        return None
    tag = found[2] or found[3]
    # A host and a port, `localhost:8080`, has no path; a tag of letters alone is more likely a Python `module:name`.
    if not sure and ("/" not in found[1] or not tag or not re.search(r"\d|latest|nightly|main|dev", tag)):
        return None
    return Site("image", found[1], line, line, value=tag, scope=scope)
