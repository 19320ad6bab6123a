"""What a file of Python gives on that it defined before: whoever takes it from there still can."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from agent.domain import FileChange
from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.hunks import read_patch, whole_file
from tools.diff.languages import reader_for

_TELLING = 8
"""Letters of a name that hardly two things of a commit have by chance."""
_MODULE, _PACKAGE = ".py", "/__init__.py"


def through_packages(shown: Sequence[Shown], files: Sequence[FileChange]) -> list[Shown]:
    """Mark what a module lost that became a package, where the package has the name: it is still had from there."""
    new = {file.path: file for file in files if file.status == "added" and file.path.endswith(_PACKAGE)}
    if not new:
        return list(shown)
    names: dict[str, Set[str]] = {}
    for file in files:
        package = (file.previous_path or "").removesuffix(_MODULE) + _PACKAGE
        if package in new:
            names[file.path] = _had(new[package])
    return [
        Shown(one.draft._replace(given_on=True), one.place)
        if one.draft.kind is FactKind.SYMBOL_REMOVED and one.draft.name in names.get(_file(one), ())
        else one
        for one in shown
    ]


def _had(file: FileChange) -> Set[str]:
    """Name what a new module imports or defines."""
    patch = read_patch(file.patch)
    source, reader = whole_file(replace(patch, telling=patch.hunks), "new", file.path), reader_for(file.path)
    if source is None or reader is None:
        return frozenset()
    reading = reader(replace(source, changed=None, near=None))
    return reading.imports | {symbol.name for symbol in reading.symbols}


def without_given_on(shown: Sequence[Shown]) -> list[Shown]:
    """Leave out what one file imports now instead of defining it, there and in the file that defines it."""
    given = [one for one in shown if one.draft.given_on]
    if not given:
        return list(shown)
    taken = {id(heir) for one in given for heir in _heirs(one, shown)}
    return [one for one in shown if not one.draft.given_on and id(one) not in taken]


def _heirs(given: Shown, shown: Sequence[Shown]) -> Iterator[Shown]:
    """Find the same thing in other files, unless only the project itself could use it before."""
    for one in shown:
        came = one.draft.kind is FactKind.SYMBOL_ADDED and one.draft.name == given.draft.name
        elsewhere = came and _file(one) != _file(given) and _file(one).endswith(".py")
        if elsewhere and _is_same(given.draft, one.draft) and (given.draft.public or not one.draft.public):
            yield one


def _is_same(one: Draft, other: Draft) -> bool:
    # What was imported here all along was defined elsewhere before.
    defined = not (one.old or "").endswith(f".{one.name}")
    return defined and one.detail == other.detail and (len(one.name) >= _TELLING or one.old == other.new)


def _file(one: Shown) -> str:
    return one.place.file if one.place is not None else ""
