"""The items of a Rust syntax tree."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from tools.diff.readers.located import Located
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
MAX_VALUE = 300
_OWNERS = ("struct", "enum", "trait")
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

    at: Located
    continued: bool = False
    """Whether the first function, though it begins before the text, is declared in it."""
    opened: frozenset[str] = frozenset()
    """What the file gives on out of modules of its own: `python.register`."""
    sites: list[Site] = field(default_factory=list)
    tests: list[tuple[int, int]] = field(default_factory=list)

    def read(self, root: Node) -> list[Symbol]:
        """Return every item, in the order of the file."""
        found: list[Symbol] = []
        stack = [(root, _Place())]
        while stack:
            node, place = stack.pop()
            stack.extend(reversed(list(self._children(node, place, found))))
        return _without_private(found)

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
                    if node.start_byte >= self.at.shift or self.continued:
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
            name = self.at.field(node, "name") or ""
            if any("cfg(test)" in self.at.fold(attribute) for attribute in attributes):
                self.tests.append((self.at.line(node.start_byte), self.at.line(node.end_byte)))
                return
            yield body, _Place((*place.names, name), shown=place.shown and self._is_pub(node))
        else:
            owner = _TYPE_ARGUMENTS.sub("", self.at.field(node, "type") or "").split("::")[-1].removeprefix("&")
            names = place.names if owner in ("", "_") else (*place.names, owner)
            implied = False if node.child_by_field_name("trait") is not None else None
            yield body, _Place(names, member=True, shown=place.shown or ".".join(names) in self.opened, implied=implied)

    def _inside(self, node: Node, symbol: Symbol) -> Iterator[tuple[Node, _Place]]:
        body = node.child_by_field_name("body")
        if body is None or node.type == "function_item":
            return
        implied = symbol.public if node.type in ("enum_item", "enum_variant", "trait_item") else None
        yield body, _Place(tuple(symbol.name.split(".")), member=True, shown=symbol.public, implied=implied)

    def _symbol(self, node: Node, place: _Place, attributes: list[Node]) -> Symbol | None:
        name = self.at.field(node, "name")
        if name is None:
            return None
        kind = _KINDS[node.type]
        body = node.child_by_field_name("body")
        parameters = node.child_by_field_name("parameters")
        decorators = tuple(self.at.fold(attribute) for attribute in attributes)
        public = self._is_pub(node) if place.implied is None else place.implied
        if kind == "macro":
            public = any("macro_export" in decorator for decorator in decorators)
        full = ".".join((*place.names, name))
        shown = place.shown or full in self.opened
        value = self.at.field(node, "value")
        block = body if body is not None and body.type != "ordered_field_declaration_list" else None
        ordered = self.at.fold(body) if body is not None and block is None else None
        return Symbol(
            name=full,
            kind="method" if kind == "function" and place.member else kind,
            start=self.at.line(min([node.start_byte, *(attribute.start_byte for attribute in attributes)])),
            end=self.at.line(node.end_byte),
            head=self.at.head(node, block) if kind != "macro" else self.at.line(node.start_byte),
            public=shown and public and not name.startswith("_"),
            params=tuple(self._params(parameters)) if parameters is not None else None,
            returns=self.at.field(node, "return_type"),
            bases=self._bases(node),
            value=value if len(value or "") <= MAX_VALUE and self.at.ends(node) else None,
            annotation=ordered or self.at.field(node, "type"),
            decorators=decorators,
            shape=self.at.shape(block if kind != "macro" else node, name),
        )

    def _bases(self, node: Node) -> tuple[str, ...]:
        bounds = self.at.field(node, "bounds")
        return tuple(part.strip() for part in bounds.removeprefix(":").split("+")) if bounds else ()

    def _params(self, parameters: Node) -> Iterator[Param]:
        for node in parameters.named_children:
            if node.type == "parameter":
                name, type_ = (self.at.field(node, "pattern") or "").removeprefix("mut "), self.at.field(node, "type")
                # What is taken apart as it comes in has no name; the names of its parts are the body's business.
                yield Param(name if name.isidentifier() else type_ or "", annotation=type_)

    def _is_pub(self, node: Node) -> bool:
        return any(child.type == "visibility_modifier" and child.text == b"pub" for child in node.children[:3])


def _without_private(symbols: list[Symbol]) -> list[Symbol]:
    """Take the methods of what only the crate can name for the crate's own, whatever they say of themselves."""
    private = {symbol.name for symbol in symbols if symbol.kind in _OWNERS and not symbol.public}
    return [
        symbol._replace(public=False) if symbol.public and symbol.name.rpartition(".")[0] in private else symbol
        for symbol in symbols
    ]
