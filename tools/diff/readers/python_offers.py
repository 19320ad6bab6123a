"""What a Python program offers under names of its own: metrics that it exports, subcommands that it runs."""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from agent.facts import COMMANDS, METRICS
from tools.diff.readers.python_syntax import Code
from tools.diff.reading import Site

MEASURED: Final = re.compile(
    r"_?(?:Prom|Prometheus)?(Gauge|Counter|Histogram|Summary)|_*(?:\w+_)?(gauge|counter|histogram|summary)_(?:cls|class)"
)
"""A class of metrics by its own name, or kept under one: `Gauge`, `self._gauge_cls`."""
METRIC: Final = re.compile(r"[A-Za-z]\w*[_:][\w:]*\w")
DEPRECATED: Final = re.compile(r"\bdeprecated\b", re.IGNORECASE)
DESCRIBED: Final = ("documentation", "description")
LABELLED: Final = frozenset({"labelnames", "tag_keys", "multiprocess_mode"})
PARSERS: Final = re.compile(r"sub|parsers|command|cmd", re.IGNORECASE)
GROUPS: Final = re.compile(r"(?:\w+_)?(?:cli|app|group|commands?)")
"""What `click` or `typer` hangs subcommands on; a bare `click.command` makes a program of its own."""
SHORTENED: Final = ("_command", "_cmd", "_group", "_grp")
"""Ends of a function's name that some versions of `click` leave out of the command's."""
COMMAND: Final = re.compile(r"[A-Za-z][\w.:-]*")


def metric_of(code: Code, call: Node) -> Iterator[Site]:
    """Read a metric: `Gauge("app:waiting", "Requests that wait", …)`; a `collections.Counter` counts for itself."""
    positional, named = code.arguments(call)
    name = code.string(named.get("name") or next(iter(positional), None)) or ""
    about = next((named[word] for word in DESCRIBED if word in named), None)
    if about is None and "name" not in named and len(positional) > 1:
        about = positional[1]
    words = code.message(about)
    kind = MEASURED.fullmatch(code.callee(call))
    if kind is None or not METRIC.fullmatch(name) or (words is None and LABELLED.isdisjoint(named)):
        return
    lines = code.line(call), code.last_line(call)
    sort = (kind[1] or kind[2]).lower()
    yield Site("registration", name, *lines, value=sort, scope=METRICS, about=words or "")
    if words is not None and DEPRECATED.search(words):
        yield Site("deprecation", name, *lines, value=words, scope=METRICS)


def command_of(code: Code, call: Node) -> Iterator[Site]:
    """Read a subcommand: `subparsers.add_parser("serve", help=…)`."""
    positional, named = code.arguments(call)
    function = call.child_by_field_name("function")
    holder = function.child_by_field_name("object") if function is not None else None
    name = code.string(positional[0] if len(positional) == 1 else None if positional else named.get("name")) or ""
    if holder is not None and PARSERS.search(code.word(holder)) and COMMAND.fullmatch(name):
        yield Site("registration", name, code.line(call), code.last_line(call), scope=COMMANDS)


def decorated_command(code: Code, call: Node, function: str) -> Iterator[Site]:
    """Read a subcommand: `@cli.command("serve")`, or `@app.command()` above `def serve()`."""
    positional, named = code.arguments(call)
    callee = call.child_by_field_name("function")
    holder = callee.child_by_field_name("object") if callee is not None else None
    given = positional[0] if positional else named.get("name")
    name = code.string(given) or ""
    if given is None and not function.endswith(SHORTENED):
        name = function.lower().replace("_", "-")
    if holder is not None and GROUPS.fullmatch(code.word(holder)) and COMMAND.fullmatch(name):
        yield Site("registration", name, code.line(call), code.last_line(call), scope=COMMANDS)
