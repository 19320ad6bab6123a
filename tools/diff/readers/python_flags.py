"""Command-line flags that a Python file declares: argparse, click, typer, absl, annotated settings."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tree_sitter import Node

from tools.diff.readers.python_choices import choices_of
from tools.diff.readers.python_declared import Assigned
from tools.diff.readers.python_syntax import STRINGS, Code
from tools.diff.reading import Site

OPTION_CALLS: Final = frozenset({"add_argument", "option", "Option", "add_option"})
ABSL: Final = re.compile(r"^DEFINE_(alias|bool|boolean|enum|enum_class|flag|float|integer|list|multi_\w+|string)$")
LONG: Final = re.compile(r"^--[A-Za-z0-9][\w.-]*$")
EMPTY: Final = {"list": "[]", "dict": "{}", "set": "set()", "tuple": "()"}
ANNOTATED: Final = re.compile(r"^(A|Annotated|typing\.Annotated)$")


def is_flag_call(name: str) -> bool:
    """Say whether a function of this name may declare a flag."""
    return name in OPTION_CALLS or name.startswith("DEFINE_")


def flag_of(code: Code, call: Node, name: str, constants: Mapping[str, Node], scope: str) -> Iterator[Site]:
    """Read the flag that a call declares, and that it is deprecated where the call says so."""
    positional, named = code.arguments(call)
    if ABSL.match(name):
        yield from _absl(code, call, positional, named, constants, scope)
        return
    flag, *also = _long_names(code, positional) or [""]
    if not flag:
        return
    lines = code.line(call), code.last_line(call)
    choices = choices_of(code, _choices_node(code, named), constants)
    default = _default(code, named, constants)
    about = code.message(named.get("help")) or ""
    site = Site("flag", flag, *lines, value=default, choices=choices, scope=scope, also=tuple(also), about=about)
    yield site
    yield from _deprecated(code, site, named)


def _deprecated(code: Code, site: Site, named: Mapping[str, Node]) -> Iterator[Site]:
    """Say that a flag is deprecated where its declaration does."""
    action = code.fold(named["action"]) if "action" in named else ""
    if "Deprecated" in action or ("deprecated" in named and code.raw(named["deprecated"]) == b"True"):
        yield Site("deprecation", site.name, site.start, site.end, value=site.about or None, scope=site.scope)


def annotated_flag(code: Code, assigned: Assigned, constants: Mapping[str, Node]) -> Iterator[Site]:
    """Read the flag that a field declares with `A[str, Arg(…)]`, the way settings classes derive one from the name."""
    base, parts = _annotation(assigned.annotation)
    if base is None or assigned.owner is None or not ANNOTATED.match(code.word(base)) or not parts:
        return
    kind, *extras = parts
    argument = next((n for n in extras if n.type == "call" and code.callee(n) == "Arg"), None)
    words = next((n for n in extras if n.type in STRINGS), None) if code.word(base) == "A" else None
    named = code.arguments(argument)[1] if argument is not None else {}
    hidden = "no_cli" in named and code.raw(named["no_cli"]) == b"True"
    if hidden or (argument is None and words is None):
        return
    site = Site(
        "flag",
        code.string(named.get("cli_name")) or f"--{assigned.name.replace('_', '-')}",
        code.line(assigned.node),
        code.last_line(assigned.node),
        value=_field_default(code, assigned.value),
        choices=choices_of(code, named.get("choices", kind if b"Literal" in code.raw(kind) else None), constants),
        scope=assigned.owner.name,
        also=tuple(name for name in choices_of(code, named.get("aliases"), constants) or () if LONG.match(name)),
        about=code.message(named.get("help", words)) or "",
    )
    yield site
    yield from _deprecated(code, site, named)


def _field_default(code: Code, node: Node | None) -> str | None:
    """Write what a field holds where nobody sets it: `field(default_factory=list)` is `[]`."""
    if node is None or node.type != "call" or code.callee(node) not in ("field", "Field"):
        return None if node is None else code.fold(node)
    positional, named = code.arguments(node)
    factory = named.get("default_factory")
    if factory is not None and factory.type == "lambda":
        body = factory.child_by_field_name("body")
        return None if body is None else code.fold(body)
    if factory is not None:
        return EMPTY.get(code.word(factory), code.fold(node))
    default = named.get("default") or (positional[0] if positional else None)
    return None if default is None else code.fold(default)


def _annotation(node: Node | None) -> tuple[Node | None, list[Node]]:
    """Give the name before the brackets of an annotation, and what stands between them."""
    inner = node.named_children[0] if node is not None and node.named_child_count else None
    if inner is None or inner.type not in ("subscript", "generic_type"):
        return None, []
    if inner.type == "subscript":
        base, parts = inner.child_by_field_name("value"), inner.children_by_field_name("subscript")
    else:
        base, parts = inner.named_children[0], inner.named_children[-1].named_children
    return base, [part.named_children[0] if part.type == "type" and part.named_child_count else part for part in parts]


def _absl(
    code: Code,
    call: Node,
    positional: list[Node],
    named: dict[str, Node],
    constants: Mapping[str, Node],
    scope: str,
) -> Iterator[Site]:
    name = code.string(positional[0]) if positional else code.string(named.get("name"))
    if not name:
        return
    default = positional[1] if len(positional) > 1 else named.get("default")
    listed = named.get("enum_values") or (positional[2] if len(positional) > 2 else None)
    is_enum = code.callee(call) == "DEFINE_enum"
    yield Site(
        "flag",
        f"--{name}",
        code.line(call),
        code.last_line(call),
        value=None if default is None else code.fold(default),
        choices=choices_of(code, listed, constants) if is_enum else None,
        scope=scope,
    )


def _long_names(code: Code, positional: list[Node]) -> list[str]:
    # click writes `--shout/--no-shout` for a pair.
    firsts = ((code.string(node) or "").split("/")[0].strip() for node in positional)
    return [first for first in firsts if LONG.match(first)]


def _choices_node(code: Code, named: dict[str, Node]) -> Node | None:
    if "choices" in named:
        return named["choices"]
    kind = named.get("type")
    if kind is not None and kind.type == "call" and code.callee(kind) == "Choice":
        positional, _ = code.arguments(kind)
        return positional[0] if positional else None
    return None


def _default(code: Code, named: dict[str, Node], constants: Mapping[str, Node]) -> str | None:
    if "default" in named:
        node = named["default"]
        # A default that a class of the same file holds is what is written there.
        held = constants.get(code.fold(node)) if node.type == "attribute" else None
        return code.fold(node if held is None else held)
    action = code.string(named.get("action"))
    if action == "store_true" or ("is_flag" in named and code.raw(named["is_flag"]) == b"True"):
        return "False"
    return "True" if action == "store_false" else None
