"""How names of code are shown: short enough to read, long enough to tell apart and to search for."""

import re

from agent.facts import Fact, FactKind

_PARTS = 2
_LONG_PATH = 80
_PATH = re.compile(r"[\w.@+=,-]+(?:/[\w.@+=,-]+)+")
_NAME = re.compile(r"[A-Za-z_~][\w.:<>~]*")
_OWNED = ("method", "property", "override", "field")
_QUOTED = r"(?::\w+:)?[`'\"]{0,2}((?:--)?[A-Za-z_][\w./:-]*\w)(?:\(\))?[`'\"]{0,2}"
_SUCCESSOR = re.compile(
    rf"\b(?:use|in favou?r of|replaced by) {_QUOTED}(?: (?:and|or) {_QUOTED})?(?= instead\b|[.;,)](?:\s|$)|$)",
    re.IGNORECASE,
)
"""What the words of a deprecation advise, if nothing follows that it depends on."""
_OF_CODE = re.compile(r"--\w.*|(?!v?\d)\w*(?:[._/:]|[a-z0-9][A-Z])[\w./:]*")


def names_of(fact: Fact) -> tuple[str, ...]:
    """List what a fact is about; one change of several functions names them all."""
    text, names, start = fact.name, [], 0
    # A comparison is no bracket: a sign counts where the text has as many of its other half.
    pairs = [(opening, closing) for opening, closing in ("<>", "[]") if text.count(opening) == text.count(closing)]
    for comma in re.finditer(", ", text):
        before = text[start : comma.start()]
        # The comma of `Traits<A, B>` or of a path like `shape=[128, 128].json` parts no names.
        if all(before.count(opening) == before.count(closing) for opening, closing in pairs):
            names.append(before)
            start = comma.end()
    return (*names, text[start:])


def shown_names(names: tuple[str, ...], *, constructors: bool = False) -> list[str]:
    """Shorten names by as much as leaves them different from one another; see `shortened` for constructors."""
    longest = max((name.count(".") + 1 for name in names), default=1)
    for parts in range(_PARTS, longest + 1):
        shown = list(dict.fromkeys(shortened(name, parts, constructors=constructors) for name in names))
        if len(shown) == len(dict.fromkeys(names)):
            return shown
    return list(dict.fromkeys(names))


def shortened(name: str, parts: int = _PARTS, *, constructors: bool = False) -> str:
    """Keep the last parts of a qualified name; a flag or a version stays whole, of a very long path the file is left.

    A constructor is what people know by the name of its class, unless the constructor itself is the news.
    """
    if _PATH.fullmatch(name):
        return name if len(name) <= _LONG_PATH else name.rpartition("/")[2]
    if not _NAME.fullmatch(name):
        return name
    pieces = name.split(".")
    if not constructors and len(pieces) > 1 and pieces[-1] in ("__init__", "__new__", pieces[-2]):
        pieces = pieces[:-1]
    return ".".join(pieces[-parts:])


def owner_of(name: str) -> str:
    """Give what a member belongs to; empty for a name of its own."""
    return name.rpartition(".")[0]


def old_name(fact: Fact) -> str:
    """Give the name that users have in their code: the old one, behind its class where it is a member."""
    if fact.kind is FactKind.SYMBOL_RENAMED and fact.old and fact.detail in _OWNED and (owner := owner_of(fact.name)):
        return shortened(f"{owner}.{fact.old}")
    return fact.old or shortened(fact.name)


def successors(fact: Fact) -> list[str]:
    """Name what the words of a deprecation advise instead; a name alone is such advice too."""
    words = (fact.new or "").strip()
    if fact.kind is not FactKind.DEPRECATED or not words:
        return []
    found = _SUCCESSOR.search(words if " " in words else f"use {words}")
    names = [name for name in found.groups() if name] if found is not None else []
    # A word of a sentence looks like no name: "use the others instead", "use something else".
    return names if all(map(_OF_CODE.fullmatch, names)) and not {*names} & {*names_of(fact)} else []


def items_of(text: str | None, separator: str = ",") -> list[str]:
    """Take a written list apart: `[a, b(1, 2)]` has two items; with `|` the alternatives of a type."""
    text = (text or "").strip()
    if text[:1] + text[-1:] in ("[]", "()", "{}"):
        text = text[1:-1]
    items, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == separator and depth == 0:
            items.append(text[start:place].strip())
            start = place + 1
    return [item for item in (*items, text[start:].strip()) if item]


def member_names(text: str | None) -> list[str]:
    """List the members or fields that a fact tells of, without their values."""
    return [item.partition("=")[0].partition(":")[0].strip() for item in items_of(text)]
