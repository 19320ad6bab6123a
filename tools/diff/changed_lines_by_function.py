"""The changed lines of a commit by the functions that have them."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.patch import Side
from agent.triage.title_conventions import Area, area
from tools.diff.changed_runs import (
    ChangedLine,
    Run,
    Weight,
    assigned_names,
    changes_code,
    count_code,
    has_other_values,
    is_explained,
    runs_of,
    weight_of,
    without_debugging,
)
from tools.diff.declaration_reader import language_of
from tools.diff.facts_by_declaration_kind import is_cmake
from tools.diff.file_roles import HEADERS, NATIVE, is_beside_product, is_generated, is_product
from tools.diff.lines_stated_by_facts import LineOfSide
from tools.diff.lines_with_changed_words import really_changed, shown_lines
from tools.diff.runs_without_effect import (
    has_no_effect,
    is_still_set,
    only_prepares,
    without_owners,
)

if TYPE_CHECKING:
    from tools.diff.changed_file_declarations import Versions
    from tools.diff.declaration_reader import Declaration

_WORD = re.compile(r"\w+|[^\w\s(){}\[\],:;!]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_PART = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|->|::|\"[^\"]*\"|'[^']*'|[^\w\s]")
"""The words of a line with all signs between them; a string is one word."""
_OF_BRANCHES = ("not", "else")
"""Words that come or go where the branches of a condition are exchanged."""
_BRACKETS = re.compile(r"[()\[\]{},;]*")
"""What is left of a statement that another fact shows."""
_OF_METHODS = ("self", "cls", "this")
MAX_RUNS = 3  # Runs that are shown of one function
_MAX_RUNS_OF_WHOLE = 8  # Of a function that is shown whole
MAX_SHORT_RUN = 6  # Lines of code of a condition, a limit or a default with what depends on it
_MIN_NAMED_VALUE = 4  # Characters of a value that gets a name; a number stands in many places
_MAX_DIFFERENT_WORDS = 6  # By which functions that change alike are found, whatever else they say
_MAX_SHOWN_WHOLE = 12  # Changed lines of a function that is shown with all of its runs
_MAX_TELLING_LINES = 120  # Changed lines of a function of which a few can be telling
_MOVED_SHARE = 0.6  # Of the lines of a run, from which the whole of it moved


class ChangedFunction(NamedTuple):
    """A function or class in which lines changed; without a name what no definition surrounds."""

    file: str
    name: str

    @property
    def name_in_class(self) -> str:
        """The name behind that of its class, without the namespaces around these."""
        return ".".join(re.split(r"\.|::", self.name)[-2:])

    @property
    def is_private(self) -> bool:
        """True if its own name begins with an underscore, as that of no special method."""
        own_name = self.name.rpartition(".")[2]
        return own_name.startswith("_") and not own_name.startswith("__")


class NotableRun(NamedTuple):
    """Changed lines that follow each other and that nothing else shows."""

    lines: Run
    weight: Weight

    @property
    def order(self) -> tuple[int, bool, bool, int]:
        """The sort key of runs: what users notice, what is explained, short decisions, the largest."""
        size = count_code(self.lines)
        is_short = self.weight is Weight.DECIDES and size <= MAX_SHORT_RUN
        return (-self.weight, not is_explained(self.lines), not is_short, -size)


class WordDifference(NamedTuple):
    """The words that go and those that come where lines are changed alike."""

    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def is_exchange_of_names(self) -> bool:
        """True if one name takes the place of another."""
        names = (*self.removed, *self.added)
        is_exchange = len(self.removed) == len(self.added) == 1
        return is_exchange and all(_NAME.fullmatch(name) for name in names)


@dataclass
class FunctionChange:
    """The changes in a function."""

    versions: "Versions"
    lines: Run = field(default_factory=list)
    runs: list[NotableRun] = field(default_factory=list)
    moved_runs: list[Run] = field(default_factory=list)
    has_moved_lines: bool = False
    is_whole: bool = False
    """Whether all of its lines are shown: those of a commit that changes few."""

    @property
    def weight(self) -> Weight:
        """The weight of the run that users notice most."""
        return max(run.weight for run in self.runs)

    @property
    def is_short(self) -> bool:
        """True if a few lines decide something: a guard, a default, an entry of a table."""
        heaviest = [run for run in self.runs if run.weight is self.weight]
        size = sum(count_code(run.lines) for run in heaviest[:MAX_RUNS])
        return self.weight >= Weight.DECIDES and size <= MAX_SHORT_RUN

    @property
    def is_explained(self) -> bool:
        """True if a comment of its own says what a change is for."""
        return any(is_explained(run.lines) for run in self.runs)

    @property
    def has_other_values(self) -> bool:
        """True if in some lines nothing but values differs."""
        return any(has_other_values(run.lines) for run in self.runs)

    @property
    def is_rewritten(self) -> bool:
        """True if so many lines change that a few of them do not say what a function does now."""
        return count_code(self.lines) > _MAX_TELLING_LINES

    @property
    def is_small(self) -> bool:
        """True if no more lines change than a declaration has."""
        return sum(count_code(run.lines) for run in self.runs) <= MAX_SHORT_RUN

    @property
    def telling_size(self) -> int:
        """The lines of code that change, without those that only adapt to other changes."""
        telling = [run for run in self.runs if run.weight is not Weight.FOLLOWS]
        return sum(count_code(run.lines) for run in telling)

    @property
    def is_rearranged(self) -> bool:
        """True if only the order of the words changes, as where a condition is inverted."""
        if not self.has_moved_lines:
            return False
        words: dict[Side, Counter[str]] = {"old": Counter(), "new": Counter()}
        for line in self.lines:
            if line.is_code:
                words[line.side].update(_WORD.findall(line.text[1:]))
        for counter in words.values():
            counter["if"] += counter.pop("elif", 0)
            for word in _OF_BRANCHES:
                counter.pop(word, None)
        return words["old"] == words["new"]

    @property
    def is_reordered(self) -> bool:
        """True if whole runs of lines stand in another place of the same function, unchanged."""
        texts: dict[Side, Counter[str]] = {"old": Counter(), "new": Counter()}
        for run in self.moved_runs:
            for line in run:
                texts[line.side][line.bare] += line.is_code
        code_lines = sum(line.is_code for line in self.lines)
        is_whole = sum(count.total() for count in texts.values()) == code_lines
        return bool(self.moved_runs) and is_whole and +texts["old"] == +texts["new"]

    @property
    def only_renames_locals(self) -> bool:
        """True if variables have other names now, and nothing else differs."""
        texts: dict[Side, list[str]] = {"old": [], "new": []}
        for line in self.lines:
            if line.is_code:
                texts[line.side].append(line.bare)
        return is_renaming("\n".join(texts["old"]), "\n".join(texts["new"]))

    @cached_property
    def deciding_runs(self) -> list[NotableRun]:
        """The runs that make a function worth showing, the one that users notice most first."""
        ordered = self._ordered_runs
        least = min(ordered[0].weight, Weight.DECIDES)  # What decides stands beside what is visible
        return [run for run in ordered if run.weight >= least][:MAX_RUNS]

    @cached_property
    def shown_runs(self) -> list[Run]:
        """The runs that are shown; asked for when all are known.

        A function in which few lines change is shown with all of them, as is one of a commit that
        changes few lines, another one with what it computes elsewhere now.
        """
        if self.is_whole:
            return [run.lines for run in self._ordered_runs[:_MAX_RUNS_OF_WHOLE]]
        shown = list(self.deciding_runs)
        is_small = sum(count_code(run.lines) for run in self.runs) <= _MAX_SHOWN_WHOLE
        replaced = _replaced_variables(run.lines for run in shown)
        for run in self._ordered_runs:
            belongs = is_small or not replaced.isdisjoint(_assigned_in(run.lines))
            if run not in shown and belongs:
                shown.append(run)
        return [run.lines for run in shown[:MAX_RUNS]]

    @property
    def _ordered_runs(self) -> list[NotableRun]:
        return sorted(self.runs, key=lambda run: run.order)

    @property
    def word_difference(self) -> "WordDifference | None":
        """The few words that go and that come in the lines that decide; None for more words."""
        words: dict[Side, Counter[str]] = {"old": Counter(), "new": Counter()}
        for run in self.deciding_runs:
            for line in run.lines:
                if line.is_code:
                    words[line.side].update(_WORD.findall(line.text[1:]))
        removed = words["old"] - words["new"]
        added = words["new"] - words["old"]
        if not 0 < len(removed) + len(added) <= _MAX_DIFFERENT_WORDS:
            return None
        return WordDifference(tuple(sorted(removed)), tuple(sorted(added)))

    @property
    def texts(self) -> tuple[str, ...]:
        """The changed lines that decide, by which functions that change alike are found."""
        texts: dict[str, None] = {}
        for run in self.deciding_runs:
            code = (line.text[0] + line.bare for line in run.lines if line.is_code)
            texts["\n".join(code)] = None
        return tuple(texts)


def _replaced_variables(runs: Iterable[Run]) -> set[str]:
    """Return the variables that runs stop to assign."""
    removed: set[str] = set()
    added: set[str] = set()
    for run in runs:
        removed |= _assigned_in(run, "old")
        added |= _assigned_in(run)
    return removed - added


def _assigned_in(run: Run, side: Side = "new") -> set[str]:
    """Return the variables that the lines of one side of a run assign."""
    code = "\n".join(line.bare for line in run if line.is_code and line.side == side)
    return assigned_names(code)


def is_renaming(old: str, new: str) -> bool:
    """Return True if code differs in nothing but the names of variables that it assigns.

    Each has to have one other name everywhere: `low` for `high` may be a mended mistake.
    """
    old_words = _PART.findall(old)
    new_words = _PART.findall(new)
    if len(old_words) != len(new_words) or old_words == new_words:
        return False
    names: dict[str, str] = {}
    for before, after in zip(old_words, new_words, strict=True):
        if names.setdefault(before, after) != after:
            return False
    renamed = {before: after for before, after in names.items() if before != after}
    is_one_to_one = len(set(renamed.values())) == len(renamed)
    if not is_one_to_one or not old_words or set(renamed.values()) & set(old_words):
        return False
    return renamed.keys() <= assigned_names(old) and set(renamed.values()) <= assigned_names(new)


class KnownLines(NamedTuple):
    """The changed lines that other facts show, or that belong to what these are about."""

    shown: set[tuple[str, str]]  # By the texts that are displayed, behind their files
    visible: set[tuple[str, str]]  # Those of facts that users see
    declared: frozenset[LineOfSide]  # Those of declarations that facts are about
    required: frozenset[str]  # Those of requirements, as they may stand in further files

    def is_visible(self, file: str, line: ChangedLine) -> bool:
        """Return True for a line that users see with another fact."""
        return (file, line.text) in self.visible

    def is_known(self, file: str, line: ChangedLine) -> bool:
        """Return True for a line that makes no change of its own worth showing."""
        if (file, line.text) in self.shown or line.bare in self.required:
            return True
        return LineOfSide(file, line.side, line.number) in self.declared


class FunctionChanges:
    """The changed lines of a commit's product, by the functions that have them."""

    def __init__(
        self,
        files: Sequence["Versions"],
        known_lines: KnownLines,
    ) -> None:
        self._files = _compared_files(files)
        self._moved = _moved_lines(files)
        self._moved_members = _moved_lines(files, without_owners)
        self._named_values = _named_values(files)
        self._one_sided = _one_sided_definitions(files)
        self._one_sided_names: set[str] = set()
        for function in self._one_sided:
            if function.name:
                self._one_sided_names.add(function.name.rpartition(".")[2])
        self._bodies = set(_bodies(self._files))
        self._known = known_lines

    def worth_showing(self) -> dict[ChangedFunction, FunctionChange]:
        """Return the functions of which lines are worth showing; new ones only if there are no others."""
        changes = self._all()
        defined: set[str] = set()
        for function in changes:
            if function.name and not function.file.endswith(HEADERS):
                defined.add(function.name_in_class)
        changed: dict[ChangedFunction, FunctionChange] = {}
        edited: dict[ChangedFunction, FunctionChange] = {}
        for function, change in changes.items():
            if not change.runs or change.is_rearranged or change.only_renames_locals:
                continue
            if (
                function.name_in_class in defined
                and function.file.endswith(HEADERS)
                and change.is_small
            ):
                continue  # It is declared as it is defined
            changed[function] = change
            if not self._is_one_sided(function):
                edited[function] = change
        # Beside facts that users see, it says nothing that something new has a body.
        if self._known.visible:
            return edited
        return edited or changed or self._reordered(changes)

    def _all(self) -> dict[ChangedFunction, FunctionChange]:
        """Return all functions with changed lines."""
        changes: dict[ChangedFunction, FunctionChange] = {}
        for versions in self._files:
            for function, run in _runs(versions):
                if not _is_test_of_rust(function):
                    change = changes.setdefault(function, FunctionChange(versions))
                    self._add(change, function, run)
        return changes

    def _reordered(
        self, changes: dict[ChangedFunction, FunctionChange]
    ) -> dict[ChangedFunction, FunctionChange]:
        """Return the functions that do the same in another order: nothing else may have changed."""
        reordered: dict[ChangedFunction, FunctionChange] = {}
        for function, change in changes.items():
            if function in self._bodies and change.is_reordered:
                change.runs += [NotableRun(run, Weight.BODY) for run in change.moved_runs]
                reordered[function] = change
        return reordered

    def _add(self, change: FunctionChange, function: ChangedFunction, run: Run) -> None:
        change.lines += run
        change.has_moved_lines |= any(line.bare in self._moved for line in run)
        displayed: Run = []
        unshown: Run = []
        for line in run:
            if not line.is_code or not self._known.is_visible(function.file, line):
                displayed.append(line)
            if not self._known.is_known(function.file, line) and line.bare not in self._moved:
                unshown.append(line)
        code = without_debugging(unshown, is_native=function.file.endswith(NATIVE))
        if count_code(run) and not count_code(unshown):
            change.moved_runs.append(run)
        if not count_code(code) or not changes_code(code):
            return
        if self._moves_away(run) or self._names_values(code):
            return
        if has_no_effect(unshown, change.versions) or is_still_set(run, change.versions):
            return
        code = really_changed(code)
        if len(displayed) < len(run):
            displayed = [line for line in displayed if not _BRACKETS.fullmatch(line.bare)]
        displayed = shown_lines(displayed, code)
        weight = weight_of(code)
        is_list_of_files = weight is Weight.BODY and is_cmake(function.file)
        follows = self._follows(code) or self._is_taken_out(run, code) or only_prepares(code)
        if is_list_of_files or follows:
            weight = Weight.FOLLOWS
        change.runs.append(NotableRun(displayed, weight))

    def _moves_away(self, run: Run) -> bool:
        """Return True for lines that only go here, most of which come in another place.

        Shown by themselves they would look as if they were gone.
        """
        removed = [line for line in run if line.is_code]
        if not removed or any(line.side == "new" for line in removed):
            return False
        moved = [line for line in removed if line.bare in self._moved]
        return len(moved) >= _MOVED_SHARE * len(removed)

    def _is_taken_out(self, run: Run, rest: Run) -> bool:
        """Return True where a call takes the place of lines that are in a new function now."""
        kept = {line.bare for line in run if line.side == "new"}
        removed = [line for line in run if line.is_code and line.side == "old"]
        moved: Run = []
        for line in removed:
            is_in_helper = (
                line.bare in self._moved or without_owners(line.bare) in self._moved_members
            )
            if is_in_helper and line.bare not in kept:
                moved.append(line)
        if not removed or len(moved) < _MOVED_SHARE * len(removed):
            return False
        names: set[str] = set()
        for line in rest:
            if line.is_code and line.side == "new":
                names.update(_NAME.findall(line.text[1:]))
        return bool(names & self._one_sided_names)

    def _names_values(self, lines: Run) -> bool:
        """Return True where only new names stand for the values that were written there before."""
        if not self._named_values:
            return False
        texts: dict[Side, str] = {"old": "", "new": ""}
        for line in lines:
            if line.is_code:
                texts[line.side] += "".join(line.text[1:].split())
        for value, name in self._named_values.items():
            texts["old"] = texts["old"].replace(value, name)
        return texts["old"] == texts["new"]

    def _is_one_sided(self, function: ChangedFunction) -> bool:
        name = function.name
        while name:
            if ChangedFunction(function.file, name) in self._one_sided:
                return True
            name = name.rpartition(".")[0]
        return False

    def _follows(self, lines: Sequence[ChangedLine]) -> bool:
        """Return True for lines that have the same words, and name something that came or went."""
        words: dict[Side, Counter[str]] = {"old": Counter(), "new": Counter()}
        for line in lines:
            if line.is_code:
                words[line.side].update(_NAME.findall(line.text[1:]))
        for counter in words.values():
            for word in _OF_METHODS:
                counter.pop(word, None)
        if not self._one_sided_names & {*words["old"], *words["new"]}:
            return False
        different = (words["old"] - words["new"]) + (words["new"] - words["old"])
        # That a class has another base may be what the commit is about.
        is_removed_name = set(different) <= self._one_sided_names and not words["new"]
        return not different or is_removed_name


