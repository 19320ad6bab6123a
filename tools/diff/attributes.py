"""What the objects of a class had as attributes and have no longer: `self.context_len = …` that went."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from agent.domain import FileChange
from agent.facts import FactKind
from tools.diff.audience import symbol_is_met
from tools.diff.cutting import ATTRIBUTE
from tools.diff.draft import Draft, Where
from tools.diff.grouping import Shown
from tools.diff.hunks import Patch, read_patch
from tools.diff.inherited import FOREIGN, is_bare, plain
from tools.diff.proof import place_of
from tools.diff.reading import Reading, Symbol
from tools.diff.roles import Role, is_public_path, role
from tools.diff.versions import Blobs, Contents, Versions, read_whole

_GIVEN = re.compile(r"[ \t]+self\.([A-Za-z]\w*)[ \t]*(?::[^=\n]+)?=(?!=)[ \t]*([^\n]*)")
_NAMED = re.compile(r"self(?<!\wself)\.(\w+)")
_TAKEN = re.compile(rf"\n-{_GIVEN.pattern}")
_MOST = 200
"""Files of a commit that are looked at."""
_TELLING = re.compile(r"\b(?!(?:self|None|True|False|float|dict|list|set)\b)[A-Za-z_]\w{2,}")
"""A name without which a value is like any other: `[]`, `None`, `0`."""
_METRIC = re.compile(r"(?i:gauge|counter|histogram|summary)(?:_cls)?\(")
"""What is told by the name under which it is exported."""
_COMMENT = re.compile(r"\s+#.*$")
_ANY_NAME = frozenset(("__getattr__", "__getattribute__"))
_MAKERS = ("__init__", "__post_init__", "__new__")
_BY_NAME = (b"setattr(self", b"self.__dict__", b"vars(self)")
_ELSEWHERE = (Role.TEST, Role.DOCUMENT, Role.BENCHMARK)
_CLASSES = ("class", "struct")
_DECLARATIONS = (*_CLASSES, "enum", "function", "method")


class _Given(NamedTuple):
    """An attribute that a line of a class gives to its objects."""

    owner: Symbol
    name: str
    value: str
    line: int


def losers(files: Sequence[FileChange]) -> list[FileChange]:
    """Choose the files of which a changed line no longer gives an attribute that no line shown gives instead."""
    changed = (file for file in files if file.status not in ("added", "removed") and file.path.endswith(".py"))
    return [file for file in changed if _taken(file.patch or "") and is_public_path(file.path)][:_MOST]


def lost_attributes(files: Sequence[FileChange], blobs: Blobs, known: Sequence[Versions]) -> Iterator[Shown]:
    """Tell which attributes the public classes of a commit no longer have, or have under another name."""
    whole = {versions.file.path: versions for versions in known if versions.whole}
    for file in losers(files):
        contents = blobs.get(file.path)
        if contents is None or contents[0] is None or contents[1] is None:
            continue
        names = [name for name in _taken(file.patch or "") if not _is_there(name, contents[1])]
        names = [name for name in names if not any(_is_handed(name, other.patch or "") for other in files)]
        if names and not any(word in contents[1] for word in _BY_NAME):
            read = {name for name in names if any(_is_read_outside(name, other, file) for other in files)}
            yield from _told(whole.get(file.path) or _read(file, contents), contents, names, read)


@lru_cache(maxsize=_MOST)
def _taken(patch: str) -> Sequence[str]:
    """Name what a removed line gave to an object, where no line shown does so now."""
    if "\n-" not in patch or "self." not in patch:
        return ()
    names = dict.fromkeys(found[1] for found in _TAKEN.finditer(patch))
    stays = {found[1] for found in _NAMED.finditer(patch) if patch[patch.rfind("\n", 0, found.start()) + 1] in "+ "}
    return tuple(name for name in names if name not in stays)


def _is_there(name: str, text: bytes) -> bool:
    """Tell whether a file still speaks of an attribute, or gives it to some object."""
    own = name.encode()
    if own not in text:
        return False
    return re.search(rb"\bself\.%b\b|\.%b\s*(?::[^=\n]*)?=(?!=)|[\"']%b[\"']" % (own, own, own), text) is not None


def _is_handed(name: str, patch: str) -> bool:
    """Tell whether an added line gives an object from outside what it gave itself before."""
    given = f".{name} ="
    for line in patch.split("\n") if given in patch else ():
        if line[:1] == "+" and given in line and re.search(rf"(?<!\bself)\.{name} =[^=]", line):
            return True
    return False


def _is_read_outside(name: str, other: FileChange, own: FileChange) -> bool:
    """Tell whether a removed line had an attribute of somebody else's object: whoever reads it would miss it."""
    patch = other.patch or ""
    if f".{name}" not in patch or role(other.path) in _ELSEWHERE:
        return False
    # In another file `self` may be an object of a class that derives from this one, unless it gives itself the same.
    given = other.path == own.path or re.search(rf"\n[-+ ]\s+self\.{name}\b[^=\n]*=(?!=)", patch) is not None
    read = re.compile(rf"{r'(?<!self)' if given else ''}\.{name}\b(?!\()")
    return any(line[:1] == "-" and read.search(line) for line in patch.split("\n"))


def _read(file: FileChange, contents: Contents) -> Versions:
    patch = read_patch(file.patch)
    old = read_whole(file.previous_path or file.path, patch, "old", contents[0])
    return Versions(file, patch, old, read_whole(file.path, patch, "new", contents[1]))


