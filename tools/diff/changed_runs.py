"""Runs of changed lines: what stands between unchanged lines, and how much of it users may notice."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node, Query, QueryCursor

from agent.domain.patch import Hunk, Side
from agent.triage.line_visibility import is_informative, is_visible_to_users
from tools.diff.declarations import Language, Range, language_of
from tools.diff.statement_texts import statements_with

_COMMENTS = ("#", "//", "*", "/*", '"""', "<!--")
_PREPROCESSOR = ("#if", "#elif", "#else", "#define", "#error", "#include")
_BRANCHES_OF_BUILD = ("#ifdef", "#ifndef", "#if !defined", "#if defined", "#else", "#endif")
_DEBUGGING = re.compile(r"(?i)\b\w*(?:debug|dbg)\w*\s*\(")
"""A call that prints for developers, as loggers and LLVM name it."""
_DECORATOR = re.compile(r"\s*@[\w.]+\(")
_CONDITION = re.compile(
    r"\s*(?:(?:\}\s*)?(?:if|elif|else if|while|switch|case|match|assert)\b|#\s*(?:if|elif)"
    r"|return\s+(?:not\b|.*\b(?:and|or|in|is)\b)|[^#\"']*(?<!\w)if\s.*\selse\s)"
)
"""Lines that decide what happens: branches, loops, and values and answers that are conditions."""
_ENTRY = re.compile(
    r"\s*(?:[\"'][\w.:/-]+[\"']|[A-Z_][A-Z0-9_]*(?:\.\w+)?)\s*:\s*[^\s{].*,\s*(?:#.*)?"
    r"|\s*[a-z_]\w*=(?:True|False|None|-?\d[\d._]*|\"[^\"]*\"),?"
    r"|\s*(?:set|list|option|target_\w+|add_(?!subdirectory\b)\w+|find_package)\s*\(.*"
)
"""An entry of a table by name, as registries and dispatchers have, an argument with its value, and a
command of CMake."""
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_LITERAL = re.compile(
    r"(?<![\w.])-?\d[\w.]*|\"[^\"]*\"|'[^']*'|\b(?:True|False|None|true|false|nullptr)\b"
)
"""A value as it is written: a limit, a default, a constant."""
_NUMBER = re.compile(r"\d[\d.]*")
_INSTALLATION = re.compile(
    r"\b(?:pip3?|conda|apt|apt-get|dnf|yum|apk|npm)\s+(?:-\w+\s+)?(?:un)?install\b|\b[0-9a-f]{40}\b"
    r"|\bgit\s+(?:apply|checkout|cherry-pick|clone)\b"
)
"""Commands by which an image gets its packages and sources, and commits that are pinned."""
_WARNING = re.compile(r"-W(?![alp],)[\w=-]*[\"')]*")
"""An option by which a compiler warns or is silent; `-Wl,` is for the linker."""
_ANNOTATION = re.compile(r"([a-zA-Z_][\w.]*): [^=\"']+=(?!=)")
"""A variable with its type, before it gets a value."""
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_OPEN = "([{"
_CLOSED = ")]}"


class ChangedLine(NamedTuple):
    """A changed line with its number on its own side."""

    number: int
    text: str  # With its sign

    @property
    def side(self) -> Side:
        """The version that has the line."""
        return "old" if self.text.startswith("-") else "new"

    @property
    def bare(self) -> str:
        """The text without its sign and its indentation."""
        return self.text[1:].strip()

    @property
    def is_code(self) -> bool:
        """True if it is neither empty nor a comment."""
        return _is_code(self.text)


@lru_cache(maxsize=10_000)
def _is_code(line: str) -> bool:
    """Return True for a changed line of code; it is asked a dozen times about each."""
    text = line[1:].strip()
    if not _LETTER_OR_DIGIT.search(text):
        return False
    return text.startswith(_PREPROCESSOR) or not text.startswith(_COMMENTS)


Run = list[ChangedLine]  # Changed lines that follow each other in the patch


