"""Differences between the declarations of two versions: added, removed, moved or changed."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.facts import FactKind
from tools.diff.declaration_pairs import Pair, paired, renamed
from tools.diff.facts_by_declaration_kind import ROWS, detail_of, is_spread, members_of, name_of
from tools.diff.literal_choices import choices_that_differ, has_other_choices
from tools.diff.located_differences import Difference, FoundDeclaration, written
from tools.diff.moved_errors import has_same_words, without_moved_errors

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions
    from tools.diff.declaration_reader import Declaration

SYMBOLS = ("function", "class", "enum", "constant", "export")
"""Kinds of which a module has one of a name, whichever it is."""
_SCOPES_FIRST = (
    ("class", "enum"),
    ("function",),
    tuple(kind for kind in ROWS if kind not in ("class", "enum", "function")),
)
"""A renamed class takes its members along, so it is paired before them."""
_MEMBERS = ("field", "function")
_MAX_SPACES_OF_A_VALUE = 5
_MAX_BASES = 5  # Classes above a class in which a member is looked for
_LAYOUT = re.compile(r"\s+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_VALUES = {"None", "True", "False", "not", "and", "or", "in", "is"}
"""Words of a condition that are no names."""
_VARIABLE = re.compile(r"(?!(?:true|false|nullptr|nil)$)(?:cls\.|self\.)?[a-z_][a-z0-9_]*")
"""A variable by its name alone, whose value code assigns elsewhere."""
_TABLE = ("{", "[", "(", "dict(", "list(", "set(", "tuple(", "frozenset(")
"""How a value begins that holds many others."""


class ModuleName(NamedTuple):
    """A module and the dotted name of something in it."""

    module: str
    name: str


def compare(files: Sequence["Versions"]) -> list[Difference]:
    """Compare all files of a commit at once, so that what moves from one to another is seen."""
    named_values: set[tuple[str, str]] = set()
    for versions in files:
        for declaration in versions.new:
            if declaration.kind == "constant" and "value" in declaration.parts:
                named_values.add((declaration.name, declaration.parts["value"]))
    differences: list[Difference] = []
    for difference in _Comparison(files).differences():
        new_name = (difference.new or "").rpartition(".")[2]
        # A value that only got a name is the same value.
        if (new_name, difference.old) not in named_values:
            differences.append(difference)
    return without_moved_errors(differences, files)


class _Comparison:
    """The declarations of a commit on both sides."""

    def __init__(self, files: Sequence["Versions"]) -> None:
        self._old = _found_in(files, "old")
        self._new = _found_in(files, "new")
        self._successors: dict[ModuleName, ModuleName] = {}
        self._removed_scopes: set[ModuleName] = set()
        self._added_scopes: set[ModuleName] = set()
        self._new_members: set[tuple[str, str]] = set()
        self._new_classes: dict[str, list[FoundDeclaration]] = defaultdict(list)
        self._imported: set[ModuleName] = set()
        for declared in self._new:
            if declared.kind in _MEMBERS:
                self._new_members.add((declared.owner.rpartition(".")[2], declared.name))
            if declared.kind == "class":
                self._new_classes[declared.name].append(declared)
            if declared.kind == "import":
                self._imported.add(ModuleName(declared.module, declared.name))
        self._retyped_fields = self._find_retyped_fields()

    def _find_retyped_fields(self) -> dict[str, str]:
        """Return the new types of fields by their names, where these differ."""
        old_types: dict[str, str] = {}
        for declared in self._old:
            if declared.kind == "field":
                old_types[declared.path] = declared.parts.get("type", "")
        retyped: dict[str, str] = {}
        for declared in self._new:
            new_type = declared.parts.get("type", "")
            if declared.kind == "field" and new_type != old_types.get(declared.path):
                retyped[declared.name] = new_type
        return retyped

    def differences(self) -> Iterator[Difference]:
        """Yield what differs, and note of each scope whether it came, went or was renamed."""
        for kinds in _SCOPES_FIRST:
            before = self._by_key(self._old, kinds)
            after = self._by_key(self._new, kinds)
            removed: list[FoundDeclaration] = []
            added: list[FoundDeclaration] = []
            parameters: list[Pair] = []
            for key in dict.fromkeys((*before, *after)):
                pairing = paired(before.get(key, ()), after.get(key, ()))
                removed += pairing.removed
                added += pairing.added
                for pair in pairing.pairs:
                    if pair.new.kind == "parameter":
                        parameters.append(pair)
                    yield from _changed_parts(pair)
            yield from self._one_sided(removed, added)
            yield from _reordered(parameters)

    def _by_key(
        self, declarations: Iterable[FoundDeclaration], kinds: Sequence[str]
    ) -> Mapping[Hashable, list[FoundDeclaration]]:
        by_key: dict[Hashable, list[FoundDeclaration]] = defaultdict(list)
        for declared in declarations:
            if declared.kind in kinds:
                by_key[self._key(declared)].append(declared)
        return by_key

    def _key(self, declared: FoundDeclaration) -> Hashable:
        """Return the name by which the same thing is known on both sides."""
        if is_spread(declared):
            return declared.kind, declared.name
        owner = self._owner(declared)
        family = "symbol" if declared.kind in SYMBOLS else declared.kind
        # An error is known by its words and its condition, not by what is raised.
        name = "" if declared.kind == "error" else declared.name
        return family, owner, name

    def _owner(self, declared: FoundDeclaration) -> ModuleName:
        """Return the module and the owner, by their new names where they were renamed or moved."""
        if declared.side == "old":
            for scope in _scopes_around(declared.owner):
                successor = self._successors.get(ModuleName(declared.module, scope))
                if successor is not None:
                    rest = declared.owner[len(scope) :]
                    return ModuleName(successor.module, successor.name + rest)
        return ModuleName(declared.module, declared.owner)

    def _one_sided(
        self, removed: Sequence[FoundDeclaration], added: Sequence[FoundDeclaration]
    ) -> Iterator[Difference]:
        """Yield what came and went; of both, what is the same under another name or in another file."""
        removed = _without_repeats(self._really_removed(removed))
        added = _without_repeats(self._really_added(added))
        matched: set[int] = set()
        for pair in renamed(removed, added, self._owner):
            old, new = pair
            matched |= {id(old), id(new)}
            self._successors[_full_name(old)] = _full_name(new)
            if old.module == new.module or not self._is_imported(old):
                yield from _renamed(pair)
            else:
                yield from _changed_parts(pair)
        for old in removed:
            if id(old) in matched:
                continue
            self._removed_scopes.add(_full_name(old))
            if not self._is_imported(old):
                yield from _single(old, ROWS[old.kind].removed)
        for new in added:
            if id(new) in matched:
                continue
            self._added_scopes.add(_full_name(new))
            # Who includes a new file of native code is not in sight; of Python, imports show it.
            is_of_new_file = ROWS[new.kind].symbol and new.versions.file.status == "added"
            if new.is_python or not is_of_new_file:
                yield from _single(new, ROWS[new.kind].added)

    def _really_removed(self, removed: Sequence[FoundDeclaration]) -> Iterator[FoundDeclaration]:
        """Yield what is gone by itself, without what a class inherits now."""
        remaining: list[FoundDeclaration] = []
        for declared in removed:
            if not declared.is_changed or self._is_inside(declared, self._removed_scopes):
                continue
            if _is_kept(declared):
                continue
            if declared.kind in _MEMBERS and self._is_inherited(declared.name, declared.owner):
                # Nothing inside of it is gone either.
                self._removed_scopes.add(_full_name(declared))
                continue
            remaining.append(declared)
        for declared in remaining:
            if _full_name(declared) in self._removed_scopes:
                continue
            if declared.kind == "flag" and self._is_made_of_a_field(declared.name):
                continue
            yield declared

    def _really_added(self, added: Sequence[FoundDeclaration]) -> Iterator[FoundDeclaration]:
        for declared in added:
            if not declared.is_changed or self._is_inside(declared, self._added_scopes):
                continue
            if not _is_kept(declared):
                yield declared

    def _is_imported(self, declared: FoundDeclaration) -> bool:
        """Return True for a name that its module still has, by importing it from where it is now."""
        names = {ModuleName(declared.module, declared.path), ModuleName(declared.module, "*")}
        return bool(names & self._imported)

    def _is_made_of_a_field(self, flag: str) -> bool:
        """Return True for a flag that a dataclass makes now: a field names it in another annotation."""
        if flag.strip("-").replace("-", "_") in self._retyped_fields:
            return True
        return any(f'"{flag}"' in annotation for annotation in self._retyped_fields.values())

    def _is_inherited(self, name: str, owner: str, depth: int = _MAX_BASES) -> bool:
        if depth == 0:
            return False
        bases: set[str] = set()
        for declared in self._new_classes.get(owner.rpartition(".")[2], ()):
            for base in declared.parts.get("base", "").split(","):
                bases.add(base.strip().rpartition(".")[2])
        bases.discard("")
        if any((base, name) in self._new_members for base in bases):
            return True
        return any(self._is_inherited(name, base, depth - 1) for base in bases)

    def _is_inside(self, declared: FoundDeclaration, scopes: set[ModuleName]) -> bool:
        """Return True for what comes or goes with its class or function, unless users set it."""
        if is_spread(declared):
            return False
        around = _scopes_around(declared.owner)
        return any(ModuleName(declared.module, scope) in scopes for scope in around)


def _found_in(files: Sequence["Versions"], side: str) -> list[FoundDeclaration]:
    declarations: list[FoundDeclaration] = []
    for versions in files:
        if side == "old":
            for declaration in _compared(versions.old, versions):
                declarations.append(FoundDeclaration(declaration, versions, "old"))
        else:
            for declaration in _compared(versions.new, versions):
                declarations.append(FoundDeclaration(declaration, versions, "new"))
    return declarations


def _full_name(declared: FoundDeclaration) -> ModuleName:
    return ModuleName(declared.module, declared.path)


def _without_repeats(declarations: Iterable[FoundDeclaration]) -> list[FoundDeclaration]:
    """Return one place of a name that several files have: a variable is read in many of them."""
    seen: set[tuple[str, str]] = set()
    kept: list[FoundDeclaration] = []
    for declared in declarations:
        key = (declared.kind, declared.name)
        if key not in seen or not is_spread(declared):
            kept.append(declared)
        seen.add(key)
    return kept


def _is_kept(declared: FoundDeclaration) -> bool:
    """Return True for an overload or a second definition: the name is there before and after."""
    if declared.kind not in (*SYMBOLS, "field"):
        return False
    return declared.versions.has_elsewhere(declared.declaration, declared.side)


def _scopes_around(owner: str) -> Iterator[str]:
    """Yield an owner and all that it stands in, the innermost first."""
    while owner:
        yield owner
        owner = owner.rpartition(".")[0]


def _compared(
    declarations: Sequence["Declaration"], versions: "Versions"
) -> Iterator["Declaration"]:
    """Yield what is compared: not the constant that holds a variable, nor the function of a route."""
    used_lines: set[int] = set()
    for declaration in declarations:
        if declaration.kind in ("env", "route", "metric"):
            used_lines.update(range(declaration.first, declaration.last + 1))
    hidden_functions: set[str] = set()
    for declaration in declarations:
        lines = range(declaration.first, declaration.line + 1)
        is_named_otherwise = not used_lines.isdisjoint(lines)
        if declaration.kind in ("constant", "function") and is_named_otherwise:
            hidden_functions.add(declaration.path)
            continue
        if declaration.kind == "parameter" and declaration.owner in hidden_functions:
            continue
        if _is_compared(declaration, versions):
            yield declaration


def _is_compared(declaration: "Declaration", versions: "Versions") -> bool:
    """Return False for what only a function sees: its own names, and functions inside it."""
    if declaration.kind == "import":
        return True
    if declaration.kind not in ROWS or not declaration.name:
        return False
    is_python = versions.file.path.endswith((".py", ".pyi"))
    is_local = declaration.local or (is_python and _is_of_unseen_scope(declaration))
    if ROWS[declaration.kind].symbol and is_local:
        return False
    if declaration.name in ("self", "cls", "*", "/"):
        return False
    return declaration.kind != "constant" or not declaration.name.startswith("__")


def _is_of_unseen_scope(declaration: "Declaration") -> bool:
    """Return True for an indented variable without a scope: a patch may begin inside a function."""
    if declaration.kind != "constant" or declaration.owner:
        return False
    line_start = declaration.source.rfind(b"\n", 0, declaration.start) + 1
    return declaration.start > line_start


def _single(declared: FoundDeclaration, kind: FactKind | None) -> Iterator[Difference]:
    if kind is None or (declared.kind == "error" and "message" not in declared.parts):
        return
    if kind == "parameter-added" and declared.name.startswith("*"):
        return  # Nobody has to know that further arguments are taken
    value = members_of(declared) if declared.kind == "enum" else written(declared)
    if declared.side == "old":
        yield Difference(
            kind, name_of(declared), old=value, detail=detail_of(declared), before=declared
        )
    else:
        yield Difference(
            kind, name_of(declared), new=value, detail=detail_of(declared), after=declared
        )


def _renamed(pair: Pair) -> Iterator[Difference]:
    old, new = pair
    kind = ROWS[new.kind].renamed
    if old.name == new.name:
        if new.kind in SYMBOLS and old.module != new.module:
            name = name_of(new)
            yield Difference("symbol-moved", name, old.module, new.module, new.kind, old, new)
    elif kind is not None:
        yield Difference(kind, name_of(new), old.name, new.name, detail_of(new), old, new)
    yield from _changed_parts(pair)


def _changed_parts(pair: Pair) -> Iterator[Difference]:
    """Yield a difference for each part of a declaration (default, choices, ...) that changed."""
    old, new = pair
    if old.kind != new.kind:
        return
    for part, kind in ROWS[new.kind].parts.items():
        old_code = old.parts.get(part)
        new_code = new.parts.get(part)
        if not _differ(old_code, new_code):
            continue
        fact_kind = _specific_kind(kind, pair, old_code, new_code)
        if fact_kind == "choices-changed":
            old_code, new_code = choices_that_differ(old_code, new_code)
        if fact_kind is not None:
            yield Difference(fact_kind, name_of(new), old_code, new_code, detail_of(new), old, new)


def _specific_kind(
    kind: FactKind, pair: Pair, old_code: str | None, new_code: str | None
) -> FactKind | None:
    """Return the kind of fact that another part makes; None where it means nothing to users."""
    if kind == "choices-changed":
        # Other annotations of Python are remarks, which change nothing for a caller.
        return kind if has_other_choices(old_code, new_code) else None
    if kind == "flag-default-changed" and (
        _is_set_elsewhere(pair.old, old_code) or _is_set_elsewhere(pair.new, new_code)
    ):
        return None  # A field that changes, too, is a fact of its own
    if kind == "flag-default-changed" and {old_code, new_code} == {None, "None"}:
        return None  # Without a default an option is None
    if kind == "constant-changed":
        if has_other_choices(old_code, new_code):
            return "choices-changed"
        is_table = (old_code or "").startswith(_TABLE) or (new_code or "").startswith(_TABLE)
        return None if is_table else kind
    if kind == "parameter-default-changed" and new_code is None:
        return "parameter-required"
    if kind == "env-default-changed" and not (_is_value(old_code) and _is_value(new_code)):
        # Another variable may stand in, or one of several places may read it without a default.
        return None
    if kind == "limit-changed" and not _is_other_limit(pair, old_code, new_code):
        return None
    return kind


def _is_value(default: str | None) -> bool:
    """Return True for a default that can be read where it stands; a call or a variable cannot."""
    if default is None or "(" in default or default.count(" ") > _MAX_SPACES_OF_A_VALUE:
        return False  # A call, or a sentence about a variable that went
    return not _VARIABLE.fullmatch(default)


def _is_set_elsewhere(flag: FoundDeclaration, default: str | None) -> bool:
    """Return True if a flag's default is a variable, or the field of a class that the flag sets."""
    default = default or ""
    if _VARIABLE.fullmatch(default):
        return True
    field_name = flag.name.strip("-").replace("-", "_")
    return default.rpartition(".")[2] == field_name