def _compared_files(files: Sequence["Versions"]) -> list["Versions"]:
    """Return the files of which lines are shown.

    Of a commit that leaves the product alone, these are the programs beside it.
    """
    if any(is_product(versions.file.path) for versions in files):
        return [versions for versions in files if is_compared(versions)]
    programs: list[Versions] = []
    for versions in files:
        path = versions.file.path
        is_program = is_beside_product(path) and language_of(path) is not None
        if is_program and versions.file.status not in ("added", "removed"):
            programs.append(versions)
    return programs


def is_compared(versions: "Versions") -> bool:
    """Return True for a file of which lines are shown: the options of a shipped benchmark are facts."""
    if area(versions.file.path) is Area.BENCH or not is_product(versions.file.path):
        return False
    if is_written_by_tool(versions):
        return False
    return versions.file.status not in ("added", "removed")


def is_written_by_tool(versions: "Versions") -> bool:
    """Return True for a file that a tool wrote, as its first lines say."""
    return any(is_generated(versions.file.path, text) for text in versions.texts)


def _is_test_of_rust(function: ChangedFunction) -> bool:
    """Return True for a test beside the code that it tests, in the module where Rust has them."""
    return function.file.endswith(".rs") and function.name.split(".")[0] in ("test", "tests")


def _named_values(files: Iterable["Versions"]) -> dict[str, str]:
    """Return the new names for values, by the values as they are written without spaces."""
    names: dict[str, str] = {}
    for versions in files:
        added = versions.patch.lines("new")
        for declaration in versions.new:
            value = "".join(declaration.parts.get("value", "").split())
            is_new = declaration.kind == "constant" and declaration.line in added
            if is_new and len(value) >= _MIN_NAMED_VALUE:
                names[value] = declaration.name
    return names


