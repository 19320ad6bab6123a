"""The names under which projects tag the version of a package."""

import re
from collections.abc import Iterable
from contextlib import suppress

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from agent.bumps.pins import Ecosystem

_LANGUAGE_PREFIXES = {
    "pypi": ("py", "python"),
    "npm": ("js", "node", "npm"),
    "cargo": ("rust", "rs"),
}
"""Some projects tag the packages of each language apart: `py-1.2.3`, `rust-v1.2.3`."""
_SEPARATORS = ("@", "@v", "-v", "-", "_", "_v", "/v", "/", "==")
_FULL_LENGTH = 3  # Parts of a version
_MODULE_VERSION = re.compile(r"v\d+")


def tag_candidates(
    ecosystem: Ecosystem, name: str, version: str, folder: str = "", template: str = ""
) -> list[str]:
    """Return the tags that may stand for a version, the most specific first.

    A tag that names the package or its folder says more than a bare version, which in a repository
    of several packages may be another package's. `template` is what a user configured, and then the
    only one.
    """
    if template:
        return [template.replace("{version}", spelling) for spelling in _spellings(version)]
    prefixes = _prefixes(ecosystem, name, folder)
    tags: list[str] = []
    for spelling in _spellings(version):
        for prefix in prefixes:
            tags += [f"{prefix}{separator}{spelling}" for separator in _SEPARATORS]
        tags += [f"v{spelling}", spelling]
        for prefix in _LANGUAGE_PREFIXES.get(ecosystem, ()):
            tags += [f"{prefix}{separator}{spelling}" for separator in _SEPARATORS]
        tags += [f"release-{spelling}", f"release/{spelling}", f"rel_{spelling.replace('.', '_')}"]
    return list(dict.fromkeys(tags))


def _spellings(version: str) -> list[str]:
    """Return how a version is written: as given, in its normal form, and with zeros behind it.

    A requirement may say `>=3.9` of what is released as 3.9.0.
    """
    plain = version.removeprefix("v").removesuffix("+incompatible")
    spellings = [plain]
    with suppress(InvalidVersion):
        parsed = Version(plain)
        spellings.append(str(parsed))
        is_release = str(parsed) == parsed.base_version
        if is_release:
            spellings += [f"{plain}{'.0' * zeros}" for zeros in _missing_parts(parsed)]
    return list(dict.fromkeys(spellings))


def _missing_parts(version: Version) -> range:
    """Return how many parts a version may lack to its full form of three."""
    return range(1, _FULL_LENGTH - len(version.release) + 1)


def _prefixes(ecosystem: Ecosystem, name: str, folder: str) -> list[str]:
    if ecosystem == "go":
        # A module in a folder has tags `folder/v1.2.3`; a last part `v2` is no folder.
        parts = name.split("/")[3:]
        if parts and _MODULE_VERSION.fullmatch(parts[-1]):
            parts.pop()
        return ["/".join(parts)] if parts else []
    prefixes = [name, name.rpartition("/")[2]]
    if ecosystem == "pypi":
        prefixes += [name.replace("-", "_"), name.replace("-", ".")]
    if folder:
        prefixes += [folder, folder.rpartition("/")[2]]
    return list(dict.fromkeys(prefixes))


def is_same_version(first: str, second: str) -> bool:
    """Return True if two spellings mean the same version."""
    try:
        return Version(first.removeprefix("v")) == Version(second.removeprefix("v"))
    except InvalidVersion:
        return first.removeprefix("v") == second.removeprefix("v")


def is_same_name(ecosystem: Ecosystem, first: str, second: str) -> bool:
    """Return True if two names mean the same package in a registry."""
    if ecosystem == "pypi":
        return canonicalize_name(first) == canonicalize_name(second)
    if ecosystem == "cargo":
        return first.replace("-", "_") == second.replace("-", "_")
    return first == second


def existing_tags(candidates: Iterable[str], tags: Iterable[str]) -> list[str]:
    """Return the candidates that are tags, in the order of the candidates."""
    present = set(tags)
    return [candidate for candidate in candidates if candidate in present]