class Weight(IntEnum):
    """The likelihood that users notice the effect of changed lines."""

    FOLLOWS = 0  # Only adapts to something else that the commit changes
    BODY = 1
    DECIDES = 2  # A condition
    VISIBLE = 3  # Something that users read, set or run into


def runs_of(hunk: Hunk) -> Iterator[Run]:
    """Yield the runs of changed lines of a hunk."""
    run: Run = []
    for sign, number, text in hunk.numbered():
        if sign != " ":
            run.append(ChangedLine(number, text))
        elif run:
            yield run
            run = []
    if run:
        yield run


def weight_of(lines: Sequence[ChangedLine]) -> Weight:
    """Return the weight of the line that users notice most."""
    weight = Weight.BODY
    code = [line for line in lines if line.is_code]
    if all(line.bare.startswith(_BRANCHES_OF_BUILD) for line in code):
        return weight  # What is between them did not change
    for line in code:
        text = line.text[1:]
        if is_visible_to_users(text) or _DECORATOR.match(text) or _INSTALLATION.search(text):
            return Weight.VISIBLE
        if _CONDITION.match(text) or _ENTRY.fullmatch(text):
            weight = Weight.DECIDES
    if weight is Weight.BODY and _has_other_literals(lines):
        return Weight.DECIDES
    return weight


def _has_other_literals(lines: Sequence[ChangedLine]) -> bool:
    """Return True for lines in which nothing but values differs: a default, a limit, a constant."""
    texts: dict[Side, list[str]] = {"old": [], "new": []}
    for line in lines:
        if line.is_code:
            texts[line.side].append(line.bare)
    old = "\n".join(texts["old"])
    new = "\n".join(texts["new"])
    if _HASH.search(old) or not old or old == new:
        return False  # A checksum follows the file that it belongs to
    return _LITERAL.sub("0", old) == _LITERAL.sub("0", new)


def is_row_with_other_numbers(run: Sequence[ChangedLine]) -> bool:
    """Return True for rows of a table in a document of which nothing but numbers differs."""
    texts: dict[Side, list[str]] = {"old": [], "new": []}
    for line in run:
        if not line.bare.startswith("|") or "://" in line.bare:
            return False
        texts[line.side].append("".join(line.bare.split()))
    old = "\n".join(texts["old"])
    new = "\n".join(texts["new"])
    return old != new and _NUMBER.sub("0", old) == _NUMBER.sub("0", new)


def count_code(run: Sequence[ChangedLine]) -> int:
    """Count the lines of code of a run; an import says less than its use."""
    return sum(line.is_code and is_informative(line.text[1:]) for line in run)


def changes_code(run: Sequence[ChangedLine]) -> bool:
    """Return False for lines that are only laid out anew, moved, commented or annotated.

    Nor does it change code which warnings a compiler gives.
    """
    removed: list[str] = []
    added: list[str] = []
    for line in run:
        if line.is_code:
            text = _ANNOTATION.sub(r"\1 =", line.bare)
            words = [word for word in text.split() if not _WARNING.fullmatch(word)]
            (removed if line.side == "old" else added).extend(words)
    return "".join(removed).replace(",", "") != "".join(added).replace(",", "")


def without_debugging(run: Run) -> Run:
    """Return the lines of a run that are no part of calls which print for developers."""
    kept: Run = []
    depths: dict[Side, int] = {"old": 0, "new": 0}
    for line in run:
        depth = depths[line.side]
        if depth == 0 and not _DEBUGGING.search(line.text):
            kept.append(line)
            continue
        depths[line.side] = max(depth + _opened_brackets(line.text), 0)
    return kept


def _opened_brackets(text: str) -> int:
    opened = sum(text.count(bracket) for bracket in _OPEN)
    return opened - sum(text.count(bracket) for bracket in _CLOSED)


