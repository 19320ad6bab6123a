"""Names that a Python file puts into a table from which users choose: registration calls, dictionaries, lists."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tree_sitter import Node

from agent.facts import OPERATORS, UNCHOSEN
from tools.diff.readers.python_declared import UNKNOWN, Assigned
from tools.diff.readers.python_syntax import Code
from tools.diff.reading import Site

REGISTRY: Final = re.compile(
    r"(REGISTRY|REGISTERED\w*|_TO_REGISTER|(?:^|_)MODELS|_MAPPING|_MAP|_BACKENDS|_PARSERS|_LOADERS)$"
)
PARTS: Final = re.compile(
    r"(?:^|_)(?:PACKED|STACKED|WEIGHTS?|PARAMS?|PARAMETERS?|TENSORS?|SHARDS?|PREFIX(?:ES)?|SUFFIX(?:ES)?|DTYPES?)_"
)
CLASS: Final = re.compile(r"^[A-Z][A-Z0-9]*[a-z]\w*$")
SPECIFIED: Final = re.compile(r"(?:Spec|Info|Config|Entry|Descriptor)$")
DESCRIBING: Final = frozenset({"op", "name", "op_name", "backend", "description", "help", "doc"})
"""What a record calls a thing, or says of it in words."""
PLAIN: Final = ("string", "identifier", "attribute", "integer", "true", "false", "none", "set")
LISTED: Final = re.compile(r"(?:^|_)(?:paths|names|models|aliases|archs|architectures|ids)$")
OPERATOR: Final = re.compile(r"custom_op$|register_op$")
KEY: Final = re.compile(r"^[\w.:/+-]{1,120}$")


class Registries:
    """The tables of one file; `scope` names what a node stands in."""

    def __init__(self, code: Code, module: str, scope: Callable[[Node], str]) -> None:
        self._code = code
        self._module = module
        self._scope = scope

    def called(self, call: Node) -> Iterator[Site]:
        """Read what a call registers."""
        positional, named = self._code.arguments(call)
        given = positional[0] if positional else named.get("name") or named.get("op_name")
        lines = self._code.line(call), self._code.last_line(call)
        if given is not None and given.type == "call" and SPECIFIED.search(self._code.callee(given)):
            yield from self._specified(given, lines)
            return
        key = self._code.string(given)
        if key is None or not KEY.match(key):
            yield from self._listed(named)
            return
        names = [self._code.string(node) for node in positional]
        if len(names) > 1 and self._class_below(call) is not None and all(name and KEY.match(name) for name in names):
            for node, name in zip(positional, names, strict=True):
                own = self._code.line(node), self._code.last_line(node)
                yield Site("registration", name or "", *own, scope=self._scope(call))
            return
        if len(positional) > 1 and self._is_said_of_a_class(call, positional[1]):
            return
        value = self._code.fold(positional[1])[:300] if len(positional) > 1 else None
        # A function may have the name by which other things are known.
        scope = "" if (around := self._scope(call)) in UNCHOSEN else around
        called = "op_name" in named or "::" in key or OPERATOR.search(self._code.callee(call)) is not None
        yield Site("registration", key, *lines, value=value, scope=OPERATORS if called else scope)

    def _is_said_of_a_class(self, call: Node, value: Node) -> bool:
        """Tell a decorator that gives a class a function for a word: `@REGISTRY.register_limit("audio", longest)`.

        The class is what was registered, and it is told with its decorators.
        """
        named = value.type == "identifier" and self._code.word(value).islower()
        return named and self._class_below(call) is not None

    def _class_below(self, call: Node) -> Node | None:
        """Find the class that a call decorates; by several words it can be chosen: `@Model.register("a", "b")`."""
        around = call.parent
        if around is None or around.type != "decorator" or around.parent is None:
            return None
        holder = around.parent.child_by_field_name("definition")
        return holder if holder is not None and holder.type == "class_definition" else None

    def _specified(self, record: Node, lines: tuple[int, int]) -> Iterator[Site]:
        """Read what is registered as a record describes it: `register(KernelSpec(op="a.b", backend=Backend.JIT))`."""
        first, named = self._code.arguments(record)
        key = self._code.string(named.get("op") or named.get("name") or named.get("op_name") or next(iter(first), None))
        if key is None or not KEY.match(key):
            return
        way = named.get("backend")
        plain = ((word, node) for word, node in named.items() if word not in DESCRIBING and node.type in PLAIN)
        value = ", ".join(f"{word}={self._code.fold(node)}" for word, node in plain)[:300] or None
        scope = self._code.fold(way).rpartition(".")[2].strip("\"'") if way is not None else self._scope(record)
        yield Site("registration", key, *lines, value=value, scope=scope)

    def _listed(self, named: Mapping[str, Node]) -> Iterator[Site]:
        """Read the names that are registered by a list: `register(paths=["a/b", "a/c"], …)`."""
        for word, holder in named.items():
            if holder.type not in ("list", "tuple") or not LISTED.search(word):
                continue
            for item in holder.named_children:
                name = self._code.string(item)
                if name is not None and KEY.match(name):
                    yield Site("registration", name, self._code.line(item), self._code.last_line(item), scope=word)

    def assigned(self, one: Assigned) -> Iterator[Site]:
        """Read the table that a name is given: a dictionary of entries, or a list of things made alike."""
        if one.value is not None and one.value.type == "dictionary" and self._is_registry(one, one.value):
            yield from self._entries(one, one.value)
        elif one.value is not None and one.value.type in ("list", "tuple") and one.owner is None:
            yield from self._rules(one.name, one.value)

    def _rules(self, table: str, holder: Node) -> Iterator[Site]:
        """Read a module's list of things that are made alike and have names: `RULES = (Rule(name="a"), …)`."""
        items = [item for item in holder.named_children if item.type != "comment"]
        if len(items) < 2 or not table.isupper() or any(item.type != "call" for item in items):
            return
        made = {self._code.callee(item) for item in items}
        names = [self._code.string(self._code.arguments(item)[1].get("name")) for item in items]
        if len(made) != 1 or not CLASS.match(made.pop()):
            return
        for item, name in zip(items, names, strict=True):
            if name is not None and KEY.match(name):
                yield Site("registration", name, self._code.line(item), self._code.last_line(item), scope=table)

    def _is_registry(self, one: Assigned, holder: Node) -> bool:
        if one.name == UNKNOWN and "regist" in self._module.lower():
            # Of a dictionary that a fragment begins in, only the name of the file tells what it is.
            return True
        if one.owner is None and one.name != UNKNOWN:
            if _is_table_of_parts(one.name, holder):
                return False
            tabled = one.name.isupper() and "regist" in self._module.lower()
            return (
                bool(REGISTRY.search(one.name.upper()))
                or tabled
                or (one.name.isupper() and self._names_classes(holder))
            )
        # What a function chooses from is its own business.
        scope = one.owner.name if one.owner else self._scope(one.node)
        return (not scope or CLASS.match(scope) is not None) and self._names_classes(holder)

    def _names_classes(self, holder: Node) -> bool:
        """Say whether a dictionary gives classes by name, as one does from which users choose."""
        pairs = [pair for pair in holder.named_children if pair.type == "pair"]
        values = [pair.child_by_field_name("value") for pair in pairs]
        keys = [pair.child_by_field_name("key") for pair in pairs]
        words = [self._code.word(value) for value in values if value is not None and value.type == "identifier"]
        # A private class is chosen by name like any other.
        named = all(CLASS.match(word.removeprefix("_")) for word in words) and len(words) == len(pairs)
        return len(pairs) > 1 and named and all(key is not None and key.type == "string" for key in keys)

    def _entries(self, one: Assigned, holder: Node) -> Iterator[Site]:
        table = one.owner.qualify(one.name) if one.owner else one.name.strip(UNKNOWN) and one.name
        for pair in holder.named_children:
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            name = self._code.string(key)
            if name is not None and value is not None and KEY.match(name):
                lines = self._code.line(pair), self._code.last_line(pair)
                text = self._code.fold(value)[:300]
                yield Site("registration", name, *lines, value=text, scope=table)


def _is_table_of_parts(name: str, holder: Node) -> bool:
    """Tell a table that says how names of weights or parts translate from one that users choose from."""
    values = [pair.child_by_field_name("value") for pair in holder.named_children if pair.type == "pair"]
    lists = [value is not None and value.type == "list" for value in values]
    return PARTS.search(name.upper()) is not None or (name.upper().endswith(("_MAP", "_MAPPING")) and any(lists))
