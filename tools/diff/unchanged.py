"""Commits that change how code looks and not what it does."""

import re
from collections.abc import Iterator, Mapping, Sequence

from agent.domain import FileChange
from agent.facts import FactKind
from tools.diff.draft import Draft, Where
from tools.diff.grouping import Shown
from tools.diff.headers import is_c
from tools.diff.hunks import Hunk, Patch, Side, fragment, read_patch
from tools.diff.languages import reader_for
from tools.diff.reading import Reader
from tools.diff.roles import UPKEEP, Role, is_upkeep, role, roles_of
from tools.diff.values import closed

_LIMIT = 200_000
_SIDES: tuple[Side, Side] = ("old", "new")
_WORD = re.compile(r"[\w.]+")
_SENTENCE = re.compile(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b|\b[a-z]{2,} [a-z-]{6,} [a-z-]{6,}")
_CODE = re.compile(
    r"[;{}=\"#<>&|\\]|\b(?:static|inline|const|constexpr|unsigned|long|void|struct|typename|template|return|extern)\b"
)


def unchanged_code(files: Sequence[FileChange], shown: Sequence[Shown]) -> Iterator[Shown]:
    """Tell when code says the same as before but for white space or comments, whatever keeps the project going does."""
    if not files or sum(len(file.patch or "") for file in files) > _LIMIT:
        return
    if shown and any(one.place is not None and not is_upkeep(one.place.file) for one in shown):
        return
    roles = roles_of(files)
    code = [file for file in files if role(file.path) is not Role.DOCUMENT]
    if not shown and (reworded := _reworded(code)) is not None:
        beside = len(code) < len(files)
        kind = FactKind.ONLY_COMMENTS if reworded or beside else FactKind.ONLY_FORMATTING
        yield _told(kind, files, "and documents" if beside else None)
        return
    code = [file for file in code if not is_upkeep(file.path)]
    if len(code) < len(files) and (reworded := _reworded(code)) is not None:
        sorts = [UPKEEP[one] for one in UPKEEP if one in roles]
        yield _told(FactKind.ONLY_UPKEEP, files, ", ".join((*sorts, "comments" if reworded else "formatting")))


def _told(kind: FactKind, files: Sequence[FileChange], detail: str | None) -> Shown:
    return Shown(Draft(kind, f"{len(files)} files", public=False, where=Where(), detail=detail), None)


def _reworded(code: Sequence[FileChange]) -> bool | None:
    """Tell whether files that say the same as before have other words in their comments; None where they say more."""
    patches = [(file.path, read_patch(file.patch)) for file in code if file.patch and file.status == "modified"]
    if not code or len(patches) != len(code) or not all(_says_the_same(path, patch) for path, patch in patches):
        return None
    sides = [[line[1:].strip() for _, patch in patches for line in side(patch).values()] for side in (_went, _came)]
    return _words(sides[0]) != _words(sides[1])


def _says_the_same(path: str, patch: Patch) -> bool:
    reader = reader_for(path)
    if reader is None or patch.problem:
        return False
    return bool(patch.hunks) and all(_hunk_says_the_same(path, hunk, reader) for hunk in patch.hunks)


def _hunk_says_the_same(path: str, hunk: Hunk, reader: Reader) -> bool:
    if is_c(path) and _is_prose(hunk):
        return True
    sources = [fragment(hunk, side, path, digest=True) for side in _SIDES]
    before, after = ("" if source is None else reader(source).code for source in sources)
    return before == after and bool(before)


def _is_prose(hunk: Hunk) -> bool:
    """Tell whether all that changed are sentences of a comment whose beginning is out of sight."""
    changed = [line[1:] for line in hunk.lines if line[:1] in "+-"]
    return bool(changed) and all(_SENTENCE.search(line) and not _CODE.search(line) for line in changed)


def _went(patch: Patch) -> Mapping[int, str]:
    return patch.removed


def _came(patch: Patch) -> Mapping[int, str]:
    return patch.added


def _words(lines: Sequence[str]) -> list[str]:
    """List what is written, in whatever order and layout; what the words are of a docstring, no reader digests."""
    return sorted(_WORD.findall(closed(" ".join(lines))))