def _moved_lines(files: Iterable["Versions"], form: Callable[[str], str] = str.strip) -> set[str]:
    """Return the lines that go in one place and come in another, whatever their indentation.

    Lines are the same if they have the same `form`.
    """
    removed: set[str] = set()
    added: set[str] = set()
    for versions in files:
        removed.update(form(line[1:]) for line in versions.patch.lines("old").values())
        added.update(form(line[1:]) for line in versions.patch.lines("new").values())
    return removed & added


def _runs(versions: "Versions") -> Iterator[tuple[ChangedFunction, Run]]:
    """Yield the runs of changed lines without docstrings, those of each definition by themselves."""
    hidden: dict[Side, Collection[int]] = {"old": versions.hidden_old, "new": versions.hidden_new}
    names: dict[Side, dict[int, str]] = {
        "old": _names_by_line(versions.old),
        "new": _names_by_line(versions.new),
    }
    for hunk in versions.patch.hunks:
        for run in runs_of(hunk):
            parts: dict[ChangedFunction, Run] = defaultdict(list)
            # A comment or an empty line belongs to what stands below it.
            name_below: dict[Side, str] = {}
            for line in reversed(run):
                name = names[line.side].get(line.number, "")
                if not line.is_code:
                    name = name_below.get(line.side, name)
                name_below[line.side] = name
                if line.number not in hidden[line.side]:
                    parts[ChangedFunction(versions.file.path, name)].insert(0, line)
            yield from reversed(parts.items())


