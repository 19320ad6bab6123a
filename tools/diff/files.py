"""What declarations do not tell: files that come and go, layout and comments, and changes inside functions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node, Parser

from agent.domain.commits import Change, FileChange
from agent.domain.facts import Fact, FactKind, FactLocation, Severity
from agent.domain.patch import Hunk, Side, read_patch
from tools.diff.declarations import Declaration, Language, language_of
from tools.diff.roles import Role, is_product, is_public_header, role

if TYPE_CHECKING:
    from tools.diff.file_versions import Blobs, Versions

_ONLY = {
    frozenset({Role.TEST}): "only-tests",
    frozenset({Role.DOCUMENT}): "only-docs",
    frozenset({Role.CI}): "only-ci",
    frozenset({Role.GENERATED}): "generated",
    frozenset({Role.LOCK}): "generated",
    frozenset({Role.VENDORED}): "vendored",
}
_UPKEEP = {
    Role.TEST: "tests", Role.DOCUMENT: "docs", Role.CI: "CI", Role.SCRIPT: "scripts", Role.BENCHMARK: "benchmarks",
    Role.EXAMPLE: "examples",
}  # fmt: skip
_ROLES_TOLD = (Role.MODEL, Role.KERNEL, Role.OPERATOR, Role.SOURCE, Role.HEADER, Role.DEVICE_CONFIG)
_NAMES = 6
_FOLDER = 3  # From so many files of one role in a folder they are told together


def only_facts(files: Sequence[FileChange]) -> Iterator[Fact]:
    """Say of a commit that touches nothing of the product what it touches."""
    roles = {
        role(path) for file in files for path in (file.path, file.previous_path) if path is not None
    }
    roles = roles - {Role.ASSET} if len(roles) > 1 else roles
    kind = _ONLY.get(frozenset(roles))
    if kind is None and roles and roles <= _UPKEEP.keys():
        kind = "only-upkeep"
    if kind is not None:
        what = (
            ", ".join(_UPKEEP[one] for one in _UPKEEP if one in roles)
            if kind == "only-upkeep"
            else None
        )
        place = FactLocation(file=files[0].path, line=0, lines=())
        name = f"{len(files)} files"
        yield Fact(kind=kind, severity=Severity.INTERNAL, name=name, detail=what, places=(place,))


def file_facts(files: Sequence[FileChange], read: Sequence["Versions"]) -> Iterator[Fact]:
    """Tell the product's files that come, go or get another name."""
    declared = {versions.file.path: versions.new for versions in read}
    added: dict[tuple[Role, str], list[FileChange]] = defaultdict(list)
    for file in files:
        if file.status == "added" and role(file.path) in _ROLES_TOLD:
            added[role(file.path), file.path.rpartition("/")[0]].append(file)
        elif file.status == "removed" and is_product(file.path):
            yield _left(file, "file-removed", file.path)
        elif file.status == "renamed" and is_product(file.path) and file.previous_path:
            yield _left(file, "file-renamed", file.previous_path, file.path)
    for (what, folder), group in added.items():
        if len(group) >= _FOLDER:
            yield _came(
                what,
                ", ".join(file.path for file in group),
                group,
                f"{len(group)} files of {folder}",
            )
        else:
            for file in group:
                yield _came(
                    what, file.path, [file], _names(declared.get(file.path, ())) or file.path
                )


def _came(what: Role, name: str, files: Sequence[FileChange], new: str) -> Fact:
    # Sources that are compiled into something are told by what they declare for users.
    told = what is Role.MODEL or name.endswith(".py") or is_public_header(name)
    severity, places = (
        Severity.ADDITIVE if told else Severity.INTERNAL,
        tuple(_place(file, new) for file in files[:4]),
    )
    return Fact(
        kind="file-added", severity=severity, name=name, new=new, detail=what.value, places=places
    )


def _left(file: FileChange, kind: FactKind, old: str, new: str | None = None) -> Fact:
    """Tell a file that is not where it was."""
    severity, detail = (
        Severity.BEHAVIOUR if is_public_header(old) else Severity.INTERNAL,
        role(file.path).value,
    )
    places = (_place(file),)
    return Fact(
        kind=kind, severity=severity, name=file.path, old=old, new=new, detail=detail, places=places
    )


