"""What the tree before a commit says of its facts: variables read already, modules given on, kernels' own parts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from agent.facts import METRICS, FactKind, Severity
from tools.diff import only_named, redeclared
from tools.diff.audience import FLAGS, OF_NO_USER
from tools.diff.crates import KEPT, Item, is_hidden, item_of, kept
from tools.diff.crates import words as crate_words
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.headers import HEADERS, is_c
from tools.diff.metrics import quoted, spellings
from tools.diff.options import declares, is_new, is_switch
from tools.diff.readers.cfamily_switches import MACRO
from tools.diff.roles import Role, is_public_path, role
from tools.diff.severity import severity_of
from tools.diff.variables import reads

MOST_WORDS = 60
"""Words that are looked for; a commit with more is a new tree."""
_FILES = (FactKind.FILE_ADDED, FactKind.FILE_REMOVED, FactKind.FILE_RENAMED)
_NAMED = ("symbol-", "parameter-", "signature-", "field-", "enum-member-", "base-", "constant-")
"""Facts about what is declared under a name; what users set or run into, they meet wherever it stands."""
_CALLED = ("symbol-", "parameter-", "signature-")
_KERNELS = re.compile(r"(?:[^/]+/)+?kernels?/(?=.*\.py$)")
_COMPILERS = re.compile(r"(?:[^/]+/)+?(?:\w+_dsl|compiler|codegen)/(?=.*\.py$)")
"""Where a language of the project's own is compiled: what the package does not give on, its users never name."""
_BACKENDS = re.compile(r"(?:[^/]+/)+?backends?/(?=compiler\.py$)")
"""The compiler of one maker's machines: its options are the users', its functions help the compiler."""
_ENTRIES = (FactKind.REGISTERED, FactKind.UNREGISTERED)
_FIELDS = (FactKind.FIELD_REMOVED, FactKind.FIELD_RENAMED, FactKind.FIELD_CHANGED)
_GIVES_ON = "__init__.py"
_ELSEWHERE = (Role.TEST, Role.DOCUMENT, Role.BENCHMARK)
_WORD = re.compile(r"\w+")
_SETTINGS = re.compile(r"(?:^|/)\w*env\w*\.py$")
_MANIFEST = re.compile(r"(?:^|/)(?:setup\.(?:py|cfg)|pyproject[\w-]*\.toml)$")
_MODULE = re.compile(r"^(.*/)?(_[A-Za-z]\w*)\.py$")


@dataclass(frozen=True)
class Known:
    """What was found in the tree."""

    variables: frozenset[str] = frozenset()
    still: frozenset[str] = frozenset()
    """Variables that a file reads which goes on doing so, though others no longer do."""
    modules: frozenset[str] = frozenset()
    """Paths of private modules of which a public package gives everything on."""
    parts: frozenset[str] = frozenset()
    """Names that only the kernels of one folder use."""
    options: frozenset[str] = frozenset()
    """What a list of the build, whichever, declares already."""
    searched: bool = False
    """Whether there were sources of C to look into."""
    unasked: frozenset[str] = frozenset()
    """Macros that nobody asked for but the headers which no longer do."""
    hidden: frozenset[Item] = frozenset()
    """Names and files of Rust that only their crate sees."""
    metrics: frozenset[tuple[FactKind, str]] = frozenset()
    """Metrics that other code exported before, or goes on to export."""
    programs: frozenset[str] = frozenset()
    """Paths of modules that are installed as commands."""
    macros: frozenset[str] = frozenset()
    """New macros of a header that another header had already."""
    kept: tuple[str, ...] = ()
    """Folders of sources of Rust crates that nobody can get."""
    inherited: dict[str, str] = field(default_factory=dict)
    """Defaults that new fields have in a base already."""
    overriding: frozenset[str] = frozenset()
    """New methods that a base of their class has as well."""
    heirlooms: frozenset[str] = frozenset()
    """Fields that seem to have gone, or to be called otherwise, and that a base of their class has still."""
    constants: dict[str, str] = field(default_factory=dict)
    """What constants hold that files define which the commit leaves alone."""