def _names_by_line(declarations: Iterable["Declaration"]) -> dict[int, str]:
    """Return for each line the innermost definition around it that others can name."""
    definitions = []
    for declaration in declarations:
        if declaration.kind in ("function", "class") and not declaration.local:
            definitions.append(declaration)
    definitions.sort(key=_line_count)
    names: dict[int, str] = {}
    # The longest come first, and shorter ones replace them where they stand inside.
    for definition in reversed(definitions):
        lines = range(definition.first, definition.last + 1)
        names.update(dict.fromkeys(lines, definition.path))
    return names


def _bodies(files: Iterable["Versions"]) -> Iterator[ChangedFunction]:
    """Yield the functions that both versions of a file have; classes have members in any order."""
    for versions in files:
        old = {scope.path for scope in versions.old if scope.kind == "function"}
        added = versions.patch.lines("new")
        for scope in versions.new:
            is_moved = scope.line in added  # As a whole, with its body
            if scope.kind == "function" and scope.path in old and not is_moved:
                yield ChangedFunction(versions.file.path, scope.path)


def _line_count(definition: "Declaration") -> int:
    return definition.last - definition.first + 1


def _one_sided_definitions(files: Sequence["Versions"]) -> set[ChangedFunction]:
    """Return the definitions that only one of the versions has."""
    one_sided: set[ChangedFunction] = set()
    for versions in files:
        old = _scopes_by_path(versions.old)
        new = _scopes_by_path(versions.new)
        for name, declaration in old.items():
            # Of a version only what is near changed lines is read at first.
            if name not in new and not versions.has_elsewhere(declaration, "old"):
                one_sided.add(ChangedFunction(versions.file.path, name))
        for name, declaration in new.items():
            if name not in old and not versions.has_elsewhere(declaration, "new"):
                one_sided.add(ChangedFunction(versions.file.path, name))
    return one_sided


def _scopes_by_path(declarations: Iterable["Declaration"]) -> dict[str, "Declaration"]:
    return {scope.path: scope for scope in declarations if scope.is_scope}
