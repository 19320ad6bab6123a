"""What a user of a Python file sets, calls by name or runs into, gathered where the text mentions it."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Final

from tree_sitter import Node

from tools.diff.readers import definitions, python_checks, python_env, python_flags, python_offers
from tools.diff.readers.manifest_python import requirement
from tools.diff.readers.python_declared import Found
from tools.diff.readers.python_deprecated import leaves_open, subject
from tools.diff.readers.python_interface import public_name
from tools.diff.readers.python_mentions import DEPRECATING, Mentions, purpose
from tools.diff.readers.python_registries import Registries
from tools.diff.readers.python_routes import routes_of
from tools.diff.readers.python_scopes import Scopes
from tools.diff.readers.python_syntax import Code, last_name
from tools.diff.reading import Site

DEPRECATION: Final = re.compile(r"(Deprecation|Future)Warning$")
DEPRECATED: Final = re.compile(r"\bdeprecat", re.IGNORECASE)
DIRECTIVE: Final = re.compile(rb"^([ \t]*)\.\. deprecated::([^\n]*)((?:\n\1[ \t]+\S[^\n]*)*)", re.MULTILINE)
QUOTED: Final = re.compile(r"`([A-Za-z_][\w.=-]*)`")
FLAGGED: Final = re.compile(
    r"(?<![\w-])(--[a-z][\w-]+)[`'\"]?(?: (?:flag|option|argument))? (?:is|has been|was) (?:now )?deprecated"
)
CALLED: Final = re.compile(r"(?<![\w{])([A-Za-z_][\w.]*)\(\)")
HELPERS: Final = 3
"""How many helpers that call one another are looked through, and how many callers are named."""
VERBS: Final = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "websocket"})
REQUIRES: Final = re.compile(r"^_?(?:\w+_)?(?:requires|requirements)(?:_for_\w+)?$")
VERSION: Final = re.compile(r"^(__version__|VERSION)$")

CASES: Final = frozenset({"if_statement", "conditional_expression", "match_statement", "try_statement"})


class Sites:
    """One pass over what the text mentions."""

    def __init__(self, code: Code, found: Found, path: str) -> None:
        self._code = code
        self._found = found
        self._module = path.rpartition("/")[2].removesuffix(".py")
        self._registries = Registries(code, self._module, self._scope)
        self._constants = {
            f"{a.owner.name}.{a.name}" if a.owner else a.name: a.value for a in found.assigned if a.value is not None
        }

    def read(self) -> tuple[Site, ...]:
        """List every site once, in source order."""
        mentions = Mentions(self._code.text, self._code.root)
        sites = dict.fromkeys(
            [
                *self._each(mentions.callees(), self._call),
                *self._each(mentions.names(b"environ"), self._environ),
                *self._each(mentions.statements(b"raise"), self._raise),
                *self._each(mentions.statements(b"assert"), self._assert),
                *self._each(mentions.decorators(), self._decorator),
                *self._directives(),
                *python_checks.versions(self._code, self._scopes),
                *definitions.listed(self._code.text, self._code.line_at, self._scopes.around, self._case),
                *self._assignments(),
            ]
        )
        known = {site.name for site in sites if site.kind == "env"}
        sites.update(dict.fromkeys(python_env.declared(self._code, self._found.assigned, known)))
        return tuple(sorted(sites, key=lambda site: (site.start, site.end)))

    def _each(self, nodes: Iterator[Node], read: Callable[[Node], Iterator[Site]]) -> Iterator[Site]:
        return chain.from_iterable(map(read, nodes))

    @cached_property
    def _scopes(self) -> Scopes:
        return Scopes(self._found.spans)

    def _scope(self, node: Node) -> str:
        return self._scopes.around(node.start_byte)

    # -- calls

    def _call(self, callee: Node) -> Iterator[Site]:
        name, why = self._code.word(callee), purpose(self._code.raw(callee))
        call = callee.parent
        if call is not None and call.type == "attribute" and call.end_byte == callee.end_byte:
            call = call.parent
        if call is None or call.type != "call":
            return
        if why == "flag":
            yield from python_flags.flag_of(self._code, call, name, self._constants, self._scope(call))
        elif why == "warning":
            yield from self._warning(call, name)
        elif why == "route":
            yield from routes_of(self._code, call, self._scope(call))
        elif why == "registration":
            yield from self._registries.called(call)
        elif why == "metric":
            yield from python_offers.metric_of(self._code, call)
        elif why == "command":
            yield from python_offers.command_of(self._code, call)
        elif site := python_env.helper_read(self._code, call, self._constants, self._scope(call)):
            yield site

    def _warning(self, call: Node, name: str) -> Iterator[Site]:
        positional, named = self._code.arguments(call)
        message = self._code.message(positional[0] if positional else named.get("message"))
        category = named.get("category") or (positional[1] if len(positional) > 1 else None)
        kind = self._code.word(last_name(category))
        if DEPRECATION.search(kind) or (message is not None and DEPRECATED.search(message)):
            site = self._deprecation(call, message, subject(message or "", self._scope(call)))
            if site.name != self._module or not leaves_open(message or ""):
                yield site
        elif message is not None and name not in DEPRECATING:
            yield python_checks.warned(self._code, call, name, message, self._scope(call))

    def _deprecation(self, node: Node, message: str | None, named: str = "") -> Site:
        scope = self._scope(node)
        lines = self._code.line(node), self._code.last_line(node)
        symbol = self._found.symbols.get(scope)
        public = not any(part.startswith("_") and not part.endswith("__") for part in scope.split("."))
        shown = public if symbol is None else symbol.public or public
        helper = scope.rpartition(".")[2]
        if flag := FLAGGED.search(message or ""):
            return Site("deprecation", flag[1], *lines, value=message, scope=scope)
        if not shown and helper.startswith("_"):
            name = self._warned_of(helper, message or "", named)
            return Site("deprecation", name, *lines, value=message, scope=scope)
        return Site("deprecation", named or scope or self._module, *lines, public=shown, value=message, scope=scope)

    def _warned_of(self, helper: str, message: str, named: str) -> str:
        """Name what a private helper warns of: what its words name, else the public functions that call it."""
        given, called = QUOTED.search(message), CALLED.search(message)
        if given and called:
            return f"{called[1]}({given[1]})"
        if named or given or called:
            return named or (given or called)[1]  # type: ignore[index]  # one of them is there
        helpers = [helper]
        for one in islice(helpers, HELPERS):
            uses = re.finditer(rb"(?<!def )\b%b\(" % one.encode(), self._code.text)
            callers = [name for name in dict.fromkeys(self._scopes.around(use.start()) for use in uses) if name]
            if public := [name for name in callers if public_name(name)]:
                return ", ".join(public[:HELPERS])
            helpers += [name.rpartition(".")[2] for name in callers]
        return self._module

    # -- statements

    def _environ(self, node: Node) -> Iterator[Site]:
        site = python_env.environ_read(self._code, node, self._constants, self._scope(node))
        if site is not None:
            yield site

    def _raise(self, node: Node) -> Iterator[Site]:
        # What stands in for a thing that is missing refuses nothing that would have worked.
        if not any(start <= node.start_byte < end for start, end in self._found.spares):
            yield from python_checks.raised(self._code, node, self._scope(node), self._constants)

    def _assert(self, node: Node) -> Iterator[Site]:
        scope = self._scope(node)
        symbol = self._found.symbols.get(scope)
        for site in python_checks.asserted(self._code, node, scope, self._constants):
            # Without words it only matters to those who call the function.
            hidden = (
                site.kind == "error"
                and site.value is None
                and symbol is not None
                and (symbol.device or not symbol.public)
            )
            yield site._replace(public=False) if hidden else site

    def _decorator(self, node: Node) -> Iterator[Site]:
        inner = next(iter(node.named_children), None)
        call = inner if inner is not None and inner.type == "call" else None
        name = self._code.callee(call) if call is not None else self._code.word(last_name(inner))
        if name == "deprecated":
            positional, named = self._code.arguments(call) if call is not None else ([], {})
            given = positional[0] if positional else named.get("reason") or named.get("message")
            site = self._deprecation(node, self._code.message(given))
            inner_name = self._decorated(node)
            # A function inside another has no scope of its own.
            if inner_name and site.name and site.name.rpartition(".")[2] != inner_name:
                site = site._replace(name=inner_name, public=public_name(inner_name))
            yield site
        elif name == "command" and call is not None:
            yield from python_offers.decorated_command(self._code, call, self._decorated(node))
        elif name in VERBS and call is not None:
            yield from routes_of(self._code, call, self._scope(call), verb=name)

    def _decorated(self, node: Node) -> str:
        """Name what a decorator stands before; nothing where a fragment does not show it."""
        definition = node.parent.child_by_field_name("definition") if node.parent is not None else None
        return self._code.word(definition.child_by_field_name("name")) if definition is not None else ""

    def _directives(self) -> Iterator[Site]:
        if b".. deprecated::" not in self._code.text:
            return
        # A hunk may show the middle of a docstring only, so the text is what counts and not the tree.
        for found in DIRECTIVE.finditer(self._code.text):
            message = " ".join((found[2] + found[3]).decode("utf-8", "replace").split())
            scope = self._scopes.around(found.start())
            lines = self._code.line_at(found.start()), self._code.line_at(found.end())
            yield Site("deprecation", scope or self._module, *lines, value=message[:300], scope=scope)

    def _case(self, at: int) -> str:
        """Say under what condition the function around a place gets there, where there is one."""
        node = self._code.root.descendant_for_byte_range(at, at)
        while node is not None and node.type != "function_definition":
            if node.type in CASES:
                return node.type
            node = node.parent
        return ""

    # -- names at module and class level

    def _assignments(self) -> Iterator[Site]:
        for one in self._found.assigned:
            if one.owner is not None:
                if one.annotation is not None:
                    yield from python_flags.annotated_flag(self._code, one, self._constants)
            elif REQUIRES.match(one.name) and one.value is not None and one.value.type == "list":
                for item in one.value.named_children:
                    if found := requirement(self._code.string(item) or "", self._code.line(item), one.name):
                        yield found
            elif VERSION.match(one.name) and (version := self._code.string(one.value)):
                lines = self._code.line(one.node), self._code.last_line(one.node)
                yield Site("version", one.name, *lines, value=version)
            yield from self._registries.assigned(one)
