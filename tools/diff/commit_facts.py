"""The facts of a commit, from what files declare before and after."""

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from agent.domain.commits import Change
from agent.domain.facts import Fact, FactKind, FactLocation, FactSheet, Severity
from agent.domain.patch import read_patch
from agent.domain.revert_messages import Lineage
from agent.domain.surface import SurfaceChange
from agent.triage.title_conventions import read_heading
from agent.user_code_uses import concerns
from tools.diff.argument_positions import argument_position
from tools.diff.changed_file_declarations import LARGEST_COMMIT, Blobs, Versions, read_versions
from tools.diff.changed_lines_by_function import is_compared, is_written_by_tool
from tools.diff.composed_names import may_be_composed
from tools.diff.declaration_differences import compare
from tools.diff.declaration_reader import language_of
from tools.diff.documented_names import (
    Lines,
    earlier_lines,
    is_documented_example,
    is_image_for_developers,
    names_of_examples,
    names_of_images,
    names_of_programs,
    path_taken_away,
)
from tools.diff.export_facts import export_facts
from tools.diff.fact_ranking import ranked
from tools.diff.facts_without_repeats import (
    is_unstated_value,
    noticed,
    without_plain_files,
    without_repeats,
)
from tools.diff.file_roles import is_beside_product, is_product, module_of
from tools.diff.formatting_only_changes import layout_facts
from tools.diff.lines_stated_by_facts import LineOfSide, declared_lines
from tools.diff.located_differences import Difference, place_of
from tools.diff.named_importables import importable_names, is_written_down
from tools.diff.names_sought_in_trees import (
    SurroundingTrees,
    TreeNames,
    is_still_there,
    names_to_look_up,
)
from tools.diff.notable_changes import changed_functions
from tools.diff.notable_hunks import changed_in_documents, largest_hunks
from tools.diff.pybind_arguments import binding_differences
from tools.diff.replacements_of_removed_names import Replacements
from tools.diff.reverts_by_patch import lineage_facts
from tools.diff.severity.native_code import is_certain
from tools.diff.severity.rule_choice import severity
from tools.diff.severity.table import severity_of
from tools.diff.surface_breaks_by_difference import public_path, shown_breaks
from tools.diff.whole_file_facts import file_facts, only_facts

_LOG = logging.getLogger(__name__)
_MAX_PROBLEM = 300  # Characters that are kept of an error
_MAX_TOUCHED = 1_000
_SET = ("flag-added", "env-added", "config-key-added", "field-added")
_MIN_DOCUMENTED_NAME = 4
_DOCUMENTS = (".md", ".rst", ".mdx", ".txt")
_HIDDEN = {"refactor", "tests", "ci"}
_BESIDE_PRODUCT = {"tests", "ci"}


def read_facts(
    change: Change,
    blobs: Blobs | None = None,
    partner: Lineage | None = None,
    surface: SurfaceChange | None = None,
) -> FactSheet:
    """Return what a commit changes for others, each fact with the changed lines that show it.

    `partner` is the earlier commit that the patch undoes, brings back or copies, if it is known.
    """
    return gather(change, blobs, partner).sheet(surface=surface)


def failed_sheet(change: Change, error: Exception, facts: tuple[Fact, ...] = ()) -> FactSheet:
    """Return a sheet that says why the facts of a commit are missing; the log has the traceback."""
    _LOG.error("the facts of %s could not be found", change.commit.id, exc_info=error)
    problem = f"its facts could not be found ({type(error).__name__}: {error})"
    problem = " ".join(problem.split())[:_MAX_PROBLEM]
    return FactSheet(facts=facts, route="hunks", problem=problem)


def facts_by_patch(change: Change, surface: SurfaceChange | None = None) -> FactSheet:
    """Return the facts in the patch of a commit alone, or why they could not be found."""
    try:
        return read_facts(change, surface=surface)
    except Exception as error:  # noqa: BLE001 -- one bad commit may not cost the others anything
        return failed_sheet(change, error)


