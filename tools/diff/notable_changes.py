"""Changes that only their lines show: the most notable ones, each with the definition around them."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.facts import Fact, FactKind, Severity
from agent.domain.surface import SurfaceChange
from tools.diff.changed_lines_by_function import (
    ChangedFunction,
    FunctionChange,
    FunctionChanges,
    KnownLines,
)
from tools.diff.changed_runs import Weight, count_code
from tools.diff.fact_ranking import ranked
from tools.diff.file_roles import NATIVE, is_beside_product
from tools.diff.function_facts import fact_of_functions
from tools.diff.function_ranking import FunctionRanking, RankedFunction
from tools.diff.lines_stated_by_facts import LineOfSide
from tools.diff.new_definitions import NewDefinitions

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions

_MAX_FUNCTIONS = 3  # Functions that are shown where no other fact is shown
_MAX_FEWER_FUNCTIONS = (
    2  # Where facts are shown, where nothing decides, and of programs beside the product
)
_MAX_FUNCTIONS_OF_REVERT = 1  # The commit that it undoes or brings back says the rest
_MAX_SHOWN = 4  # Functions that are shown at all
_MAX_LINES_OF_WHOLE = 40  # Changed lines of code of a commit of whose functions all lines are shown
_MAX_LINES_OF_SMALL = (
    20  # Of one that is shown with all of its functions, if these are not too many
)
_MAX_FUNCTIONS_OF_SMALL = 6
_MAX_SHORT = 1  # Functions that are shown besides, of which a few lines decide something
_MAX_DECISIONS_BESIDE_FACTS = 1  # Decisions that nothing ties to the other facts
_MANY_FACTS = 2  # Of errors, beside which fewer functions are shown
_LINEAGE: tuple[FactKind, ...] = (
    "revert",
    "reland",
    "partial-revert",
    "partial-reland",
    "cherry-pick",
)
_NEEDED = ("dependency-",)
_BESIDE_CODE = (*_LINEAGE, *_NEEDED, "error-", "limit-", "file-")
"""Facts that do not say what a commit does: that it brings an earlier one back, what it refuses, what
it needs for that."""
_NAME = re.compile(r"[A-Za-z_]\w*")


def changed_functions(
    files: Sequence["Versions"],
    facts: Sequence[Fact],
    surface: SurfaceChange | None = None,
    title: str = "",
    declared: Collection[LineOfSide] = (),
) -> list[Fact]:
    """Return a fact for each function whose body changes, those that users notice first.

    Names of the commit's title lead to what it is about. Beside other facts that users see only
    those are worth showing that users notice or that the title names, and beside heavier changes
    those that are as heavy. Lines that other facts show, and lines of the declarations that these
    are about (`declared`), do not make a function worth showing.
    New functions are shown where nothing else is: that something new has a body says nothing.
    """
    visible_facts: list[Fact] = []
    for fact in facts:
        if _is_visible(fact) and not fact.kind.startswith(_BESIDE_CODE):
            visible_facts.append(fact)
    known = KnownLines(
        # That a file has another path says nothing about its lines.
        shown=_lines_of(fact for fact in facts if not fact.kind.startswith("file-")),
        visible=_lines_of(filter(_is_visible, facts)),
        declared=frozenset(declared),
        required=frozenset(_required(facts)),
    )
    changes = FunctionChanges(files, known).worth_showing()
    size = sum(change.telling_size for change in changes.values())
    for change in changes.values():
        change.is_whole = size <= _MAX_LINES_OF_WHOLE
    ranking = FunctionRanking(title, surface)
    definitions = NewDefinitions(files)
    room = _room(changes, facts, visible_facts)
    if room.can_grow and size <= _MAX_LINES_OF_SMALL:
        room = _Room(_MAX_FUNCTIONS_OF_SMALL, has_bodies=True)
    has_errors = any(not fact.kind.startswith(_NEEDED) for fact in facts if _is_visible(fact))
    subject = _Subject(ranking, visible_facts, has_errors=has_errors)
    choice = _ShownFunctions(room, subject, _heaviest(changes))
    for group in ranking.groups(changes):
        choice.offer(group)
    groups = choice.groups
    if room.has_main_folder:
        groups += _of_main_folder(changes, groups, ranking)
    max_shown = max(_MAX_SHOWN, room.functions)
    return [fact_of_functions(group, definitions) for group in groups[:max_shown]]


class _Room(NamedTuple):
    """How many functions of a commit are shown."""

    functions: int
    short: int = 0  # Besides, of which a few lines decide something
    can_grow: bool = False  # Of a commit that changes few lines, all functions can be shown
    has_bodies: bool = False  # Among them those in which nothing decides, though others do
    has_main_folder: bool = False  # Besides, one of the folder in which most changes


def _room(
    changes: Mapping[ChangedFunction, FunctionChange],
    facts: Sequence[Fact],
    visible_facts: Sequence[Fact],
) -> _Room:
    """Return how many functions are shown: fewer where other facts are told already."""
    if any(fact.kind in _LINEAGE for fact in facts):
        return _Room(_MAX_FUNCTIONS_OF_REVERT)
    if any(is_beside_product(function.file) for function in changes):
        return _Room(_MAX_FEWER_FUNCTIONS, can_grow=True)
    if visible_facts:
        return _Room(_MAX_FEWER_FUNCTIONS, _MAX_SHORT)
    told = list(filter(_is_visible, ranked(facts)))
    is_decided = _heaviest(changes) > Weight.BODY and len(told) < _MANY_FACTS
    functions = _MAX_FUNCTIONS if is_decided else _MAX_FEWER_FUNCTIONS
    return _Room(functions, _MAX_SHORT, has_main_folder=not told, can_grow=True)


def _is_visible(fact: Fact) -> bool:
    return fact.severity is not Severity.INTERNAL


def _heaviest(changes: Mapping[ChangedFunction, FunctionChange]) -> Weight:
    return max((change.weight for change in changes.values()), default=Weight.BODY)


class _ShownFunctions:
    """The functions that are shown, of those that are offered one after the other."""

    def __init__(self, room: _Room, subject: "_Subject", heaviest: Weight) -> None:
        self._room = room
        self._subject = subject
        self._heaviest = heaviest
        self._groups: list[Sequence[RankedFunction]] = []
        self._short_groups: list[Sequence[RankedFunction]] = []
        self._shown_texts: set[str] = set()

    @property
    def groups(self) -> list[Sequence[RankedFunction]]:
        """The groups of functions that were chosen."""
        return self._groups + self._short_groups[: self._room.short]

    def offer(self, group: Sequence[RankedFunction]) -> None:
        """Choose functions that change alike if they are worth showing and there is room."""
        function, change = group[0]
        if self._shown_texts.issuperset(change.texts):
            return
        if not self._subject.is_worth_showing(function, change):
            return
        is_told_in_words = change.is_explained and change.is_small
        if self._groups and self._is_light(function, change) and not is_told_in_words:
            return
        if len(self._groups) < self._room.functions:
            self._groups.append(group)
            self._shown_texts.update(change.texts)
        elif change.is_short:
            self._short_groups.append(group)

    def _is_light(self, function: ChangedFunction, change: FunctionChange) -> bool:
        """Return True for a change that says nothing beside others."""
        if self._room.has_bodies:
            # What stands outside of functions, as imports and lists of names do, only goes with them.
            return change.weight < (Weight.BODY if function.name else Weight.DECIDES)
        return change.weight <= Weight.BODY < self._heaviest


class _Subject:
    """What a commit is about, by its title and by the facts that users see."""

    def __init__(
        self, ranking: FunctionRanking, visible_facts: Sequence[Fact], *, has_errors: bool
    ) -> None:
        self._ranking = ranking
        self._has_facts = bool(visible_facts)
        self._has_errors = has_errors
        self._has_one_fact = len(visible_facts) == 1
        self._settings = _new_settings(visible_facts)
        self._told_functions: set[str] = set()
        self._told_parameters: set[str] = set()
        for fact in visible_facts:
            if fact.kind.startswith("parameter-"):
                self._told_functions.add(fact.name)
                self._told_parameters.add(fact.detail or "")
        self._decisions_left = _MAX_DECISIONS_BESIDE_FACTS

    def is_worth_showing(self, function: ChangedFunction, change: FunctionChange) -> bool:
        """Return True for a change that users notice, or that belongs to what else is told."""
        if not self._has_facts:
            # What only prepares an error that is told is not worth showing.
            is_body = change.weight <= Weight.BODY and not change.is_explained
            return not (self._has_errors and is_body) or self._ranking.is_named(function, change)
        if self._passes_argument_on(function, change):
            return False
        if change.weight is Weight.VISIBLE:
            return True
        if function.name in self._told_functions:
            return True  # What a new argument does is in the body of its function
        reads_setting = not self._settings.isdisjoint(_names_in(change))
        if change.weight is Weight.DECIDES and reads_setting and not function.is_private:
            return True
        if self._ranking.is_named(function, change):
            return True
        # That something is new or gone does not say what is otherwise now.
        is_telling = self._has_one_fact and change.weight is Weight.DECIDES
        is_telling = is_telling and not function.is_private
        is_value = change.has_other_values and self._ranking.is_public(function)
        is_clear = change.is_short and (change.is_explained or is_value)
        if self._decisions_left and (is_telling or is_clear):
            self._decisions_left -= 1
            return True
        return False

    def _passes_argument_on(self, function: ChangedFunction, change: FunctionChange) -> bool:
        """Return True for native code that gets a new argument from the Python around it."""
        is_native = function.file.endswith(NATIVE)
        return is_native and not self._told_parameters.isdisjoint(_names_in(change))


def _of_main_folder(
    changes: Mapping[ChangedFunction, FunctionChange],
    shown: Sequence[Sequence[RankedFunction]],
    ranking: FunctionRanking,
) -> Sequence[Sequence[RankedFunction]]:
    """Return a change of the folder in which most of a commit happens, if none of it is shown."""
    shown_folders: set[str] = set()
    for group in shown:
        shown_folders.update(_folder(entry.function.file) for entry in group)
    sizes: Counter[str] = Counter()
    for function, change in changes.items():
        sizes[_folder(function.file)] += count_code(change.lines)
    for folder, size in sizes.most_common(1):
        if 2 * size < sizes.total() or folder in shown_folders:
            return []  # No folder has more than the others together, or it is shown
        of_folder: dict[ChangedFunction, FunctionChange] = {}
        for function, change in changes.items():
            if _folder(function.file) == folder:
                of_folder[function] = change
        return [*ranking.groups(of_folder)][:1]
    return []


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _required(facts: Iterable[Fact]) -> Iterator[str]:
    """Yield the changed lines of requirements, without their signs and indentation."""
    for fact in facts:
        if fact.kind.startswith("dependency-"):
            for location in fact.places:
                yield from (line[1:].strip() for line in location.lines)


def _lines_of(facts: Iterable[Fact]) -> set[tuple[str, str]]:
    """Return the changed lines that facts show, each behind its file."""
    lines: set[tuple[str, str]] = set()
    for fact in facts:
        for location in fact.places:
            lines.update((location.file, line) for line in location.lines)
    return lines


def _new_settings(facts: Iterable[Fact]) -> frozenset[str]:
    """Return the names of new options and fields, as code reads them."""
    names: set[str] = set()
    for fact in facts:
        if fact.kind in ("flag-added", "env-added", "config-key-added"):
            names.add(fact.name.strip("-").replace("-", "_"))
        if fact.kind == "field-added":
            names.add(fact.name.rpartition(".")[2])
    return frozenset(names)


def _names_in(change: FunctionChange) -> set[str]:
    """Return the names in the changed lines of a function that no other fact shows."""
    names: set[str] = set()
    for run in change.runs:
        for line in run.lines:
            names.update(_NAME.findall(line.text[1:]))
    return names
