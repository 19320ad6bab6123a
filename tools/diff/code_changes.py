"""Changes inside bodies: the hunks that no declaration tells, named by the function they stand in."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from agent.domain import FileChange
from agent.facts import Fact, FactKind, Place, Severity
from tools.diff.declarations import SCOPES
from tools.diff.patch import Hunk, Side, read_patch
from tools.diff.roles import Role, is_product, role
from tools.diff.versions import Versions

_MOST = 2
_LINES = 14
"""Lines shown of one function."""
_REMARKS = ("#", "//", "*", "/*", '"""', "<!--")
_ORDER = (Role.DOCUMENT, Role.CONFIG, Role.BUILD, Role.SCRIPT, Role.EXAMPLE, Role.BENCHMARK, Role.CI, Role.TEST)
_UNSEEN = (Role.TEST, Role.CI, Role.SCRIPT, Role.LOCK, Role.GENERATED, Role.VENDORED, Role.ASSET)
"""What is for those alone who work on the project."""
Where = tuple[str, str]
"""A file and the function in it."""


def changed_functions(files: Sequence[Versions], told: Iterable[Place]) -> list[Fact]:
    """Tell the functions whose bodies change most, each with the first of its changed lines; new ones come last."""
    known = {(place.file, line) for place in told for line in place.lines}
    changes: dict[Where, list[tuple[int, str]]] = defaultdict(list)
    for versions in files:
        if is_product(versions.file.path) and versions.file.status not in ("added", "removed"):
            for name, number, line in _changed(versions):
                if (versions.file.path, line) not in known and len(line.strip("+- \t{}();,")) > 1:
                    changes[versions.file.path, name].append((number, line))
    one_sided = _one_sided(files)
    changes = {where: lines for where, lines in changes.items() if _says_something(lines)}
    kept = {where: lines for where, lines in changes.items() if where[1] and where not in one_sided}
    most = sorted((kept or changes).items(), key=lambda entry: -len(entry[1]))
    return [_fact(file, name or file.rpartition("/")[2], lines) for (file, name), lines in most]


def _says_something(lines: Sequence[tuple[int, str]]) -> bool:
    """Leave out functions in which lines are only laid out anew, moved or commented."""
    sides: dict[str, list[str]] = {"-": [], "+": []}
    for _, line in lines:
        if not line[1:].lstrip().startswith(_REMARKS):
            sides[line[0]] += line[1:].split()
    before, after = ("".join(side).replace(",", "") for side in sides.values())
    return before != after


def _one_sided(files: Sequence[Versions]) -> set[Where]:
    """Name the functions that only one of both versions has."""
    found: set[Where] = set()
    for versions in files:
        old, new = ({one.path for one in side if one.kind in SCOPES} for side in (versions.old, versions.new))
        found |= {(versions.file.path, name) for name in old ^ new}
    return found


def telling_hunks(files: Sequence[FileChange]) -> list[Fact]:
    """Show the largest hunks of the files that say most, where nothing else is there to tell."""
    ranked = sorted(files, key=lambda file: (_rank(file.path), -file.additions - file.deletions))
    found: list[Fact] = []
    for file in ranked[:_MOST]:
        hunks = [hunk for hunk in read_patch(file.patch).hunks if hunk.changed]
        if hunks:
            best = max(hunks, key=lambda hunk: len(hunk.changed))
            found.append(_fact(file.path, file.path, _numbered(best)))
    return found


def _rank(path: str) -> int:
    if is_product(path):
        return -1
    what = role(path)
    return _ORDER.index(what) if what in _ORDER else len(_ORDER)


def _changed(versions: Versions) -> Iterable[tuple[str, int, str]]:
    """Give the changed lines with the innermost function around each, or what git says stands above."""
    sides: tuple[tuple[Side, Sequence[object]], ...] = (("old", versions.old), ("new", versions.new))
    for side, _ in sides:
        declared = versions.old if side == "old" else versions.new
        scopes = [one for one in declared if one.kind in ("function", "class")]
        for number, line in versions.patch.lines(side).items():
            around = [one for one in scopes if one.first <= number <= one.last and not one.local]
            yield (min(around, key=lambda one: one.last - one.first).path if around else ""), number, line


def _numbered(hunk: Hunk) -> list[tuple[int, str]]:
    old, new = hunk.old_start, hunk.new_start
    found: list[tuple[int, str]] = []
    for line in hunk.lines:
        sign = line[:1] or " "
        if sign in "+-":
            found.append((new if sign == "+" else old, line))
        old += sign in " -"
        new += sign in " +"
    return found


def _fact(file: str, name: str, lines: Sequence[tuple[int, str]]) -> Fact:
    shown = [line for line in lines if len(line[1].strip("+- \t{}();,")) > 1] or list(lines)
    # Code says more than remarks about it.
    shown = [line for line in shown if not line[1][1:].lstrip().startswith(_REMARKS)] or shown
    removed = [line for line in shown if line[1].startswith("-")][: _LINES // 2]
    added = [line for line in shown if line[1].startswith("+")][: _LINES - len(removed)]
    first = (added or removed)[0][0]
    place = Place(file=file, line=first, lines=tuple(line for _, line in (*removed, *added)))
    one = len(removed) == len(added) == 1 and len(shown) == 2
    return Fact(
        kind=FactKind.CODE_CHANGED,
        severity=Severity.INTERNAL if role(file) in _UNSEEN else Severity.BEHAVIOUR,
        name=name,
        old=removed[0][1][1:].strip() if one else None,
        new=added[0][1][1:].strip() if one else None,
        places=(place,),
    )
