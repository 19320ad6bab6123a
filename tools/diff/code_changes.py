"""Changes that only their lines show: the most notable ones, each with the definition around them."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.commits import FileChange
from agent.domain.facts import Fact, FactLocation, Severity
from agent.domain.patch import Side, read_patch
from agent.domain.surface import SurfaceChange
from tools.diff.changed_runs import (
    ChangedLine,
    Run,
    Weight,
    changes_code,
    count_code,
    hidden_lines,
    runs_of,
    weight_of,
    without_debugging,
)
from tools.diff.roles import Role, is_product, role
from tools.diff.told_lines import LineOfSide

if TYPE_CHECKING:
    from tools.diff.declarations import Declaration
    from tools.diff.file_versions import Versions

_MAX_FUNCTIONS = 3  # Functions that are shown where no other fact is shown
_MAX_FUNCTIONS_BESIDE_FACTS = 2  # Where other facts are shown, only of what users notice
_MAX_RUNS = 3  # Runs that are shown of one function
_MAX_FILES = 2  # Files of which hunks are shown where no definition is in sight
_SIDES = 2  # Texts of a file where both of its versions are at hand
_MAX_LINES = 14  # Lines shown of one run
_WORD = re.compile(r"\w+|[^\w\s(){}\[\],:;!]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_OF_BRANCHES = ("not", "else")
"""Words that come or go where the branches of a condition are exchanged."""
_TITLE_WORD = re.compile(r"[A-Za-z_][\w-]{3,}")
_OF_METHODS = ("self", "cls", "this")
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
_NOT_FOR_USERS = (
    Role.DOCUMENT,
    Role.TEST,
    Role.CI,
    Role.SCRIPT,
    Role.LOCK,
    Role.GENERATED,
    Role.VENDORED,
    Role.ASSET,
    Role.EXAMPLE,
    Role.BENCHMARK,
)
"""What changes nothing of that which users install."""


class _Function(NamedTuple):
    """A function or class in which lines changed; without a name what no definition surrounds."""

    file: str
    name: str


class _NotableRun(NamedTuple):
    """Changed lines that follow each other and that nothing else shows."""

    lines: Run
    weight: Weight

    @property
    def order(self) -> tuple[int, int]:
        """The sort key of runs: what users notice first, then those with most code."""
        return (-self.weight, -count_code(self.lines))


@dataclass
class _FunctionChange:
    """The changes in a function."""

    lines: Run = field(default_factory=list)
    runs: list[_NotableRun] = field(default_factory=list)
    has_moved_lines: bool = False

    @property
    def weight(self) -> Weight:
        """The weight of the run that users notice most."""
        return max(run.weight for run in self.runs)

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
    def shown_runs(self) -> list[Run]:
        """The runs that are shown, the one that users notice most first."""
        ordered = sorted(self.runs, key=lambda run: run.order)
        heaviest = [run for run in ordered if run.weight == ordered[0].weight]
        return [run.lines for run in heaviest[:_MAX_RUNS]]

    @property
    def exchanged_names(self) -> tuple[str, ...]:
        """The names that go and that come, if nothing else differs in the lines that are shown."""
        words: dict[Side, Counter[str]] = {"old": Counter(), "new": Counter()}
        for run in self.shown_runs:
            for line in run:
                if line.is_code:
                    words[line.side].update(_WORD.findall(line.text[1:]))
        removed = words["old"] - words["new"]
        added = words["new"] - words["old"]
        is_exchange = len(removed) == len(added) == 1 and removed.total() == added.total()
        if not is_exchange:
            return ()
        names = (*removed, *added)
        return names if all(_NAME.fullmatch(name) for name in names) else ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The changed lines that are shown, by which functions that change alike are found."""
        texts: list[str] = []
        for run in self.shown_runs:
            texts += [line.text[0] + line.bare for line in run]
        return tuple(texts)


