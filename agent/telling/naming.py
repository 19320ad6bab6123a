"""How names of code are shown: short enough to read, long enough to tell apart and to search for."""

import re

from agent.domain.facts import Fact, FactKind

_PARTS = 2
_LONG_PATH = 80
_PATH = re.compile(r"[\w.@+=,-]+(?:/[\w.@+=,-]+)+")
_NAME = re.compile(r"[A-Za-z_~][\w.:~]*")
_BETWEEN = re.compile(r"\.|::")


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
    longest = max((len(_BETWEEN.split(name)) for name in names), default=1)
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
    pieces = _BETWEEN.split(name)
    if not constructors and len(pieces) > 1 and pieces[-1] in ("__init__", "__new__", pieces[-2]):
        name, pieces = name[: -len(pieces[-1])].rstrip(".:"), pieces[:-1]
    cuts = [found.end() for found in _BETWEEN.finditer(name)]
    return name[cuts[-parts] :] if len(pieces) > parts else name


def owner_of(name: str) -> str:
    """Give what a member belongs to; empty for a name of its own."""
    return name.rpartition(".")[0]


def old_name(fact: Fact) -> str:
    """Give the name that users have in their code: the old one, behind its class where it is a member."""
    owner = owner_of(fact.name) if fact.kind is FactKind.SYMBOL_RENAMED and fact.detail == "method" else ""
    return shortened(f"{owner}.{fact.old}") if owner and fact.old else fact.old or shortened(fact.name)


def items_of(text: str | None) -> list[str]:
    """Take a written list apart: `[a, b(1, 2), c<d, e>]` has three items."""
    text = (text or "").strip()
    if text[:1] + text[-1:] in ("[]", "()", "{}"):
        text = text[1:-1]
    items, depth, angles, start = [], 0, 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        # After a word `<` opens a template; anywhere else it compares.
        opens, closes = sign == "<" and text[place - 1 : place].isalnum(), sign == ">" and angles > 0
        angles += opens - closes
        if sign == "," and depth == angles == 0:
            items.append(text[start:place].strip())
            start = place + 1
    return [item for item in (*items, text[start:].strip()) if item]


def member_name(item: str) -> str:
    """Name a member or a field that is written with its type and value."""
    return item.partition("=")[0].partition(":")[0].strip()


def member_names(text: str | None) -> list[str]:
    """List the members or fields that a fact tells of, without their values."""
    return list(map(member_name, items_of(text)))
