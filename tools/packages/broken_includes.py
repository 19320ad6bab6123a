"""Broken includes: lines of the user's C++ and CUDA code whose headers a package has no more."""

import re
from collections.abc import Mapping

from agent.bumps.bump_report import CodeUse, SourceMapping
from tools.diff.file_roles import HEADERS
from tools.packages.repository_trees import Listing, TreeReader

_INCLUDE = re.compile(r"""^\s*#\s*include\s*[<"]([\w./+-]{1,300})[>"]""")
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".cu", *HEADERS)


def public_headers(listing: Listing, folder: str = "") -> dict[str, str]:
    """Return the headers that users include, by the path behind their folder `include`."""
    headers: dict[str, str] = {}
    for path in listing:
        if not path.endswith(HEADERS) or (folder and not path.startswith(f"{folder}/")):
            continue
        _, separator, name = f"/{path}".rpartition("/include/")
        if separator:
            headers.setdefault(name, path)
    return headers


async def broken_includes(
    trees: TreeReader, mapping: SourceMapping, tip: Mapping[str, str]
) -> list[CodeUse]:
    """Return the includes that the old version of a package satisfies and the new one does not.

    A header of the user's own with the same path is not the package's.
    """
    old = public_headers(await trees.listing(mapping.old.sha), mapping.folder)
    new = public_headers(await trees.listing(mapping.new.sha), mapping.folder)
    removed = old.keys() - new.keys()
    if not removed:
        return []
    own_headers: set[str] = set()
    for path in tip:
        own_headers.update(_suffixes(path))
    uses: list[CodeUse] = []
    for file, text in tip.items():
        if not file.endswith(_SOURCES):
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            match = _INCLUDE.match(line)
            if match is None or match[1] not in removed or match[1] in own_headers:
                continue
            replacement = _moved_to(match[1], new)
            uses.append(
                CodeUse(
                    file=file,
                    line=number,
                    name=match[1],
                    effect="gone",
                    text=f"the header `{match[1]}` is gone",
                    replacement=replacement,
                )
            )
    return uses


def _suffixes(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[index:]) for index in range(len(parts))]


def _moved_to(name: str, headers: Mapping[str, str]) -> str:
    """Return the only new header of the same file name."""
    file_name = name.rpartition("/")[2]
    candidates = [header for header in headers if header.rpartition("/")[2] == file_name]
    return candidates[0] if len(candidates) == 1 else ""
