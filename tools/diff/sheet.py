"""The facts of one commit, from its patches alone or with both versions of its files at hand."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from agent.domain import Change
from agent.facts import FactKind, FactSheet
from tools.diff.along import renamed_scope, renamed_symbols, went_along
from tools.diff.architectures import built_for
from tools.diff.attributes import losers, lost_attributes
from tools.diff.audience import site_is_met, symbol_is_met
from tools.diff.bodies import changed_bodies, paths_of_bodies
from tools.diff.cautions import is_all_new
from tools.diff.checks import settle_checks
from tools.diff.conditions import made_conditional
from tools.diff.crates import module_lines
from tools.diff.decided import decided, without_renamed
from tools.diff.demands import debut_of, introduced
from tools.diff.draft import Draft, Where
from tools.diff.enumerated import without_same_members
from tools.diff.families import overriding
from tools.diff.files import file_facts
from tools.diff.given_on import through_packages, without_given_on
from tools.diff.grouping import Shown, group
from tools.diff.homes import Homes
from tools.diff.hunks import Patch
from tools.diff.known import Known, corrected, recognise
from tools.diff.layers import made_by_name
from tools.diff.lineage import Lineage, read_lineage
from tools.diff.macros import given, without_moved
from tools.diff.moves import join_moves
from tools.diff.namespaces import renamed_namespaces
from tools.diff.novelties import for_newcomers
from tools.diff.only_named import without_same_constants
from tools.diff.proof import place_of
from tools.diff.readers.docker import is_dockerfile
from tools.diff.reading import Reading
from tools.diff.reconditioned import reconditioned
from tools.diff.relocated import relocated
from tools.diff.rewritten import unpaired
from tools.diff.sites import compare_sites, without_listed_still
from tools.diff.specialisations import newcomers
from tools.diff.stages import without_restaged
from tools.diff.submodules import is_commit, told_once
from tools.diff.symbols import compare_symbols
from tools.diff.terms import without_set_elsewhere
from tools.diff.unchanged import reworded_paths, unchanged_code
from tools.diff.versions import Blobs, Shelf, Versions, read_versions
from tools.diff.worth import is_whole, patches

_MOST_BLOBS = 200
_WITH_THE_FILE = (
    FactKind.ERROR_ADDED,
    FactKind.ERROR_REMOVED,
    FactKind.WARNING_ADDED,
    FactKind.DEPRECATED,
    FactKind.CONFIG_ADDED,
    FactKind.CONFIG_REMOVED,
    FactKind.DEPENDENCY_ADDED,
    FactKind.DEPENDENCY_REMOVED,
)
_ENTRIES = (FactKind.REGISTERED, FactKind.UNREGISTERED, FactKind.REGISTRATION_CHANGED)
_VALUES = (FactKind.CONSTANT_CHANGED, FactKind.FIELD_CHANGED)
_WORD = re.compile(r"\w+")
_COMPUTED = "property"
_DOCUMENTED = "docs"
_VALUED = ("constant", "variable")
_OWNED = (*_VALUED, "field", _COMPUTED)
_RUN = ("function", "method")
_LEFT = (FactKind.SYMBOL_REMOVED, FactKind.FIELD_REMOVED)
_ENVS = (FactKind.ENV_ADDED, FactKind.ENV_REMOVED, FactKind.ENV_RENAMED)
_ONE_SIDED = (FactKind.SYMBOL_ADDED, FactKind.SYMBOL_REMOVED)
_UNSEEN = (*_ONE_SIDED, FactKind.PARAMETER_RENAMED)
"""What those who call a function by a registered name do not see, or are told by the name."""
_ERRORS = (FactKind.ERROR_ADDED, FactKind.ERROR_REMOVED)
_SPACED = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".cc", ".cpp", ".cxx", ".cu")
_SHIM = re.compile(r"\n\+(?:from \S+ import \*|globals\(\)\.update\(|sys\.modules\[__name__\] = |def __getattr__\()")
_VALIDATES = re.compile(r"(?:\w+\.)?(?:(?:model|field|root)_)?validator\b")
_LINEAGE = {"revert": FactKind.REVERT, "reland": FactKind.RELAND, "cherry-pick": FactKind.CHERRY_PICK}


def read_facts(change: Change, blobs: Blobs | None = None, partner: Lineage | None = None) -> FactSheet:
    """Find what a commit changes for others, each fact with the lines that show it.

    `partner` is the earlier commit that the patch undoes, brings back or copies, where somebody looked for one.
    """
    return gather(change, blobs, partner).sheet()


@dataclass(frozen=True)
class Gathered:
    """The differences of a commit, before what belongs together is put together."""

    shown: tuple[Shown, ...]
    homes: Homes
    route: Literal["blobs", "hunks"]
    skipped: tuple[str, ...]
    modules: tuple[tuple[str, str], ...] = ()
    """Lines of the new version that say which modules of Rust are taken in and given on, with their files."""

    def sheet(self, before: Sequence[tuple[str, str]] | None = None) -> FactSheet:
        """Join, rank and limit them; `before` are lines of the tree before the commit that name what is asked about."""
        known = Known()
        if before is not None:
            # Where the commit takes the line away, nothing is read there any more.
            stays = [line for line in before if not self.homes.drops(*line)]
            known = recognise(self.shown, (*before, *self.modules), stays)
        shown = without_renamed(join_moves(settle_checks(self.shown, self.homes), self.homes))
        facts, left = group(introduced(list(corrected(shown, known))))
        return FactSheet(facts=tuple(facts), route=self.route, skipped=(*self.skipped, *left))


def gather(change: Change, blobs: Blobs | None = None, partner: Lineage | None = None) -> Gathered:
    """Read both versions of every file and find what differs."""
    files = unpaired(change.files)
    homes = Homes(files)
    shown = [*_lineage(read_lineage(change.commit.message), partner), *file_facts(files, homes)]
    skipped: list[str] = []
    shelf = Shelf(blobs)
    read: list[Versions] = []
    for file, patch in patches(files, skipped):
        versions = read_versions(file, patch, shelf, skipped)
        if versions is not None:
            shown += _compared(versions)
            homes.learn(file.path, versions.new.includes)
            read.append(versions)
    shown = without_moved(told_once(without_given_on(through_packages(shown, files))), homes)
    # Whole files are parsed for this where there is time for whole files.
    shown += relocated(read, () if blobs is None else files, homes)
    shown = without_same_constants(without_same_members(overriding(shown, read), read), read, files)
    shown = for_newcomers(made_by_name(shown, read, blobs or {}), read, blobs or {})
    shown += () if blobs is None else lost_attributes(files, blobs, read)
    shown = without_set_elsewhere([*shown, *unchanged_code(files, shown, blobs)], files)
    shown += changed_bodies(files, shown, read, blobs or {}, change.commit.subject)
    return Gathered(
        tuple(shown), homes, "hunks" if blobs is None else "blobs", tuple(skipped), tuple(module_lines(files))
    )


def paths_to_read(change: Change) -> list[str]:
    """Name the files of which whole versions would tell more than the patch."""
    files = unpaired(change.files)
    told = [file.path for file, _ in patches(files, []) if not is_whole(file)]
    gave = (file.path for file in losers(files))
    return list(dict.fromkeys((*told, *reworded_paths(files), *gave, *paths_of_bodies(files))))[:_MOST_BLOBS]


def _compared(versions: Versions) -> Iterator[Shown]:
    """Compare, and keep only what a changed line shows."""
    path, patch = versions.file.path, versions.patch
    whole = is_whole(versions.file)
    symbols = [] if whole else compare_symbols(versions.old, versions.new, patch)
    symbols = [draft for draft in symbols if not _is_only_annotated(draft, patch)]
    symbols = [draft for draft in symbols if not (_is_set_on_self(draft, versions) or _was_set_on_self(draft, patch))]
    sites = compare_sites(
        went_along(versions.old.sites, versions.new.sites, symbols, patch), versions.new.sites, patch.together
    )
    if path.endswith(".py"):
        sites += reconditioned(versions.old.sites, versions.new.sites, patch, sites)
    if is_dockerfile(path):
        sites = without_restaged(sites, versions.old.sites, versions.new.sites, patch)
    # What a new or removed file declares and checks goes with the file, and so it is with a function that went; only
    # what users can set is told by itself.
    gone = {draft.name for draft in symbols if draft.kind is FactKind.SYMBOL_REMOVED}
    renamed = renamed_symbols(symbols)
    gone |= {renamed_scope(name, renamed) for name in gone} if renamed else set()
    imported = _imported(patch) | versions.new.imports if gone else ()
    symbols = [
        draft._replace(given_on=True) if draft.kind is FactKind.SYMBOL_REMOVED and draft.name in imported else draft
        for draft in symbols
    ]
    if versions.old.imports and path.endswith(_SPACED):
        # What is defined here now, instead of taken over from another namespace, was there before.
        had = versions.old.imports
        symbols = [draft for draft in symbols if draft.kind is not FactKind.SYMBOL_ADDED or draft.name not in had]
    if versions.old.imports and path.endswith(".py"):
        symbols = [draft for draft in symbols if not _is_imported_still(draft, versions)]
    if gone and path.endswith("__init__.py"):
        # A module of a package can be imported whether or not the package has done so before.
        symbols = [draft for draft in symbols if not _is_module(draft)]
    if gone and _gives_on(patch, versions.new):
        symbols = [
            draft._replace(kept=True) if draft.kind is FactKind.SYMBOL_REMOVED and "." not in draft.name else draft
            for draft in symbols
        ]
    # A variable that a class of settings declares is told as the variable.
    asked = {draft.name for draft in sites if draft.kind in _ENVS}
    asked |= {draft.old for draft in sites if draft.kind is FactKind.ENV_RENAMED and draft.old}
    told = (*_ONE_SIDED, *_VALUES, FactKind.SYMBOL_RENAMED)
    symbols = [draft for draft in symbols if draft.kind not in told or _last(draft.name) not in asked]
    unset = {draft.name for draft in sites if draft.kind is FactKind.ENV_DEFAULT}
    symbols = [draft for draft in symbols if draft.kind not in _VALUES or _last(draft.name) not in unset]
    released = {draft.name for draft in sites if draft.kind is FactKind.VERSION_CHANGED}
    symbols = [draft for draft in symbols if draft.kind not in _VALUES or draft.name not in released]
    # A table of which each entry is told is not told as a whole besides.
    tables = {draft.detail for draft in sites if draft.kind in _ENTRIES}
    symbols = [draft for draft in symbols if draft.kind not in _VALUES or draft.name not in tables]
    sites = without_listed_still(sites, versions.new.sites)
    if path.endswith(_SPACED):
        symbols += renamed_namespaces(patch)
        symbols += made_conditional(patch, versions.old, versions.new)
    handed_out = _handed_out(versions) if path.endswith(_SPACED) else frozenset()
    exports = versions.old.offered or versions.new.offered
    drafts = [
        _met(
            draft,
            symbol_is_met(draft, path, offered=exports)
            or (draft.kind not in _UNSEEN and _last(draft.name) in handed_out),
        )
        for draft in symbols
    ]
    # What a new function refuses, nobody could ask of it before.
    come = {draft.name for draft in symbols if draft.kind is FactKind.SYMBOL_ADDED}
    sites = [draft for draft in sites if draft.kind is not FactKind.WARNING_ADDED or _warns(draft, path, come, patch)]
    # Unless it is a helper of what was there before.
    callers = {draft.name for draft in symbols if draft.name in come and draft.detail not in _VALUED}
    if any(draft.kind is FactKind.ERROR_ADDED for draft in sites):
        if all(_is_own(name) for name in callers):
            come -= _called(come, patch.added.values())
        elif path.endswith(".py"):
            come -= _called(filter(_is_own, come), _lines_within_others(callers, versions))
    # What checks the fields of a record, whoever makes one runs into.
    come -= _validators(versions.new) if come and path.endswith(".py") else set()
    own = gone | come
    sites = list(
        given(
            sites,
            versions.old.sites,
            versions.new.sites,
            lambda draft: site_is_met(draft, path) and not (whole or _is_within(draft.detail, own)),
        )
    )
    special = newcomers(versions.old, versions.new) if path.endswith(_SPACED) else ()
    for draft in sites:
        # A package that refuses to be imported says more than that it came.
        refuses = draft.kind is FactKind.ERROR_ADDED and not draft.detail and path.endswith("/__init__.py")
        # What a part of the build lets its users set, they set for all of the build.
        offered = draft.kind is FactKind.CONFIG_ADDED and path.endswith(".cmake")
        with_file = whole and not (refuses or offered or is_commit(draft))
        along = (draft.kind in _WITH_THE_FILE and (with_file or _is_within(draft.detail, gone))) or (
            draft.kind is FactKind.ERROR_ADDED and (_is_within(draft.detail, come) or _stands_in(draft, special))
        )
        if not along:
            drafts.append(_met(draft, site_is_met(draft, path)))
        elif draft.kind in _ERRORS:
            helper = draft.kind is FactKind.ERROR_ADDED and not whole and _is_own(draft.detail or "")
            debut = debut_of(draft, path, versions.new, come, patch, whole=whole) if site_is_met(draft, path) else ""
            met = _met(draft, site_is_met(draft, path)) if helper else draft
            place = place_of(draft, path, patch) if helper or debut else None
            yield Shown(met._replace(silent=True, debut=debut), place)
    if not whole:
        drafts += decided(versions, [*drafts, *symbols, *sites])
        drafts += built_for(path, patch)
    named = path.endswith((".py", ".pyi"))
    # What is bound for Python, Python calls.
    bound = [draft for draft in drafts if draft.kind is FactKind.PARAMETER_RENAMED and draft in sites]
    retyped = {(draft.name, draft.detail) for draft in drafts if draft.kind is FactKind.SIGNATURE_CHANGED}
    for draft in drafts:
        # Only in Python does a caller write the name of a parameter; elsewhere another type says more.
        if draft.kind is FactKind.PARAMETER_RENAMED and not named and draft not in bound:
            if (draft.name, draft.detail) in retyped:
                continue
            draft = draft._replace(public=False)
        # A document that now mentions a flag does not add it.
        if draft.detail == _DOCUMENTED and draft.kind is not FactKind.DEPRECATED:
            continue
        if (place := place_of(draft, path, patch)) is not None:
            yield Shown(draft, place)


def _validators(reading: Reading) -> set[str]:
    """Name the methods that a library calls of itself to check a record: `@model_validator(mode="before")`."""
    methods = (symbol for symbol in reading.symbols if symbol.kind == "method" and symbol.decorators)
    return {symbol.name for symbol in methods if any(map(_VALIDATES.match, symbol.decorators))}


def _warns(draft: Draft, path: str, come: Set[str], patch: Patch) -> bool:
    """Tell whether a function that was there before warns of what it did not: what users run, with all of its words."""
    return site_is_met(draft, path) and not _is_within(draft.detail, come) and is_all_new(draft, patch)


def _is_only_annotated(draft: Draft, patch: Patch) -> bool:
    """Tell whether a class only says now of which type an attribute is that it has had before."""
    bare = draft.kind is FactKind.FIELD_ADDED and draft.owner == "class" and draft.new == _last(draft.name)
    if not bare:
        return False
    used = re.compile(rf"[ -].*\bself\.{re.escape(_last(draft.name))}\b")
    return any(used.match(line) for hunk in patch.hunks for line in hunk.lines)


def _is_set_on_self(draft: Draft, versions: Versions) -> bool:
    """Tell whether each object of a plain class gets now by itself what the class had, or computed, for all of them."""
    owner, dot, own = draft.name.rpartition(".")
    if draft.kind not in _LEFT or draft.owner != "class" or not dot or draft.detail not in _OWNED:
        return False
    holder = next((symbol for symbol in versions.new.symbols if symbol.name == owner), None)
    added = versions.patch.added.items() if holder is not None else ()
    inside = (line for number, line in added if holder is not None and holder.start <= number <= holder.end)
    return any(re.search(rf"\bself\.{re.escape(own)}\s*(?::[^=]+)?=(?!=)", line) for line in inside if own in line)


def _was_set_on_self(draft: Draft, patch: Patch) -> bool:
    """Tell whether a property only takes the place of what each object had been given under its name."""
    if draft.kind is not FactKind.SYMBOL_ADDED or draft.detail != _COMPUTED:
        return False
    given = re.compile(rf"-\s+self\.{re.escape(_last(draft.name))}\s*(?::[^=]+)?=(?!=)")
    return any(given.match(line) for line in patch.removed.values())


def _is_imported_still(draft: Draft, versions: Versions) -> bool:
    """Tell whether a name was imported before, from wherever: set by hand now, or imported as before or elsewhere."""
    if draft.kind is not FactKind.SYMBOL_ADDED or draft.name not in versions.old.imports:
        return False
    return draft.detail == "variable" or draft.name in versions.new.imports


def _handed_out(versions: Versions) -> Set[str]:
    """Name the functions that the file registers for others to call, in both versions: they are public anywhere."""
    return (versions.old.exports or frozenset()) & (versions.new.exports or frozenset())


def _is_module(draft: Draft) -> bool:
    """Tell whether a package no longer imports one of its own modules: `from . import name`."""
    return draft.kind is FactKind.SYMBOL_REMOVED and draft.old == f"{draft.name} = .{draft.name}"


def _is_own(name: str) -> bool:
    """Tell whether a name is the file's own business."""
    own = _last(name)
    return own.startswith("_") and not own.endswith("__")


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _lines_within_others(names: Set[str], versions: Versions) -> Iterator[str]:
    """Give the added lines that stand in a function, and in none of these nor in one that takes more than before.

    What that one calls, it mostly calls for what is new.
    """
    functions = [symbol for symbol in versions.new.symbols if symbol.kind in _RUN]
    took = {symbol.name: len(symbol.params or ()) for symbol in versions.old.symbols if symbol.kind in _RUN}
    grown = {symbol.name for symbol in functions if len(symbol.params or ()) > took.get(symbol.name, sys.maxsize)}
    names = names | grown
    for number, line in versions.patch.added.items() if functions else ():
        around = [symbol.name for symbol in functions if symbol.start <= number <= symbol.end]
        if around and not any(_is_within(name, names) for name in around):
            yield line