def _has_other_values(old_code: str | None, new_code: str | None) -> bool:
    """Return True if two conditions ask the same of the same names with other values."""
    if _without_positions(old_code) == _without_positions(new_code):
        return False  # Brackets around a condition only lay it out
    old_names = set(_NAME.findall(_STRING.sub("", old_code or "")))
    new_names = set(_NAME.findall(_STRING.sub("", new_code or "")))
    return bool(old_code and new_code) and old_names - _VALUES == new_names - _VALUES


def _is_other_limit(pair: Pair, old_code: str | None, new_code: str | None) -> bool:
    """Return True if the same check has another limit: with other words it is a check of something else."""
    if pair.old.name != pair.new.name:
        # `assert` states what must hold, `raise` what must not: their conditions do not compare.
        return False
    old_message = pair.old.parts.get("message")
    new_message = pair.new.parts.get("message")
    if old_message and new_message and not has_same_words(old_message, new_message):
        return False
    return _has_other_values(old_code, new_code)


def _without_positions(condition: str | None) -> str:
    """Return a condition without its layout and without the positions of items, which are no limits."""
    return re.sub(r"\[-?\d+\]|[()\s,]", "", condition or "")


def _reordered(pairs: Iterable[Pair]) -> Iterator[Difference]:
    """Yield the functions whose common parameters come in another order.

    Of overloads nobody knows which is which.
    """
    functions: dict[ModuleName, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if not _is_keyword(pair.old) and not _is_keyword(pair.new):
            functions[ModuleName(pair.new.module, pair.new.owner)].append(pair)
    for function, common in functions.items():
        by_old_position = sorted(common, key=lambda pair: pair.old.declaration.position)
        by_new_position = sorted(common, key=lambda pair: pair.new.declaration.position)
        old_order = [pair.new.name for pair in by_old_position]
        new_order = [pair.new.name for pair in by_new_position]
        if old_order == new_order or len(set(new_order)) < len(new_order):
            continue
        moved: list[Pair] = []
        for pair, old_name, new_name in zip(common, old_order, new_order, strict=True):
            if old_name != new_name:
                moved.append(pair)
        pair_shown = next((pair for pair in moved if pair.new.is_changed), moved[0])
        yield Difference(
            "parameter-reordered",
            function.name,
            ", ".join(old_order),
            ", ".join(new_order),
            None,
            pair_shown.old,
            pair_shown.new,
        )


def _is_keyword(declared: FoundDeclaration) -> bool:
    """Return True for a Python parameter after `*`, which callers pass by name only."""
    for declaration in declared.siblings:
        if declaration.kind != "parameter" or declaration.owner != declared.owner:
            continue
        if declaration.name[:1] == "*" and declaration.position < declared.declaration.position:
            return True
    return False


def _differ(old_code: str | None, new_code: str | None) -> bool:
    """Return True for a difference in more than layout and quotation marks."""
    if (old_code is None) != (new_code is None):
        return True
    return _without_layout(old_code) != _without_layout(new_code)


def _without_layout(code: str | None) -> str:
    return _LAYOUT.sub("", code or "").replace("'", '"').replace(",)", ")")