def _names(declared: Sequence[Declaration]) -> str:
    public = (
        one for one in declared if not one.owner and not one.local and not one.name.startswith("_")
    )
    names = [one.name for one in public if one.kind in ("class", "enum", "function")]
    return ", ".join(dict.fromkeys(names[:_NAMES]))


def _place(file: FileChange, names: str = "") -> FactLocation:
    """Show the lines that have one of the names, else the first ones that say something."""
    changed = enumerate(
        (line for hunk in read_patch(file.patch).hunks[:1] for line in hunk.changed), 1
    )
    telling = [(at, line) for at, line in changed if len(line.strip("+-#/* \t")) > 2]
    naming = [
        (at, line)
        for at, line in telling
        if any(name in line for name in names.split(", ") if name)
    ]
    shown = (naming or telling)[:3]
    return FactLocation(
        file=file.path, line=shown[0][0] if shown else 0, lines=tuple(line for _, line in shown)
    )


_MAX_LAYOUT_PATCH = 200_000  # Characters of patches above which nobody only lays out code


def layout_paths(change: Change) -> list[str]:
    """Return all files of a commit that seems to change no code; they must be compared as a whole.

    A hunk may begin inside of a string or of a block, so its tokens alone prove nothing.
    """
    if not _may_only_lay_out(change):
        return []
    for file in change.files:
        language = language_of(file.path)
        if language is None:
            return []
        for hunk in read_patch(file.patch).hunks:
            old_code = _read_code(_side(hunk, "old"), language)
            new_code = _read_code(_side(hunk, "new"), language)
            if old_code.tokens != new_code.tokens:
                return []
    return [file.path for file in change.files]


def layout_facts(change: Change, blobs: "Blobs") -> Iterator[Fact]:
    """Yield a fact if whole files show that a commit only lays code out or comments on it."""
    if not _may_only_lay_out(change):
        return
    has_other_comments = False
    for file in change.files:
        language = language_of(file.path)
        old_text, new_text = blobs.get(file.path, (None, None))
        if language is None or old_text is None or new_text is None:
            return
        old_code = _read_code(old_text, language)
        new_code = _read_code(new_text, language)
        if old_code.structure != new_code.structure:
            return
        has_other_comments |= old_code.comments != new_code.comments
    kind = "only-comments" if has_other_comments else "only-formatting"
    place = FactLocation(file=change.files[0].path, line=0, lines=())
    name = f"{len(change.files)} files"
    yield Fact(kind=kind, severity=Severity.INTERNAL, name=name, places=(place,))


def _may_only_lay_out(change: Change) -> bool:
    if not change.files or change.incomplete:
        return False
    if sum(len(file.patch or "") for file in change.files) > _MAX_LAYOUT_PATCH:
        return False
    return all(file.status == "modified" and file.patch for file in change.files)


def _side(hunk: Hunk, side: Side) -> bytes:
    return ("\n".join(hunk.side(side)) + "\n").encode("utf-8", "replace")


class _Code(NamedTuple):
    """A text as its grammar reads it."""

    tokens: list[bytes]
    structure: list[tuple[str, bytes]]
    """The tokens with the beginnings and ends of what they stand in: a line that is indented
    otherwise has the same tokens and is part of another block."""
    comments: list[bytes]


def _read_code(text: bytes, language: Language) -> _Code:
    """Return the tokens and comments of a text; a string that is a statement counts as a comment.

    White space does not count, except inside of strings.
    """
    tokens: list[bytes] = []
    structure: list[tuple[str, bytes]] = []
    comments: list[bytes] = []
    # The marks of CUDA are part of what is compared, so they are not blanked here.
    stack: list[Node | None] = [Parser(language.grammar).parse(text).root_node]
    while stack:
        node = stack.pop()
        if node is None:
            structure.append(("end", b""))
        elif "comment" in node.type or _is_docstring(node):
            comments.append(b"".join((node.text or b"").split()))
        elif not node.children or "string" in node.type:
            tokens.append(node.text or b"")
            structure.append((node.type, node.text or b""))
        else:
            structure.append((node.type, b""))
            stack.append(None)
            stack += reversed(node.children)
    return _Code(tokens, structure, comments)


