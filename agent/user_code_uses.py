"""Uses, in the user's own code, of what a change removes or alters; nothing here reads files."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.bumps.python_scopes import spelling
from agent.bumps.python_uses import PathUse, path_uses
from agent.domain.base import RepoId
from agent.domain.facts import Fact

MAX_PLACES = 3
_SETTING = ("flag-", "env-", "route-", "config-key-", "metric-", "unregistered")
_SYMBOL = ("symbol-", "field-", "enum-member-", "constant-", "hook-", "choices-", "deprecated")
_REMOVED_PARAMETER = ("parameter-removed", "parameter-renamed")
_DEFAULTS = ("parameter-default-changed", "field-default-changed")
_PASSED_OTHERWISE = ("parameter-keyword-only", "parameter-reordered")
_WHOLE_WORDS = ("flag-", "env-", "route-", "metric-")
_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|(?<!/)/(?!/)[\w{}./-]*[\w}]|[A-Za-z_][\w.:-]*\w|[A-Za-z_]")
_COMMENT = re.compile(r"(?<!\S)(?:#|//).*")
_PYTHON_COMMENT = re.compile(r"(?<!\S)#.*")
_OWN_OPTION = re.compile(r".{0,400}\b(?:add_argument|[Oo]ption|[Aa]rgument)\(")
"""Options that the user's own program defines: argparse, click, typer."""
_EXPANSION = re.compile(r"\$\{?[A-Za-z_]\w*")
"""How a script reads a variable."""
_COMPOUND = re.compile(r"[a-z][_.-]?[A-Z_.-]")  # A key of one common word means nothing
_CHOICE = re.compile(r"[\w.+-]+")
_SHELL = (".sh", ".bash", ".zsh", "dockerfile", "containerfile")
_READERS = ("getenv", "environ.get")
_NO_COMMAND = re.compile(
    r"\s*(?:-|[\"'$(\[]|(?:export\s+|local\s+)?[A-Za-z_]\w*\+?=|(?:ENV|ARG)\s)"
)
"""How a line of a script begins that gives arguments a name instead of running a program."""
_MAX_CALL_LINES = 60  # Lines of a call in which an argument is looked for


class UsedLine(NamedTuple):
    """A line of one's own code that a fact concerns."""

    fact: Fact
    line: int
    text: str  # The line itself, without the white space around it


def concerns(fact: Fact) -> bool:
    """Return True if code that was written before a fact may need a change for it."""
    if not fact.kind.startswith((*_SETTING, *_SYMBOL, "parameter-", "file-re")):
        return False
    if fact.kind == "parameter-added":
        written = fact.new or "*"
        return "=" not in written and written[0] != "*"
    if fact.kind in _DEFAULTS and fact.old is None:
        return False  # It had to be passed, and can still be
    if fact.kind.endswith("choices-changed") and not _lost_choices(fact):
        return False
    return not fact.kind.endswith("-added") or fact.kind == "hook-added"


def _lost_choices(fact: Fact) -> set[str]:
    """Return the values that were allowed before and are not any more."""
    return set(_CHOICE.findall(fact.old or "")) - set(_CHOICE.findall(fact.new or ""))


def used_name(fact: Fact) -> str:
    """Return the name of what is used, as code has it that was written before."""
    name = _old_name(fact)
    return f"{name}({_parameter(fact)})" if fact.kind.startswith("parameter-") else name


def project_names(repo: RepoId, facts: Iterable[Fact]) -> re.Pattern[str]:
    """Return a pattern of what code says that uses a repository.

    That is its own name, its packages, and the folders of its public headers.
    """
    names = {repo.rpartition("/")[2], *_packages(facts)}
    either = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf"(?<![a-z0-9])(?:{either})(?![a-z0-9])", re.IGNORECASE)


def _packages(facts: Iterable[Fact]) -> set[str]:
    packages: set[str] = set()
    for fact in facts:
        module = fact.module.partition("include/")[2] or fact.module
        top = re.split(r"[./]", module)[0]
        if len(top) > 3:
            packages.add(top)
    return packages