@dataclass(frozen=True)
class Gathered:
    """The differences of a commit, before the trees around it say whom they concern."""

    change: Change
    files: tuple[Versions, ...]
    differences: tuple[Difference, ...]
    lineage: tuple[Fact, ...]
    route: str
    skipped: tuple[str, ...]
    blobs: Blobs  # Both versions of files, as far as they were read

    @property
    def names(self) -> TreeNames:
        """The names to look up in the trees before and after."""
        importables = importable_names(self.differences)
        documented = names_of_programs(self.change.files) | names_of_images(self.change.files)
        if not any(is_product(file.path) for file in self.change.files):
            documented |= names_of_examples(self.change.files)
        names = names_to_look_up(self.differences)
        return names | TreeNames(added=importables, published=documented | importables)

    def sheet(
        self, trees: SurroundingTrees | None = None, surface: SurfaceChange | None = None
    ) -> FactSheet:
        """Return the facts of the commit, judged, proved and ranked."""
        trees = trees or SurroundingTrees()
        declared = list(self.declared(trees, surface))
        facts = [*self.lineage, *noticed(declared)]
        files = list(file_facts(self.change.files, self.files, surface, self._remaining(trees)))
        facts += [_folded(fact) if self._is_hidden else fact for fact in files]
        facts = without_repeats(facts)
        stated = [fact for fact in declared if not is_unstated_value(fact)]
        facts += self._changed_code(facts, trees, surface, self._declared_lines(stated))
        facts = without_plain_files(facts)
        touched: tuple[Fact, ...] = ()
        if self.route == "blobs":
            touched = tuple(self._touched(declared))
        return FactSheet(
            facts=tuple(ranked(facts)), route=self.route, skipped=self.skipped, touched=touched
        )

    @property
    def _is_hidden(self) -> bool:
        """True if the author says that users see nothing of a commit."""
        purposes = set(read_heading(self.change.commit.title).purposes)
        return bool(purposes) and purposes <= _HIDDEN

    def _is_revealed(self, fact: Fact) -> bool:
        """Return True for code of the product under a title about tests or workflows alone.

        Something had to change in it, too, for these to pass.
        """
        purposes = set(read_heading(self.change.commit.title).purposes)
        path = fact.places[0].file
        return purposes <= _BESIDE_PRODUCT and is_product(path) and language_of(path) is not None

    def _remaining(self, trees: SurroundingTrees) -> Lines:
        """Return the lines of documents that the commit neither writes nor takes away."""
        documents = trees.documents or ()
        removed = {path_taken_away(file) for file in self.change.files}
        earlier = earlier_lines(documents, self.change.files)
        return [(path, line) for path, line in earlier if path not in removed]

    def _touched(self, declared: Sequence[Fact]) -> Iterator[Fact]:
        """Yield what code written before may need a change for, without its lines."""
        concerning = [fact for fact in (*declared, *self.removed_modules()) if concerns(fact)]
        for fact in concerning[:_MAX_TOUCHED]:
            yield fact.model_copy(update={"places": ()})

    def declared(self, trees: SurroundingTrees, surface: SurfaceChange | None) -> Iterator[Fact]:
        """Yield what differs in declarations, judged and proved, all of it and unranked."""
        if trees.documents:
            documents = earlier_lines(trees.documents, self.change.files)
            trees = replace(trees, documents=documents)
        replacements = Replacements(self.files, surface)
        hooks: set[str] = set()
        for difference in self.differences:
            if difference.kind == "hook-added":
                hooks.add(difference.name)
        breaks = shown_breaks(self.differences, surface)
        broken_exports = list(
            export_facts(self.change, self.files, surface, breaks, self.differences)
        )
        defined = _defined_names(self.differences)
        added: set[str] = set()
        for difference in sorted(self.differences, key=_is_export):
            if difference.kind == "symbol-added" and difference.name in hooks:
                continue  # That subclasses must have it says more
            if _is_export(difference) and _module_name(difference) in defined:
                continue  # Its definition comes or goes with it
            fact = self._fact(difference, trees, surface, replacements)
            if fact is None or _repeats_export(broken_exports, fact):
                continue
            if fact.severity is Severity.ADDITIVE and fact.kind == "symbol-added":
                if _is_export(difference) and fact.name in added:
                    continue  # Its definition is new as well
                added.add(fact.name)
            yield fact
        yield from broken_exports

    def _fact(
        self,
        difference: Difference,
        trees: SurroundingTrees,
        surface: SurfaceChange | None,
        replacements: Replacements,
    ) -> Fact | None:
        """Return the fact that a difference is; None where it is not certain or cannot be shown."""
        if not difference.name.strip():
            return None  # There is nothing that a reader could look up
        location = place_of(difference)
        if location is None or not is_certain(difference):
            return None
        if is_still_there(difference, trees, self.files):
            return None
        meant = severity(difference, surface, trees)
        if meant is Severity.BREAKING and may_be_composed(difference, self.files):
            meant = Severity.MAY_BREAK
        # What goes may be missed by those who found it by themselves; what is new has to be shown.
        if meant is Severity.ADDITIVE and not is_written_down(difference, trees, self.change):
            meant = Severity.INTERNAL
        if is_image_for_developers(location.file, trees.documents):
            meant = Severity.INTERNAL
        return Fact(
            kind=difference.kind,
            severity=meant,
            name=difference.name,
            old=difference.old,
            new=difference.new,
            detail=difference.detail,
            position=_position(difference),
            replacement=replacements.of(difference),
            path=public_path(difference, surface),
            module=_module(difference),
            places=(location, *_documented(difference, self.change)),
        )

    def removed_modules(self) -> Iterator[Fact]:
        """Yield the Python modules that are not there any more, whatever they declared."""
        kept = {module_of(file.path) for file in self.change.files if file.status != "removed"}
        for file in self.change.files:
            old_path = path_taken_away(file)
            if not old_path.endswith(".py") or not is_product(old_path):
                continue
            module = module_of(old_path)
            if module in kept:
                continue
            kind: FactKind = "file-removed" if file.status == "removed" else "file-renamed"
            yield Fact(
                kind=kind,
                severity=severity_of(kind),
                name=module,
                old=old_path,
                new=file.path,
                module=module,
            )

    def _declared_lines(self, facts: Sequence[Fact]) -> set[LineOfSide]:
        """Return the lines of the declarations that facts are about."""
        stated = {(fact.kind, fact.name, fact.detail) for fact in facts}
        differences = []
        for difference in self.differences:
            if (difference.kind, difference.name, difference.detail) in stated:
                differences.append(difference)
        return declared_lines(differences)

    def _changed_code(
        self,
        facts: Sequence[Fact],
        trees: SurroundingTrees,
        surface: SurfaceChange | None,
        declared: Collection[LineOfSide],
    ) -> list[Fact]:
        """Return what the commit is as a whole, or the lines where it changes what functions do."""
        only = list(only_facts(self.change.files))
        if not only:
            layout = list(layout_facts(self.change, self.blobs))
            if layout:
                return layout
        is_visible = any(fact.severity is not Severity.INTERNAL for fact in facts)
        title = self.change.commit.title
        functions = changed_functions(self.files, facts, surface, title, declared)
        if self._is_hidden:
            functions = [fact if self._is_revealed(fact) else _folded(fact) for fact in functions]
        functions = [_folded(fact) if _is_aside(fact, trees) else fact for fact in functions]
        if is_visible or functions:
            return [*only, *functions]
        if any(fact.kind == "only-docs" for fact in only):
            return [*only, *changed_in_documents(self.change.files)]
        if any(fact.kind != "only-upkeep" for fact in only):
            return only  # Lines of tests and workflows say nothing that this does not
        compared = {versions.file.path for versions in self.files if is_compared(versions)}
        written = {versions.file.path for versions in self.files if is_written_by_tool(versions)}
        files = [file for file in self.change.files if file.path not in written]
        hunks = largest_hunks(files, compared)
        return [*only, *(_folded(fact) if _is_aside(fact, trees) else fact for fact in hunks)]


