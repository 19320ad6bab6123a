"""Commits that change how code looks and not what it does."""

from collections.abc import Iterator, Sequence

from agent.domain import FileChange
from agent.facts import FactKind
from tools.diff.draft import Draft, Where
from tools.diff.grouping import Shown
from tools.diff.hunks import Hunk, Patch, Side, fragment, read_patch
from tools.diff.languages import reader_for
from tools.diff.reading import Reader

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
    return bool(patch.hunks) and all(_hunk_says_the_same(path, hunk, reader) for hunk in patch.hunks)


def _hunk_says_the_same(path: str, hunk: Hunk, reader: Reader) -> bool:
    sources = [fragment(hunk, side, path, digest=True) for side in _SIDES]
    before, after = ("" if source is None else reader(source).code for source in sources)
    return before == after and bool(before)


def _same_text(lines: Sequence[str]) -> bool:
    return bool(lines)
