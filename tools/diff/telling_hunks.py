"""What code cannot word: the most telling changed lines, each with the definition around them."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.commits import FileChange
from agent.domain.facts import Fact, FactLocation, Severity
from agent.domain.patch import Hunk, Side, read_patch
from agent.domain.surface import SurfaceChange
from agent.triage.line_order import is_visible_to_users, tells_something
from tools.diff.layout import docstring_lines
from tools.diff.roles import Role, is_product, role

if TYPE_CHECKING:
    from tools.diff.declarations import Declaration
    from tools.diff.file_versions import Versions

MAX_HUNKS = 3
_MAX_FILES = 2  # Files of which a hunk is shown where no definition is in sight
_SIDES = 2  # Texts of a file where both of its versions are at hand
_MAX_LINES = 14  # Lines shown of one run
_COMMENTS = ("#", "//", "*", "/*", '"""', "<!--")
_WORD = re.compile(r"\w+|[^\w\s(){}\[\],:;!]")
_OF_BRANCHES = ("not", "else")
"""Words that come or go where the branches of a condition are exchanged."""
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


class _Line(NamedTuple):
    """A changed line with its number on its own side."""

    number: int
    text: str  # With its sign


class _Function(NamedTuple):
    """A function or class in which lines changed; without a name what no definition surrounds."""

    file: str
    name: str


Run = list[_Line]  # Changed lines that follow each other in the patch


class _TellingRun(NamedTuple):
    """A run of changed lines, and those of them that nothing else shows and that did not move."""

    run: Run
    telling: Run

    @property
    def is_visible(self) -> bool:
        """Whether it has something that users read, set or run into."""
        return any(_is_code(line) and is_visible_to_users(line.text[1:]) for line in self.telling)


@dataclass
class _FunctionChange:
    """What changes in a function."""

    lines: Run = field(default_factory=list)
    runs: list[_TellingRun] = field(default_factory=list)
    has_moved_lines: bool = False

    @property
    def is_visible(self) -> bool:
        """Whether one of its runs has something that users read, set or run into."""
        return any(run.is_visible for run in self.runs)

    @property
    def is_rearranged(self) -> bool:
        """Whether the same words only come in another order, as where a condition is inverted."""
        if not self.has_moved_lines:
            return False
        words: dict[str, Counter[str]] = {"-": Counter(), "+": Counter()}
        for line in self.lines:
            if _is_code(line):
                words[line.text[0]].update(_WORD.findall(line.text[1:]))
        for counter in words.values():
            counter["if"] += counter.pop("elif", 0)
            for word in _OF_BRANCHES:
                counter.pop(word, None)
        return words["-"] == words["+"]

    @property
    def most_telling_run(self) -> Run:
        """The run that users meet, or else the one with most code."""
        best = max(self.runs, key=lambda run: (run.is_visible, _code_lines(run.telling)))
        return best.run


def changed_functions(
    files: Sequence["Versions"],
    shown_places: Iterable[FactLocation],
    surface: SurfaceChange | None = None,
) -> list[Fact]:
    """Return a fact for each function whose body changes, those that users meet first.

    New functions come last: that something new has a body says nothing.
    """
    shown_lines: set[tuple[str, str]] = set()
    for place in shown_places:
        shown_lines.update((place.file, line) for line in place.lines)
    product_files = [versions for versions in files if _is_compared(versions)]
    moved = _moved_lines(product_files)
    changes: dict[_Function, _FunctionChange] = defaultdict(_FunctionChange)
    for versions in product_files:
        for function, run in _runs(versions):
            change = changes[function]
            change.lines += run
            change.has_moved_lines |= any(_bare(line) in moved for line in run)
            telling: Run = []
            for line in run:
                is_shown = (function.file, line.text) in shown_lines
                if not is_shown and _bare(line) not in moved:
                    telling.append(line)
            if _changes_code(telling):
                change.runs.append(_TellingRun(run, telling))
    telling_changes: dict[_Function, _FunctionChange] = {}
    for function, change in changes.items():
        if change.runs and not change.is_rearranged:
            telling_changes[function] = change
    one_sided = _one_sided_definitions(files)
    named = {
        function: change
        for function, change in telling_changes.items()
        if function.name and function not in one_sided
    }
    ranked = sorted(
        (named or telling_changes).items(),
        key=lambda entry: _order_key(entry[0], entry[1], surface),
    )
    facts: list[Fact] = []
    for function, change in ranked:
        name = function.name or function.file.rpartition("/")[2]
        facts.append(_code_fact(function.file, name, change.most_telling_run))
    return facts


def largest_hunks(files: Sequence[FileChange], compared: Collection[str] = ()) -> list[Fact]:
    """Return the largest hunks of the files that say most, where nothing else is there to tell.

    Of the product's files that were compared it is known that they do what they did before.
    """
    ranked = sorted(files, key=lambda file: (_rank(file.path), -file.additions - file.deletions))
    facts: list[Fact] = []
    for file in ranked[:_MAX_FILES]:
        runs: list[Run] = []
        for hunk in read_patch(file.patch).hunks:
            runs += _runs_of(hunk)
        if not runs:
            continue
        fact = _code_fact(file.path, file.path, max(runs, key=_code_lines))
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


