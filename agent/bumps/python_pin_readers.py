"""Reads the pins of Python projects: lock files, requirements and pyproject.toml."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from packaging.pylock import Pylock, PylockValidationError
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from agent.bumps.pins import (
    MAX_NAME,
    MAX_PINS_PER_FILE,
    MAX_VERSION,
    Pin,
    PinFile,
    VersionRange,
)

_MAX_LINE = 2_000  # Characters of a requirement
_GIT_ADDRESS = re.compile(r"git\+((?:https?|ssh|git)://[^@#\s]*(?:@[^@/#\s]+/[^@#\s]*)?)")
_GIT_REVISION = re.compile(r"@([^@#/\s]+)(?:#.*)?$")
_COMMENT = re.compile(r"(?:^|\s)#")
_INCLUDE = re.compile(r"(?:-r|--requirement|-c|--constraint)(?:\s+|=)(\S+)")
_OPTION = re.compile(r"\s--[a-z]")
_EXACT_OPERATORS = ("==", "===")


class UnreadableFile(Exception):
    """A file of pins is not what its name says; the message says why."""


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML; raise UnreadableFile if it is none."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise UnreadableFile("it is not valid TOML") from error


def tables(value: object) -> Iterator[dict[str, Any]]:
    """Yield the tables of a list; anything else in a foreign file is passed over."""
    if isinstance(value, list):
        for element in value:
            if isinstance(element, dict):
                yield element


def table(value: object) -> dict[str, Any]:
    """Return a table, or an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """Return a text, or an empty one in the place of anything else."""
    return value if isinstance(value, str) else ""


def file_of(pins: Iterable[Pin]) -> PinFile:
    """Return the pins of a file; a file with absurdly many is refused."""
    collected: list[Pin] = []
    for pin in pins:
        if not pin.name or not pin.version:
            continue
        if len(pin.name) > MAX_NAME or len(pin.version) > MAX_VERSION:
            return PinFile(problem="it has a name or a version that no registry allows")
        collected.append(pin)
        if len(collected) > MAX_PINS_PER_FILE:
            return PinFile(problem=f"it has more than {MAX_PINS_PER_FILE:,} entries")
    return PinFile(pins=tuple(collected))


class GitAddress(NamedTuple):
    """The repository and the revision of a `git+https://` address."""

    url: str
    revision: str


def git_address(address: str) -> GitAddress | None:
    """Split an address of git; None for any other address."""
    match = _GIT_ADDRESS.match(address)
    if match is None:
        return None
    revision = _GIT_REVISION.search(address[match.end() :])
    return GitAddress(match[1], revision[1] if revision else "")


def read_uv_lock(text: str) -> PinFile:
    """Read `uv.lock`; what its own packages depend on is direct."""
    packages = list(tables(parse_toml(text).get("package")))
    direct: set[str] = set()
    for package in packages:
        source = table(package.get("source"))
        if {"editable", "virtual", "directory", "path"} & source.keys():
            direct |= set(_uv_dependencies(package))
    return file_of(_uv_pin(package, direct) for package in packages)


def _uv_dependencies(package: Mapping[str, Any]) -> Iterator[str]:
    groups = [package.get("dependencies")]
    for key in ("optional-dependencies", "dev-dependencies"):
        groups += table(package.get(key)).values()
    for group in groups:
        for dependency in tables(group):
            yield text_of(dependency.get("name"))


def _uv_pin(package: Mapping[str, Any], direct: set[str]) -> Pin:
    name = text_of(package.get("name"))
    source = table(package.get("source"))
    version = _public(package)
    address = ""
    if {"editable", "virtual", "directory", "path"} & source.keys():
        version = ""  # A package of this repository
    elif "git" in source:
        url, _, commit = text_of(source["git"]).partition("#")
        address = url.partition("?")[0]
        version = commit or version
    return Pin(
        ecosystem="pypi",
        name=str(canonicalize_name(name)),
        version=version,
        source=address,
        is_direct=name in direct,
    )


def read_poetry_lock(text: str) -> PinFile:
    """Read `poetry.lock`, which does not say what is direct; `pyproject.toml` does."""
    return file_of(_poetry_pins(parse_toml(text)))


