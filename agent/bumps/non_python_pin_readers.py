"""Readers of pins outside Python: npm, Cargo, Go, GitHub Actions, submodules, CMake and containers."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from agent.bumps.pins import Pin, PinFile
from agent.bumps.python_pin_readers import (
    UnreadableFile,
    file_of,
    parse_toml,
    table,
    tables,
    text_of,
)

_MAX_JSON_DEPTH_ERROR = "it is nested too deeply"
_NPM_GROUPS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_MAX_LINE = 1_000
_GO_REQUIRE = re.compile(r"\s*(?:require\s+)?([\w~/-]*\.[\w.~/-]+)\s+(v[\w.+-]+)\s*(//.*)?")
_GO_REPLACE = re.compile(r"\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\S+)(?:\s+(v\S+))?\s*")
_GO_PSEUDO = re.compile(r"v\d+\.\d+\.\d+-(?:[\w.]*\.)?\d{14}-([0-9a-f]{12})")
_USES = re.compile(
    r"""\s*-?\s*["']?uses["']?\s*:\s*["']?([\w.-]+/[\w.-]+)((?:/[\w./-]+)?)@([\w./+-]+)["']?"""
    r"""\s*(?:\#\s*(\S+).*)?"""
)
_SECTION = re.compile(r'\[submodule "(.*)"\]')
_IMAGE = re.compile(r"\s*(?:FROM\s+(?:--platform=\S+\s+)?|-?\s*image:\s*)[\"']?([^\s\"'#]+)", re.I)
_CMAKE_DECLARED = re.compile(
    r"(?:FetchContent_Declare|FetchContent_Populate|ExternalProject_Add)\s*\(\s*([\w.-]+)", re.I
)
_CMAKE_VALUE = re.compile(r'(GIT_REPOSITORY|GIT_TAG)\s+"?([^\s")]+)', re.I)
_CMAKE_SET = re.compile(r'^\s*set\s*\(\s*(\w+)\s+"?([^\s")$]+)"?\s*\)', re.I | re.M)
_CMAKE_VARIABLE = re.compile(r"\$\{(\w+)\}")
_MAX_CMAKE_ARGUMENTS = 4_000  # Characters of one declaration


def read_package_lock(text: str) -> PinFile:
    """Read `package-lock.json`; since version 2 every folder of a package is an entry."""
    document = _parse_json(text)
    packages = table(document.get("packages"))
    if not packages:
        if "dependencies" not in document and "lockfileVersion" not in document:
            raise UnreadableFile("it lists no packages, as every version of the format does")
        return file_of(_old_npm_pins(document))
    direct: set[str] = set()
    for location, package in packages.items():
        if not location.startswith("node_modules/") and "/node_modules/" not in location:
            for group in _NPM_GROUPS:
                direct |= table(table(package).get(group)).keys()
    return file_of(_npm_pins(packages, direct))


def _old_npm_pins(document: Mapping[str, Any]) -> Iterator[Pin]:
    """Yield the pins of version 1; `package.json` alone says which of them are direct."""
    waiting = [("", table(document.get("dependencies")))]
    while waiting:
        above, dependencies = waiting.pop()
        for name, entry in dependencies.items():
            package = table(entry)
            location = f"{above}node_modules/{name}"
            address, _, commit = text_of(package.get("version")).partition("#")
            is_git = address.startswith("git") and bool(commit)
            yield Pin(
                ecosystem="npm",
                name=name,
                version=commit if is_git else address,
                source=address.removeprefix("git+") if is_git else "",
                location=location,
                is_direct=False,
            )
            inner = table(package.get("dependencies"))
            if inner:
                waiting.append((f"{location}/", inner))


def npm_direct_names(text: str) -> set[str]:
    """Return the packages that a `package.json` names."""
    manifest = _parse_json(text)
    names: set[str] = set()
    for group in _NPM_GROUPS:
        names |= table(manifest.get(group)).keys()
    return names


def _npm_pins(packages: Mapping[str, Any], direct: set[str]) -> Iterator[Pin]:
    for location, entry in packages.items():
        package = table(entry)
        _, separator, folder = location.rpartition("node_modules/")
        if not separator or package.get("link"):
            continue
        resolved = text_of(package.get("resolved"))
        address, _, commit = resolved.partition("#")
        is_git = address.startswith("git") and bool(commit)
        yield Pin(
            ecosystem="npm",
            name=text_of(package.get("name")) or folder,
            version=commit if is_git else text_of(package.get("version")),
            source=address.removeprefix("git+") if is_git else "",
            location=location,
            is_direct=folder in direct and location == f"node_modules/{folder}",
        )


def _parse_json(text: str) -> dict[str, Any]:
    try:
        return table(json.loads(text))
    except RecursionError as error:
        raise UnreadableFile(_MAX_JSON_DEPTH_ERROR) from error
    except ValueError as error:
        raise UnreadableFile("it is not valid JSON") from error


def read_cargo_lock(text: str) -> PinFile:
    """Read `Cargo.lock`; what the crates of this repository depend on is direct."""
    packages = list(tables(parse_toml(text).get("package")))
    direct: set[str] = set()
    for package in packages:
        dependencies = package.get("dependencies")
        if "source" not in package and isinstance(dependencies, list):
            direct |= {text_of(entry).partition(" ")[0] for entry in dependencies}
    return file_of(_cargo_pins(packages, direct))


