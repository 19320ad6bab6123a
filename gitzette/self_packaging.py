"""The packaging of Gitzette by itself, so that another machine can install this very copy.

Gitzette is on no package index, where a bare name would install whatever somebody publishes under
it. So a copy is installed from the address it came from, or it is packed as a wheel.
"""

import base64
import hashlib
import json
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from agent.domain.errors import StorageError
from gitzette.settings_from_arguments import git_output

PACKAGES = ("agent", "tools", "memory", "graphs", "evals", "gitzette")
_ROOT = Path(__file__).resolve().parents[1]  # The checkout, or `site-packages`
_WHEEL = "Wheel-Version: 1.0\nGenerator: gitzette\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can hold. With a fixed time, the same files give the same bytes."""
_READABLE = 0o644 << 16  # The mode of a file in a zip


def install_address() -> str | None:
    """Return an address, pinned to a commit or a hash, from which pip installs this copy anywhere.

    That is what the installer wrote down (PEP 610), or the origin of the checkout and its commit.
    Return None where only this machine has the copy.
    """
    installed = _installed()
    if installed is None:
        return _address_of_checkout(_ROOT)
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    url = urlsplit(origin.get("url", ""))
    if url.scheme == "file" and "dir_info" in origin:
        return _address_of_checkout(Path(unquote(url.path)))
    if url.scheme == "https" and "vcs_info" in origin:
        return f"git+{origin['url']}@{origin['vcs_info']['commit_id']}"
    if url.scheme == "https" and "archive_info" in origin:
        return _address_of_archive(origin)
    return None


def with_extra(package: str, extra: str) -> str:
    """Return the address or the wheel of a package with one of its extras, as pip reads it."""
    if package.endswith(".whl"):
        return f"{package}[{extra}]"
    return f"gitzette[{extra}] @ {package}"


def _address_of_checkout(folder: Path) -> str | None:
    """Return the origin and the commit of a checkout, if strangers can fetch that commit there."""
    if not (folder / ".git").exists():
        return None
    origin = git_output(folder, "remote", "get-url", "origin")
    commit = git_output(folder, "rev-parse", "HEAD")
    pushed = git_output(folder, "branch", "--remotes", "--contains", "HEAD", "--list", "origin/*")
    if origin.startswith("https://") and commit and pushed:
        return f"git+{origin}@{commit}"
    return None


def _address_of_archive(origin: dict[str, Any]) -> str | None:
    digest = origin["archive_info"].get("hashes", {}).get("sha256")
    return f"{origin['url']}#sha256={digest}" if digest else None


def _installed() -> Distribution | None:
    """Return what is installed under our name, unless the code that runs is another copy."""
    try:
        installed = distribution("gitzette")
    except PackageNotFoundError:
        return None
    package = Path(str(installed.locate_file("gitzette")))
    return installed if package.resolve() == _ROOT / "gitzette" else None


def write_wheel(folder: Path) -> Path:
    """Pack this copy as a wheel in `folder`, replacing an earlier one; return its path."""
    metadata = _metadata()
    wheel = folder / f"gitzette-{metadata.version}-py3-none-any.whl"
    info = f"gitzette-{metadata.version}.dist-info"
    members = {file.relative_to(_ROOT).as_posix(): file.read_bytes() for file in _own_files()}
    members[f"{info}/METADATA"] = metadata.text.encode()
    members[f"{info}/WHEEL"] = _WHEEL.encode()
    members[f"{info}/entry_points.txt"] = metadata.entry_points.encode()
    members[f"{info}/RECORD"] = _record(members, f"{info}/RECORD").encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, content in members.items():
                entry = zipfile.ZipInfo(name, _ZIP_EPOCH)
                entry.external_attr = _READABLE
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise StorageError(f"cannot write {wheel}: {error.strerror}") from error
    return wheel


def _own_files() -> Iterator[Path]:
    for package in PACKAGES:
        for file in sorted((_ROOT / package).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file


def _record(members: dict[str, bytes], record: str) -> str:
    """Return the list of a wheel's files with their hashes; the list itself has none."""
    lines: list[str] = []
    for name, content in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
        lines.append(f"{name},sha256={digest.decode()},{len(content)}\n")
    return "".join([*lines, f"{record},,\n"])


class _Metadata(NamedTuple):
    """The metadata of a package that an installer needs."""

    version: str
    text: str  # The file METADATA of a wheel
    entry_points: str  # The file entry_points.txt


def _metadata() -> _Metadata:
    """Return the metadata that the installer wrote; for a checkout, that of its pyproject.toml."""
    installed = _installed()
    if installed is not None:
        text = installed.read_text("METADATA") or ""
        return _Metadata(installed.version, text, installed.read_text("entry_points.txt") or "")
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Requires-Python: {project['requires-python']}",
    ]
    lines += [f"Requires-Dist: {requirement}" for requirement in project["dependencies"]]
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {text} ; extra == '{extra}'" for text in requirements]
    scripts = [f"{name} = {target}" for name, target in project["scripts"].items()]
    entry_points = "\n".join(["[console_scripts]", *scripts])
    return _Metadata(project["version"], "\n".join(lines) + "\n", entry_points + "\n")
