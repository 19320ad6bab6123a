"""Files that git took for two where they are one with much the same words, or for one where they are two."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from agent.domain import FileChange
from tools.diff.hunks import Hunk, Side, read_patch

_MOST = 200_000
_MOST_OF_IT = 0.8
_FEW = 30
_WORD = re.compile(r"\w+")
_PACKAGE = "__init__.py"
_SMALL = 4_000
_TELLING = 6
"""Letters of a name that a file in its place hardly has by chance."""
_HEADER = 60
"""Lines that a licence has at most."""
_CONTEXT = 3
"""Lines that git shows around a change; fewer behind the last one are the end of the file."""
_REMARK = re.compile(r"\s*(?:#|//|/\*|\*|--|<!--|[^\w\s]*$)")


def unpaired(files: Sequence[FileChange]) -> Sequence[FileChange]:
    """Tell a small file that went from one that came, where git paired them for the licence that both begin with."""
    parted = {id(file): parts for file in files if file.status == "renamed" and (parts := _parted(file))}
    return [part for file in files for part in parted.get(id(file), (file,))] if parted else files


def _parted(file: FileChange) -> tuple[FileChange, ...]:
    """Make two of a file of which all that can be seen, but for remarks, is other lines; empty where it is one."""
    patch, before = file.patch or "", file.previous_path or file.path
    if not patch or len(patch) > _SMALL or _is_named_after(before, file.path):
        return ()
    hunks = read_patch(patch).hunks
    if len(hunks) != 1 or hunks[0].old_start > _HEADER or not _is_all_else(hunks[0]):
        return ()
    went, came = (_patch_of(hunks[0], side) for side in ("old", "new"))
    if not went or not came:
        return ()
    old = file.model_copy(
        update={"path": before, "previous_path": None, "status": "removed", "patch": went, "additions": 0}
    )
    return old, file.model_copy(update={"previous_path": None, "status": "added", "patch": came, "deletions": 0})


def _is_named_after(one: str, other: str) -> bool:
    """Tell whether a file kept its name, or stands where it stood with a word more or less in its name."""
    (folder, mine), (home, its) = (path.rpartition("/")[::2] for path in (one, other))
    stems = sorted((name.rpartition(".")[0] or name for name in (mine, its)), key=len)
    longer = folder == home and len(stems[0]) >= _TELLING and stems[0] in stems[1]
    return mine == its or longer


def _is_all_else(hunk: Hunk) -> bool:
    """Tell whether a hunk reaches to the end of its file and keeps nothing but remarks."""
    behind = 0
    for line in hunk.lines:
        if line[:1] in ("+", "-"):
            behind = 0
        elif line[:1] != "\\":
            behind += 1
            if not _REMARK.match(line[1:]):
                return False
    return behind < _CONTEXT


def _patch_of(hunk: Hunk, side: Side) -> str:
    """Write what one version has below the remarks that both have, as the patch of a whole file."""
    lines = hunk.signed(side)
    top = max((at + 1 for at, line in enumerate(lines) if line[:1] == " " and line.strip()), default=0)
    sign, first = ("-", hunk.old_start + top) if side == "old" else ("+", hunk.new_start + top)
    # An empty line that both have is in no diff as one that went or came.
    told = [sign + line[1:] for line in lines[top:] if line[:1] != " "]
    spans = f"-{first},{len(told)} +0,0" if side == "old" else f"-0,0 +{first},{len(told)}"
    return "\n".join((f"@@ {spans} @@", *told)) if any(map(str.strip, (line[1:] for line in told))) else ""


def as_moved(files: Sequence[FileChange]) -> list[FileChange]:
    """Take a file that went for renamed where the only one of its name that came says nearly the same."""
    went, came = (dict(_unique(files, status)) for status in ("removed", "added"))
    homes = {name: came[name] for name in went.keys() & came.keys() if _says_the_same(went[name], came[name])}
    gone = {id(went[name]) for name in homes}
    old = {id(came[name]): went[name].path for name in homes}
    return [
        file.model_copy(update={"status": "renamed", "previous_path": old[id(file)]}) if id(file) in old else file
        for file in files
        if id(file) not in gone
    ]


def without_empty(files: Sequence[FileChange]) -> list[FileChange]:
    """Leave out empty modules that went; where there are any, git pairs what is empty as it pleases."""
    hollow = {id(file) for file in files if _is_empty(file)}
    if not hollow:
        return list(files)
    return [
        file
        for file in files
        if not (id(file) in hollow and file.status == "removed") and not (file.status == "renamed" and _is_bare(file))
    ]


def _unique(files: Iterable[FileChange], status: str) -> Iterable[tuple[str, FileChange]]:
    found = [(file.path.rpartition("/")[2], file) for file in files if file.status == status and file.patch]
    counts = Counter(name for name, _ in found)
    return ((name, file) for name, file in found if counts[name] == 1 and name != _PACKAGE)


def _says_the_same(one: FileChange, other: FileChange) -> bool:
    sides = [file.patch or "" for file in (one, other)]
    if max(map(len, sides)) > _MOST:
        return False
    before, after = (Counter(_WORD.findall(side)) for side in sides)
    most = max(before.total(), after.total())
    return most >= _FEW and (before & after).total() >= _MOST_OF_IT * most


def _is_empty(file: FileChange) -> bool:
    changed = file.status in ("added", "removed") and file.path.rpartition("/")[2] == _PACKAGE
    return changed and not file.patch and file.unreadable is None


def _is_bare(file: FileChange) -> bool:
    """Tell whether a package's own module has another path and not a line that differs."""
    names = {(path or "").rpartition("/")[2] for path in (file.path, file.previous_path)}
    return names == {_PACKAGE} and not file.patch
