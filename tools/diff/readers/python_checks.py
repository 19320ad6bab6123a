"""What a Python file refuses: errors raised, assertions, the bounds they check."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tree_sitter import Node

from tools.diff.readers.manifest_pins import normal
from tools.diff.readers.python_scopes import Scopes
from tools.diff.readers.python_syntax import SEQUENCES, Code, last_name
from tools.diff.reading import ELSE, Site

ASSERTED: Final = "AssertionError"
NUMBERS: Final = ("integer", "float")
FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
OPPOSITES: Final = (("==", "!="), ("<", ">="), (">", "<="), ("in", "not in"), ("is", "is not"))
OPPOSITE: Final = dict((*OPPOSITES, *((other, one) for one, other in OPPOSITES)))
LONGEST_GUARD: Final = 400
JOINED: Final = ("boolean_operator", "conditional_expression", "comparison_operator")
"""What `not` in front of it would take apart."""
ENDS: Final = ("function_definition", "class_definition", "lambda", "module")
BRANCHES: Final = ("else_clause", "elif_clause", "except_clause", "case_clause")
WORD: Final = re.compile(rb"\w+")
LETTERS: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
RAISES: Final = re.compile(rb"\braise\b")
ALL_ERRORS: Final = ("Exception", "BaseException")
CONSTANT: Final = re.compile(r"^_*[A-Z][A-Z0-9_]+$")
MEMBERSHIP: Final = ("in", "not in")
PINNED: Final = re.compile(
    rb"""\b(?:assert|require|check|ensure)_(?:\w+_)?version\(\s*["']([A-Za-z][\w.-]+)["'],\s*["'](\d+(?:\.\w+)+)["']"""
)
"""A package that a program refuses to start without: `assert_pkg_version("wheel", "1.2.3", ...)`."""
AT_LEAST: Final = re.compile(rb"at_least\w*\(")
ASKED: Final = re.compile(rb"(\w*at_least\w*)\(\s*[\"'](\d[\d.]*)[\"']\s*\)")
COMPARING: Final = re.compile(rb"ersion[\w.]{0,80}(?:\([\w.]{0,80}\))?\s*[<>=]")
"""What a comparison with a version has in any case, and what is quickly found."""
COMPARED: Final = re.compile(
    rb"(?<![\w.])([\w.]{0,80}?[vV]ersion[\w.]{0,80}(?:\([\w.]{0,80}\))?)\s*([<>]=?|==)\s*"
    rb"(?:[\w.]{0,80}(?:parse|[vV]ersion)\()?[\"'](\d+(?:\.\d+)+)[\"']"
)


def versions(code: Code, scopes: Scopes) -> Iterator[Site]:
    """Read the versions that are asked for: `is_cuda_version_at_least("12.9")`, `torch.version.cuda >= "12.9"`."""
    for found in _at_least(code.text):
        yield _version(code, scopes, found, f">= {found[2].decode()}")
    for found in _compared(code.text):
        # Quotes keep a version from being taken for a number: 2.10 is more than 2.9.
        yield _version(code, scopes, found, f'{found[2].decode()} "{found[3].decode()}"')
    for found in PINNED.finditer(code.text) if b"_version(" in code.text else ():
        lines = code.line_at(found.start()), code.line_at(found.end())
        yield Site("dependency", normal(found[1].decode()), *lines, value=found[2].decode())


def _at_least(text: bytes) -> Iterator[re.Match[bytes]]:
    """Find the calls that ask for a version; a literal is found first, and the rest of its word stands before it."""
    for hint in AT_LEAST.finditer(text):
        line = text.rfind(b"\n", 0, hint.start()) + 1
        found = ASKED.match(text, line + len(text[line : hint.start()].rstrip(LETTERS)))
        if found is not None:
            yield found


def _compared(text: bytes) -> Iterator[re.Match[bytes]]:
    """Find the comparisons with versions, each where its line begins at the earliest."""
    done = 0
    for hint in COMPARING.finditer(text):
        begin = max(done, text.rfind(b"\n", 0, hint.start()) + 1)
        found = COMPARED.search(text, begin, hint.end() + 200)
        if found is not None:
            done = found.end()
            yield found


def _version(code: Code, scopes: Scopes, found: re.Match[bytes], bound: str) -> Site:
    lines = code.line_at(found.start()), code.line_at(found.end())
    return Site("limit", found[1].decode(), *lines, value=bound, scope=scopes.around(found.start()))


def raised(code: Code, node: Node, scope: str, constants: Mapping[str, Node]) -> Iterator[Site]:
    """Read `raise X("…")` and the bounds of the condition it stands under."""
    thrown = next(iter(node.named_children), None)
    if thrown is None or thrown.type == "comment" or _is_caught(code, node, thrown):
        return
    message = None
    if thrown.type == "call":
        positional, named = code.arguments(thrown)
        message = _said(code, positional[0] if positional else next(iter(named.values()), None), constants)
        name = code.callee(thrown)
    else:
        name = code.word(last_name(thrown))
    if name[:1].isupper() or name.endswith("_error"):
        guard = _guard(code, _condition(node), refused=True)
        lines, under = (code.line(node), code.last_line(node)), _under(code, node, own=bool(guard))
        yield Site("error", name, *lines, value=message, scope=scope, guard=guard, under=under)
    yield from (site._replace(rejects=True) for site in _bounds(code, _condition(node), scope))


def warned(code: Code, call: Node, name: str, message: str, scope: str) -> Site:
    """Read a warning; one that is given where an error was caught tells of a mishap, and nobody is promised it."""
    around = call.parent
    while around is not None and around.type not in (*ENDS, "except_clause"):
        around = around.parent
    caught = around is not None and around.type == "except_clause"
    return Site("warning", name, code.line(call), code.last_line(call), public=not caught, value=message, scope=scope)


def _is_caught(code: Code, node: Node, thrown: Node) -> bool:
    """Tell whether the function that raises an error also catches it, and goes on: then no caller ever sees it."""
    name = code.callee(thrown) if thrown.type == "call" else code.word(last_name(thrown))
    inner, outer = node, node.parent
    while outer is not None and outer.type not in ENDS:
        if outer.type == "try_statement" and outer.child_by_field_name("body") == inner:
            handlers = [child for child in outer.named_children if child.type == "except_clause"]
            return any(_goes_on(code, handler, name) for handler in handlers)
        inner, outer = outer, outer.parent
    return False


def _goes_on(code: Code, handler: Node, name: str) -> bool:
    """Tell whether a handler is for an error of this name, and raises none itself."""
    parts = [child for child in handler.named_children if child.type != "comment"]
    caught = code.raw(parts[0]) if len(parts) > 1 else b"Exception"
    named = {word.decode("utf-8", "replace") for word in WORD.findall(caught)}
    return bool(named & {name, *ALL_ERRORS}) and RAISES.search(code.raw(parts[-1])) is None if parts else False


def asserted(code: Code, node: Node, scope: str, constants: Mapping[str, Node]) -> Iterator[Site]:
    """Read `assert condition, "…"`: the message is an error, the comparisons are limits."""
    parts = [child for child in node.named_children if child.type != "comment"]
    if parts:
        # One without words is nothing by itself, but may become an error that has some.
        lines = code.line(node), code.last_line(node)
        message = _said(code, parts[1], constants) if len(parts) > 1 else None
        guard = _guard(code, parts[0], refused=False)
        under = _under(code, node, own=False)
        yield Site("error", ASSERTED, *lines, value=message, scope=scope, guard=guard, under=under)
        yield from _bounds(code, parts[0], scope)


def _said(code: Code, node: Node | None, constants: Mapping[str, Node]) -> str | None:
    """Find the words of an error; those of a constant stand at the top of the module."""
    if node is not None and node.type == "identifier" and CONSTANT.match(name := code.word(node)):
        node = constants.get(name)
    return code.message(node)


def _condition(node: Node) -> Node | None:
    """Find the condition directly above a `raise`, if there is one."""
    block = node.parent
    branch = None if block is None or block.type != "block" else block.parent
    if branch is None or branch.type not in ("if_statement", "elif_clause"):
        return None
    return branch.child_by_field_name("condition")


def _under(code: Code, node: Node, *, own: bool) -> tuple[str, ...]:
    """Write the conditions of the branches around a check; the nearest is left out where it is its own."""
    found: list[str] = []
    inner, outer = node, node.parent
    while outer is not None and outer.type not in ENDS:
        if outer.type in ("if_statement", "elif_clause") and outer.child_by_field_name("consequence") == inner:
            if (condition := outer.child_by_field_name("condition")) is not None:
                found.append(code.fold(condition)[:LONGEST_GUARD])
        elif outer.type in BRANCHES:
            # What else holds there, only the whole chain of conditions tells.
            found.append(ELSE)
        inner, outer = outer, outer.parent
    return tuple(reversed(found[1:] if own else found))


def _guard(code: Code, condition: Node | None, *, refused: bool) -> str:
    """Write what must hold: the condition of an assertion, or the opposite of the one that a `raise` stands under."""
    while condition is not None and condition.type == "parenthesized_expression" and condition.named_child_count == 1:
        condition = condition.named_children[0]
    if condition is None or condition.end_byte - condition.start_byte > LONGEST_GUARD:
        return ""
    if refused and condition.type == "not_operator":
        return _guard(code, condition.child_by_field_name("argument"), refused=False)
    operators = condition.children_by_field_name("operators") if condition.type == "comparison_operator" else []
    if refused and len(operators) == 1:
        left, right = condition.named_children[0], condition.named_children[-1]
        return f"{code.fold(left)} {OPPOSITE.get(code.fold(operators[0]), '?')} {code.fold(right)}"
    if refused and condition.type in JOINED:
        return f"not ({code.fold(condition)})"
    return f"not {code.fold(condition)}" if refused else code.fold(condition)


def _bounds(code: Code, condition: Node | None, scope: str) -> Iterator[Site]:
    stack = [condition] if condition is not None else []
    while stack:
        node = stack.pop()
        if node.type == "comparison_operator":
            yield from _comparison(code, node, scope)
        elif node.type in ("boolean_operator", "not_operator", "parenthesized_expression"):
            stack.extend(reversed(node.named_children))


def _comparison(code: Code, node: Node, scope: str) -> Iterator[Site]:
    operands = [child for child in node.named_children if child.type != "comment"]
    operators = [code.word(child) for child in node.children_by_field_name("operators")]
    for left, operator, right in zip(operands, operators, operands[1:], strict=False):
        operator = " ".join(operator.split())
        name = value = None
        # `kind == Kind.LEFT` compares with a name that is no bound; `size > MAX_SIZE` does.
        names = operator not in ("==", "!=")
        bounds = _bound(code, left, names=names), _bound(code, right, names=names)
        bounded = operator in FLIPPED and bounds[0] != bounds[1]
        if (operator in MEMBERSHIP and _literals(right)) or (bounded and bounds[1]):
            name, value = left, f"{operator} {code.fold(right)}"
        elif bounded:
            name, value = right, f"{FLIPPED[operator]} {code.fold(left)}"
        if name is not None and len(text := code.fold(name)) <= 120:
            yield Site("limit", text, code.line(node), code.last_line(node), value=value, scope=scope)


def _bound(code: Code, node: Node, *, names: bool) -> bool:
    if node.type == "unary_operator":
        argument = node.child_by_field_name("argument")
        return argument is not None and argument.type in NUMBERS
    return node.type in NUMBERS or (names and bool(CONSTANT.match(code.word(last_name(node)))))


def _literals(node: Node) -> bool:
    items = node.named_children
    return node.type in SEQUENCES and bool(items) and all(n.type in (*NUMBERS, "string", "comment") for n in items)
