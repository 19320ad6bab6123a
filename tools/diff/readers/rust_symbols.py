"""The items of a Rust syntax tree."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from tools.diff.readers import syntax
from tools.diff.readers.bones import Bones
from tools.diff.readers.masked import Masked
from tools.diff.readers.rust_attributes import attribute_sites
from tools.diff.reading import Param, Site, Symbol, SymbolKind

_KINDS: dict[str, SymbolKind] = {
    "function_item": "function",
    "function_signature_item": "function",
    "struct_item": "struct",
    "union_item": "struct",
    "enum_item": "enum",
    "enum_variant": "member",
    "field_declaration": "field",
    "trait_item": "trait",
    "const_item": "constant",
    "static_item": "constant",
    "type_item": "type",
    "associated_type": "type",
    "macro_definition": "macro",
}
_TYPE_ARGUMENTS = re.compile(r"<.*>$")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an item stands: in which names, whether as a member, and whether it is seen without saying `pub`."""

    names: tuple[str, ...] = ()
    member: bool = False
    shown: bool = True
    implied: bool | None = None
    """Of variants and of a trait's items: public like their owner. Of a trait's implementation: not."""


@dataclass(slots=True)
class SymbolReader:
    """Reads the items of one tree, and with them the sites that attributes declare and the lines that are tests."""

    masked: Masked
    bones: Bones
    shift: int
    sites: list[Site] = field(default_factory=list)
    tests: list[tuple[int, int]] = field(default_factory=list)

    def read(self, root: Node) -> list[Symbol]:
        """Return every item, in the order of the file."""
        found: list[Symbol] = []
        stack = [(root, _Place())]
        while stack:
            node, place = stack.pop()
            stack.extend(reversed(list(self._children(node, place, found))))
        return found

    def _children(self, parent: Node, place: _Place, found: list[Symbol]) -> Iterator[tuple[Node, _Place]]:
        """Note the items in a node and give the places where more are."""
        attributes: list[Node] = []
        for node in parent.named_children:
            if node.type in ("attribute_item", "inner_attribute_item"):
                attributes.append(node)
                continue
            if node.type == "ERROR":
                yield node, place
            elif node.type in ("impl_item", "mod_item", "foreign_mod_item"):
                yield from self._container(node, place, attributes)
            elif node.type in _KINDS:
                symbol = self._symbol(node, place, attributes)
                if symbol is not None:
                    if node.start_byte >= self.shift:
                        found.append(symbol)
                        self.sites.extend(attribute_sites(symbol))
                    yield from self._inside(node, symbol)
            attributes = []

    def _container(self, node: Node, place: _Place, attributes: list[Node]) -> Iterator[tuple[Node, _Place]]:
        body = node.child_by_field_name("body")
        if body is None:
            return
        if node.type == "foreign_mod_item":
            yield body, place
        elif node.type == "mod_item":
            name = self._field(node, "name") or ""
            if any("cfg(test)" in self._fold(attribute) for attribute in attributes):
                self.tests.append((self._line(node.start_byte), self._line(node.end_byte)))
                return
            yield body, _Place((*place.names, name), shown=place.shown and self._is_pub(node))
        else:
            owner = _TYPE_ARGUMENTS.sub("", self._field(node, "type") or "").split("::")[-1].removeprefix("&")
            names = place.names if owner in ("", "_") else (*place.names, owner)
            implied = False if node.child_by_field_name("trait") is not None else None
            yield body, _Place(names, member=True, shown=place.shown, implied=implied)

    def _inside(self, node: Node, symbol: Symbol) -> Iterator[tuple[Node, _Place]]:
        body = node.child_by_field_name("body")
        if body is None or node.type == "function_item":
            return
        implied = symbol.public if node.type in ("enum_item", "enum_variant", "trait_item") else None
        yield body, _Place(tuple(symbol.name.split(".")), member=True, shown=symbol.public, implied=implied)

    def _symbol(self, node: Node, place: _Place, attributes: list[Node]) -> Symbol | None:
        name = self._field(node, "name")
        if name is None:
            return None
        kind = _KINDS[node.type]
        body = node.child_by_field_name("body")
        parameters = node.child_by_field_name("parameters")
        decorators = tuple(self._fold(attribute) for attribute in attributes)
        public = self._is_pub(node) if place.implied is None else place.implied
        if kind == "macro":
            public = any("macro_export" in decorator for decorator in decorators)
        head, shape = node.end_byte, ""
        if body is not None and body.type != "ordered_field_declaration_list":
            head = body.prev_sibling.end_byte if body.prev_sibling is not None else body.start_byte
            shape = self._shape(body.start_byte + 1, body.end_byte - 1, name)
        elif kind == "macro":
            head = node.start_byte
            shape = self._shape(node.start_byte, node.end_byte, name)
        ordered = self._fold(body) if body is not None and body.type == "ordered_field_declaration_list" else None
        return Symbol(
            name=".".join((*place.names, name)),
            kind="method" if kind == "function" and place.member else kind,
            start=self._line(min([node.start_byte, *(attribute.start_byte for attribute in attributes)])),
            end=self._line(node.end_byte),
            head=self._line(head),
            public=place.shown and public and not name.startswith("_"),
            params=tuple(self._params(parameters)) if parameters is not None else None,
            returns=self._field(node, "return_type"),
            bases=self._bases(node),
            value=self._field(node, "value"),
            annotation=ordered or self._field(node, "type"),
            decorators=decorators,
            shape=shape,
        )

    def _bases(self, node: Node) -> tuple[str, ...]:
        bounds = self._field(node, "bounds")
        return tuple(part.strip() for part in bounds.removeprefix(":").split("+")) if bounds else ()

    def _params(self, parameters: Node) -> Iterator[Param]:
        for node in parameters.named_children:
            if node.type == "parameter":
                name = (self._field(node, "pattern") or "").removeprefix("mut ")
                yield Param(name, annotation=self._field(node, "type"))

    def _is_pub(self, node: Node) -> bool:
        return any(child.type == "visibility_modifier" and child.text == b"pub" for child in node.children[:3])

    def _shape(self, start: int, end: int, name: str) -> str:
        return self.masked.shape(self._origin(start), self._origin(end), name)

    def _line(self, offset: int) -> int:
        return self.masked.line(self._origin(offset))

    def _origin(self, offset: int) -> int:
        return max(0, self.bones.origin(offset) - self.shift)

    def _field(self, node: Node, name: str) -> str | None:
        child = node.child_by_field_name(name)
        return None if child is None else self._fold(child)

    def _fold(self, node: Node) -> str:
        return syntax.fold(self.bones.text[node.start_byte : node.end_byte])