def asked(shown: Iterable[Shown]) -> list[str]:
    """Name the words to look for: new variables, imports from private modules that changed, names of kernels."""
    words: dict[str, None] = {}
    for one in _by_old_names(list(shown)):
        if _is_metric(one):
            words.update(dict.fromkeys(spellings(one.draft.name)))
        elif one.draft.kind is FactKind.ENV_REMOVED:
            words[one.draft.name] = None
        elif one.draft.kind is FactKind.ENV_ADDED or is_new(one) or is_switch(one):
            words[one.draft.name] = None
            if is_switch(one) and one.place is not None:
                # Whoever includes the header shows that there is a tree to look into.
                words[one.place.file.rpartition("/")[2]] = None
            if one.draft.kind is FactKind.ENV_ADDED:
                words.update(dict.fromkeys(_endings(one.draft.name)))
        elif _is_new_macro(one):
            words[one.draft.name] = None
        elif (program := _program(one)) is not None:
            words.update(dict.fromkeys(program))
        elif (module := _module(one)) is not None:
            words[f"{module[2]} import"] = None
        elif (part := _part(one)) is not None:
            words[part[0]] = None
        elif fields := redeclared.words(one):
            words.update(dict.fromkeys(fields))
        elif (crate := _of_a_crate(one)) is not None:
            words.update(dict.fromkeys(crate_words(crate)))
        if _is_rust(one):
            words.update(dict.fromkeys(KEPT))
        words.update(dict.fromkeys(only_named.words(one)))
    # Variables are few, and nobody but the tree knows whether they are new.
    return sorted(words, key=lambda word: not word.isupper())[:MOST_WORDS]


def recognise(shown: Iterable[Shown], lines: Sequence[tuple[str, str]], stays: Sequence[tuple[str, str]]) -> Known:
    """Judge the lines of the tree that hold those words; `stays` are those of them that the commit leaves."""
    shown = list(shown)
    variables, modules, options = set[str](), set[str](), set[str]()
    parts: dict[str, str] = {}
    for one in _by_old_names(shown):
        if one.draft.kind is FactKind.ENV_ADDED:
            if is_read(one.draft.name, lines):
                variables.add(one.draft.name)
        elif is_new(one):
            if any(declares(one.draft.name, path, line) for path, line in lines):
                options.add(one.draft.name)
        elif (module := _module(one)) is not None:
            package = f"{module[1] or ''}__init__.py"
            given_on = re.compile(rf"from \.{module[2]} import \*")
            if is_public_path(package) and any(path == package and given_on.match(line) for path, line in lines):
                modules.add(module[0])
        elif (part := _part(one)) is not None:
            parts[part[0]] = part[1]
    crates = {crate for one in shown if (crate := _of_a_crate(one)) is not None}
    return Known(
        frozenset(variables),
        _still_read(shown, stays),
        frozenset(modules),
        _unused_elsewhere(parts, lines),
        frozenset(options),
        any(is_c(path) for path, _ in lines),
        _unasked(shown, lines),
        frozenset(crate for crate in crates if is_hidden(crate, lines)),
        _exported(shown, lines, stays),
        _installed(shown, lines),
        frozenset(one.draft.name for one in shown if _is_new_macro(one) and _is_defined(one.draft.name, lines)),
        tuple(kept(lines)),
        redeclared.base_defaults(shown, lines),
        redeclared.overriding(shown, lines),
        redeclared.still_there(shown, stays),
        only_named.constants(shown, stays),
    )


def _is_new_macro(one: Shown) -> bool:
    """Tell a macro with parameters that came to a header which users include."""
    came = one.draft.kind is FactKind.SYMBOL_ADDED and one.draft.detail == "macro" and one.draft.public
    return came and one.place is not None and one.place.file.endswith(HEADERS)