def _called(names: Iterable[str], lines: Iterable[str]) -> set[str]:
    """Choose the functions that a line calls."""
    added = "\n".join(lines)
    called = (name for name in names if f"{_last(name)}(" in added)
    return {name for name in called if re.search(rf"(?<!def )(?<!class )\b{re.escape(_last(name))}\(", added)}


def _met(draft: Draft, public: bool) -> Draft:
    return draft if draft.public is public else draft._replace(public=public)


def _imported(patch: Patch) -> Set[str]:
    """Name what is imported here now: if it is no longer defined here, for users it never left."""
    lines = [line[1:].strip() for line in patch.added.values()]
    words = {word for line in lines if "import " in line for word in _WORD.findall(line)}
    return words | {name for line in lines if (name := line.rstrip(",")).isidentifier()}


def _gives_on(patch: Patch, new: Reading) -> bool:
    """Tell whether a module has names that it does not spell out: `import *`, `globals().update(…)`, `__getattr__`."""
    if "*" in new.imports or any(symbol.name == "__getattr__" for symbol in new.symbols):
        return True
    return _SHIM.search("\n".join(("", *patch.added.values()))) is not None


def _stands_in(draft: Draft, spans: Iterable[tuple[int, int]]) -> bool:
    """Tell whether the new version has a thing on one of these lines."""
    line = draft.where.new[0] if draft.where.new is not None else 0
    return any(first <= line <= last for first, last in spans)


def _is_within(scope: str | None, names: Set[str]) -> bool:
    """Tell whether a scope is one of these symbols or lies inside one: what it checks comes and goes with it."""
    parts = (scope or "").split(".")
    return any(".".join(parts[:size]) in names for size in range(1, len(parts) + 1))


def _lineage(said: Sequence[Lineage], partner: Lineage | None) -> Iterator[Shown]:
    """Tell of the earlier commit: the surest that the message says, else what the patch shows; both agree mostly."""
    # A copy of an earlier commit on the same line is chance: one-line changes are alike everywhere.
    undone = partner if partner is not None and partner.kind != "cherry-pick" else None
    one = said[0] if said else undone
    if one is None:
        return
    sha = one.sha or (partner.sha if partner is not None and partner.kind == one.kind else "")
    named = f"{one.repo}#{one.number}" if one.number else ""
    name = named or sha or one.subject
    proof = "message" if said else "patch"
    if said and partner is not None and partner.kind == one.kind:
        proof = "message and patch"
    draft = Draft(_LINEAGE[one.kind], name, public=True, where=Where(), old=sha or None, detail=proof)
    yield Shown(draft, None)
