"""The names that a Python file gives to others: functions, classes, their members, constants, exports."""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from tools.diff.readers.python_declared import (
    DEVICE,
    UNKNOWN,
    Assigned,
    Found,
    Owner,
    Place,
    class_kind,
    on_device,
    value_kind,
)
from tools.diff.readers.python_digest import TINY, Tokens
from tools.diff.readers.python_hidden import hide
from tools.diff.readers.python_interface import Interface, public_name
from tools.diff.readers.python_params import params_of, receiver
from tools.diff.readers.python_syntax import Code
from tools.diff.reading import Late, Source, Symbol

MAX_VALUE: Final = 300
LONG: Final = "…"
SWITCHES: Final = ("True", "False", "None")
EITHER: Final = "True or False, as found"
"""Stands for the default of a field that is too long to be shown, or cut: without one the field would be required."""
# What may stand around a definition without making it somebody else's.
BRANCHES: Final = ("if_statement", "elif_clause", "else_clause", "match_statement", "case_clause", "with_statement")
FAILURES: Final = ("except_clause", "except_group_clause")
TRANSPARENT: Final = frozenset({*BRANCHES, *FAILURES, "try_statement", "finally_clause", "block", "ERROR"})
MAIN_GUARD: Final = re.compile(rb"__name__\s*==")


