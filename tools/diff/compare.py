"""What differs between the declarations of two versions: each came, went, moved, was renamed or has another part."""

import ast
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from agent.domain.facts import FactKind
from tools.diff.kinds import (
    ROWS,
    Difference,
    FoundDeclaration,
    detail_of,
    is_python,
    members_of,
    name_of,
    written,
)
from tools.diff.pairing import paired, renamed

if TYPE_CHECKING:
    from tools.diff.declarations import Declaration
    from tools.diff.file_versions import Versions

SYMBOLS = ("function", "class", "enum", "constant", "export")
"""Kinds of which a module has one of a name, whichever it is."""
_OTHERS = tuple(kind for kind in ROWS if kind not in ("class", "enum", "function"))
_MEMBERS = ("field", "function")
_SHOWN_ONLY = ("description", "title", "examples")
Path = tuple[str, str]  # A module and the dotted name of something in it


def compare(files: Sequence["Versions"]) -> list[Difference]:
    """Compare all files of a commit at once, so that what moves from one to another is seen."""
    named = {
        (one.name, one.parts["value"])
        for versions in files
        for one in versions.new
        if one.kind == "constant" and "value" in one.parts
    }
    differences = _Comparison(files).differences()
    # A value that only got a name is the same value.
    return [
        one
        for one in differences
        if one.new is None or (one.new.rpartition(".")[2], one.old) not in named
    ]


class _Comparison:
    """The declarations of a commit on both sides, scopes first: a renamed class takes its members along."""

    def __init__(self, files: Sequence["Versions"]) -> None:
        self._old = [
            FoundDeclaration(one, file, "old") for file in files for one in _counted(file.old, file)
        ]
        self._new = [
            FoundDeclaration(one, file, "new") for file in files for one in _counted(file.new, file)
        ]
        self._heirs: dict[Path, Path] = {}
        self._gone: set[Path] = set()
        self._come: set[Path] = set()
        self._members = {
            (found.one.owner.rpartition(".")[2], found.one.name)
            for found in self._new
            if found.one.kind in _MEMBERS
        }
        self._classes: dict[str, list[FoundDeclaration]] = defaultdict(list)
        for found in self._new:
            if found.one.kind == "class":
                self._classes[found.one.name].append(found)
        self._given = {
            (found.module, found.one.name) for found in self._new if found.one.kind == "import"
        }
        typed = {
            found.one.path: found.one.parts.get("type", "")
            for found in self._old
            if found.one.kind == "field"
        }
        self._retyped = {
            found.one.name: kind
            for found in self._new
            if found.one.kind == "field"
            and (kind := found.one.parts.get("type", "")) != typed.get(found.one.path)
        }

    def differences(self) -> Iterator[Difference]:
        """Give what differs, and note of each scope whether it came, went or was renamed."""
        for kinds in (("class", "enum"), ("function",), _OTHERS):
            before, after = self._keyed(self._old, kinds), self._keyed(self._new, kinds)
            gone: list[FoundDeclaration] = []
            come: list[FoundDeclaration] = []
            parameters: list[tuple[FoundDeclaration, FoundDeclaration]] = []
            for key in dict.fromkeys((*before, *after)):
                pairs, left, added = paired(before.get(key, ()), after.get(key, ()))
                gone += left
                come += added
                parameters += [pair for pair in pairs if pair[1].one.kind == "parameter"]
                for old, new in pairs:
                    yield from _changed(old, new)
            yield from self._one_sided(gone, come)
            yield from _reordered(parameters)

    def _keyed(
        self, found: Iterable[FoundDeclaration], kinds: Sequence[str]
    ) -> Mapping[Hashable, list[FoundDeclaration]]:
        keyed: dict[Hashable, list[FoundDeclaration]] = defaultdict(list)
        for one in found:
            if one.one.kind in kinds:
                keyed[self._key(one)].append(one)
        return keyed

    def _key(self, found: FoundDeclaration) -> Hashable:
        """Give the name by which the same thing is known on both sides."""
        one = found.one
        if ROWS[one.kind].spread:
            return one.kind, one.name
        module, owner = self._owner(found)
        family = "symbol" if one.kind in SYMBOLS else one.kind
        # An error is known by its words and its condition, not by what is raised.
        return family, module, owner, "" if one.kind == "error" else one.name

    def _owner(self, found: FoundDeclaration) -> Path:
        """Give the module and the owner, by their new names where they were renamed or moved."""
        path = (found.module, found.one.owner)
        if found.side == "old":
            for end in _ends(found.one.owner):
                if heir := self._heirs.get((found.module, found.one.owner[:end])):
                    return heir[0], heir[1] + found.one.owner[end:]
        return path

    def _one_sided(
        self, gone: Sequence[FoundDeclaration], come: Sequence[FoundDeclaration]
    ) -> Iterator[Difference]:
        """Tell what came and went; of both, what is the same under another name or in another file."""
        gone = [
            one
            for one in gone
            if one.changed and not self._is_within(one, self._gone) and not _stays(one)
        ]
        # What a class has from another one now is not gone, nor is anything inside it.
        kept = [
            one
            for one in gone
            if one.one.kind in _MEMBERS and self._is_inherited(one.one.name, one.one.owner)
        ]
        self._gone |= {(one.module, one.one.path) for one in kept}
        gone = [one for one in gone if (one.module, one.one.path) not in self._gone]
        gone = [
            one
            for one in gone
            if not (one.one.kind == "flag" and self._is_made_of_a_field(one.one.name))
        ]
        come = [
            one
            for one in come
            if one.changed and not self._is_within(one, self._come) and not _stays(one)
        ]
        gone, come = _once(gone), _once(come)
        matched: set[int] = set()
        for old, new in renamed(gone, come, self._owner):
            matched |= {id(old), id(new)}
            self._heirs[old.module, old.one.path] = (new.module, new.one.path)
            if old.module == new.module or not self._is_given(old):
                yield from _renamed(old, new)
            else:
                yield from _changed(old, new)
        for old in gone:
            if id(old) not in matched:
                self._gone.add((old.module, old.one.path))
                if not self._is_given(old):
                    yield from _single(old, ROWS[old.one.kind].removed)
        for new in come:
            if id(new) not in matched:
                self._come.add((new.module, new.one.path))
                # What a new file declares is told by the file.
                if not (ROWS[new.one.kind].symbol and new.versions.file.status == "added"):
                    yield from _single(new, ROWS[new.one.kind].added)

    def _is_given(self, found: FoundDeclaration) -> bool:
        """Tell a name that its module still gives to others, by importing it from where it is now."""
        return bool({(found.module, found.one.path), (found.module, "*")} & self._given)

    def _is_made_of_a_field(self, flag: str) -> bool:
        """Tell a flag that a dataclass gives now: a field of its name, or one that names it, has another annotation."""
        named = flag.strip("-").replace("-", "_") in self._retyped
        return named or any(f'"{flag}"' in kind for kind in self._retyped.values())

    def _is_inherited(self, name: str, owner: str, deep: int = 4) -> bool:
        last = owner.rpartition(".")[2]
        bases = {
            base.strip().rpartition(".")[2]
            for found in self._classes.get(last, ())
            for base in found.one.parts.get("base", "").split(",")
            if base.strip()
        }
        return any(
            (base, name) in self._members or (deep > 0 and self._is_inherited(name, base, deep - 1))
            for base in bases
        )

    def _is_within(self, found: FoundDeclaration, scopes: set[Path]) -> bool:
        """Tell what comes or goes with its class or function, and is told by it; what users set is always told."""
        if ROWS[found.one.kind].spread:
            return False
        return any(
            (found.module, found.one.owner[:end]) in scopes for end in _ends(found.one.owner)
        )