def _bare(line: _Line) -> str:
    return line.text[1:].strip()


def _order_key(
    function: _Function, change: _FunctionChange, surface: SurfaceChange | None
) -> tuple[bool, bool, bool, int]:
    """Return what sorts functions: strings, flags and errors, public ones, then the most changed."""
    top = function.name.partition(".")[0]
    is_public = surface is not None and bool(surface.public_path(function.file, top))
    own_name = function.name.rpartition(".")[2]
    is_private = own_name.startswith("_") and not own_name.startswith("__")
    return (not change.is_visible, not is_public, is_private, -len(change.lines))


def _rank(path: str) -> int:
    if is_product(path):
        return -1
    file_role = role(path)
    return _ORDER.index(file_role) if file_role in _ORDER else len(_ORDER)


def _runs(versions: "Versions") -> Iterator[tuple[_Function, Run]]:
    """Yield the runs of changed lines without docstrings, those of each definition by themselves."""
    docstrings = _docstrings(versions)
    for hunk in versions.patch.hunks:
        for run in _runs_of(hunk):
            parts: dict[_Function, Run] = defaultdict(list)
            for line in run:
                if line.number in docstrings[_side(line)]:
                    continue
                function = _Function(versions.file.path, _enclosing(line, versions))
                parts[function].append(line)
            yield from parts.items()


def _runs_of(hunk: Hunk) -> Iterator[Run]:
    run: Run = []
    for sign, number, text in hunk.numbered():
        if sign == " ":
            if run:
                yield run
            run = []
        else:
            run.append(_Line(number, text))
    if run:
        yield run


def _side(line: _Line) -> Side:
    return "old" if line.text.startswith("-") else "new"


def _docstrings(versions: "Versions") -> dict[Side, frozenset[int]]:
    """Return the lines of docstrings on both sides; none where the whole file is not at hand."""
    if len(versions.texts) < _SIDES:
        return {"old": frozenset(), "new": frozenset()}
    path = versions.file.path
    old_text, new_text = versions.texts[:_SIDES]
    return {"old": docstring_lines(path, old_text), "new": docstring_lines(path, new_text)}


def _enclosing(line: _Line, versions: "Versions") -> str:
    """Return the innermost definition around a line that others can name."""
    innermost: Declaration | None = None
    for declaration in versions.old if _side(line) == "old" else versions.new:
        if declaration.kind not in ("function", "class") or declaration.local:
            continue
        if not declaration.first <= line.number <= declaration.last:
            continue
        length = declaration.last - declaration.first
        if innermost is None or length < innermost.last - innermost.first:
            innermost = declaration
    return innermost.path if innermost else ""


def _changes_code(run: Sequence[_Line]) -> bool:
    """Return False for lines that are only laid out anew, moved or commented."""
    removed: list[str] = []
    added: list[str] = []
    for line in run:
        if _is_code(line):
            (removed if line.text.startswith("-") else added).extend(line.text[1:].split())
    return "".join(removed).replace(",", "") != "".join(added).replace(",", "")


def _is_code(line: _Line) -> bool:
    text = line.text[1:].strip()
    return any(sign.isalnum() for sign in text) and not text.startswith(_COMMENTS)


def _code_lines(run: Run) -> int:
    """Count the lines of code of a run; an import says less than its use."""
    return sum(_is_code(line) and tells_something(line.text[1:]) for line in run)


def _one_sided_definitions(files: Sequence["Versions"]) -> set[_Function]:
    """Return the definitions that only one of the versions has."""
    one_sided: set[_Function] = set()
    for versions in files:
        old_names = {declaration.path for declaration in versions.old if declaration.is_scope}
        new_names = {declaration.path for declaration in versions.new if declaration.is_scope}
        one_sided |= {_Function(versions.file.path, name) for name in old_names ^ new_names}
    return one_sided


def _code_fact(file: str, name: str, run: Run) -> Fact:
    lines = _window(run)
    added = [line for line in lines if line.text.startswith("+")]
    place = FactLocation(
        file=file,
        line=(added or lines)[0].number,
        lines=tuple(line.text for line in lines),
    )
    code = [line.text for line in run if _is_code(line)]
    is_exchange = [text[0] for text in code] == ["-", "+"]
    return Fact(
        kind="code-changed",
        severity=Severity.INTERNAL if role(file) in _NOT_FOR_USERS else Severity.BEHAVIOUR,
        name=name,
        old=code[0][1:].strip() if is_exchange else None,
        new=code[1][1:].strip() if is_exchange else None,
        places=(place,),
    )


def _window(run: Run) -> Run:
    """Return the lines of a run that are shown: from its first line of code, with what replaces it."""
    start = next((index for index, line in enumerate(run) if _is_code(line)), 0)
    lines = run[start:]
    if len(lines) <= _MAX_LINES:
        return lines
    half = _MAX_LINES // 2
    removed = [line for line in lines if line.text.startswith("-")]
    added = [line for line in lines if line.text.startswith("+")]
    kept_removed = removed[: max(half, _MAX_LINES - len(added))]
    return [*kept_removed, *added[: _MAX_LINES - len(kept_removed)]]
