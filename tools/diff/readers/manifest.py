"""Which versions a project asks for and which it has itself, read from the files that say so."""

import re
from collections.abc import Callable, Iterable

from tools.diff.readers.lines import digest, refusal, refused
from tools.diff.readers.manifest_build import (
    read_cargo,
    read_gitmodules,
    read_go_mod,
    read_package_json,
    read_submodule,
)
from tools.diff.readers.manifest_ci import read_ci
from tools.diff.readers.manifest_cmake import read_cmake
from tools.diff.readers.manifest_python import (
    read_conda,
    read_pyproject,
    read_requirements,
    read_setup_cfg,
    read_version_file,
)
from tools.diff.readers.manifest_setup import read_setup
from tools.diff.reading import EMPTY, Reading, Site, Source

_Sites = Callable[[Source], Iterable[Site]]
_LOCK = re.compile(
    r"(?:^|/)(?:[^/]*\.lock|[^/]*lock\.ya?ml|[^/]*-lock\.json|npm-shrinkwrap\.json|go\.sum|\.terraform\.lock\.hcl|[^/]*\.lock\.txt)$"
)
_READERS: tuple[tuple[re.Pattern[str], _Sites], ...] = tuple(
    (re.compile(rf"(?:^|/)(?:{name})$"), reader)
    for name, reader in (
        (r"pyproject[^/]*\.toml", read_pyproject),
        (r"setup\w*\.py", read_setup),
        (r"setup\.cfg", read_setup_cfg),
        (
            r"[^/]*(?:requirements|constraints)[^/]*\.(?:txt|in)|requirements/(?:[^/]+/)?[^/]+\.(?:txt|in)",
            read_requirements,
        ),
        (r"environment[^/]*\.ya?ml|conda[^/]*\.ya?ml", read_conda),
        (r"package\.json", read_package_json),
        (r"Cargo\.toml|rust-toolchain(?:\.toml)?", read_cargo),
        (r"go\.mod", read_go_mod),
        (r"CMakeLists\.txt|[^/]+\.cmake", read_cmake),
        (r"\.gitmodules", read_gitmodules),
        (
            r"(?:version|VERSION)(?:\.txt)?|_?_?version(?:_?_)?\.py|\.python-version|[A-Z]+_(?:COMMIT|VERSION|SHA)",
            read_version_file,
        ),
        (
            r"\.github/(?:workflows|actions)/.+\.ya?ml|\.gitlab-ci\.yml|\.circleci/.+\.ya?ml|\.buildkite/.+\.ya?ml",
            read_ci,
        ),
        (r"(?:docker-)?compose[^/]*\.ya?ml|\.pre-commit-config\.ya?ml|values[^/]*\.ya?ml|ci/.+\.ya?ml", read_ci),
    )
)


def is_lock(path: str) -> bool:
    """Say whether this is a file in which a tool wrote down every version it resolved."""
    return _LOCK.search(path) is not None


def is_manifest(path: str) -> bool:
    """Say whether this is a file that says which versions a project asks for or has."""
    return not is_lock(path) and any(pattern.search(path) for pattern, _ in _READERS)


def is_submodule(text: bytes) -> bool:
    """Say whether this is what git prints in the place of a submodule's content."""
    return text.startswith(b"Subproject commit ") and len(text) < 200


def is_submodule_patch(patch: str) -> bool:
    """Say whether a patch moves a submodule to another commit."""
    return "Subproject commit " in patch[:200] and patch.count("\n") <= 2


def read(source: Source) -> Reading:
    """Give the dependencies, versions and images that a manifest names."""
    if is_submodule(source.text):
        return Reading(sites=tuple(read_submodule(source)))
    if is_lock(source.path):
        return EMPTY
    if why := refusal(source):
        return refused(why)
    for pattern, reader in _READERS:
        if pattern.search(source.path):
            return Reading(sites=tuple(reader(source)), code=_digest(source))
    return EMPTY


def _digest(source: Source) -> str:
    """Digest the content; only a parser of Python could tell its comments from its strings."""
    if source.path.endswith(".py"):
        return ""
    comment = "//" if source.path.endswith(("go.mod", ".json")) else "#"
    return digest(source, comment, indented=source.path.endswith((".yml", ".yaml")))