def _is_aside(fact: Fact, trees: SurroundingTrees) -> bool:
    """Return True for lines of a program beside the product, or of an image that users do not build.

    Examples that documents name are for users.
    """
    path = fact.places[0].file
    if is_beside_product(path):
        return not is_documented_example(path, trees.documents)
    return is_image_for_developers(path, trees.documents)


def _folded(fact: Fact) -> Fact:
    if fact.severity in (Severity.BREAKING, Severity.MAY_BREAK):
        return fact
    return fact.model_copy(update={"severity": Severity.INTERNAL})


def _repeats_export(broken_exports: Sequence[Fact], fact: Fact) -> bool:
    """Return True for a name gone from `__all__` that is reported as no longer importable."""
    if fact.detail != "export" or fact.kind != "symbol-removed":
        return False
    modules = [broken.module for broken in broken_exports if broken.name == fact.name]
    return fact.module.endswith(tuple(modules))


def _defined_names(differences: Sequence[Difference]) -> set[tuple[str, str, str]]:
    """Return the definitions that come or go, by their kinds of facts, files and names."""
    names: set[tuple[str, str, str]] = set()
    for difference in differences:
        if difference.newest.kind in ("function", "class", "constant"):
            names.add(_module_name(difference))
    return names


def _is_export(difference: Difference) -> bool:
    return difference.newest.kind == "export"


def _module_name(difference: Difference) -> tuple[str, str, str]:
    return difference.kind, difference.newest.file, difference.name


def gather(
    change: Change,
    blobs: Blobs | None = None,
    partner: Lineage | None = None,
    *,
    largest: int = LARGEST_COMMIT,
) -> Gathered:
    """Return what differs between both versions of all files, of which `largest` bytes are read."""
    skipped: list[str] = []
    files = tuple(read_versions(change.files, blobs or {}, skipped, largest))
    differences = (*compare(files), *binding_differences(files))
    lineage = tuple(lineage_facts(change.commit.message, partner))
    route = "hunks" if blobs is None else "blobs"
    return Gathered(change, files, differences, lineage, route, tuple(skipped), blobs or {})


def _module(difference: Difference) -> str:
    """Return the module of the older declaration, by the older name of its file."""
    return module_of(difference.oldest.file)


def _position(difference: Difference) -> int | None:
    """Return the position by which callers passed an argument before the change."""
    oldest = difference.oldest
    if difference.before is None or oldest.kind != "parameter" or not oldest.is_python:
        return None
    return argument_position(oldest.siblings, oldest.owner, oldest.name)


def _documented(difference: Difference, change: Change) -> Iterator[FactLocation]:
    """Yield the line of a document that speaks of something new."""
    name = difference.newest.name
    if difference.kind not in _SET or len(name) < _MIN_DOCUMENTED_NAME:
        return
    for file in change.files:
        if not file.path.endswith(_DOCUMENTS) or name not in (file.patch or ""):
            continue
        for number, line in read_patch(file.patch).lines("new").items():
            if name in line:
                yield FactLocation(file=file.path, line=number, lines=(line,))
                return
