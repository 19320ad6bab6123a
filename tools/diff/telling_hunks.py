"""What code cannot word: the most telling changed lines, each with the definition around them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.domain.commits import FileChange
from agent.domain.facts import Fact, FactLocation, Severity
from agent.domain.patch import Hunk, Side, read_patch
from tools.diff.roles import Role, is_product, role

if TYPE_CHECKING:
    from tools.diff.declarations import Declaration
    from tools.diff.file_versions import Versions

MAX_HUNKS = 3
_MAX_FILES = 2  # Files of which a hunk is shown where no definition is in sight
_MAX_LINES = 14  # Lines shown of one run
_BARE = "+- \t{}();,"  # A line of these alone says nothing
_COMMENTS = ("#", "//", "*", "/*", '"""', "<!--")
_IMPORTS = ("import ", "from ", "#include", "using ", "use ")
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
)
"""What is for those alone who work on the project."""


class _Line(NamedTuple):
    """A changed line with its number on its own side."""

    number: int
    text: str  # With its sign


class _Function(NamedTuple):
    """A function or class in which lines changed; without a name what no definition surrounds."""

    file: str
    name: str


Run = list[_Line]  # Changed lines that follow each other in the patch


def changed_functions(files: Sequence["Versions"], told: Iterable[FactLocation]) -> list[Fact]:
    """Return a fact for each function whose body changes, the most changed first.

    New functions come last: that something new has a body says nothing.
    """
    told_lines: set[tuple[str, str]] = set()
    for place in told:
        told_lines.update((place.file, line) for line in place.lines)
    runs_by_function: dict[_Function, list[Run]] = defaultdict(list)
    for versions in files:
        path = versions.file.path
        if not is_product(path) or versions.file.status in ("added", "removed"):
            continue
        for function, run in _runs(versions):
            telling = [line for line in run if (path, line.text) not in told_lines]
            if _changes_code(telling):
                runs_by_function[function].append(run)
    one_sided = _one_sided_definitions(files)
    named = {
        function: runs
        for function, runs in runs_by_function.items()
        if function.name and function not in one_sided
    }
    ranked = sorted((named or runs_by_function).items(), key=lambda entry: -_weight(entry[1]))
    facts: list[Fact] = []
    for function, runs in ranked:
        name = function.name or function.file.rpartition("/")[2]
        facts.append(_code_fact(function.file, name, max(runs, key=_code_lines)))
    return facts


def largest_hunks(files: Sequence[FileChange]) -> list[Fact]:
    """Return the largest hunks of the files that say most, where nothing else is there to tell."""
    ranked = sorted(files, key=lambda file: (_rank(file.path), -file.additions - file.deletions))
    facts: list[Fact] = []
    for file in ranked[:_MAX_FILES]:
        runs: list[Run] = []
        for hunk in read_patch(file.patch).hunks:
            runs += _runs_of(hunk)
        if runs:
            facts.append(_code_fact(file.path, file.path, max(runs, key=_code_lines)))
    return facts


def _rank(path: str) -> int:
    if is_product(path):
        return -1
    file_role = role(path)
    return _ORDER.index(file_role) if file_role in _ORDER else len(_ORDER)


def _runs(versions: "Versions") -> Iterator[tuple[_Function, Run]]:
    """Yield the runs of changed lines, those of each definition by themselves."""
    for hunk in versions.patch.hunks:
        for run in _runs_of(hunk):
            parts: dict[_Function, Run] = defaultdict(list)
            for line in run:
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


def _enclosing(line: _Line, versions: "Versions") -> str:
    """Return the innermost definition around a line that others can name."""
    side: Side = "old" if line.text.startswith("-") else "new"
    innermost: Declaration | None = None
    for declaration in versions.old if side == "old" else versions.new:
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
    text = line.text
    return len(text.strip(_BARE)) > 1 and not text[1:].lstrip().startswith(_COMMENTS)


def _code_lines(run: Run) -> int:
    """Count the lines of code of a run; an import says less than its use."""
    return sum(_is_code(line) and not line.text[1:].lstrip().startswith(_IMPORTS) for line in run)


def _weight(runs: Iterable[Run]) -> int:
    return sum(len(run) for run in runs)


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