def hidden_lines(
    path: str, text: bytes, other_text: bytes, ranges: Sequence[Range]
) -> Collection[int]:
    """Return the lines of a version of a Python file that change nothing that users meet.

    These are docstrings, imports, calls that log what is done, and what stands between `def` and
    the body of functions that the other version has with the same parameters: annotations change
    nothing. Only what touches the `ranges` of changed lines is looked at.
    """
    language = language_of(path)
    if language is None or language.name != "python" or not ranges:
        return frozenset()
    lines: set[int] = set()
    declared: list[_DeclaredFunction] = []
    for above, root, changed in _changed_statements(text, language, ranges):
        for first, last in changed:
            cursor = QueryCursor(_hidden_query(language))
            # Of an empty version, changed lines stand in front of the first one.
            cursor.set_point_range((max(first - 1, 0), 0), (last, 0))
            captures = cursor.captures(root)
            for node in captures.get("hidden", ()):
                hidden = range(node.start_point[0] + 1, node.end_point[0] + 2)
                lines.update(above + line for line in hidden)
            for node in captures.get("function", ()):
                if _declares_in(node, first, last):
                    declared.append(_DeclaredFunction(above, node))
    if declared:
        other_functions = _functions(other_text, language)
        for function in declared:
            if _is_among(function.node, other_functions):
                lines.update(function.above + line for line in _declaring_lines(function.node))
    return frozenset(lines)


class _ChangedStatements(NamedTuple):
    """The tree of some statements of a file, with the lines above them and those that changed."""

    above: int
    root: Node
    ranges: Sequence[Range]  # Counted from the first line of the statements


class _DeclaredFunction(NamedTuple):
    """A function in a tree of some statements, with the number of lines above these."""

    above: int
    node: Node


def _changed_statements(
    text: bytes, language: Language, ranges: Sequence[Range]
) -> list[_ChangedStatements]:
    """Return the statements with changed lines; the whole file where one does not parse alone."""
    statements: list[_ChangedStatements] = []
    for piece in statements_with(text.split(b"\n"), ranges):
        root = language.parse(piece.text)
        if root.has_error:
            return [_ChangedStatements(0, language.parse(text), ranges)]
        statements.append(_ChangedStatements(piece.first - 1, root, piece.ranges))
    return statements


def _declaring_lines(function: Node) -> range:
    """Return the lines of a function above its body."""
    body = function.child_by_field_name("body")
    if body is None:
        return range(0)
    return range(function.start_point[0] + 1, body.start_point[0] + 1)


def _declares_in(function: Node, first: int, last: int) -> bool:
    """Return True if any of these lines stands between the `def` and the body of a function."""
    declaring = _declaring_lines(function)
    return declaring.start <= last and first < declaring.stop


def _functions(text: bytes, language: Language) -> dict[bytes, list[Node]]:
    """Return the functions of a text by their names."""
    functions: dict[bytes, list[Node]] = defaultdict(list)
    captures = QueryCursor(_hidden_query(language)).captures(language.parse(text))
    for node in captures.get("function", ()):
        functions[_name(node)].append(node)
    return functions


def _name(function: Node) -> bytes:
    name = function.child_by_field_name("name")
    return (name.text or b"") if name is not None else b""


def _is_among(function: Node, others: Mapping[bytes, Sequence[Node]]) -> bool:
    """Return True if one of the other functions has the same name and parameters."""
    signature = _signature(function)
    return any(_signature(other) == signature for other in others.get(_name(function), ()))


def _signature(function: Node) -> tuple[bytes, ...]:
    """Return the name of a function and its parameters with their defaults, without annotations."""
    parts: list[bytes] = []
    name = function.child_by_field_name("name")
    parameters = function.child_by_field_name("parameters")
    for node in (name, *(parameters.named_children if parameters is not None else ())):
        if node is None or node.type == "comment":
            continue
        annotation = node.child_by_field_name("type")
        for child in node.children or (node,):
            if child != annotation:
                parts.append(child.text or b"")
    return tuple(part for part in parts if part != b":")


@lru_cache
def _hidden_query(language: Language) -> Query:
    return Query(
        language.grammar,
        "(expression_statement . (string) @hidden .) (import_from_statement) @hidden"
        '((expression_statement (call function: (_) @_call)) @hidden (#match? @_call "[.](debug|info)(_once)?$"))'
        "(function_definition) @function",
    )