def _once(found: Iterable[FoundDeclaration]) -> list[FoundDeclaration]:
    """Keep one place of a name that several files have: a variable is read in many of them."""
    seen: set[tuple[str, str]] = set()
    kept: list[FoundDeclaration] = []
    for one in found:
        key = (one.one.kind, one.one.name)
        if key not in seen or not ROWS[one.one.kind].spread:
            kept.append(one)
        seen.add(key)
    return kept


def _stays(found: FoundDeclaration) -> bool:
    """Tell an overload, a second definition or a condition around one: the name is there before and after."""
    return found.one.kind in (*SYMBOLS, "field") and found.versions.has_elsewhere(
        found.one, found.side
    )


def _ends(owner: str) -> Iterator[int]:
    """Give the lengths of an owner and of all that it stands in, the longest first."""
    end = len(owner)
    while end > 0:
        yield end
        end = owner.rfind(".", 0, end)


def _counted(declared: Sequence["Declaration"], versions: "Versions") -> Iterator["Declaration"]:
    """Leave out a constant that holds a variable and a function behind a route: users know them by these."""
    used = {
        line
        for one in declared
        if one.kind in ("env", "route")
        for line in range(one.first, one.last + 1)
    }
    behind: set[str] = set()
    for one in declared:
        if one.kind in ("constant", "function") and any(
            line in used for line in range(one.first, one.line + 1)
        ):
            behind.add(one.path)
        elif _counts(one, versions) and not (one.kind == "parameter" and one.owner in behind):
            yield one