def _poetry_pins(lock: Mapping[str, Any]) -> Iterator[Pin]:
    for package in tables(lock.get("package")):
        source = table(package.get("source"))
        kind = text_of(source.get("type"))
        if kind in ("directory", "file"):
            continue
        is_git = kind == "git"
        yield Pin(
            ecosystem="pypi",
            name=str(canonicalize_name(text_of(package.get("name")))),
            version=text_of(source.get("resolved_reference")) if is_git else _public(package),
            source=text_of(source.get("url")) if is_git else "",
            is_direct=False,
        )


def read_pylock(text: str) -> PinFile:
    """Read `pylock.toml`, which does not say what is direct; `pyproject.toml` does."""
    try:
        lock = Pylock.from_dict(parse_toml(text))
    except PylockValidationError as error:
        raise UnreadableFile("it is not a lock file as PEP 751 defines it") from error
    pins: list[Pin] = []
    for package in lock.packages:
        vcs = package.vcs
        is_git = vcs is not None and vcs.type == "git"
        version = package.version.public if package.version else ""
        source = ""
        if vcs is not None and is_git:
            version = vcs.commit_id
            source = vcs.url or ""
        name = str(package.name)
        pins.append(
            Pin(ecosystem="pypi", name=name, version=version, source=source, is_direct=False)
        )
    return file_of(pins)


def read_requirements(text: str) -> PinFile:
    """Read the exact pins of a requirements file.

    A compiled file says in a comment what each pin is there for; one that only other packages need
    is not direct.
    """
    ranges = _ranges(_requirement_lines(text))
    return file_of(_requirement_pins(text)).model_copy(update={"ranges": ranges})


def _requirement_lines(text: str) -> Iterator[str]:
    for line in _joined_lines(text):
        requirement = _without_comment(line)
        if requirement and not requirement.startswith("-"):
            yield _OPTION.split(requirement, maxsplit=1)[0]


def _requirement_pins(text: str) -> Iterator[Pin]:
    lines = _joined_lines(text)
    for index, line in enumerate(lines):
        requirement = _without_comment(line)
        if not requirement or requirement.startswith("-"):
            continue
        pin = requirement_pin(_OPTION.split(requirement, maxsplit=1)[0])
        if pin is not None:
            reasons = _reasons(lines, index)
            yield pin.model_copy(update={"is_direct": _is_wanted_directly(reasons)})


def _joined_lines(text: str) -> list[str]:
    lines: list[str] = []
    is_continued = False
    for line in text.splitlines():
        part = line.rstrip()
        if is_continued and lines:
            lines[-1] = f"{lines[-1]} {part.removesuffix(chr(92)).strip()}"[:_MAX_LINE]
        else:
            lines.append(part.removesuffix("\\").rstrip()[:_MAX_LINE])
        is_continued = part.endswith("\\")
    return lines


def _without_comment(line: str) -> str:
    return _COMMENT.split(line, maxsplit=1)[0].strip()


def _reasons(lines: list[str], index: int) -> list[str]:
    """Return what the comments of `pip-compile` and uv name as reasons for a pin."""
    comments: list[str] = []
    _, separator, behind = lines[index].partition("# via")
    if separator:
        comments.append(behind)
    for line in lines[index + 1 :]:
        stripped = line.strip()
        if not line.startswith(" ") or not stripped.startswith("#"):
            break
        comments.append(stripped.lstrip("#").strip().removeprefix("via"))
    reasons: list[str] = []
    for comment in comments:
        reasons += [reason.strip() for reason in comment.split(",") if reason.strip()]
    return reasons


def _is_wanted_directly(reasons: list[str]) -> bool:
    """Return True if no comment says who wants a pin, or a file is among those who do."""
    if not reasons:
        return True
    return any(reason.startswith(("-r", "-c")) or "(" in reason for reason in reasons)


def requirement_pin(text: str) -> Pin | None:
    """Return the pin of a requirement; None for one that allows several versions."""
    try:
        requirement = Requirement(text)
    except (InvalidRequirement, RecursionError):
        return None
    name = str(canonicalize_name(requirement.name))
    if requirement.url:
        address = git_address(requirement.url)
        if address is None or not address.revision:
            return None
        return Pin(ecosystem="pypi", name=name, version=address.revision, source=address.url)
    version = exact_version(requirement.specifier)
    if not version:
        return None
    return Pin(ecosystem="pypi", name=name, version=version)