def changed_functions(
    files: Sequence["Versions"],
    facts: Sequence[Fact],
    surface: SurfaceChange | None = None,
    title: str = "",
    told: Collection[LineOfSide] = (),
) -> list[Fact]:
    """Return a fact for each function whose body changes, those that users notice first.

    Names of the commit's title lead to what it is about. Beside other facts that users see only
    those are worth showing that users notice or that the title names, and beside heavier changes
    those that are as heavy. Lines that other facts show, and lines of the declarations that these
    are about (`told`), do not make a function worth showing.
    New functions are shown where nothing else is: that something new has a body says nothing.
    """
    visible_facts = [fact for fact in facts if fact.severity is not Severity.INTERNAL]
    known = _KnownLines(_lines_of(facts), _lines_of(visible_facts), frozenset(told))
    changes = _FunctionChanges(files, known).worth_showing()
    words = _title_words(title)
    ranked = sorted(
        changes.items(), key=lambda entry: _order_key(entry[0], entry[1], surface, words)
    )
    groups: dict[tuple[str, ...], list[tuple[_Function, _FunctionChange]]] = defaultdict(list)
    for function, change in ranked:
        groups[change.exchanged_names or change.texts].append((function, change))
    heaviest = max((change.weight for change in changes.values()), default=Weight.BODY)
    code_facts: list[Fact] = []
    for group in groups.values():
        function, change = group[0]
        is_noticed = change.weight is Weight.VISIBLE
        if visible_facts and not is_noticed and not _named_words(function, change, words):
            continue
        if code_facts and change.weight <= Weight.BODY < heaviest:
            continue
        code_facts.append(_fact_of_functions(group))
    return code_facts[: _MAX_FUNCTIONS_BESIDE_FACTS if visible_facts else _MAX_FUNCTIONS]


def _lines_of(facts: Iterable[Fact]) -> set[tuple[str, str]]:
    """Return the changed lines that facts show, each behind its file."""
    lines: set[tuple[str, str]] = set()
    for fact in facts:
        for location in fact.places:
            lines.update((location.file, line) for line in location.lines)
    return lines


class _KnownLines(NamedTuple):
    """The changed lines that other facts show or tell."""

    shown: set[tuple[str, str]]  # By the texts that are displayed, behind their files
    visible: set[tuple[str, str]]  # Those of facts that users see
    told: frozenset[LineOfSide]

    def is_visible(self, file: str, line: ChangedLine) -> bool:
        """Return True for a line that users see with another fact."""
        return (file, line.text) in self.visible

    def is_known(self, file: str, line: ChangedLine) -> bool:
        """Return True for a line that makes no change of its own worth showing."""
        if (file, line.text) in self.shown:
            return True
        return LineOfSide(file, line.side, line.number) in self.told


class _FunctionChanges:
    """The changed lines of a commit's product, by the functions that have them."""

    def __init__(
        self,
        files: Sequence["Versions"],
        known: _KnownLines,
    ) -> None:
        self._files = [versions for versions in files if _is_compared(versions)]
        self._moved = _moved_lines(self._files)
        self._one_sided = _one_sided_definitions(files)
        self._one_sided_names: set[str] = set()
        for function in self._one_sided:
            if function.name:
                self._one_sided_names.add(function.name.rpartition(".")[2])
        self._known = known

    def worth_showing(self) -> dict[_Function, _FunctionChange]:
        """Return the functions of which lines are worth showing; new ones only if there are no others."""
        changes: dict[_Function, _FunctionChange] = defaultdict(_FunctionChange)
        for versions in self._files:
            for function, run in _runs(versions):
                self._add(changes[function], function, run)
        changed: dict[_Function, _FunctionChange] = {}
        edited: dict[_Function, _FunctionChange] = {}
        for function, change in changes.items():
            if not change.runs or change.is_rearranged:
                continue
            changed[function] = change
            if not self._is_one_sided(function):
                edited[function] = change
        # Beside facts that users see, it says nothing that something new has a body.
        return edited if self._known.visible else edited or changed

    def _add(self, change: _FunctionChange, function: _Function, run: Run) -> None:
        change.lines += run
        change.has_moved_lines |= any(line.bare in self._moved for line in run)
        displayed: Run = []
        unshown: Run = []
        for line in run:
            if not line.is_code or not self._known.is_visible(function.file, line):
                displayed.append(line)
            if not self._known.is_known(function.file, line) and line.bare not in self._moved:
                unshown.append(line)
        code = without_debugging(unshown)
        if not count_code(code) or not changes_code(code):
            return
        weight = weight_of(code)
        if self._follows(code):
            weight = Weight.FOLLOWS
        change.runs.append(_NotableRun(displayed, weight))

    def _is_one_sided(self, function: _Function) -> bool:
        name = function.name
        while name:
            if _Function(function.file, name) in self._one_sided:
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


