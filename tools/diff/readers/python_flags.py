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
    default = _default(code, named)
    about = code.message(named.get("help")) or ""
    yield Site("flag", flag, *lines, value=default, choices=choices, scope=scope, also=tuple(also), about=about)
    action = code.fold(named["action"]) if "action" in named else ""
    if "Deprecated" in action or ("deprecated" in named and code.raw(named["deprecated"]) == b"True"):
        yield Site("deprecation", flag, *lines, value=about or None, scope=scope)


def annotated_flag(code: Code, assigned: Assigned, constants: Mapping[str, Node], default: str | None) -> Site | None:
    """Read the flag that a field declares with `A[str, Arg(…)]`, the way settings classes derive one from the name."""
    node = assigned.annotation
    inner = node.named_children[0] if node is not None and node.named_child_count else None
    if inner is None or assigned.owner is None:
        return None
    if inner.type == "subscript":
        base, extras = inner.child_by_field_name("value"), inner.children_by_field_name("subscript")[1:]
    elif inner.type == "generic_type":
        base, extras = inner.named_children[0], inner.named_children[-1].named_children[1:]
    else:
        return None
    extras = [n.named_children[0] if n.type == "type" and n.named_child_count else n for n in extras]
    argument = next((n for n in extras if n.type == "call" and code.callee(n) == "Arg"), None)
    short = base is not None and code.word(base) == "A" and any(n.type in STRINGS for n in extras)
    if base is None or not ANNOTATED.match(code.word(base)) or (argument is None and not short):
        return None
    named = code.arguments(argument)[1] if argument is not None else {}
    if "no_cli" in named and code.raw(named["no_cli"]) == b"True":
        return None
    name = f"--{assigned.name.replace('_', '-')}"
    lines = code.line(assigned.node), code.last_line(assigned.node)
    choices = choices_of(code, named.get("choices"), constants)
    return Site("flag", name, *lines, value=default, choices=choices, scope=assigned.owner.name)


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


def _default(code: Code, named: dict[str, Node]) -> str | None:
    if "default" in named:
        return code.fold(named["default"])
    action = code.string(named.get("action"))
    if action == "store_true" or ("is_flag" in named and code.raw(named["is_flag"]) == b"True"):
        return "False"
    return "True" if action == "store_false" else None