def _told(versions: Versions, contents: Contents, names: Sequence[str], read: Set[str]) -> Iterator[Shown]:
    """Tell what went; what nobody else is seen to have read is the class's own business."""
    patch, path = versions.patch, versions.file.path
    gone = [
        given
        for given in _given(patch.removed, versions.old)
        if given.name in names and not _METRIC.search(given.value)
    ]
    first = {(given.owner.name, given.name): given for given in reversed(gone)}
    lost = [given for given in first.values() if _is_lost(given, versions.old, versions.new, given.name in read)]
    come = [
        given for given in _given(patch.added, versions.new) if lost and not _is_there(given.name, contents[0] or b"")
    ]
    heirs = _heirs(lost, come, patch)
    for given in sorted(lost, key=lambda given: given.line):
        heir = heirs.get(given)
        draft = _removed(given) if heir is None else _renamed(given, heir)
        draft = draft._replace(public=given.name in read)
        if symbol_is_met(draft._replace(public=True), path) and (place := place_of(draft, path, patch)) is not None:
            yield Shown(draft, place)


def _given(lines: Mapping[int, str], reading: Reading) -> Iterator[_Given]:
    """List what changed lines of constructors give to objects."""
    # Where a body ends is not read, but what stands between two declarations belongs to the first.
    declared = sorted((one for one in reading.symbols if one.kind in _DECLARATIONS), key=lambda one: one.start)
    starts = [symbol.start for symbol in declared]
    classes = {symbol.name: symbol for symbol in reading.symbols if symbol.kind in _CLASSES}
    for number, line in sorted(lines.items()):
        found = _GIVEN.match(line, 1) if "self." in line else None
        at = bisect_right(starts, number) - 1
        if found is None or at < 0 or not declared[at].name.endswith(_MAKERS):
            continue
        owner = classes.get(declared[at].name.rpartition(".")[0])
        if owner is not None:
            yield _Given(owner, found[1], _COMMENT.sub("", found[2]).strip(), number)


def _is_lost(given: _Given, old: Reading, new: Reading, read: bool) -> bool:
    """Tell whether a public class that is still there, with all of its bases in sight, has an attribute no longer.

    A base from outside of any project does not count where others are seen to have read the attribute.
    """
    before, after = ({symbol.name: symbol for symbol in reading.symbols} for reading in (old, new))
    name = given.owner.name
    owner = after.get(name)
    if owner is None or owner.kind not in _CLASSES or not (owner.public and given.owner.public):
        return False
    if f"{name}.{given.name}" in before or any(symbol.device for symbol in old.symbols if _is_of(symbol, name)):
        return False
    family = _family(owner, after, _is_foreign if read else is_bare)
    members = {f"{one}.{own}" for one in family or () for own in (given.name, *_ANY_NAME)}
    return family is not None and members.isdisjoint(after)


def _is_of(symbol: Symbol, owner: str) -> bool:
    return symbol.name.startswith(f"{owner}.")


def _family(owner: Symbol, world: Mapping[str, Symbol], counts_for_nothing: Callable[[str], bool]) -> list[str] | None:
    """Name a class and its bases; None where one of them is out of sight."""
    family, waiting = [owner.name], [owner]
    while waiting:
        for base in waiting.pop().bases:
            if counts_for_nothing(base):
                continue
            found = world.get(plain(base))
            if found is None or found.kind not in _CLASSES:
                return None
            if found.name not in family:
                family.append(found.name)
                waiting.append(found)
    return family


def _is_foreign(base: str) -> bool:
    return is_bare(base) or FOREIGN.match(plain(base)) is not None


def _heirs(lost: Sequence[_Given], come: Sequence[_Given], patch: Patch) -> dict[_Given, _Given]:
    """Pair attributes of a class that are given the same, where the value or their use tells them from all others."""
    heirs: dict[_Given, _Given] = {}
    for given in lost if come else ():
        same = [[one for one in side if _is_same(one, given)] for side in (lost, come)]
        used = [one for one in same[1] if _is_used_alike(given.name, one.name, patch)]
        if len(used) == 1:
            heirs[given] = used[0]
        elif len(same[0]) == len(same[1]) == 1 and _TELLING.search(given.value):
            heirs[given] = same[1][0]
    return heirs


def _is_used_alike(name: str, other: str, patch: Patch) -> bool:
    """Tell whether most lines that used an attribute are there again with the other name in its place, two at least."""
    used = [line[1:].strip() for line in patch.removed.values() if f"self.{name}" in line]
    now = {line[1:].strip() for line in patch.added.values() if f"self.{other}" in line}
    own = re.compile(rf"\bself\.{name}\b")
    again = sum(own.sub(f"self.{other}", line) in now for line in used)
    return again > 1 and again * 2 >= len(used)


def _is_same(one: _Given, other: _Given) -> bool:
    return one.owner.name == other.owner.name and one.value == other.value


def _removed(given: _Given) -> Draft:
    name = f"{given.owner.name}.{given.name}"
    where = Where(old=(given.line, given.line))
    return Draft(FactKind.FIELD_REMOVED, name, True, where, given.name, detail=ATTRIBUTE)


def _renamed(given: _Given, heir: _Given) -> Draft:
    name = f"{given.owner.name}.{heir.name}"
    where = Where((given.line, given.line), (heir.line, heir.line))
    return Draft(FactKind.FIELD_RENAMED, name, True, where, given.name, heir.name, ATTRIBUTE)