def largest_hunks(files: Sequence[FileChange], compared: Collection[str] = ()) -> list[Fact]:
    """Return the most notable hunks of the most important files, where there are no other facts.

    Of the product's files that were compared it is known that they do what they did before.
    """
    # What went as a whole is told by its name.
    kept = [file for file in files if file.status != "removed"]
    ranked = sorted(kept, key=lambda file: (_rank(file.path), -file.additions - file.deletions))
    facts: list[Fact] = []
    for file in ranked[:_MAX_FILES]:
        runs: list[_NotableRun] = []
        for hunk in read_patch(file.patch).hunks:
            for run in runs_of(hunk):
                runs.append(_NotableRun(run, weight_of(run)))
        if not runs:
            continue
        runs.sort(key=lambda run: run.order)
        noticed = [run.lines for run in runs if run.weight is Weight.VISIBLE]
        shown_runs = noticed[:_MAX_RUNS] or [runs[0].lines]
        fact = _code_fact(file.path, file.path, shown_runs)
        is_unchanged = file.path in compared and is_product(file.path)
        if is_unchanged and file.status == "modified":
            fact = fact.model_copy(update={"severity": Severity.INTERNAL})
        facts.append(fact)
    return facts


def _is_compared(versions: "Versions") -> bool:
    return is_product(versions.file.path) and versions.file.status not in ("added", "removed")


def _moved_lines(files: Iterable["Versions"]) -> set[str]:
    """Return the lines that go in one place and come in another, whatever their indentation."""
    removed: set[str] = set()
    added: set[str] = set()
    for versions in files:
        removed.update(line[1:].strip() for line in versions.patch.lines("old").values())
        added.update(line[1:].strip() for line in versions.patch.lines("new").values())
    return removed & added


def _order_key(
    function: _Function,
    change: _FunctionChange,
    surface: SurfaceChange | None,
    title_words: Collection[str],
) -> tuple[bool, int, int, bool, bool, int]:
    """Return what sorts functions: what the title names, what users notice, public ones, large ones."""
    words = _words_of(function, change)
    named = [word for word in title_words if word in words]
    is_named = bool(_named_words(function, change, title_words))
    top = function.name.partition(".")[0]
    is_public = surface is not None and bool(surface.public_path(function.file, top))
    own_name = function.name.rpartition(".")[2]
    is_private = own_name.startswith("_") and not own_name.startswith("__")
    return (
        not is_named,
        -change.weight,
        -len(named),
        not is_public,
        is_private,
        -len(change.lines),
    )


def _named_words(
    function: _Function, change: _FunctionChange, title_words: Collection[str]
) -> list[str]:
    """Return the words of code in a title that the changed lines of a function have."""
    words = _words_of(function, change)
    return [word for word in title_words if word in words and _is_identifier(word)]


def _title_words(title: str) -> frozenset[str]:
    """Return the words of a title that lines may have, without the number of its pull request."""
    return frozenset(
        word.lower() if word.istitle() else word for word in _TITLE_WORD.findall(title)
    )


def _is_identifier(word: str) -> bool:
    """Return True for a word of code: with underscores, digits or capitals inside."""
    return "_" in word or any(sign.isdigit() or sign.isupper() for sign in word[1:])


def _words_of(function: _Function, change: _FunctionChange) -> set[str]:
    """Return the names in the changed lines of a function, and the parts of these names."""
    words: set[str] = set()
    for text in (function.name, *(line.bare for line in change.lines if line.is_code)):
        for word in _TITLE_WORD.findall(text):
            words.add(word)
            words.update(word.lower().split("_"))
    return words


def _rank(path: str) -> int:
    if is_product(path):
        return -1
    file_role = role(path)
    return _ORDER.index(file_role) if file_role in _ORDER else len(_ORDER)


