"""Which files pin dependencies, and who reads them."""

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from agent.bumps.non_python_pin_readers import (
    read_cargo_lock,
    read_cmake,
    read_containers,
    read_go_mod,
    read_package_lock,
    read_submodules,
    read_workflow,
)
from agent.bumps.pins import PinFile
from agent.bumps.pnpm_yarn_lock_readers import read_pnpm_lock, read_yarn_lock
from agent.bumps.python_pin_readers import (
    UnreadableFile,
    read_poetry_lock,
    read_pylock,
    read_pyproject,
    read_requirements,
    read_uv_lock,
)
from agent.bumps.setuptools_pin_readers import read_setup_cfg, read_setup_py

GITMODULES = ".gitmodules"
_READERS: Mapping[str, Callable[[str], PinFile]] = {
    "uv.lock": read_uv_lock,
    "poetry.lock": read_poetry_lock,
    "pyproject.toml": read_pyproject,
    "setup.cfg": read_setup_cfg,
    "setup.py": read_setup_py,
    "package-lock.json": read_package_lock,
    "npm-shrinkwrap.json": read_package_lock,
    "pnpm-lock.yaml": read_pnpm_lock,
    "yarn.lock": read_yarn_lock,
    "Cargo.lock": read_cargo_lock,
    "go.mod": read_go_mod,
    "CMakeLists.txt": read_cmake,
    "action.yml": read_workflow,
    "action.yaml": read_workflow,
}
_PYLOCK = re.compile(r"pylock(?:\.[^.]+)?\.toml")
_REQUIREMENTS = re.compile(
    r"[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in|lock)|requirements\.lock"
)
_CONTAINER = re.compile(
    r"(?:Docker|Container)file.*|.*\.[Dd]ockerfile|(?:docker-)?compose.*\.ya?ml"
)


def reader_of(path: str) -> Callable[[str], PinFile] | None:
    """Return who reads the pins of a file; None for a file that has none."""
    file = PurePosixPath(path)
    if "node_modules" in file.parts:
        return None
    if file.name in _READERS:
        return _READERS[file.name]
    if _PYLOCK.fullmatch(file.name):
        return read_pylock
    if is_requirements(path):
        return read_requirements
    if path.startswith(".github/workflows/") and file.suffix in (".yml", ".yaml"):
        return read_workflow
    if file.suffix == ".cmake":
        return read_cmake
    if _CONTAINER.fullmatch(file.name):
        return read_containers
    return None


def is_requirements(path: str) -> bool:
    """Return True for a requirements file by its name, or by the name of its folder."""
    file = PurePosixPath(path)
    if _REQUIREMENTS.fullmatch(file.name):
        return True
    return "requirements" in file.parts[:-1] and file.suffix in (".txt", ".in")


def fixes_versions(path: str) -> bool:
    """Return True for a file that may say which version of a Python package is installed."""
    name = PurePosixPath(path).name
    is_lock = name in ("uv.lock", "poetry.lock") or _PYLOCK.fullmatch(name) is not None
    return reader_of(path) is not None and (is_lock or is_requirements(path))


def read_pins(path: str, text: str, submodules: Mapping[str, str]) -> PinFile:
    """Read the pins of a file; what cannot be read says why."""
    try:
        if path == GITMODULES:
            return read_submodules(text, submodules)
        reader = reader_of(path) or read_requirements
        return reader(text)
    except UnreadableFile as error:
        return PinFile(problem=str(error))
