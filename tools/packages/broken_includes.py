"""Includes of a package in the user's C++ and CUDA code: headers that are gone, and names of the others."""

import re
from collections.abc import Iterator, Mapping

from agent.bumps.bump_report_model import CodeUse, SourceMapping, UsedName
from tools.diff.file_roles import HEADERS
from tools.packages.repository_trees import Listing, TreeReader

_INCLUDE = re.compile(r"""^\s*#\s*include\s*[<"]([\w./+-]{1,300})[>"]""")
_NAME = re.compile(r"[A-Za-z_]\w{3,99}", re.ASCII)
_MAX_USED = 5_000  # Names that own code may have from headers
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


async def names_from_headers(
    trees: TreeReader, mapping: SourceMapping, tip: Mapping[str, str]
) -> tuple[UsedName, ...]:
    """Return the names that own code may have from the headers it includes: both write them.

    Which of them a header defines is seen where a commit changes its definition.
    """
    headers = public_headers(await trees.listing(mapping.new.sha), mapping.folder)
    included: dict[str, list[str]] = {}  # Own files by the path of a header
    for file, text in tip.items():
        for _, header in _includes(file, text):
            if header in headers:
                included.setdefault(headers[header], []).append(file)
    names: list[UsedName] = []
    for path, text in (await trees.texts(mapping.new.sha, list(included))).items():
        defined = set(_NAME.findall(text))
        for file in dict.fromkeys(included[path]):
            for name, line in _first_lines(tip[file]).items():
                if name in defined:
                    names.append(UsedName(name=name, file=file, line=line, defined_in=path))
    return tuple(names[:_MAX_USED])


def _first_lines(text: str) -> dict[str, int]:
    """Return the first line on which each name stands, besides includes."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if _INCLUDE.match(line) is None:
            for name in _NAME.findall(line):
                lines.setdefault(name, number)
    return lines


def _includes(file: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a C++ file that include something, with the path that they name."""
    if not file.endswith(_SOURCES):
        return
    for number, line in enumerate(text.splitlines(), start=1):
        match = _INCLUDE.match(line)
        if match is not None:
            yield number, match[1]


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
        for number, header in _includes(file, text):
            if header not in removed or header in own_headers:
                continue
            uses.append(
                CodeUse(
                    file=file,
                    line=number,
                    name=header,
                    effect="gone",
                    text=f"the header `{header}` is gone",
                    replacement=_moved_to(header, new),
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