def _runs(versions: "Versions") -> Iterator[tuple[_Function, Run]]:
    """Yield the runs of changed lines without docstrings, those of each definition by themselves."""
    hidden = _hidden_lines(versions)
    names: dict[Side, dict[int, str]] = {
        "old": _names_by_line(versions.old),
        "new": _names_by_line(versions.new),
    }
    for hunk in versions.patch.hunks:
        for run in runs_of(hunk):
            parts: dict[_Function, Run] = defaultdict(list)
            for line in run:
                if line.number in hidden[line.side]:
                    continue
                name = names[line.side].get(line.number, "")
                function = _Function(versions.file.path, name)
                parts[function].append(line)
            yield from parts.items()


def _hidden_lines(versions: "Versions") -> dict[Side, Collection[int]]:
    """Return lines that are not shown on both sides; none where the whole file is not at hand."""
    if len(versions.texts) < _SIDES:
        return {"old": frozenset(), "new": frozenset()}
    path = versions.file.path
    old_text, new_text = versions.texts[:_SIDES]
    return {
        "old": hidden_lines(path, old_text, new_text),
        "new": hidden_lines(path, new_text, old_text),
    }


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


def _line_count(definition: "Declaration") -> int:
    return definition.last - definition.first + 1


def _one_sided_definitions(files: Sequence["Versions"]) -> set[_Function]:
    """Return the definitions that only one of the versions has."""
    one_sided: set[_Function] = set()
    for versions in files:
        old = _scopes_by_path(versions.old)
        new = _scopes_by_path(versions.new)
        for name, declaration in old.items():
            # Of a version only what is near changed lines is read at first.
            if name not in new and not versions.has_elsewhere(declaration, "old"):
                one_sided.add(_Function(versions.file.path, name))
        for name, declaration in new.items():
            if name not in old and not versions.has_elsewhere(declaration, "new"):
                one_sided.add(_Function(versions.file.path, name))
    return one_sided


def _scopes_by_path(declarations: Iterable["Declaration"]) -> dict[str, "Declaration"]:
    return {scope.path: scope for scope in declarations if scope.is_scope}


def _fact_of_functions(group: Sequence[tuple[_Function, _FunctionChange]]) -> Fact:
    """Return the fact of functions that change alike."""
    function, change = group[0]
    names = [function.name or function.file.rpartition("/")[2] for function, _ in group]
    unique_names = list(dict.fromkeys(names))
    fact = _code_fact(function.file, ", ".join(unique_names), change.shown_runs)
    update: dict[str, object] = {"count": len(unique_names)}
    if change.weight is Weight.FOLLOWS:
        update["severity"] = Severity.INTERNAL
    return fact.model_copy(update=update)


def _code_fact(file: str, name: str, runs: Sequence[Run]) -> Fact:
    code = [line for line in runs[0] if line.is_code]
    is_exchange = [line.side for line in code] == ["old", "new"]
    return Fact(
        kind="code-changed",
        severity=Severity.INTERNAL if role(file) in _NOT_FOR_USERS else Severity.BEHAVIOUR,
        name=name,
        old=code[0].bare if is_exchange else None,
        new=code[1].bare if is_exchange else None,
        places=tuple(_location(file, run) for run in runs),
    )


def _location(file: str, run: Run) -> FactLocation:
    lines = _window(run)
    added = [line for line in lines if line.side == "new"]
    return FactLocation(
        file=file,
        line=(added or lines)[0].number,
        lines=tuple(line.text for line in lines),
    )


def _without_unchanged(run: Run) -> Run:
    """Return a run without the lines that both sides have, as of code that is indented anew."""
    sides: dict[Side, set[str]] = {"old": set(), "new": set()}
    for line in run:
        sides[line.side].add(line.bare)
    common = sides["old"] & sides["new"]
    return [line for line in run if line.bare not in common] or run


def _window(run: Run) -> Run:
    """Return the lines of a run that are shown: from its first line of code, with what replaces it."""
    start = next((index for index, line in enumerate(run) if line.is_code), 0)
    lines = run[start:]
    if len(lines) > _MAX_LINES:
        lines = _without_unchanged(lines)
    if len(lines) <= _MAX_LINES:
        return lines
    half = _MAX_LINES // 2
    removed = [line for line in lines if line.side == "old"]
    added = [line for line in lines if line.side == "new"]
    kept_removed = removed[: max(half, _MAX_LINES - len(added))]
    return [*kept_removed, *added[: _MAX_LINES - len(kept_removed)]]
