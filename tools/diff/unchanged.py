"""Commits that change how code looks and not what it does."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from agent.domain import FileChange
from agent.facts import FactKind
from tools.diff.draft import Draft, Where
from tools.diff.grouping import Shown
from tools.diff.headers import is_c
from tools.diff.hunks import Hunk, Patch, Side, fragment, read_patch
from tools.diff.languages import reader_for
from tools.diff.reading import Reader, Source
from tools.diff.roles import UPKEEP, Role, is_upkeep, role, roles_of
from tools.diff.values import closed
from tools.diff.versions import Blobs, Contents

_LIMIT = 200_000
_DOCUMENTED = (".py", ".pyi")
"""Where comments are strings, of which a hunk may show the middle."""
_SIDES: tuple[Side, Side] = ("old", "new")
_WORD = re.compile(r"[\w.]+")
_SENTENCE = re.compile(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b|\b[a-z]{2,} [a-z-]{6,} [a-z-]{6,}")
_TAKEN_IN = re.compile(r".\s*(?:#\s*include\b|import \w|from [\w.]+ import [\w, ]+$)")
_COMMENT = re.compile(r"//|#(?!\s*\w+ *[<\"])|/?\*")
_CODE = re.compile(
    r"[;{}=\"#<>&|\\]|\b(?:static|inline|const|constexpr|unsigned|long|void|struct|typename|template|return|extern)\b"
)


def unchanged_code(files: Sequence[FileChange], shown: Sequence[Shown], blobs: Blobs | None) -> Iterator[Shown]:
    """Tell when code says the same as before but for white space or comments, whatever keeps the project going does."""
    if not files or sum(len(file.patch or "") for file in files) > _LIMIT:
        return
    if shown and any(one.place is not None and not is_upkeep(one.place.file) for one in shown):
        return
    whole = blobs or {}
    code = [file for file in files if not is_upkeep(file.path)]
    rest = [file for file in files if is_upkeep(file.path) and role(file.path) is not Role.DOCUMENT]
    # What users get comes first: mostly it does more, and nothing else needs to be looked at.
    reworded = _reworded(code, whole)
    if code and reworded is None:
        return
    beside = len(code) + len(rest) < len(files)
    again = _reworded(rest, whole) if rest and not shown else None
    if not shown and (again is not None or not rest):
        kind = FactKind.ONLY_COMMENTS if reworded or again or beside else FactKind.ONLY_FORMATTING
        yield _told(kind, files, "and documents" if beside else None)
    elif code and len(code) < len(files):
        roles = roles_of(files)
        sorts = [UPKEEP[one] for one in UPKEEP if one in roles]
        yield _told(FactKind.ONLY_UPKEEP, files, ", ".join((*sorts, "comments" if reworded else "formatting")))


def reworded_paths(files: Sequence[FileChange]) -> list[str]:
    """Name the files of a commit that may change nothing but docstrings; none where a hunk does more."""
    code = [file for file in files if role(file.path) is not Role.DOCUMENT]
    prose = (
        file.path.endswith(_DOCUMENTED)
        and file.status == "modified"
        and all(map(_has_prose, read_patch(file.patch).hunks))
        for file in code
    )
    return [file.path for file in code] if all(prose) else []


def _told(kind: FactKind, files: Sequence[FileChange], detail: str | None) -> Shown:
    return Shown(Draft(kind, f"{len(files)} files", public=False, where=Where(), detail=detail), None)


def _reworded(code: Sequence[FileChange], blobs: Blobs) -> bool | None:
    """Tell whether files that say the same as before have other words in their comments; None where they say more."""
    patches = [(file.path, read_patch(file.patch)) for file in code if file.patch and file.status == "modified"]
    if not code or len(patches) != len(code) or not all(_says_the_same(*one, blobs) for one in patches):
        return None
    sides = [[line[1:].strip() for _, patch in patches for line in side(patch).values()] for side in (_went, _came)]
    if _words(sides[0]) != _words(sides[1]):
        return True
    # Code is laid out anew, and its imports sorted; comments in which the words stand otherwise say something else.
    said = [[word for line in side if _COMMENT.match(line) for word in _WORD.findall(line)] for side in sides]
    return sorted(said[0]) == sorted(said[1]) and said[0] != said[1]


def _says_the_same(path: str, patch: Patch, blobs: Blobs) -> bool:
    reader = reader_for(path)
    if reader is None or patch.problem or not patch.hunks:
        return False
    sorted_anew = _sorted_anew(patch)
    hunks = [_without(hunk, sorted_anew) for hunk in patch.hunks] if sorted_anew else patch.hunks
    doubted = False
    for hunk in hunks:
        if not _hunk_says_the_same(path, hunk, reader):
            # The middle of a docstring looks like anything; the whole file tells, where there is one.
            doubted = path.endswith(_DOCUMENTED) and path in blobs and _has_prose(hunk)
            if not doubted:
                return False
    return not doubted or _file_says_the_same(path, blobs[path], reader)


def _file_says_the_same(path: str, contents: Contents, reader: Reader) -> bool:
    codes = {"" if text is None else reader(Source(path, text, digest=True)).code for text in contents}
    return len(codes) == 1 and "" not in codes


def _sorted_anew(patch: Patch) -> frozenset[str]:
    """List the imports and includes that only stand on another line of the file."""
    went, came = (
        sorted(line[1:].rstrip() for line in side.values() if _TAKEN_IN.match(line))
        for side in (patch.removed, patch.added)
    )
    return frozenset(went) if went == came else frozenset()


def _without(hunk: Hunk, texts: Set[str]) -> Hunk:
    """Leave changed lines out of a hunk."""
    return replace(hunk, lines=tuple(line for line in hunk.lines if line[:1] == " " or line[1:].rstrip() not in texts))


def _hunk_says_the_same(path: str, hunk: Hunk, reader: Reader) -> bool:
    if is_c(path) and _is_prose(hunk):
        return True
    if not any(line[1:].strip() for line in hunk.lines if line[:1] in ("+", "-")):
        return True
    sources = [fragment(hunk, side, path, digest=True) for side in _SIDES]
    before, after = ("" if source is None else reader(source).code for source in sources)
    return before == after and bool(before)


def _has_prose(hunk: Hunk) -> bool:
    """Tell whether sentences are among what changed: it may well be a docstring."""
    changed = [line for line in hunk.lines if line[:1] in ("+", "-")]
    return 3 * sum(_SENTENCE.search(line) is not None for line in changed) >= len(changed)


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
