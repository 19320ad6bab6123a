"""Runs of changed lines: what stands between unchanged lines, and how much of it users may notice."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node, Query, QueryCursor

from agent.domain.patch import Hunk, Side
from agent.triage.line_visibility import is_informative, is_licence, is_visible_to_users
from tools.diff.declaration_reader import Language, Range, language_of
from tools.diff.statement_texts import statements_with

_COMMENTS = ("#", "//", "*", "/*", '"""', "<!--")
_PREPROCESSOR = ("#if", "#elif", "#else", "#define", "#error", "#include")
_INCLUDE_GUARD = re.compile(
    r"#\s*(?:pragma once|(?:ifndef|define) \w+_(?:H|HH|HPP|HXX|CUH|INCLUDED)_*)$"
)
"""What keeps a header from being read twice."""
_BRANCHES_OF_BUILD = ("#ifdef", "#ifndef", "#if !defined", "#if defined", "#else", "#endif")
_FOR_DEVELOPERS = re.compile(r"(?i)\b\w*(?:debug|dbg|static_?assert)\w*\s*\(")
"""A call that prints for developers, as loggers and LLVM name it, or that only a compiler checks."""
_NATIVE_ASSERTION = re.compile(r"\bassert\s*\(")
"""The macro of C, which a build for users leaves out."""
_DECORATOR = re.compile(r"\s*@[\w.]+\(")
_CONDITION = re.compile(
    r"\s*(?:(?:\}\s*)?(?:if|elif|else if|while|switch|case|match|assert)\b|#\s*(?:if|elif)"
    r"|async\s+def\b|return\s+(?:not\b|.*\b(?:and|or|in|is)\b)|[^#\"']*(?<!\w)if\s.*\selse\s)"
)
"""Lines that decide what happens: branches, loops, and values and answers that are conditions; and
whether callers have to await."""
_ENTRY = re.compile(
    r"\s*(?:[\"'][\w.:/-]+[\"']|[A-Z_][A-Z0-9_]*(?:\.\w+)?)\s*:\s*[^\s{].*,\s*(?:#.*)?"
    r"|\s*[a-z_]\w*=(?:True|False|None|-?\d[\d._]*|\"[^\"]*\"|[\[(][\d\s.,-]+[\])]),?"
    r"|\s*[\w.>\[\]\"'-]+ = (?:True|False|true|false);?"
    r"|\s*ENV\s+\w+[= ].*|\s*(?:set|list|option|target_\w+|add_(?!subdirectory\b)\w+|find_package)\s*\(.*"
)
"""An entry of a table by name, as registries and dispatchers have, an argument with its value, what
is switched on or off, a variable of an image, and a command of CMake."""
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
_COMMAND = re.compile(
    r"\s*(?:\$ |! ?|%|RUN )?(?:sudo )?(?:[A-Z_]+=\S+ )*"
    r"(?:(?:uv|pip3?|conda|apt|apt-get|dnf|yum|apk|npm|python[\d.]*|torchrun|docker|git|wget|curl) [\w-])"
)
"""How a command of a document begins that installs, fetches or runs something."""
_WARNING = re.compile(r"[\"'(\[]*(?:-W(?![alp],)[\w=-]*|--?diag[-_][\w=,-]+)[\"')\],]*")
"""An option by which a compiler warns or is silent, of nvcc too; `-Wl,` is for the linker."""
_SENTENCE = re.compile(r"(?:[A-Za-z][\w'’-]*[ ,;:]+){3}[A-Za-z]")
"""Four words, as a comment has that explains something."""
_ASSIGNED = re.compile(r"(?<![\w.>])([A-Za-z_]\w*) = ")
_MEMBER = re.compile(r"(?:\.|->)([A-Za-z_]\w*)")
_ANNOTATION = re.compile(r"([a-zA-Z_][\w.]*): [^=\"']+=(?!=)")
"""A variable with its type, before it gets a value."""
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_NEGATION = re.compile(r"!(?!=)")
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
    if not _LETTER_OR_DIGIT.search(text) or _INCLUDE_GUARD.match(text):
        return False
    return text.startswith(_PREPROCESSOR) or not text.startswith(_COMMENTS)


Run = list[ChangedLine]  # Changed lines that follow each other in the patch


