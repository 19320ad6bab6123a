"""Commits that change how code looks and not what it does."""

from collections.abc import Iterator, Sequence

from agent.domain import FileChange
from agent.facts import FactKind
from tools.diff.draft import Draft, Where
from tools.diff.grouping import Shown
from tools.diff.hunks import Patch, Side, fragment, read_patch
from tools.diff.languages import reader_for

_LIMIT = 200_000
_SIDES: tuple[Side, Side] = ("old", "new")
_COMMENT = ("#", "//", "/*", "*", '"""', "'''", "<!--", "--")


def unchanged_code(files: Sequence[FileChange]) -> Iterator[Shown]:
    """Tell when every file says the same as before but for white space or comments."""
    if not files or sum(len(file.patch or "") for file in files) > _LIMIT:
        return
    patches = [(file.path, read_patch(file.patch)) for file in files if file.patch and file.status == "modified"]
    if len(patches) != len(files) or not all(_says_the_same(path, patch) for path, patch in patches):
        return
    lines = [line[1:].strip() for _, patch in patches for line in (*patch.removed.values(), *patch.added.values())]
    commented = any(line.startswith(_COMMENT) for line in lines) or not _same_text(lines)
    kind = FactKind.ONLY_COMMENTS if commented else FactKind.ONLY_FORMATTING
    yield Shown(Draft(kind, f"{len(files)} files", public=False, where=Where()), None)


def _says_the_same(path: str, patch: Patch) -> bool:
    reader = reader_for(path)
    if reader is None or patch.problem:
        return False
    before, after = (
        [reader(source).code for hunk in patch.hunks if (source := fragment(hunk, side, path, digest=True)) is not None]
        for side in _SIDES
    )
    return bool(before) and before == after and all(before)


def _same_text(lines: Sequence[str]) -> bool:
    return bool(lines)