def _cargo_pins(packages: list[dict[str, Any]], direct: set[str]) -> Iterator[Pin]:
    for package in packages:
        name = text_of(package.get("name"))
        source = text_of(package.get("source"))
        version = text_of(package.get("version"))
        if not source:
            continue  # A crate of this repository
        address = ""
        if source.startswith("git+"):
            url, _, commit = source.removeprefix("git+").partition("#")
            address = url.partition("?")[0]
            version = commit or version
        yield Pin(
            ecosystem="cargo",
            name=name,
            version=version,
            source=address,
            is_direct=name in direct,
        )


def read_go_mod(text: str) -> PinFile:
    """Read `go.mod`; a replaced module counts under the path that it is replaced by."""
    replaced: dict[str, tuple[str, str]] = {}
    required: list[Pin] = []
    for long_line in text.splitlines():
        line = long_line[:_MAX_LINE]
        replacement = _GO_REPLACE.fullmatch(line)
        if replacement is not None:
            replaced[replacement[1]] = (replacement[2], replacement[3] or "")
            continue
        match = _GO_REQUIRE.fullmatch(line)
        if match is not None:
            is_direct = "indirect" not in (match[3] or "")
            required.append(
                Pin(ecosystem="go", name=match[1], version=match[2], is_direct=is_direct)
            )
    pins: list[Pin] = []
    for pin in required:
        path, version = replaced.get(pin.name, (pin.name, pin.version))
        if not path.startswith((".", "/")):  # A folder of this repository
            pins.append(pin.model_copy(update={"name": path, "version": version}))
    return file_of(pins)


def go_commit(version: str) -> str:
    """Return the abbreviated commit of a pseudo-version; empty for a version with a tag."""
    match = _GO_PSEUDO.fullmatch(version.removesuffix("+incompatible"))
    return match[1] if match else ""


def read_workflow(text: str) -> PinFile:
    """Read the actions that a workflow or an action uses, each `uses: owner/name@revision`."""
    return file_of(_action_pins(text))


def _action_pins(text: str) -> Iterator[Pin]:
    for line in text.splitlines():
        match = _USES.fullmatch(line[:500])
        if match is None:
            continue
        repository = match[1]
        yield Pin(
            ecosystem="action",
            name=repository + match[2],
            version=match[3],
            source=f"https://github.com/{repository}",
        )


def read_submodules(text: str, commits: Mapping[str, str]) -> PinFile:
    """Read `.gitmodules`, with the commit that the tree has for each path."""
    return file_of(_submodule_pins(text, commits))


def _submodule_pins(text: str, commits: Mapping[str, str]) -> Iterator[Pin]:
    path = ""
    url = ""
    for line in [*text.splitlines(), '[submodule ""]']:
        if _SECTION.fullmatch(line.strip()):
            if path in commits:
                yield Pin(ecosystem="git", name=path, version=commits[path], source=url)
            path = ""
            url = ""
            continue
        key, _, value = line.strip().partition("=")
        if key.strip() == "path":
            path = value.strip()
        elif key.strip() == "url":
            url = value.strip()


def read_cmake(text: str) -> PinFile:
    """Read what CMake fetches from a repository at a fixed revision."""
    return file_of(_cmake_pins(text))


def _cmake_pins(text: str) -> Iterator[Pin]:
    variables: dict[str, str] = {}
    for name, value in _CMAKE_SET.findall(text):
        # A variable that is set twice depends on where it is read.
        variables[name] = "" if name in variables else value
    starts = list(_CMAKE_DECLARED.finditer(text))
    for index, declared in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(text)
        arguments = text[declared.end() : min(end, declared.end() + _MAX_CMAKE_ARGUMENTS)]
        values: dict[str, str] = {}
        for key, value in _CMAKE_VALUE.findall(_until_closed(arguments)):
            resolved = _CMAKE_VARIABLE.sub(lambda match: variables.get(match[1]) or "$", value)
            values.setdefault(key.upper(), resolved)
        repository = values.get("GIT_REPOSITORY", "")
        revision = values.get("GIT_TAG", "")
        if repository and revision and "$" not in repository + revision:
            yield Pin(ecosystem="git", name=declared[1], version=revision, source=repository)


def _until_closed(arguments: str) -> str:
    """Return the arguments up to the bracket that closes the command, without comments."""
    lines: list[str] = []
    for line in arguments.splitlines():
        code = line.partition("#")[0]
        lines.append(code)
        if ")" in code:
            break
    return "\n".join(lines)


def read_containers(text: str) -> PinFile:
    """Read the images that a container file or a composition starts from."""
    return file_of(_container_pins(text))


def _container_pins(text: str) -> Iterator[Pin]:
    for line in text.splitlines():
        match = _IMAGE.match(line[:500])
        if match is None or "$" in match[1]:
            continue
        name, _, digest = match[1].partition("@")
        repository, colon, tag = name.rpartition(":")
        if colon and "/" not in tag:
            yield Pin(ecosystem="container", name=repository, version=digest or tag)
        elif digest:
            yield Pin(ecosystem="container", name=name, version=digest)