class Weight(IntEnum):
    """The likelihood that users notice the effect of changed lines."""

    FOLLOWS = 0  # Only adapts to something else that the commit changes
    BODY = 1
    DECIDES = 2  # A condition, a value, an argument of a decorator
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
        if is_visible_to_users(text) or _INSTALLATION.search(text):
            return Weight.VISIBLE
        if _CONDITION.match(text) or _ENTRY.fullmatch(text) or _DECORATOR.match(text):
            weight = Weight.DECIDES
    if weight is Weight.BODY and has_other_values(lines):
        return Weight.DECIDES
    return weight


def has_other_values(lines: Sequence[ChangedLine]) -> bool:
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


def other_commands(run: Run) -> Run:
    """Return the lines of a document in which other commands stand than before; else nothing."""
    commands = [line for line in run if _COMMAND.match(line.text[1:])]
    removed = [line.bare for line in commands if line.side == "old"]
    added = [line.bare for line in commands if line.side == "new"]
    is_exchange = bool(removed) and bool(added) and removed != added
    return commands if is_exchange else []


def count_code(run: Sequence[ChangedLine]) -> int:
    """Count the lines of code of a run; an import says less than its use."""
    return sum(line.is_code and is_informative(line.text[1:]) for line in run)


def is_comment(text: str) -> bool:
    """Return True for a line that is only a comment; the text has no sign in front."""
    text = text.strip()
    if text.startswith((*_PREPROCESSOR, '"""')):
        return False
    return text.startswith(_COMMENTS)


def is_sentence(comment: str) -> bool:
    """Return True for a line of a comment that says something in words."""
    return is_informative(comment) and _SENTENCE.search(comment) is not None


def is_explained(run: Sequence[ChangedLine]) -> bool:
    """Return True if a comment that comes with some lines says what they are for."""
    if any(is_licence(line.text) for line in run):
        return False
    comments = [line.bare for line in run if line.side == "new" and is_comment(line.text[1:])]
    return any(map(is_sentence, comments))


def assigned_names(code: str) -> set[str]:
    """Return the variables that code assigns; arguments by name have no spaces around the sign."""
    return set(_ASSIGNED.findall(code)) - set(_MEMBER.findall(code))


def changes_code(run: Sequence[ChangedLine]) -> bool:
    """Return False for lines that are only laid out anew, moved, commented or annotated.

    Nor does it change code which warnings a compiler gives, or that a block has braces.
    """
    removed: list[str] = []
    added: list[str] = []
    for line in run:
        if line.is_code:
            text = _ANNOTATION.sub(r"\1 =", line.bare).removesuffix("{")
            # C++ has words for these signs.
            text = _NEGATION.sub(" not ", text.replace("&&", " and ").replace("||", " or "))
            words = [word for word in text.split() if not _WARNING.fullmatch(word)]
            (removed if line.side == "old" else added).extend(words)
    return "".join(removed).replace(",", "") != "".join(added).replace(",", "")


def without_debugging(run: Run, *, is_native: bool = False) -> Run:
    """Return the lines of a run that are no part of calls which only developers notice."""
    kept: Run = []
    depths: dict[Side, int] = {"old": 0, "new": 0}
    for line in run:
        depth = depths[line.side]
        if depth == 0 and not _is_for_developers(line.text, is_native=is_native):
            kept.append(line)
            continue
        depths[line.side] = max(depth + _opened_brackets(line.text), 0)
    return kept


def _is_for_developers(text: str, *, is_native: bool) -> bool:
    if is_native and _NATIVE_ASSERTION.search(text):
        return True
    return _FOR_DEVELOPERS.search(text) is not None


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
        if root.has_error or piece.is_in_string:
            return [_ChangedStatements(0, language.parse(text), ranges)]
        statements.append(_ChangedStatements(piece.first - 1, root, piece.ranges))
    return statements


def _declaring_lines(function: Node) -> range:
    """Return the lines of a function from its `def` to the colon, where its body begins below."""
    body = function.child_by_field_name("body")
    colons = [child for child in function.children if child.type == ":"]
    if body is None or not colons:
        return range(0)
    # A comment below the colon is no part of the body either, but says what it does.
    end = min(colons[-1].start_point[0] + 1, body.start_point[0])
    return range(function.start_point[0] + 1, end + 1)


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
    """Return the name of a function and its parameters with their defaults, without annotations.

    What was called and is awaited now has another signature.
    """
    parts: list[bytes] = [child.text or b"" for child in function.children if child.type == "async"]
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