def _counts(one: "Declaration", versions: "Versions") -> bool:
    """Leave out what only a function sees: its own names, and the parameters of functions inside it."""
    if one.kind not in ROWS:
        return one.kind == "import"
    python = versions.file.path.endswith((".py", ".pyi"))
    if ROWS[one.kind].symbol and (one.local or (python and _is_of_unseen_scope(one))):
        return False
    hidden = one.name in ("self", "cls", "*", "/") or (
        one.kind == "constant" and one.name.startswith("__")
    )
    return bool(one.name) and not hidden


def _is_of_unseen_scope(one: "Declaration") -> bool:
    """Tell a variable that is indented without a scope in sight: a patch may begin inside a function."""
    return (
        one.kind == "constant"
        and not one.owner
        and one.start > one.source.rfind(b"\n", 0, one.start) + 1
    )


def _single(found: FoundDeclaration, kind: FactKind | None) -> Iterator[Difference]:
    if kind is None or (found.one.kind == "error" and "message" not in found.one.parts):
        return
    value, detail = (
        members_of(found) if found.one.kind == "enum" else written(found),
        detail_of(found),
    )
    if found.side == "old":
        yield Difference(kind, name_of(found), old=value, detail=detail, before=found)
    else:
        yield Difference(kind, name_of(found), new=value, detail=detail, after=found)


def _renamed(old: FoundDeclaration, new: FoundDeclaration) -> Iterator[Difference]:
    kind = ROWS[new.one.kind].renamed
    if old.one.name == new.one.name:
        if new.one.kind in SYMBOLS and old.module != new.module:
            yield Difference(
                "symbol-moved", name_of(new), old.module, new.module, new.one.kind, old, new
            )
    elif kind is not None:
        yield Difference(kind, name_of(new), old.one.name, new.one.name, detail_of(new), old, new)
    yield from _changed(old, new)


def _changed(old: FoundDeclaration, new: FoundDeclaration) -> Iterator[Difference]:
    """Tell the parts that differ, each by the fact that the table names."""
    if old.one.kind != new.one.kind:
        return
    row = ROWS[new.one.kind]
    for part, kind in row.parts.items():
        before, after = old.one.parts.get(part), new.one.parts.get(part)
        # An annotation of Python changes nothing for a caller.
        annotates = (kind == "signature-changed" or part == "type") and is_python(new)
        described = (
            kind == "field-changed"
            and before
            and after
            and _undescribed(before) == _undescribed(after)
        )
        if before != after and _differ(before, after) and not annotates and not described:
            if kind == "parameter-default-changed" and after is None:
                kind = "parameter-required"
            if kind == "limit-changed" and old.one.name != new.one.name:
                # An assertion says what must hold, an exception what must not.
                kind = "error-changed"
            yield Difference(kind, name_of(new), before, after, detail_of(new), old, new)


def _reordered(pairs: Iterable[tuple[FoundDeclaration, FoundDeclaration]]) -> Iterator[Difference]:
    """Tell the functions whose common parameters come in another order; of overloads nobody knows which is which."""
    functions: dict[Path, list[tuple[FoundDeclaration, FoundDeclaration]]] = defaultdict(list)
    for old, new in pairs:
        if not (_is_keyword(old) or _is_keyword(new)):
            functions[new.module, new.one.owner].append((old, new))
    for (_, name), common in functions.items():
        before = [
            new.one.name for old, new in sorted(common, key=lambda pair: pair[0].one.position)
        ]
        after = [new.one.name for old, new in sorted(common, key=lambda pair: pair[1].one.position)]
        moved = [
            pair for pair, one, other in zip(common, before, after, strict=True) if one != other
        ]
        if moved and len(set(after)) == len(after):
            old, new = next((pair for pair in moved if pair[1].changed), moved[0])
            yield Difference(
                "parameter-reordered", name, ", ".join(before), ", ".join(after), None, old, new
            )


def _is_keyword(found: FoundDeclaration) -> bool:
    """Return True for a Python parameter after `*`, which callers pass by name only."""
    own = (
        one for one in found.declared if one.kind == "parameter" and one.owner == found.one.owner
    )
    return any(one.name[:1] == "*" and one.position < found.one.position for one in own)


def _differ(before: str | None, after: str | None) -> bool:
    """Tell a written difference from one of layout and quotation marks."""
    one, other = (
        "".join((text or "").split()).replace("'", '"').replace(",)", ")")
        for text in (before, after)
    )
    return one != other or (before is None) != (after is None)


def _undescribed(value: str) -> str:
    """Write a field's value without the arguments of `Field` that pydantic only shows."""
    try:
        call = ast.parse(value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return value
    if isinstance(call, ast.Call):
        call.keywords = [one for one in call.keywords if one.arg not in _SHOWN_ONLY]
    return ast.dump(call)