def _is_defined(name: str, lines: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a header that users include defined a macro before."""
    defined = re.compile(rf"\s*#\s*define\s+{re.escape(name)}\b")
    return any(defined.match(line) for path, line in lines if path.endswith(HEADERS) and is_public_path(path))


def _is_metric(one: Shown) -> bool:
    """Tell a metric that came or went."""
    return one.draft.kind in _ENTRIES and one.draft.detail == METRICS


def _program(one: Shown) -> list[str] | None:
    """Write as a manifest would what makes a command of a module with a flag that seems to be its own business."""
    if one.draft.kind not in FLAGS or one.draft.public or one.place is None or not one.place.file.endswith(".py"):
        return None
    if role(one.place.file) in OF_NO_USER:
        return None
    module = one.place.file.rpartition("/")[2].removesuffix(".py")
    return [f"{module}:{function}" for function in dict.fromkeys(("main", one.draft.detail or "main"))]


def _installed(shown: Iterable[Shown], lines: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Choose the modules of which a manifest makes a command: `viewer = pkg.viewer:main`."""
    asked = {one.place.file: words for one in shown if one.place and (words := _program(one)) is not None}
    listed = [line for path, line in lines if asked and _MANIFEST.search(path)]
    return frozenset(path for path, words in asked.items() if any(word in line for word in words for line in listed))


def _exported(
    shown: Iterable[Shown], before: Sequence[tuple[str, str]], stays: Sequence[tuple[str, str]]
) -> frozenset[tuple[FactKind, str]]:
    """Choose the new metrics that the tree names already, and those that went which it goes on to name."""
    told = {(one.draft.kind, one.draft.name) for one in shown if _is_metric(one)}
    named = {
        kind: [line for path, line in lines if role(path) not in _ELSEWHERE] if told else []
        for kind, lines in ((FactKind.REGISTERED, before), (FactKind.UNREGISTERED, stays))
    }
    return frozenset((kind, name) for kind, name in told if any(map(quoted(name).search, named[kind])))


def _still_read(shown: Iterable[Shown], lines: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Choose the variables that some file reads of which the commit takes no such line away."""
    left: dict[str, set[str]] = {}
    for one in shown:
        if one.draft.kind is FactKind.ENV_REMOVED and one.place is not None:
            left.setdefault(one.draft.name, set()).add(one.place.file)
    read = [one for one in lines if role(one[0]) not in _ELSEWHERE] if left else []
    return frozenset(
        name for name, files in left.items() if is_read(name, [one for one in read if one[0] not in files])
    )


def _unasked(shown: Iterable[Shown], lines: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Choose the macros that the tree has in those headers alone which ask for them no longer."""
    left: dict[str, set[str]] = {}
    for one in shown:
        if one.draft.kind is FactKind.CONFIG_REMOVED and is_switch(one) and one.place is not None:
            left.setdefault(one.draft.name, set()).add(one.place.file)
    asking = {name: {path for path, line in lines if is_c(path) and declares(name, path, line)} for name in left}
    return frozenset(name for name, paths in left.items() if asking[name] and asking[name] <= paths)


def is_read(name: str, lines: Sequence[tuple[str, str]]) -> bool:
    """Tell whether lines of the tree read a variable."""
    return any(_reads(name, path, line) for path, line in lines)


def corrected(shown: Iterable[Shown], known: Known) -> Iterator[Shown]:
    """Leave out variables and options that are not new, and take for public what a package gives on."""
    shown = [
        found for one in shown if (found := redeclared.settled(one, known.inherited, known.overriding)) is not None
    ]
    for one, before in zip(shown, _by_old_names(shown), strict=True):
        if only_named.is_only_named(one, known.constants):
            continue
        if one.draft.kind is FactKind.ENV_ADDED and one.draft.name in known.variables:
            continue
        if one.draft.kind is FactKind.ENV_REMOVED and one.draft.name in known.still:
            continue
        if one.draft.name in known.heirlooms and one.draft.kind in _FIELDS:
            continue
        if _is_metric(one) and (one.draft.kind, one.draft.name) in known.metrics:
            continue
        if one.draft.name in known.options and is_new(one):
            continue
        if one.draft.name in known.macros and _is_new_macro(one):
            continue
        if one.draft.kind is FactKind.CONFIG_REMOVED and one.draft.detail == MACRO:
            if one.draft.name in known.unasked:
                yield Shown(one.draft._replace(breaking=False), one.place)
            continue
        # Only the tree knows whether other files ask for a macro.
        if is_switch(one) and not known.searched:
            continue
        part = _part(before) if known.parts else None
        unseen = (part is not None and part[0] in known.parts) or (known.hidden and _of_a_crate(one) in known.hidden)
        if unseen or (known.kept and _is_rust(one) and one.place and one.place.file.startswith(known.kept)):
            yield Shown(one.draft._replace(public=False), one.place)
            continue
        module = _module(one)
        given_on = module is not None and module[0] in known.modules
        run = known.programs and _program(one) is not None and one.place and one.place.file in known.programs
        yield Shown(one.draft._replace(public=True), one.place) if given_on or run else one


def _by_old_names(shown: Sequence[Shown]) -> list[Shown]:
    """Call what was renamed, and its members, as the tree before the commit does."""
    renamed = {
        one.draft.name: one.draft.name.removesuffix(one.draft.new) + one.draft.old
        for one in shown
        if one.draft.kind is FactKind.SYMBOL_RENAMED and one.draft.old and one.draft.new and "." not in one.draft.name
    }
    if not renamed:
        return list(shown)
    named = ((one, one.draft.name.partition(".")) for one in shown)
    return [
        Shown(one.draft._replace(name=f"{renamed[first]}{dot}{rest}"), one.place) if first in renamed else one
        for one, (first, dot, rest) in named
    ]


def _part(one: Shown) -> tuple[str, str] | None:
    """Give the name that a breaking fact of a kernel's Python is about, and the folder of kernels it stands in."""
    if one.place is None or not one.draft.public or severity_of(one.draft) is not Severity.BREAKING:
        return None
    found = _KERNELS.match(one.place.file) or _COMPILERS.match(one.place.file)
    if found is None and "." not in one.draft.name and one.draft.name.islower():
        found = _BACKENDS.match(one.place.file)
    if found is None or one.draft.kind in _FILES:
        return None
    renamed = one.draft.kind is FactKind.SYMBOL_RENAMED
    name = (one.draft.old if renamed else one.draft.name) or ""
    if _COMPILERS.match(one.place.file):
        # Of a compiler that users know by its class, they call few methods.
        named = [part for part in name.split(", ")[0].split(".") if not part.startswith("__")]
        return (named or [name])[-1], found[0]
    return name.partition(".")[0], found[0]


def _is_rust(one: Shown) -> bool:
    """Tell a function, type or whole file of Rust that others would miss; what they set, they meet by a program."""
    called = one.draft.kind in _FILES or one.draft.kind.startswith(_CALLED)
    told = called and one.place is not None and one.place.file.endswith(".rs")
    return told and severity_of(one.draft) is Severity.BREAKING


def _of_a_crate(one: Shown) -> Item | None:
    """Place the name, or the new file, of Rust that a fact is about which users would notice."""
    if one.place is None or not one.draft.public or not one.place.file.endswith(".rs"):
        return None
    if one.draft.kind is FactKind.FILE_ADDED:
        return item_of(one.place.file, "")
    if not one.draft.kind.startswith(_NAMED) or severity_of(one.draft) is Severity.INTERNAL:
        return None
    return item_of(one.place.file, one.draft.name.partition(".")[0])


def _unused_elsewhere(parts: dict[str, str], lines: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Choose the names that are seen inside their folder and, but for tests and documents, nowhere else."""
    inside, outside = set[str](), set[str]()
    for path, line in lines if parts else ():
        for word in parts.keys() & set(_WORD.findall(line)):
            compiled = _COMPILERS.match(path) is not None
            # The parts of a compiler use each other.
            near = path.startswith(parts[word]) or (compiled and _COMPILERS.match(f"{parts[word]}x.py") is not None)
            if near and not (compiled and path.endswith(_GIVES_ON)):
                inside.add(word)
            elif _shows_users(path, parts[word]):
                outside.add(word)
    return frozenset(inside - outside)


def _shows_users(path: str, folder: str) -> bool:
    """Tell whether a file shows that others use a part: any, or of a compiler what gives it on and how it is used."""
    if _COMPILERS.match(f"{folder}x.py") is not None:
        return path.endswith(_GIVES_ON) or role(path) is Role.EXAMPLE
    return role(path) not in _ELSEWHERE


def _reads(name: str, path: str, line: str) -> bool:
    """Tell whether a line of the tree reads a variable; it may be the second line of a call."""
    if _SETTINGS.search(path) and re.search(rf"(?<![\w/]){re.escape(name)}\b", line):
        # Such a file speaks of variables whose names it puts together.
        return True
    asks = "env" in line.lower() or _SETTINGS.search(path)
    if asks and any(f"}}{end}{quote}" in line for end in _endings(name) for quote in "\"'"):
        return True
    second = line.strip().startswith((f'"{name}",', f"'{name}',"))
    return reads(name, path, (f" env {line}" if second else f" {line}",))


def _endings(name: str) -> list[str]:
    """Write the ends of a variable's name as they stand behind a prefix that code fills in: `{prefix}_DEBUG`."""
    parts = name.split("_")
    return [f"_{'_'.join(parts[size:])}" for size in (1, 2) if len(parts) > size + 1]


def _module(one: Shown) -> re.Match[str] | None:
    """Find the private module that a fact about a name without underscores stands in."""
    if one.place is None or one.draft.public or one.draft.kind in _FILES or not _is_open(one.draft):
        return None
    return _MODULE.match(one.place.file)


def _is_open(draft: Draft) -> bool:
    return not any(part.startswith("_") and not part.endswith("__") for part in draft.name.split("."))
