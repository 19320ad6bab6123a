"""The declarations of a Go syntax tree."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from tools.diff.readers.located import Located
from tools.diff.reading import Param, Symbol, SymbolKind

_TRANSPARENT = frozenset(
    {"source_file", "type_declaration", "const_declaration", "var_declaration", "var_spec_list", "ERROR"}
)
MAX_VALUE = 300
_STRUCTURES: dict[str, SymbolKind] = {"struct_type": "struct", "interface_type": "trait"}


@dataclass(frozen=True, slots=True)
class _Place:
    """In which type a node stands, and which type the constants of its group have."""

    owner: str = ""
    public: bool = True
    enum: str = ""


class SymbolReader:
    """Reads the declarations of one tree."""

    def __init__(self, at: Located) -> None:
        self._at = at

    def read(self, root: Node) -> list[Symbol]:
        """Return every declaration, in the order of the file."""
        found: list[Symbol] = []
        stack = [(root, _Place())]
        while stack:
            node, place = stack.pop()
            stack.extend(reversed(list(self._enter(node, place, found))))
        return found

    def _enter(self, node: Node, place: _Place, found: list[Symbol]) -> Iterator[tuple[Node, _Place]]:
        kind = node.type
        if kind == "const_declaration":
            yield from self._constants(node)
        elif kind in _TRANSPARENT:
            yield from ((child, place) for child in node.named_children)
        elif kind in ("function_declaration", "method_declaration", "method_elem", "method_spec"):
            self._function(node, place, found)
        elif kind in ("type_spec", "type_alias"):
            yield from self._type(node, found)
        elif kind in ("field_declaration", "const_spec", "var_spec"):
            self._values(node, place, found)

    def _constants(self, node: Node) -> Iterator[tuple[Node, _Place]]:
        """Constants that follow one of a named type with `iota` are that type's members."""
        enum = ""
        for spec in node.named_children:
            if spec.type == "const_spec":
                kind, value = self._at.field(spec, "type"), self._at.field(spec, "value")
                if value is not None:
                    enum = kind if kind is not None and "iota" in value else ""
                yield spec, _Place(enum=enum)

    def _function(self, node: Node, place: _Place, found: list[Symbol]) -> None:
        name, parameters = self._at.field(node, "name"), node.child_by_field_name("parameters")
        if name is None or parameters is None:
            return
        receiver = node.child_by_field_name("receiver")
        owner = place.owner
        if receiver is not None:
            owner = self._at.fold(receiver).strip("()").split("[")[0].split()[-1].lstrip("*")
        body = node.child_by_field_name("body")
        symbol = Symbol(
            name=f"{owner}.{name}" if owner else name,
            kind="method" if owner else "function",
            start=self._at.line(node.start_byte),
            end=self._at.line(node.end_byte),
            head=self._at.head(node, body),
            public=place.public and name[:1].isupper() and (not owner or owner[:1].isupper()),
            params=tuple(self._params(parameters)),
            returns=self._at.field(node, "result"),
            shape=self._at.shape(body, name),
        )
        self._note(node, symbol, found)

    def _params(self, parameters: Node) -> Iterator[Param]:
        for node in parameters.named_children:
            if node.type not in ("parameter_declaration", "variadic_parameter_declaration"):
                continue
            annotation = self._at.field(node, "type")
            names: list[Node | None] = [*node.children_by_field_name("name")]
            for name in names or [None]:
                variadic = node.type.startswith("variadic")
                label = self._at.fold(name) if name is not None else ""
                yield Param(label, annotation=annotation, star="*" if variadic else "")

    def _type(self, node: Node, found: list[Symbol]) -> Iterator[tuple[Node, _Place]]:
        name, kind = self._at.field(node, "name"), node.child_by_field_name("type")
        if name is None or kind is None:
            return
        what = _STRUCTURES.get(kind.type, "type")
        public = name[:1].isupper()
        value = None if kind.type in _STRUCTURES else self._at.fold(kind)
        structure = kind if kind.type in _STRUCTURES else None
        symbol = Symbol(
            name=name,
            kind=what,
            start=self._at.line(node.start_byte),
            end=self._at.line(node.end_byte),
            head=self._at.line(kind.start_byte) if structure is not None else self._at.line(node.end_byte),
            public=public,
            value=value,
            shape=self._at.shape(structure, name),
        )
        self._note(node, symbol, found)
        place = _Place(name, public)
        for child in kind.named_children:
            inner = child.named_children if child.type == "field_declaration_list" else [child]
            yield from ((item, place) for item in inner)

    def _values(self, node: Node, place: _Place, found: list[Symbol]) -> None:
        """Note fields, constants and variables; several may share a type."""
        owner = place.owner or place.enum
        kind: SymbolKind = "field" if node.type == "field_declaration" else "variable"
        if node.type == "const_spec":
            kind = "member" if place.enum else "constant"
        annotation, value = self._at.field(node, "type"), node.child_by_field_name("value")
        names = [child for child in node.children_by_field_name("name") if child.is_named]
        if not names and kind == "field" and annotation is not None:
            names = [node.child_by_field_name("type") or node]  # an embedded type is a field of its own name
        values = value.named_children if value is not None and value.named_child_count == len(names) else []
        for index, child in enumerate(names):
            name = self._at.fold(child).lstrip("*").split(".")[-1]
            if name == "_":
                continue
            text = self._at.fold(values[index]) if values else self._at.field(node, "value")
            symbol = Symbol(
                name=f"{owner}.{name}" if owner else name,
                kind=kind,
                start=self._at.line(node.start_byte),
                end=self._at.line(node.end_byte),
                head=self._at.line(node.end_byte),
                public=place.public and name[:1].isupper(),
                annotation=annotation,
                value=text if len(text or "") <= MAX_VALUE and self._at.ends(node) else None,
                decorators=(tag,) if (tag := self._at.field(node, "tag")) else (),
            )
            self._note(node, symbol, found)

    def _note(self, node: Node, symbol: Symbol, found: list[Symbol]) -> None:
        if node.start_byte >= self._at.shift:
            found.append(symbol)