def _ranges(requirements: Iterable[str]) -> tuple[VersionRange, ...]:
    """Return the requirements that allow several versions, and not every one."""
    ranges: list[VersionRange] = []
    for text in requirements:
        try:
            requirement = Requirement(text)
        except (InvalidRequirement, RecursionError):
            continue
        if requirement.url or not requirement.specifier or exact_version(requirement.specifier):
            continue
        name = str(canonicalize_name(requirement.name))
        ranges.append(VersionRange(name=name, specifiers=str(requirement.specifier)))
    return tuple(ranges[:MAX_PINS_PER_FILE])


def exact_version(specifiers: SpecifierSet) -> str:
    """Return the only version that is allowed; empty where there may be several."""
    for specifier in specifiers:
        if specifier.operator in _EXACT_OPERATORS and "*" not in specifier.version:
            return public_version(specifier.version)
    return ""


def public_version(version: str) -> str:
    """Return a version without its local part: `2.11.0+cpu` is built from the source of 2.11.0."""
    try:
        return Version(version).public
    except InvalidVersion:
        return version


def _public(package: Mapping[str, Any]) -> str:
    return public_version(text_of(package.get("version")))


def included_files(text: str) -> list[str]:
    """Return the files that a requirements file includes, as it names them."""
    files: list[str] = []
    for line in _joined_lines(text):
        match = _INCLUDE.match(_without_comment(line))
        if match is not None and "://" not in match[1]:
            files.append(match[1])
    return files


def read_pyproject(text: str) -> PinFile:
    """Read the exact pins of `pyproject.toml`, and its ranges."""
    return requirements_of(project_requirements(text))


def requirements_of(lines: Iterable[str]) -> PinFile:
    """Return the exact pins and the ranges of requirements, one a line."""
    pins: list[Pin] = []
    requirements: list[str] = []
    for line in lines:
        requirement = _without_comment(line[:_MAX_LINE])
        pin = requirement_pin(requirement) if requirement else None
        if pin is not None:
            pins.append(pin)
        if requirement:
            requirements.append(requirement)
    return file_of(pins).model_copy(update={"ranges": _ranges(requirements)})


def project_requirements(text: str) -> Iterator[str]:
    """Yield the requirements of a project: its own, optional ones, groups, build and Poetry's.

    Flit had a table of its own before projects had one.
    """
    document = parse_toml(text)
    project = table(document.get("project"))
    flit = table(table(table(document.get("tool")).get("flit")).get("metadata"))
    groups = [project.get("dependencies"), table(document.get("build-system")).get("requires")]
    groups += table(project.get("optional-dependencies")).values()
    groups += table(document.get("dependency-groups")).values()
    groups += [flit.get("requires"), *table(flit.get("requires-extra")).values()]
    for group in groups:
        if isinstance(group, list):
            yield from (entry[:_MAX_LINE] for entry in group if isinstance(entry, str))
    poetry = table(table(document.get("tool")).get("poetry"))
    yield from _poetry_requirements(table(poetry.get("dependencies")))
    for group_table in table(poetry.get("group")).values():
        yield from _poetry_requirements(table(table(group_table).get("dependencies")))


def _poetry_requirements(dependencies: Mapping[str, Any]) -> Iterator[str]:
    """Yield Poetry's dependencies as requirements; a bare version of Poetry's is exact."""
    for name, requirement in dependencies.items():
        details = table(requirement)
        version = text_of(requirement) or text_of(details.get("version"))
        if "git" in details:
            revision = text_of(details.get("rev") or details.get("tag"))
            address = text_of(details["git"])
            yield f"{name} @ git+{address}@{revision}" if revision else name
        elif version[:1].isdigit():
            yield f"{name}=={version}"
        else:
            yield name


def direct_names(text: str) -> set[str]:
    """Return the names of what a `pyproject.toml` depends on, pinned or not."""
    names: set[str] = set()
    for requirement in project_requirements(text):
        match = re.match(r"[A-Za-z0-9][\w.-]*", requirement)
        if match is not None:
            names.add(str(canonicalize_name(match[0])))
    return names
