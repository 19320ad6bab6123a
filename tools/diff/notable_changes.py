"""Changes that only their lines show: the most notable ones, each with the definition around them."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.commits import FileChange
from agent.domain.facts import Fact, FactKind, Severity
from agent.domain.patch import read_patch
from agent.domain.surface import SurfaceChange
from tools.diff.changed_runs import (
    Run,
    Weight,
    changes_code,
    count_code,
    is_row_with_other_numbers,
    runs_of,
    weight_of,
)
from tools.diff.declarations import language_of
from tools.diff.file_roles import Role, is_beside_product, is_for_users, is_product, role
from tools.diff.lines_stated_by_facts import LineOfSide

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions
from tools.diff.changed_code_fact import code_fact
from tools.diff.changed_lines_by_function import (
    MAX_RUNS,
    ChangedFunction,
    FunctionChange,
    FunctionChanges,
    KnownLines,
    NotableRun,
)

_MAX_FUNCTIONS = 3  # Functions that are shown where no other fact is shown
_MAX_FEWER_FUNCTIONS = (
    2  # Where facts are shown, where nothing decides, and of programs beside the product
)
_MAX_FUNCTIONS_OF_REVERT = 1  # The commit that it undoes or brings back says the rest
_MAX_SHORT = 1  # Functions that are shown besides, of which a few lines decide something
_MAX_DECISIONS_BESIDE_FACTS = 1  # Decisions that nothing ties to the other facts
_MAX_PLAIN_RUNS = 2  # Runs of a file that are shown where users notice none of them
_MAX_FILES = 2  # Files of which hunks are shown where no definition is in sight
_LINEAGE: tuple[FactKind, ...] = (
    "revert",
    "reland",
    "partial-revert",
    "partial-reland",
    "cherry-pick",
)
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
        # That a commit brings an earlier one back does not say what it does.
        if fact.severity is not Severity.INTERNAL and fact.kind not in _LINEAGE:
            visible_facts.append(fact)
    known = KnownLines(
        shown=_lines_of(facts),
        visible=_lines_of(visible_facts),
        declared=frozenset(declared),
        required=frozenset(_required(facts)),
    )
    changes = FunctionChanges(files, known).worth_showing()
    words = _title_words(title)
    room = _room(changes, facts, visible_facts)
    choice = _ShownFunctions(room, _Subject(words, visible_facts), _heaviest(changes))
    for group in _alike(changes, surface, words):
        choice.offer(group)
    shown = choice.shown
    if room.has_main_folder:
        shown += _of_main_folder(changes, shown, surface, words)
    return shown


class _Room(NamedTuple):
    """How many functions of a commit are shown."""

    functions: int
    short: int = 0  # Besides, of which a few lines decide something
    has_main_folder: bool = False  # Besides, one of the folder in which most changes


def _room(
    changes: Mapping[ChangedFunction, FunctionChange],
    facts: Sequence[Fact],
    visible_facts: Sequence[Fact],
) -> _Room:
    if any(fact.kind in _LINEAGE for fact in facts):
        return _Room(_MAX_FUNCTIONS_OF_REVERT)
    if any(is_beside_product(function.file) for function in changes):
        return _Room(_MAX_FEWER_FUNCTIONS)
    if visible_facts:
        return _Room(_MAX_FEWER_FUNCTIONS, _MAX_SHORT)
    is_decided = _heaviest(changes) > Weight.BODY
    functions = _MAX_FUNCTIONS if is_decided else _MAX_FEWER_FUNCTIONS
    return _Room(functions, _MAX_SHORT, has_main_folder=True)


def _heaviest(changes: Mapping[ChangedFunction, FunctionChange]) -> Weight:
    return max((change.weight for change in changes.values()), default=Weight.BODY)


class _ShownFunctions:
    """The functions that are shown, of those that are offered one after the other."""

    def __init__(self, room: _Room, subject: "_Subject", heaviest: Weight) -> None:
        self._room = room
        self._subject = subject
        self._heaviest = heaviest
        self._facts: list[Fact] = []
        self._short_facts: list[Fact] = []
        self._shown_texts: set[str] = set()

    @property
    def shown(self) -> list[Fact]:
        """A fact for each group of functions that was chosen."""
        return self._facts + self._short_facts[: self._room.short]

    def offer(self, group: Sequence[tuple[ChangedFunction, FunctionChange]]) -> None:
        """Choose functions that change alike if they are worth showing and there is room."""
        function, change = group[0]
        if self._shown_texts.issuperset(change.texts):
            return
        if not self._subject.is_worth_showing(function, change):
            return
        if self._facts and change.weight <= Weight.BODY < self._heaviest:
            return
        if len(self._facts) < self._room.functions:
            self._facts.append(_fact_of_functions(group))
            self._shown_texts.update(change.texts)
        elif change.is_short:
            self._short_facts.append(_fact_of_functions(group))


class _Subject:
    """What a commit is about, by its title and by the facts that users see."""

    def __init__(self, title_words: Collection[str], visible_facts: Sequence[Fact]) -> None:
        self._title_words = title_words
        self._has_facts = bool(visible_facts)
        self._has_one_fact = len(visible_facts) == 1
        self._settings = _new_settings(visible_facts)
        self._told_functions: set[str] = set()
        for fact in visible_facts:
            if fact.kind.startswith("parameter-"):
                self._told_functions.add(fact.name)
        self._decisions_left = _MAX_DECISIONS_BESIDE_FACTS

    def is_worth_showing(self, function: ChangedFunction, change: FunctionChange) -> bool:
        """Return True for a change that users notice, or that belongs to what else is told."""
        if not self._has_facts or change.weight is Weight.VISIBLE:
            return True
        if function.name in self._told_functions:
            return True  # What a new argument does is in the body of its function
        if change.weight is Weight.DECIDES and self._settings & _words_of(function, change):
            return True
        if _named_words(function, change, self._title_words):
            return True
        # That something is new or gone does not say what is otherwise now.
        is_telling = self._has_one_fact and change.weight is Weight.DECIDES
        if self._decisions_left and (is_telling or change.is_short):
            self._decisions_left -= 1
            return True
        return False


def _of_main_folder(
    changes: Mapping[ChangedFunction, FunctionChange],
    shown: Sequence[Fact],
    surface: SurfaceChange | None,
    title_words: Collection[str],
) -> list[Fact]:
    """Return a change of the folder in which most of a commit happens, if none of it is shown."""
    shown_folders: set[str] = set()
    for fact in shown:
        shown_folders.update(_folder(location.file) for location in fact.places)
    sizes: Counter[str] = Counter()
    for function, change in changes.items():
        sizes[_folder(function.file)] += count_code(change.lines)
    for folder, size in sizes.most_common(1):
        if 2 * size < sizes.total():
            return []  # No folder has more than the others together
        if folder in shown_folders:
            return []
        of_folder = {
            function: change
            for function, change in changes.items()
            if _folder(function.file) == folder
        }
        for group in _alike(of_folder, surface, title_words):
            return [_fact_of_functions(group)]
    return []


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _alike(
    changes: Mapping[ChangedFunction, FunctionChange],
    surface: SurfaceChange | None,
    title_words: Collection[str],
) -> Iterable[list[tuple[ChangedFunction, FunctionChange]]]:
    """Return the functions that change alike together, the most notable first."""
    ordered = sorted(
        changes.items(), key=lambda entry: _order_key(entry[0], entry[1], surface, title_words)
    )
    groups: dict[tuple[str, ...], list[tuple[ChangedFunction, FunctionChange]]] = defaultdict(list)
    for function, change in ordered:
        groups[change.exchanged_names or change.texts].append((function, change))
    return groups.values()


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


def largest_hunks(files: Sequence[FileChange], compared: Collection[str] = ()) -> list[Fact]:
    """Return the most notable hunks of the most important files, where there are no other facts.

    Of the product's files that were compared it is known that they do what they did before.
    """
    # What went as a whole is named.
    kept = [file for file in files if file.status != "removed"]
    product = [file for file in kept if is_product(file.path)]
    # Of its tests and documents nobody has to know beside it.
    kept = product or [file for file in kept if is_beside_product(file.path)]
    ranked = sorted(kept, key=_file_order)
    facts: list[Fact] = []
    for file in ranked[:_MAX_FILES]:
        runs: list[NotableRun] = []
        for hunk in read_patch(file.patch).hunks:
            for run in runs_of(hunk):
                if changes_code(run):
                    runs.append(NotableRun(run, weight_of(run)))
        if not runs:
            continue
        runs.sort(key=lambda run: run.order)
        noticed = [run.lines for run in runs if run.weight is Weight.VISIBLE]
        shown_runs = noticed[:MAX_RUNS] or [run.lines for run in runs[:_MAX_PLAIN_RUNS]]
        fact = code_fact(file.path, file.path, shown_runs)
        is_unchanged = file.path in compared and is_product(file.path)
        if is_unchanged and file.status == "modified":
            fact = fact.model_copy(update={"severity": Severity.INTERNAL})
        facts.append(fact)
    return facts


def changed_table_rows(files: Sequence[FileChange]) -> list[Fact]:
    """Return the rows of tables in documents in which nothing but numbers differs.

    Such tables say which versions and devices are supported.
    """
    facts: list[Fact] = []
    for file in files:
        if not is_for_users(file.path) or role(file.path) is not Role.DOCUMENT:
            continue
        runs: list[Run] = []
        for hunk in read_patch(file.patch).hunks:
            runs += [run for run in runs_of(hunk) if is_row_with_other_numbers(run)]
        if runs:
            fact = code_fact(file.path, file.path, runs[:MAX_RUNS])
            facts.append(fact.model_copy(update={"severity": Severity.BEHAVIOUR}))
    return facts[:1]


def _order_key(
    function: ChangedFunction,
    change: FunctionChange,
    surface: SurfaceChange | None,
    title_words: Collection[str],
) -> tuple[bool, int, int, bool, bool, bool, int]:
    """Return what sorts functions: what the title names, what users notice, public ones, short decisions."""
    words = _words_of(function, change)
    title_words_found = [word for word in title_words if word in words]
    is_named = bool(_named_words(function, change, title_words))
    top = function.name.partition(".")[0]
    is_public = surface is not None and bool(surface.public_path(function.file, top))
    own_name = function.name.rpartition(".")[2]
    is_private = own_name.startswith("_") and not own_name.startswith("__")
    return (
        not is_named,
        -change.weight,
        -len(title_words_found),
        not is_public,
        is_private,
        not change.is_short,
        -len(change.lines),
    )


def _named_words(
    function: ChangedFunction, change: FunctionChange, title_words: Collection[str]
) -> list[str]:
    """Return the words of code in a title that the changed lines of a function have."""
    words = _words_of(function, change)
    return [word for word in title_words if word in words and _is_identifier(word)]


def _new_settings(facts: Iterable[Fact]) -> frozenset[str]:
    """Return the names of new options and fields, as code reads them."""
    names: set[str] = set()
    for fact in facts:
        if fact.kind in ("flag-added", "env-added", "config-key-added"):
            names.add(fact.name.strip("-").replace("-", "_"))
        if fact.kind == "field-added":
            names.add(fact.name.rpartition(".")[2])
    return frozenset(names)


def _title_words(title: str) -> frozenset[str]:
    """Return the words of a title that lines may have, without the number of its pull request."""
    words: set[str] = set()
    for word in _TITLE_WORD.findall(title):
        words.add(word.removesuffix("s").lower() if word.istitle() or word.islower() else word)
    return frozenset(words)


def _is_identifier(word: str) -> bool:
    """Return True for a word of code: with underscores, digits or capitals inside."""
    return "_" in word or any(sign.isdigit() or sign.isupper() for sign in word[1:])


def _words_of(function: ChangedFunction, change: FunctionChange) -> set[str]:
    """Return the names in the changed lines of a function, and the parts of these names."""
    words: set[str] = set()
    for text in (function.name, *(line.bare for line in change.lines if line.is_code)):
        for word in _TITLE_WORD.findall(text):
            words.add(word)
            parts = _PART_OF_NAME.findall(word)
            words.update(part.lower().removesuffix("s") for part in parts)
    return words


def _file_order(file: FileChange) -> tuple[int, bool, int]:
    """Return what sorts files: by what they are for, programs before data, the largest first."""
    is_data = language_of(file.path) is None
    return _rank(file.path), is_data, -file.additions - file.deletions


def _rank(path: str) -> int:
    if is_product(path):
        return -1
    file_role = role(path)
    return _ORDER.index(file_role) if file_role in _ORDER else len(_ORDER)


def _fact_of_functions(group: Sequence[tuple[ChangedFunction, FunctionChange]]) -> Fact:
    """Return the fact of functions that change alike."""
    function, change = group[0]
    names = [_shown_name(function) for function, _ in group]
    unique_names = list(dict.fromkeys(names))
    fact = code_fact(function.file, ", ".join(unique_names), change.shown_runs)
    update: dict[str, object] = {"count": len(unique_names)}
    if change.weight is Weight.FOLLOWS:
        update["severity"] = Severity.INTERNAL
    return fact.model_copy(update=update)


def _shown_name(function: ChangedFunction) -> str:
    """Return the name of a function; of other lines that of their file, as users call it."""
    if function.name or is_beside_product(function.file):
        return function.name or function.file
    return function.file.rpartition("/")[2]


_TITLE_WORD = re.compile(r"[A-Za-z_][\w-]{3,}")
_PART_OF_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
"""A word of a name, between underscores or capitals: `chat` and `template` of `ChatTemplate`."""
