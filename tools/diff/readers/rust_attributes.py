"""What the attributes of a Rust item say to a user: a flag, a variable, a route, a deprecation."""

import re
from collections.abc import Iterator

from tools.diff.reading import Site, Symbol

_ARGUMENT = re.compile(r"^#\[\s*(?:arg|clap|structopt)\s*\((.*)\)\s*\]$")
_ROUTE = re.compile(r"^#\[\s*(?:\w+::)*(get|post|put|delete|patch|head|options)\s*\(\s*\"(/[^\"]*)\"")
_DEPRECATED = re.compile(r"^#\[\s*deprecated\b(.*)\]$")
_LONG = re.compile(r"\blong\b(?:\s*=\s*\"([^\"]+)\")?")
_DEFAULT = re.compile(r"\bdefault_values?(?:_t|_os|_os_t)?\s*=\s*(\"[^\"]*\"|(?:[^,()\[\]]|\([^()]*\)|\[[^\[\]]*\])+)")
_ENV = re.compile(r"\benv\s*=\s*\"([A-Z][A-Z0-9_]*)\"")
_CHOICES = re.compile(r"(?:value_parser|possible_values)\s*=?\s*\(?\s*\[([^\]]*)\]")
_ALIAS = re.compile(r"\b(?:visible_)?alias(?:es)?\s*[=(]\s*(\[[^\]]*\]|\"[^\"]*\")")
_STRING = re.compile(r"\"([^\"]*)\"")


def attribute_sites(symbol: Symbol) -> Iterator[Site]:
    """Give the sites that the symbol's attributes declare."""
    lines = symbol.start, symbol.head
    for text in symbol.decorators:
        if found := _DEPRECATED.match(text):
            yield Site("deprecation", symbol.name, *lines, value=" ".join(_STRING.findall(found.group(1))) or None)
        elif found := _ROUTE.match(text):
            yield Site("route", f"{found.group(1).upper()} {found.group(2)}", *lines, value=symbol.name)
        elif symbol.kind == "field" and (found := _ARGUMENT.match(text)):
            yield from _argument(symbol, found.group(1))


def _argument(symbol: Symbol, options: str) -> Iterator[Site]:
    lines = symbol.start, symbol.head
    long, default, env = _LONG.search(options), _DEFAULT.search(options), _ENV.search(options)
    value = default.group(1).strip() if default else None
    if long is not None:
        name = long.group(1) or symbol.name.rsplit(".", 1)[-1].replace("_", "-")
        listed = _CHOICES.search(options)
        choices = tuple(_STRING.findall(listed.group(1))) if listed else None
        also = tuple(f"--{alias}" for listed in _ALIAS.findall(options) for alias in _STRING.findall(listed))
        default_value = value.strip('"') if value else None
        yield Site("flag", f"--{name}", *lines, value=default_value, choices=choices, also=also)
    if env is not None:
        yield Site("env", env.group(1), *lines, value=value.strip('"') if value else None)