def _is_docstring(node: Node) -> bool:
    return (
        node.type == "expression_statement"
        and len(node.children) == 1
        and node.children[0].type == "string"
    )


_MOST = 2
_LINES = 14  # Lines shown of one function
_REMARKS = ("#", "//", "*", "/*", '"""', "<!--")
_ORDER = (
    Role.DOCUMENT,
    Role.CONFIG,
    Role.BUILD,
    Role.SCRIPT,
    Role.EXAMPLE,
    Role.BENCHMARK,
    Role.CI,
    Role.TEST,
)
_UNSEEN = (Role.TEST, Role.CI, Role.SCRIPT, Role.LOCK, Role.GENERATED, Role.VENDORED, Role.ASSET)
"""What is for those alone who work on the project."""
Where = tuple[str, str]  # A file and the function in it


def changed_functions(files: Sequence["Versions"], told: Iterable[FactLocation]) -> list[Fact]:
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
    return [
        _code_fact(file, name or file.rpartition("/")[2], lines) for (file, name), lines in most
    ]


def _says_something(lines: Sequence[tuple[int, str]]) -> bool:
    """Leave out functions in which lines are only laid out anew, moved or commented."""
    sides: dict[str, list[str]] = {"-": [], "+": []}
    for _, line in lines:
        if not line[1:].lstrip().startswith(_REMARKS):
            sides[line[0]] += line[1:].split()
    before, after = ("".join(side).replace(",", "") for side in sides.values())
    return before != after


def _one_sided(files: Sequence["Versions"]) -> set[Where]:
    found: set[Where] = set()
    for versions in files:
        old, new = (
            {one.path for one in side if one.is_scope} for side in (versions.old, versions.new)
        )
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
            found.append(
                _code_fact(
                    file.path,
                    file.path,
                    [(number, line) for sign, number, line in best.numbered() if sign != " "],
                )
            )
    return found


def _rank(path: str) -> int:
    if is_product(path):
        return -1
    what = role(path)
    return _ORDER.index(what) if what in _ORDER else len(_ORDER)


def _changed(versions: "Versions") -> Iterable[tuple[str, int, str]]:
    """Give the changed lines with the innermost function around each, or what git says stands above."""
    sides: tuple[tuple[Side, Sequence[Declaration]], ...] = (
        ("old", versions.old),
        ("new", versions.new),
    )
    for side, declared in sides:
        scopes = [one for one in declared if one.kind in ("function", "class")]
        for number, line in versions.patch.lines(side).items():
            around = [one for one in scopes if one.first <= number <= one.last and not one.local]
            yield (
                (min(around, key=lambda one: one.last - one.first).path if around else ""),
                number,
                line,
            )


def _code_fact(file: str, name: str, lines: Sequence[tuple[int, str]]) -> Fact:
    shown = [line for line in lines if len(line[1].strip("+- \t{}();,")) > 1] or list(lines)
    # Code says more than remarks about it.
    shown = [line for line in shown if not line[1][1:].lstrip().startswith(_REMARKS)] or shown
    removed = [line for line in shown if line[1].startswith("-")][: _LINES // 2]
    added = [line for line in shown if line[1].startswith("+")][: _LINES - len(removed)]
    first = (added or removed)[0][0]
    place = FactLocation(file=file, line=first, lines=tuple(line for _, line in (*removed, *added)))
    one = len(removed) == len(added) == 1 and len(shown) == 2
    return Fact(
        kind="code-changed",
        severity=Severity.INTERNAL if role(file) in _UNSEEN else Severity.BEHAVIOUR,
        name=name,
        old=removed[0][1][1:].strip() if one else None,
        new=added[0][1][1:].strip() if one else None,
        places=(place,),
    )
