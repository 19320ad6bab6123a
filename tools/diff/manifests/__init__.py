"""Manifests: files that say which versions a project asks for, and which it has itself."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from tools.diff.declarations import Declaration
from tools.diff.manifests import build, packages, python
from tools.diff.manifests.text import Text
from tools.diff.roles import is_generated

_SUBMODULE = re.compile(rb"Subproject commit [0-9a-f]{40,64}(?:-dirty)?\s*")
_LONGEST = 2_000_000
_READERS: tuple[tuple[str, Callable[[Text], Iterator[Declaration]]], ...] = (
    (r"pyproject[^/]*\.toml", python.read_pyproject),
    (r"setup\.py", python.read_setup),
    (r"setup\.cfg", python.read_setup_cfg),
    (r"[^/]*(?:requirements|constraints)[^/]*\.(?:txt|in)", python.read_requirements),
    (r"requirements/(?:.+/)?[^/]+\.(?:txt|in)", python.read_requirements),
    (r"Cargo\.toml", packages.read_cargo),
    (r"package\.json", packages.read_package_json),
    (r"go\.mod", packages.read_go_mod),
    (r"CMakeLists\.txt|[^/]+\.cmake", build.read_cmake),
    (r"(?:Docker|Container)file[^/]*|[^/]+\.(?:Docker|docker|Container)file", build.read_dockerfile),
    (r"\.gitmodules", python.read_gitmodules),
    (r"(?:[\w-]+[-_])?(?:version|VERSION)(?:\.txt)?|_?version\.py|__(?:version|about)__\.py", packages.read_version),
    (r"(?:[\w-]+[-_])?versions?\.json", packages.read_versions_json),
    (r"values[^/]*\.ya?ml", build.read_values),
    (r"\.github/workflows/[^/]+\.ya?ml|(?:docker-)?compose[^/]*\.ya?ml|templates/.+\.ya?ml", build.read_yaml),
)
_BY_PATH = tuple((re.compile(rf"(?:.*/)?(?:{pattern})"), reader) for pattern, reader in _READERS)


def is_manifest(path: str) -> bool:
    """Tell a file that one of the readers reads."""
    return any(pattern.fullmatch(path) for pattern, _ in _BY_PATH)


def read_manifest(path: str, text: bytes) -> list[Declaration] | None:
    """Give what one version of a manifest declares, or a fragment of it; None for a file that is none."""
    if _SUBMODULE.fullmatch(text):
        # This is what git prints in the place of a submodule's content.
        return [Text(path, text).declare("dependency", path, (1, 1), version=text.split()[-1].decode())]
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