def find_uses(
    facts: Sequence[Fact], path: str, text: str, project: re.Pattern[str]
) -> Iterator[UsedLine]:
    """Yield the lines of one file that use what the facts are about, a few for each.

    Settings are looked for as words, names of Python by the paths that they stand for.
    """
    source = _OwnFile(path, text, project)
    packages = _packages(facts)
    paths = path_uses(text, packages) if source.is_python else []
    for fact in facts:
        if fact.name.startswith("--") or fact.kind.startswith(_SETTING):
            lines = source.lines_with_setting(fact)
        else:
            lines = {source.line_of(fact, use) for use in paths if _is_used(fact, use)}
        for line in sorted(lines)[:MAX_PLACES]:
            yield UsedLine(fact, line, source.lines[line - 1].strip())


class _OwnFile:
    """A file of the user's own code, by the words on its lines."""

    def __init__(self, path: str, text: str, project: re.Pattern[str]) -> None:
        self.is_python = path.endswith((".py", ".pyi"))
        self.lines = text.splitlines()
        self._words: dict[str, set[int]] = defaultdict(set)
        self._strings: dict[str, set[int]] = defaultdict(set)
        self._reads: dict[str, set[int]] = defaultdict(set)  # Lines by the variables they read
        silent_lines = set(_other_programs(path, self.lines, project))
        if self.is_python:
            nodes = _nodes(text)
            silent_lines |= _docstring_lines(nodes)
            self._read_strings(nodes, silent_lines)
            self._read_variables(nodes)
        comment = _PYTHON_COMMENT if self.is_python else _COMMENT
        for number, line in enumerate(self.lines, start=1):
            if number in silent_lines or _OWN_OPTION.match(line):
                continue
            code = comment.sub("", line)
            if not self.is_python:
                code = _EXPANSION.sub("", code)
            for token in _TOKEN.findall(code):
                # A variable may stand behind the module that reads it, and before what is asked of it.
                for word in {_normalised(token), *token.split(".")}:
                    self._words[word].add(number)

    def _read_strings(self, nodes: Iterable[ast.AST], silent_lines: set[int]) -> None:
        for node in nodes:
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if node.lineno in silent_lines:
                continue
            for word in _TOKEN.findall(node.value):
                self._strings[word].add(node.lineno)

    def _read_variables(self, nodes: Iterable[ast.AST]) -> None:
        """Note the lines that read variables: what a program reads itself it does not set for others."""
        for node in nodes:
            for name in _variables_read(node):
                self._reads[str(name.value)].add(name.lineno)

    def lines_with_setting(self, fact: Fact) -> set[int]:
        """Return the lines that set a flag, a variable, a key or a registered name."""
        is_whole_word = fact.name.startswith("--") or fact.kind.startswith(_WHOLE_WORDS)
        if not is_whole_word and not _COMPOUND.search(fact.name):
            return set()
        # Code chooses a registered name by a string; an argument of this name is something else.
        is_chosen = self.is_python and fact.kind == "unregistered"
        words = self._strings if is_chosen else self._words
        name = _old_name(fact)
        return words.get(_normalised(name), set()) - self._reads.get(name, set())

    def line_of(self, fact: Fact, use: PathUse) -> int:
        """Return the smallest line that breaks: of a call, the line with the argument."""
        name = _parameter(fact) or fact.name.rpartition(".")[2]
        if use.call is None or name not in use.call.keywords:
            return use.line
        argument = re.compile(rf"(?<![\w.]){re.escape(name)}\s*=(?!=)")
        for number in range(use.line, min(use.line + _MAX_CALL_LINES, len(self.lines)) + 1):
            if argument.search(self.lines[number - 1]):
                return number
        return use.line