class Walk:
    """One pass over the declarations of a file, bodies of functions left out."""

    def __init__(self, code: Code, tokens: Tokens, interface: Interface, source: Source, clipped: int | None) -> None:
        self._code = code
        self._tokens = tokens
        self._interface = interface
        self._whole = source.whole
        self._changed = source.changed
        self._near = source.near
        self._clipped = clipped
        """Where the text really ends, when brackets were closed behind it to make it parse."""
        self.found = Found()

    def run(self, places: list[Place]) -> Found:
        """Walk the places and all that stands in them, in source order."""
        stack = places[::-1]
        while stack:
            place = stack.pop()
            stack.extend(reversed(list(self._visit(place))))
        hide(self.found)
        return self.found

    def _visit(self, place: Place) -> Iterator[Place]:
        node = place.node
        kind = node.type
        if kind == "expression_statement":
            self._expression(node, place)
        elif kind == "function_definition":
            self._function(node, node, place)
        elif kind == "class_definition":
            yield from self._class(node, node, place)
        elif kind == "decorated_definition":
            definition = node.child_by_field_name("definition")
            if definition is not None and definition.type == "function_definition":
                self._function(definition, node, place)
            elif definition is not None:
                yield from self._class(definition, node, place)
        elif kind in TRANSPARENT:
            if kind != "if_statement" or not MAIN_GUARD.search(self._code.raw(node)[:60]):
                instead = place.instead or kind in FAILURES
                yield from (Place(child, place.owner, True, instead) for child in node.named_children)
        elif kind == "type_alias_statement":
            self._alias(node, place.owner)
        elif kind == "import_from_statement" and place.owner is None:
            self._interface.import_from(node, conditional=place.conditional)

    def _is_spare(self, name: str, place: Place) -> bool:
        """Tell whether something is only there for when what has its name cannot be imported or made."""
        if not place.conditional or place.owner is not None:
            return False
        return self._interface.has(name) or (place.instead and name in self.found.symbols)

    # -- functions and classes

    def _function(self, node: Node, whole: Node, place: Place) -> None:
        code, owner = self._code, place.owner
        name = code.word(node.child_by_field_name("name"))
        decorators = self._decorators(whole)
        if name in ("", UNKNOWN) or any(
            text in (f"{name}.setter", f"{name}.deleter", f"{name}.getter") for text in decorators
        ):
            return
        if self._is_spare(name, place):
            self.found.spares.append((whole.start_byte, whole.end_byte))
            return
        qualified = owner.qualify(name) if owner else name
        line, head = code.line(whole), self._head(node)
        near = self._is_near(line, head)
        params = params_of(code, node) if near else None
        returns = node.child_by_field_name("return_type") if near else None
        if params is not None and owner is not None and "staticmethod" not in decorators:
            params = receiver(params, known=bool(owner.name))
        device = on_device(name, decorators, params if owner is not None else None)
        if owner is not None and any(DEVICE.match(text) for text in decorators):
            self.found.kernels.add(owner.name)
        self._declare(
            Symbol(
                qualified,
                "function" if owner is None else "method",
                line,
                code.last_line(whole),
                head,
                public_name(qualified) and not place.instead,
                params=params,
                returns=None if returns is None else code.fold(returns),
                decorators=decorators,
                shape=self._shape(node, name) if self._is_changed(line, head) else "",
                device=device,
            ),
            whole,
        )

    def _class(self, node: Node, whole: Node, place: Place) -> Iterator[Place]:
        code, owner = self._code, place.owner
        name = code.word(node.child_by_field_name("name"))
        if not name or self._is_spare(name, place):
            return
        listed = node.child_by_field_name("superclasses")
        bases = tuple(code.fold(n) for n in (listed.named_children if listed else ()) if n.type != "comment")
        decorators = self._decorators(whole)
        qualified = owner.qualify(name) if owner else name
        line, head = code.line(whole), self._head(node)
        symbol = Symbol(
            qualified,
            class_kind(bases, decorators),
            line,
            code.last_line(whole),
            head,
            public_name(qualified) and not place.instead,
            bases=bases,
            decorators=decorators,
            shape=self._shape(node, name) if self._is_changed(line, head) else "",
        )
        self._declare(symbol, whole)
        body = node.child_by_field_name("body")
        inner = Owner(symbol.name, symbol.kind)
        yield from (Place(child, inner, instead=place.instead) for child in (body.named_children if body else ()))

    def _decorators(self, whole: Node) -> tuple[str, ...]:
        if whole.type != "decorated_definition":
            return ()
        return tuple(self._code.fold(n)[1:].strip() for n in whole.named_children if n.type == "decorator")

    def _head(self, node: Node) -> int:
        body = node.child_by_field_name("body")
        before = None if body is None else body.prev_sibling
        while before is not None and before.type == "comment":
            before = before.prev_sibling
        return self._code.last_line(node if before is None else before)

    def _is_changed(self, line: int, last: int) -> bool:
        """Say whether the commit touched any of these lines; what it did not touch is no other thing than before."""
        return self._changed is None or not self._changed.isdisjoint(range(line, last + 1))

    def _is_near(self, line: int, last: int) -> bool:
        """Say whether a hunk shows any of these lines; a signature that none shows is the same on both sides."""
        return self._near is None or any(line <= end and start <= last for start, end in self._near)

    def _shape(self, node: Node, name: str) -> str | Late:
        body = node.child_by_field_name("body")
        if body is None:
            return ""
        # The walk holds the symbols: a shape that held the walk would keep the tree until garbage is collected.
        tokens, start, end = self._tokens, body.start_byte, body.end_byte
        return Late(lambda: tokens.shape(start, end, name))

    def _declare(self, symbol: Symbol, node: Node) -> None:
        self.found.spans.append((node.start_byte, node.end_byte, symbol.name))
        self.found.symbols.pop(symbol.name, None)
        self.found.symbols[symbol.name] = symbol

    # -- values

    def _expression(self, node: Node, place: Place) -> None:
        inner = node.named_children[0] if node.named_child_count else None
        if inner is None:
            return
        if inner.type == "assignment":
            self._assignment(inner, place)
        elif inner.type in ("augmented_assignment", "call") and place.owner is None:
            self._interface.export_more(inner)

    def _assignment(self, node: Node, place: Place) -> None:
        targets, value = [], node.child_by_field_name("right")
        left = node.child_by_field_name("left")
        annotation = node.child_by_field_name("type")
        while True:
            targets.append(left)
            if value is None or value.type != "assignment":
                break
            left, value = value.child_by_field_name("left"), value.child_by_field_name("right")
        if not self._whole and self._doubtful(node, value, place):
            return
        for target in targets:
            if target is not None and target.type == "identifier":
                self._variable(Assigned(self._code.word(target), place.owner, node, value, annotation), place)
            elif target is not None and target.type in ("pattern_list", "tuple_pattern"):
                for part in target.named_children:
                    if part.type == "identifier":
                        self._variable(Assigned(self._code.word(part), place.owner, node, None, None), place)

    def _doubtful(self, node: Node, value: Node | None, place: Place) -> bool:
        """Say whether an assignment in a fragment may be an argument or prose instead: `size=3,`, `Note: this`."""
        prose = value is None and place.owner is None
        return prose or node.has_error or self._code.raw(node).endswith(b",")

    def _variable(self, assigned: Assigned, place: Place) -> None:
        if assigned.name == "__all__" and place.owner is None:
            self._interface.export(assigned.value)
            return
        self.found.assigned.append(assigned)
        if assigned.name == UNKNOWN:
            return
        code, node, owner = self._code, assigned.node, place.owner
        name = owner.qualify(assigned.name) if owner else assigned.name
        if self._interface.has(name) and self._is_spare(name, place):
            return
        # The first branch is the usual case, the others are for when something is missing.
        if place.conditional and (first := self.found.symbols.get(name)) is not None:
            self.found.symbols[name] = first._replace(value=_either(first, self._value(assigned.value)))
            return
        value = self._value(assigned.value)
        annotation = None if assigned.annotation is None else code.fold(assigned.annotation)
        self.found.symbols.pop(name, None)
        line, last = code.line(node), code.last_line(node)
        kind = value_kind(assigned, owner, value, annotation)
        self.found.symbols[name] = Symbol(
            name,
            kind,
            line,
            last,
            last,
            public_name(name) and not place.instead and not self._is_passing(place, kind, value),
            value=LONG if value is None and assigned.value is not None and kind == "field" else value,
            annotation=annotation,
            shape=self._value_shape(assigned, value) if self._is_changed(line, last) else "",
        )

    def _is_passing(self, place: Place, kind: str, value: str | None) -> bool:
        """Tell what a module sets in passing, while it looks what is there: that is its own business."""
        return place.conditional and place.owner is None and (kind == "variable" or value in SWITCHES)

    def _value(self, node: Node | None) -> str | None:
        if node is None or node.end_byte - node.start_byte > 4 * MAX_VALUE or self._cut(node):
            return None
        text = self._code.fold(node)
        return text if len(text) <= MAX_VALUE else None

    def _cut(self, node: Node) -> bool:
        return self._clipped is not None and node.end_byte >= self._clipped

    def _value_shape(self, assigned: Assigned, text: str | None) -> str | Late:
        node = assigned.value
        if node is None or self._cut(node) or (text is not None and len(text) < TINY):
            return ""
        tokens, name, start, end = self._tokens, assigned.name, node.start_byte, node.end_byte
        return Late(lambda: tokens.shape(start, end, name, always=text is None))

    def _alias(self, node: Node, owner: Owner | None) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        bare = re.match(r"\w+", self._code.fold(left))
        if bare is None:
            return
        name = owner.qualify(bare[0]) if owner else bare[0]
        line, last = self._code.line(node), self._code.last_line(node)
        self.found.symbols[name] = Symbol(name, "type", line, last, last, public_name(name), value=self._value(right))


def _either(first: Symbol, other: str | None) -> str | None:
    """Say what a switch may be that a module sets, and sets again once it has seen what is there."""
    if first.kind == "member" and first.value != other:
        # Which number it has depends on the machine.
        return None
    switched = first.value in (*SWITCHES, EITHER) and other in SWITCHES and first.value != other
    return EITHER if switched else first.value
