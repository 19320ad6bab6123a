"""The name and version of the package in a repository, read from its manifest."""

import ast
import configparser
import json
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from agent.bumps.pins import Ecosystem
from agent.bumps.python_pin_readers import UnreadableFile, parse_toml, table, text_of
from agent.domain.base import Frozen

_MANIFEST_NAMES: Mapping[Ecosystem, tuple[str, ...]] = {
    "pypi": ("pyproject.toml", "setup.cfg", "setup.py"),
    "npm": ("package.json",),
    "cargo": ("Cargo.toml",),
    "go": ("go.mod",),
}
_GO_MODULE = re.compile(r"^module\s+\"?(\S+?)\"?\s*(?://.*)?$", re.MULTILINE)
_ASSIGNED_VERSION = re.compile(
    r"""^(?:__version__|version|VERSION)\s*(?::\s*\w+\s*)?=\s*["']([^"']{1,100})["']""",
    re.MULTILINE,
)
_PLAIN_VERSION = re.compile(r"\s*v?(\d[\w.+!-]{0,100})\s*")


class Manifest(Frozen):
    """The package that a manifest declares."""

    path: str
    name: str
    version: str = ""  # Empty where the manifest does not write it down
    version_files: tuple[str, ...] = ()
    """Files that hold the version, where the manifest refers to them."""
    is_dynamic: bool = False  # Computed when the package is built, for example from the tag

    @property
    def folder(self) -> str:
        """The folder of the package; empty at the root of the repository."""
        parent = str(PurePosixPath(self.path).parent)
        return "" if parent == "." else parent


def is_manifest(ecosystem: Ecosystem, path: str) -> bool:
    """Return True for a file that declares a package of this ecosystem."""
    return PurePosixPath(path).name in _MANIFEST_NAMES.get(ecosystem, ())


def read_manifest(ecosystem: Ecosystem, path: str, text: str) -> Manifest | None:
    """Return the package that a manifest declares; None where it declares none."""
    name = PurePosixPath(path).name
    try:
        if name == "pyproject.toml":
            return _pyproject(path, parse_toml(text))
        if name == "setup.cfg":
            return _setup_cfg(path, text)
        if name == "setup.py":
            return _setup_py(path, text)
        if name == "package.json":
            return _package_json(path, text)
        if name == "Cargo.toml":
            return _cargo_toml(path, parse_toml(text))
        if name == "go.mod":
            module = _GO_MODULE.search(text)
            return Manifest(path=path, name=module[1], is_dynamic=True) if module else None
    except UnreadableFile:
        return None
    return None


def _pyproject(path: str, document: Mapping[str, Any]) -> Manifest | None:
    tool = table(document.get("tool"))
    project = table(document.get("project"))
    poetry = table(tool.get("poetry"))
    flit = table(table(tool.get("flit")).get("metadata"))
    name = text_of(project.get("name")) or text_of(poetry.get("name"))
    name = name or text_of(flit.get("dist-name")) or text_of(flit.get("module"))
    if not name:
        return None
    version = text_of(project.get("version")) or text_of(poetry.get("version"))
    return Manifest(
        path=path,
        name=name,
        version=version,
        version_files=_version_files(tool),
        is_dynamic=not version,
    )


def _version_files(tool: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the files from which setuptools, hatch, flit or pdm take a version."""
    setuptools = table(table(table(tool.get("setuptools")).get("dynamic")).get("version"))
    hatch = table(table(tool.get("hatch")).get("version"))
    pdm = table(table(tool.get("pdm")).get("version"))
    files: list[str] = []
    named_files = setuptools.get("file")
    for file in named_files if isinstance(named_files, list) else [named_files]:
        files.append(text_of(file))
    attribute = text_of(setuptools.get("attr"))
    if attribute:
        module = attribute.rpartition(".")[0].replace(".", "/")
        files += [f"{module}.py", f"{module}/__init__.py"]
        files += [f"src/{module}.py", f"src/{module}/__init__.py"]
    files += [text_of(hatch.get("path")), text_of(pdm.get("path"))]
    return tuple(file for file in files if file)


def version_in(text: str) -> str:
    """Return the version that a file holds: alone, or assigned to a name for it."""
    plain = _PLAIN_VERSION.fullmatch(text[:200])
    if plain is not None:
        return plain[1]
    assigned = _ASSIGNED_VERSION.search(text)
    return assigned[1] if assigned else ""


def _setup_cfg(path: str, text: str) -> Manifest | None:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    name = parser.get("metadata", "name", fallback="").strip()
    version = parser.get("metadata", "version", fallback="").strip()
    if not name:
        return None
    if version.startswith(("attr:", "file:")):
        return Manifest(path=path, name=name, is_dynamic=True)
    return Manifest(path=path, name=name, version=version, is_dynamic=not version)


def _setup_py(path: str, text: str) -> Manifest | None:
    """Read the literal arguments of `setup(...)`; nothing is executed."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    literals: dict[str, str] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(value))):
                literals[name] = value
    for node in nodes:
        if isinstance(node, ast.Call) and _called_name(node) == "setup":
            name = _argument(node, "name", literals)
            version = _argument(node, "version", literals)
            if name:
                return Manifest(path=path, name=name, version=version, is_dynamic=not version)
    return None


def _called_name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _argument(call: ast.Call, name: str, literals: Mapping[str, str]) -> str:
    for keyword in call.keywords:
        if keyword.arg != name:
            continue
        if isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str):
            return keyword.value.value
        if isinstance(keyword.value, ast.Name):
            return literals.get(keyword.value.id, "")
    return ""


def _package_json(path: str, text: str) -> Manifest | None:
    try:
        document = table(json.loads(text))
    except (ValueError, RecursionError):
        return None
    name = text_of(document.get("name"))
    version = text_of(document.get("version"))
    if not name:
        return None
    return Manifest(path=path, name=name, version=version, is_dynamic=not version)


def _cargo_toml(path: str, document: Mapping[str, Any]) -> Manifest | None:
    package = table(document.get("package"))
    name = text_of(package.get("name"))
    if not name:
        return None
    version = text_of(package.get("version"))
    is_inherited = bool(table(package.get("version")).get("workspace"))
    files = ("/Cargo.toml",) if is_inherited else ()
    return Manifest(
        path=path, name=name, version=version, version_files=files, is_dynamic=not version
    )


def workspace_version(text: str) -> str:
    """Return the version that a Cargo workspace gives to its members."""
    try:
        workspace = table(parse_toml(text).get("workspace"))
    except UnreadableFile:
        return ""
    return text_of(table(workspace.get("package")).get("version"))