def _is_used(fact: Fact, use: PathUse) -> bool:
    """Return True if a use is of what the fact is about."""
    name = _old_name(fact)
    if fact.kind.startswith("file-"):
        return f"{use.path}.".startswith(f"{fact.module}.")
    parameter = _parameter(fact)
    if parameter:
        return _stands_for(use.path, fact, name) and _breaks_call(fact, parameter, use)
    if fact.kind == "symbol-moved":
        # What moved may still be had from a package above.
        return use.path == f"{fact.module}.{name}"
    if _stands_for(use.path, fact, name):
        return True
    owner, _, field = name.rpartition(".")
    is_argument = use.call is not None and field in use.call.keywords
    return fact.kind.startswith("field-") and is_argument and _stands_for(use.path, fact, owner)


def _breaks_call(fact: Fact, parameter: str, use: PathUse) -> bool:
    """Return True for a call that passes an argument which is gone, or lacks one which is new."""
    call = use.call
    if call is None:
        return False
    is_named = parameter in call.keywords
    is_passed = fact.position is not None and call.positions > fact.position
    if fact.kind in _REMOVED_PARAMETER:
        return is_named or is_passed
    if fact.kind in _PASSED_OTHERWISE:
        return is_passed
    return not is_named and not is_passed and not call.is_open


def _stands_for(path: str, fact: Fact, name: str) -> bool:
    """Return True if a path of one's code is that of a fact, or as a package above gives it on."""
    if not name:
        return False
    if fact.path and name == _old_name(fact) and path == fact.path:
        return True
    before, separator, rest = f"{path}.".partition(f".{name}.")
    return bool(before and separator) and not rest and f"{fact.module}.".startswith(f"{before}.")


def _old_name(fact: Fact) -> str:
    """Return the name that code has which was written before the change."""
    is_renamed = fact.kind.endswith("-renamed") and fact.old
    if is_renamed and not fact.kind.startswith(("parameter-", "file-")):
        owner = fact.name.rpartition(".")[0] if fact.kind.startswith(_SYMBOL) else ""
        return f"{owner}.{fact.old}" if owner else str(fact.old)
    return fact.name.removesuffix(".__init__")


def _parameter(fact: Fact) -> str:
    if not fact.kind.startswith("parameter-"):
        return ""
    return (fact.old if fact.kind == "parameter-renamed" else fact.detail) or ""


def _normalised(token: str) -> str:
    """Write a flag one way: programs take dashes and underscores alike, and `--no-` before a switch."""
    if not token.startswith("--"):
        return token
    return "--" + token[2:].replace("_", "-").removeprefix("no-")


def _nodes(source: str) -> list[ast.AST]:
    """Return the nodes of a file; none of what is no Python of this version."""
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _variables_read(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the names of environment variables that an expression reads."""
    names: list[ast.expr] = []
    if isinstance(node, ast.Call) and spelling(node.func).endswith(_READERS):
        names = node.args[:1]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        names = [node.slice] if spelling(node.value).endswith("environ") else []
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        names = [node.left] if spelling(node.comparators[0]).endswith("environ") else []
    for name in names:
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name


def _docstring_lines(nodes: Iterable[ast.AST]) -> set[int]:
    """Return the lines of strings that are statements: they say something and do nothing."""
    lines: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def _other_programs(path: str, lines: Sequence[str], project: re.Pattern[str]) -> Iterator[int]:
    """Yield the lines of a script that run a program of another project, with its arguments."""
    name = path.rpartition("/")[2].lower()
    if not name.endswith(_SHELL) and not name.startswith(_SHELL):
        return
    for command in _commands(lines):
        text = "\n".join(command.values())
        if _NO_COMMAND.match(text) or project.search(text):
            continue
        yield from command


def _commands(lines: Sequence[str]) -> Iterator[Mapping[int, str]]:
    """Yield the commands of a script: lines that a backslash continues are one."""
    command: dict[int, str] = {}
    for number, line in enumerate(lines, start=1):
        command[number] = line
        if not line.rstrip().endswith("\\"):
            yield command
            command = {}
    if command:
        yield command
