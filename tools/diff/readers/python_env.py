"""Environment variables that a Python file reads or declares."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tree_sitter import Node

from tools.diff.readers.python_choices import choices_of
from tools.diff.readers.python_declared import UNKNOWN, Assigned
from tools.diff.readers.python_syntax import Code
from tools.diff.reading import Site

VARIABLE: Final = re.compile(r"^_?[A-Z][A-Z0-9_]{2,}$")
ANY_VARIABLE: Final = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
# `envs.get`-like helpers of every project: `get_bool_env_var`, `env_bool`, `getenv_int`, `EnvInt`.
HELPER: Final = re.compile(r"(^|_)(get)?env(s|iron|ironment)?(_|$)|^Env[A-Z]\w*$|^[gG]etEnv", re.IGNORECASE)
WRITERS: Final = re.compile(r"^(set|un_?set|put|del|pop|monkeypatch|override|clear|patch|with)", re.IGNORECASE)
DECLARED: Final = re.compile(r"^(Env[A-Z]\w*|env_\w+)$")
PREFIXED: Final = re.compile(rb"""[fF]["']\{\w+\}(_[A-Z][A-Z0-9_]+)["']\Z""")
REGISTRY: Final = "environment_variables"
_LISTED: Final = ("list", "tuple", "set", "identifier", "call", "binary_operator")
_LITERALS: Final = ("string", "integer", "float", "true", "false")


def is_env_call(name: str) -> bool:
    """Say whether a function of this name may read an environment variable named in its first argument."""
    return "env" in name.lower() and bool(HELPER.search(name)) and not WRITERS.match(name)


def helper_read(code: Code, call: Node, constants: Mapping[str, Node], scope: str) -> Site | None:
    """Read `os.getenv("X", default)` and every helper that is called like it."""
    positional, named = code.arguments(call)
    name = _spelled(code, positional[0] if positional else named.get("name"), constants)
    direct = code.callee(call) == "getenv"
    if name is None or not (ANY_VARIABLE if direct else VARIABLE).match(name):
        return None
    if "deprecat" in code.callee(call).lower():
        # What is handed on besides says until when, and what to use instead.
        words = [text for node in (*positional[1:], *named.values()) if (text := code.message(node))]
        return Site("deprecation", name, code.line(call), code.last_line(call), value=" ".join(words) or None)
    default = _default(code, call, positional[1] if len(positional) > 1 else named.get("default"))
    listed = named.get("choices") or (positional[2] if len(positional) > 2 else None)
    choices = choices_of(code, listed, constants) if listed is not None and listed.type in _LISTED else None
    return _site(code, name, call, default, scope, choices)


def _spelled(code: Code, node: Node | None, constants: Mapping[str, Node]) -> str | None:
    """Give the name that is written out, or that a constant of the module holds."""
    if node is not None and node.type == "identifier":
        node = constants.get(code.word(node))
    if node is not None and (prefixed := PREFIXED.match(code.raw(node))):
        # What is put in front can be seen where the file speaks of the variable by its whole name.
        whole = {found.decode() for found in re.findall(rb"\b[A-Z][A-Z0-9_]*%b\b" % prefixed[1], code.text)}
        return whole.pop() if len(whole) == 1 else None
    return code.string(node)


def environ_read(code: Code, environ: Node, constants: Mapping[str, Node], scope: str) -> Site | None:
    """Read what is done with `environ`: get, setdefault, a subscript, a test; writing to it declares nothing."""
    whole = environ.parent if environ.parent is not None and environ.parent.type == "attribute" else environ
    if whole.child_by_field_name("attribute") != environ:
        whole = environ
    parent = whole.parent
    if parent is None:
        return None
    if parent.type == "attribute" and (call := parent.parent) is not None and call.type == "call":
        return _environ_method(code, call, constants, scope)
    if parent.type == "subscript" and not _written(parent):
        return _named(code, parent.child_by_field_name("subscript"), parent, None, scope)
    if parent.type == "comparison_operator" and any(child.type in ("in", "not in") for child in parent.children):
        return _named(code, parent.named_children[0], parent, None, scope)
    return None


def _environ_method(code: Code, call: Node, constants: Mapping[str, Node], scope: str) -> Site | None:
    if code.callee(call) not in ("get", "setdefault"):
        return None
    positional, named = code.arguments(call)
    default = _default(code, call, positional[1] if len(positional) > 1 else named.get("default"))
    name = _spelled(code, positional[0] if positional else None, constants)
    return _site(code, name, call, default, scope) if name is not None and ANY_VARIABLE.match(name) else None


def _default(code: Code, call: Node, given: Node | None) -> Node | None:
    """Give what a variable is where it is not set; nothing at all gives way to what stands behind `or`."""
    empty = given is None or given.type == "none" or code.string(given) == ""
    return (_instead(call) or given) if empty else given


def _instead(call: Node) -> Node | None:
    """Find the literal that is taken where the variable is not set: `os.getenv("X", "").lower() or "4"`."""
    while (method := call.parent) is not None and method.type == "attribute":
        if method.parent is None or method.parent.type != "call":
            return None
        call = method.parent
    either = call.parent
    if either is None or either.type != "boolean_operator" or either.child_by_field_name("left") != call:
        return None
    operator, other = either.child_by_field_name("operator"), either.child_by_field_name("right")
    plain = other is not None and other.type in _LITERALS
    return other if plain and operator is not None and operator.type == "or" else None


def declared(code: Code, assigned: list[Assigned], known: set[str]) -> Iterator[Site]:
    """Read registries: `X = EnvBool(False)` in a class, and the dictionary of lambdas with its annotations."""
    annotated = {a.name: a.value for a in assigned if a.owner is None and a.annotation is not None}
    for one in assigned:
        if one.owner is not None and one.value is not None and one.value.type == "call" and VARIABLE.match(one.name):
            positional, named = code.arguments(one.value)
            if DECLARED.match(code.callee(one.value)) and (not positional or not _names_another(code, positional[0])):
                default = positional[0] if positional else named.get("default")
                yield _site(code, one.name, one.node, default, one.owner.name)
                yield from _former_names(code, named, one)
        elif one.owner is None and one.value is not None and one.name in (REGISTRY, UNKNOWN):
            yield from _entries(code, one.value, annotated, known, lambdas=one.name == UNKNOWN)


def _former_names(code: Code, named: Mapping[str, Node], now: Assigned) -> Iterator[Site]:
    """Read `NEW = EnvIntWithAlias(8, deprecated_name="OLD")`: the old name still works, and should not be used."""
    for keyword, value in named.items():
        if "deprecat" in keyword and VARIABLE.match(name := code.string(value) or ""):
            yield Site("deprecation", name, code.line(now.node), code.last_line(now.node), value=now.name)


def _entries(
    code: Code, holder: Node, annotated: Mapping[str, Node | None], known: set[str], *, lambdas: bool
) -> Iterator[Site]:
    for pair in holder.named_children:
        name, value = code.string(pair.child_by_field_name("key")), pair.child_by_field_name("value")
        if name is None or value is None or not VARIABLE.match(name) or name in known:
            continue
        if value.type == "lambda" or not lambdas:
            yield _site(code, name, pair, annotated.get(name), "")


def _names_another(code: Code, node: Node) -> bool:
    return bool(VARIABLE.match(code.string(node) or ""))


def _named(code: Code, key: Node | None, node: Node, default: Node | None, scope: str) -> Site | None:
    name = code.string(key)
    return _site(code, name, node, default, scope) if name is not None and ANY_VARIABLE.match(name) else None


def _site(
    code: Code, name: str, node: Node, default: Node | None, scope: str, choices: tuple[str, ...] | None = None
) -> Site:
    return Site(
        "env",
        name,
        code.line(node),
        code.last_line(node),
        public=not name.startswith("_"),
        value=None if default is None else code.fold(default),
        choices=choices,
        scope=scope,
    )


def _written(subscript: Node) -> bool:
    parent = subscript.parent
    if parent is None:
        return False
    if parent.type in ("assignment", "augmented_assignment"):
        return parent.child_by_field_name("left") == subscript
    return parent.type in ("delete_statement", "expression_list", "pattern_list")
