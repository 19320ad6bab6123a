"""Where the user's own code uses what a change removes, renames or alters; nothing here reads files or leaves them."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.facts import Fact

MOST_PLACES = 3
_SETTING = ("flag-", "env-", "route-", "config-key-", "unregistered")
_SYMBOL = ("symbol-", "field-", "enum-member-", "constant-", "base-", "signature-", "deprecated")
_GONE = ("parameter-removed", "parameter-renamed")
_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|(?<!/)/(?!/)[\w{}./-]*[\w}]|[A-Za-z_][\w.-]*\w|[A-Za-z_]")
_COMMENT, _PYTHON_COMMENT = re.compile(r"(?<!\S)(?:#|//).*"), re.compile(r"(?<!\S)#.*")
# Options that the user's own program defines: argparse, click, typer.
_PASSED_OVER = re.compile(r".{0,400}\b(?:add_argument|[Oo]ption|[Aa]rgument)\(")
_BUILTIN = frozenset(
    name for kind in (dict, list, str, set, bytes, Exception) for name in dir(kind)
)


def concerns(fact: Fact) -> bool:
    """Tell a fact after which code that was written before may need a change; what is new is in nobody's code."""
    required = (
        fact.kind == "parameter-added" and "=" not in (new := fact.new or "*") and new[0] != "*"
    )
    added = fact.kind.endswith("-added") and not required
    return fact.kind.startswith((*_SETTING, *_SYMBOL, "parameter-", "file-re")) and not added


def used_name(fact: Fact) -> str:
    """Name what is used, as code has it that was written before."""
    return (
        f"{_sought(fact)}({_parameter(fact)})"
        if fact.kind.startswith("parameter-")
        else _sought(fact)
    )


def project_names(repo: RepoId, facts: Iterable[Fact]) -> re.Pattern[str]:
    """Fit what code says that uses a repository: its own name, its packages, its public headers' folders."""
    modules = (fact.module.partition("include/")[2] or fact.module for fact in facts)
    tops = {top for module in modules if len(top := re.split(r"[./]", module)[0]) > 3}
    either = "|".join(map(re.escape, sorted({repo.rpartition("/")[2], *tops})))
    return re.compile(rf"(?<![a-z0-9])(?:{either})(?![a-z0-9])", re.IGNORECASE)


def find_uses(facts: Sequence[Fact], path: str, text: str) -> Iterator[tuple[Fact, int]]:
    """Find the lines of one file that use what the facts are about, each fact in its first few places.

    Settings are looked for as words; names of Python where a file imports the package.
    """
    is_python = path.endswith((".py", ".pyi"))
    nodes, comment = (_parsed(text), _PYTHON_COMMENT) if is_python else ([], _COMMENT)
    used, docstrings = _references(nodes), _docstrings(nodes)
    words: dict[str, list[int]] = defaultdict(list)
    strings: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(text.splitlines(), start=1):
        passed_over = number in docstrings or _PASSED_OVER.match(line)
        for token in _TOKEN.findall(comment.sub("", line)) if not passed_over else ():
            # A variable may stand behind the module that reads it, and before what is asked of it.
            for word in {_plain(token), *token.split(".")}:
                words[word].append(number)
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.lineno not in docstrings
        ):
            for word in _TOKEN.findall(node.value):
                strings[word].append(node.lineno)
    for fact in facts:
        is_flag = fact.name.startswith("--")
        if not is_flag and not fact.kind.startswith(_SETTING):
            found = {*_python_lines(fact, used)}
        else:
            # A key of one common word means nothing.
            whole = is_flag or fact.kind.startswith(("flag-", "env-", "route-"))
            telling = whole or re.search(r"[a-z][_.-]?[A-Z_.-]", fact.name)
            # Code chooses a registered name by a string; an argument of the same name is something else.
            places = strings if is_python and fact.kind == "unregistered" else words
            found = {*places.get(_plain(_sought(fact)), ())} if telling else set()
        yield from ((fact, line) for line in sorted(found)[:MOST_PLACES])


