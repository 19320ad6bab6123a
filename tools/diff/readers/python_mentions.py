"""Where a Python text mentions what a site may be made of: found in the text, looked up in the tree.

A text of ten thousand words has a few such places, so a search for words costs far less than a query over all nodes.
Whether a word is code or stands in a string, a comment or a longer name is then told by the node it belongs to.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from tree_sitter import Node

from tools.diff.readers import definitions, python_env, python_flags, python_offers
from tools.diff.readers.syntax import mentions

CALLED: Final = rb"(?=\s*\()"
# Each begins with a literal, which is found fast; what a name has before it is looked at afterwards.
CALLS: Final = tuple(
    (word, re.compile(word + rest + CALLED))
    for word, rest in (
        (b"add_argument", b""),
        (b"ption", b""),
        (b"DEFINE_", rb"\w+"),
        (b"oute", b""),
        (b"add_url_rule", b""),
        (b"register", rb"\w*"),
        (b"custom_op", b""),
        (b"add_parser", b""),
        (b"auge", rb"\w*"),
        (b"ounter", rb"\w*"),
        (b"istogram", rb"\w*"),
        (b"ummary", rb"\w*"),
        (b"env", rb"\w*"),
        (b"Env", rb"\w*"),
        (b"ENV", rb"\w*"),
    )
)
WARNINGS: Final = ((b"warn", re.compile(rb"warn\w*" + CALLED)),)
NOTES: Final = ((b"info_once", re.compile(b"info_once" + CALLED)),)
DEPRECATING: Final = frozenset({"warn_deprecated", "info_once"})
"""What only matters where it deprecates something."""
WARNERS: Final = frozenset({"warn", "warning", "warning_once", "warn_once", "print_warning_once"}) | DEPRECATING
WARNED_OF: Final = (b"eprecat", b"DEPRECAT", b"FutureWarning")
TOLD: Final = (
    *(b"raise", b"assert", b"eprecat", b"DEPRECAT", b"FutureWarning", b"@", b"at_least(", b"_version"),
    *definitions.QUOTED,
)
WARNED: Final = re.compile(rb"warn(?:ing)?(?:_once)?\(")
ASKED: Final = re.compile(rb"ersion[\w.()]{0,80}\s*[<>=]=?\s*[\w.(]{0,80}[\"']\d")
"""A version that is compared with one that is written out."""
ROUTERS: Final = frozenset({"route", "api_route", "add_api_route", "add_route", "add_url_rule", "Route"})
REGISTERING: Final = re.compile(r"^(\w+_)?register(_\w+)?$|^custom_op$")
# Methods of torch.nn.Module and the like: they name a part of an object, not something that can be chosen; and what
# stands in for an operator while a graph is traced.
PRIVATE_REGISTERS: Final = re.compile(
    r"register_(buffer|parameter|module|state|\w*hook|scalar|metric|pytree\w*|(?:\w+_)?(?:fake|abstract|meta))|^replace_"
)
DECORATED: Final = re.compile(
    rb"@\s*(?:\w+\s*\.\s*)*(?:deprecated|get|post|put|delete|patch|head|options|websocket|command)\b"
)
DECLARED: Final = (b"__version__", b"VERSION =", b"environment_variables", b": A[", b"Annotated[")
REGISTRY: Final = re.compile(
    rb"(?:registry|registered\w*|_models|_mapping|_map|_backends|_parsers|_loaders)\s*(?::[^=]*)?$", re.IGNORECASE
)
LONGEST: Final = 80
WORD: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"


@lru_cache(maxsize=8192)
def purpose(name: bytes) -> str:
    """Say what a call of a function of this name may declare."""
    word = name.decode("utf-8", "replace")
    if python_flags.is_flag_call(word):
        return "flag"
    if word in WARNERS:
        return "warning"
    if word in ROUTERS:
        return "route"
    if word == "add_parser":
        return "command"
    if python_offers.MEASURED.fullmatch(word):
        return "metric"
    if REGISTERING.match(word) and not PRIVATE_REGISTERS.search(word):
        return "registration"
    return "env" if python_env.is_env_call(word) else ""


def declaring(text: bytes) -> list[tuple[int, int]]:
    """Give the places of names whose call may declare what a user sets, and of `environ`, in no order."""
    spans = [span for word, pattern in CALLS if word in text for span in _calls(text, pattern)]
    return spans + [(start, start + len(b"environ")) for start in _starts(text, b"environ")]


def told(text: bytes) -> list[tuple[int, int]]:
    """Give the places of what tells of an error, a warning, a limit or a deprecation, in no order."""
    spans = [(start, start + len(word)) for word in TOLD for start in _starts(text, word)]
    spans += [found.span() for found in WARNED.finditer(text)]
    return spans + [found.span() for found in ASKED.finditer(text)]


def may_declare(text: bytes) -> bool:
    """Say whether a text can declare anything that users set or choose by name."""
    if mentions(text, DECLARED) or b"environ" in text:
        return True
    if any(True for word, pattern in CALLS if word in text for _ in _calls(text, pattern)):
        return True
    heads = (text[max(text.rfind(b"\n", 0, at), at - 2 * LONGEST) : at] for at in _starts(text, b"= {"))
    return any(REGISTRY.search(head) for head in heads) or DECORATED.search(text) is not None


class Mentions:
    """The places of one parsed text, kind by kind."""

    def __init__(self, text: bytes, root: Node) -> None:
        self._text = text
        self._root = root

    def callees(self) -> Iterator[Node]:
        """Give the names of functions that are called and may declare something, in source order."""
        text = self._text
        patterns = CALLS + WARNINGS + (NOTES if mentions(text, WARNED_OF) else ())
        spans = {span for word, pattern in patterns if word in text for span in _calls(text, pattern)}
        for start, end in sorted(spans):
            node = self._named(start, end)
            if node is not None:
                yield node

    def names(self, word: bytes) -> Iterator[Node]:
        """Give every use of a name."""
        for start in _starts(self._text, word):
            node = self._named(start, start + len(word))
            if node is not None:
                yield node

    def statements(self, keyword: bytes) -> Iterator[Node]:
        """Give every statement that begins with a keyword: `raise`, `assert`."""
        kind = keyword.decode()
        for start in _starts(self._text, keyword):
            node = self._root.descendant_for_byte_range(start, start + len(keyword))
            if node is not None and node.type == kind and node.parent is not None:
                yield node.parent

    def decorators(self) -> Iterator[Node]:
        """Give the decorators that deprecate something or make it a route or a subcommand."""
        for found in DECORATED.finditer(self._text) if b"@" in self._text else ():
            node = self._root.descendant_for_byte_range(found.start(), found.start() + 1)
            if node is not None and node.type == "@" and node.parent is not None and node.parent.type == "decorator":
                yield node.parent

    def _named(self, start: int, end: int) -> Node | None:
        node = self._root.descendant_for_byte_range(start, end)
        if node is None or node.type != "identifier" or node.start_byte != start or node.end_byte != end:
            return None
        return node


def _calls(text: bytes, pattern: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    for found in pattern.finditer(text):
        at, end = found.span()
        before = text[max(0, at - LONGEST) : at]
        start = at - len(before) + len(before.rstrip(WORD))
        if purpose(text[start:end]):
            yield start, end


def _starts(text: bytes, word: bytes) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))
