"""Manifests: files that say which versions a project asks for, and which it has itself."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from tools.diff2.declarations import Declaration
from tools.diff2.manifests.cmake import read_cmake
from tools.diff2.manifests.images import read_dockerfile, read_values, read_yaml
from tools.diff2.manifests.packages import (
    read_cargo,
    read_go_mod,
    read_package_json,
    read_submodule,
    read_version,
    read_versions_json,
)
from tools.diff2.manifests.python import read_gitmodules, read_pyproject, read_requirements, read_setup_cfg
from tools.diff2.manifests.setup_py import read_setup
from tools.diff2.manifests.text import Text
from tools.diff2.roles import is_generated

_SUBMODULE = re.compile(rb"Subproject commit [0-9a-f]{40,64}(?:-dirty)?\s*")
_LONGEST = 2_000_000
_READERS: tuple[tuple[str, Callable[[Text], Iterator[Declaration]]], ...] = (
    (r"pyproject[^/]*\.toml", read_pyproject),
    (r"setup\.py", read_setup),
    (r"setup\.cfg", read_setup_cfg),
    (r"[^/]*(?:requirements|constraints)[^/]*\.(?:txt|in)|requirements/(?:.+/)?[^/]+\.(?:txt|in)", read_requirements),
    (r"Cargo\.toml", read_cargo),
    (r"package\.json", read_package_json),
    (r"go\.mod", read_go_mod),
    (r"CMakeLists\.txt|[^/]+\.cmake", read_cmake),
    (r"(?:Docker|Container)file[^/]*|[^/]+\.(?:Docker|docker|Container)file", read_dockerfile),
    (r"\.gitmodules", read_gitmodules),
    (r"(?:[\w-]+[-_])?(?:version|VERSION)(?:\.txt)?|_?version\.py|__(?:version|about)__\.py", read_version),
    (r"(?:[\w-]+[-_])?versions?\.json", read_versions_json),
    (r"values[^/]*\.ya?ml", read_values),
    (r"\.github/workflows/[^/]+\.ya?ml|(?:docker-)?compose[^/]*\.ya?ml|templates/.+\.ya?ml", read_yaml),
)
_BY_PATH = tuple((re.compile(rf"(?:.*/)?(?:{pattern})"), reader) for pattern, reader in _READERS)


def read_manifest(path: str, text: bytes) -> list[Declaration] | None:
    """Give what one version of a manifest declares, or a fragment of it; None for a file that is none."""
    if _SUBMODULE.fullmatch(text):
        return list(read_submodule(Text(path, text)))
    reader = next((reader for pattern, reader in _BY_PATH if pattern.fullmatch(path)), None)
    if reader is None:
        return None
    # What a tool resolved says nothing of what the project asks for.
    if is_generated(path, text) or len(text) > _LONGEST:
        return []
    found = sorted(reader(Text(path, text)), key=lambda one: one.first)
    counts: dict[tuple[str, str], int] = {}
    for at, one in enumerate(found):
        position = counts[one.kind, one.owner] = counts.get((one.kind, one.owner), -1) + 1
        found[at] = replace(one, position=position)
    return found