def _sought(fact: Fact) -> str:
    """Give the name that code has which was written before the change."""
    if (
        fact.kind.endswith("-renamed")
        and fact.old
        and not fact.kind.startswith(("parameter-", "file-"))
    ):
        owner = fact.name.rpartition(".")[0] if fact.kind.startswith(_SYMBOL) else ""
        return f"{owner}.{fact.old}" if owner else fact.old
    return fact.name.removesuffix(".__init__")


def _parameter(fact: Fact) -> str:
    own = fact.old if fact.kind == "parameter-renamed" else fact.detail
    return own or "" if fact.kind.startswith("parameter-") else ""


def _plain(token: str) -> str:
    """Write a flag one way: programs take dashes and underscores alike, and `--no-` before a switch."""
    return (
        "--" + token[2:].replace("_", "-").removeprefix("no-") if token.startswith("--") else token
    )


class _Use(NamedTuple):
    name: str  # Dotted; it begins with an imported package, or with a dot where the object is of an unknown type
    line: int
    given: Mapping[str, int] | None = None  # Of a call: the lines of what is given by its name


def _parsed(source: str) -> list[ast.AST]:
    """List the nodes of a file; none of what is no Python of this version."""
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _docstrings(nodes: Iterable[ast.AST]) -> set[int]:
    """Give the lines of strings that are statements: they say something and do nothing."""
    alone = (
        node
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )
    return {
        line for node in alone for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def _references(nodes: Sequence[ast.AST]) -> list[_Use]:
    """List what a file takes from other packages."""
    known: dict[str, str] = {}
    found: list[_Use] = []
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0):
            package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for one in node.names:
                found.append(_Use(package + one.name, one.lineno))
                top = one.name if package or one.asname else one.name.partition(".")[0]
                known[one.asname or top] = package + top
    for node in nodes:
        if isinstance(node, ast.Call):
            given = {one.arg or "**": one.lineno for one in node.keywords}
            found.append(
                _Use(_dotted(node.func, known), node.func.end_lineno or node.lineno, given)
            )
        elif isinstance(node, ast.Attribute | ast.Name):
            found.append(_Use(_dotted(node, known), node.end_lineno or node.lineno))
    return found


def _dotted(node: ast.expr, known: Mapping[str, str]) -> str:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return ".".join([known.get(node.id, "") if isinstance(node, ast.Name) else "", *names])


def _python_lines(fact: Fact, used: Sequence[_Use]) -> Iterator[int]:
    """Find references to a name; of a parameter, the calls that give one which is gone, or lack one which is new."""
    sought, parameter, gone = _sought(fact), _parameter(fact), fact.kind in _GONE
    owner, _, name = sought.rpartition(".")
    knows_owner = bool(owner) and any(_means(one.name, fact.module, owner) for one in used)
    for one in used:
        # A member of an object of unknown type counts where the file knows the class.
        member = (
            knows_owner
            and one.name == f".{name}"
            and name not in _BUILTIN
            and (gone or not parameter)
        )
        # What moved may still be had from a package above.
        moved = fact.kind == "symbol-moved" and one.name != f"{fact.module}.{sought}"
        named = member or (not moved and _means(one.name, fact.module, sought))
        if parameter:
            if named and one.given is not None and (parameter in one.given) is gone:
                yield one.given.get(parameter, one.line)
        elif named or (
            fact.kind.startswith("file-") and f"{one.name}.".startswith(f"{fact.module}.")
        ):
            yield one.line
        # Interfaces of a package take the fields of its records by name.
        elif (
            fact.kind.startswith("field-")
            and one.given
            and one.name.startswith(fact.module.partition(".")[0] + ".")
        ):
            yield from (line for keyword, line in one.given.items() if keyword == name)


def _means(name: str, module: str, path: str) -> bool:
    """Tell whether a dotted name is this one of the module, or as a package above gives it on."""
    head, found, _ = f"{name}.".partition(f".{path}.")
    return bool(head and found) and f"{module}.".startswith(f"{head}.")
