"""The words that readers see, one file a language in `agent/words`, and how names and values are put into them."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from agent.domain.base import Language
from agent.domain.facts import Fact, FactKind
from agent.markdown import code

K = FactKind
Phrases = Mapping[str, Any]
"""The part `facts` of a catalogue; «one/more» is chosen by the number of names."""
CALLS = (K.PARAMETER_ADDED, K.PARAMETER_REMOVED, K.PARAMETER_RENAMED, K.PARAMETER_DEFAULT, K.PARAMETER_REQUIRED)
"""What changes for those who call a function."""
OWNED = (K.MEMBER_ADDED, K.MEMBER_REMOVED, K.FIELD_ADDED, K.FIELD_REMOVED)
PAIRED = (K.SYMBOL_RENAMED, K.MEMBER_RENAMED, K.FIELD_RENAMED, K.MEMBER_CHANGED, K.FIELD_CHANGED)
"""What several members of one owner are told of together, each with what it was and is."""
ERRORS = (K.ERROR_ADDED, K.ERROR_REMOVED)
LONG, LONG_MESSAGE, SHOWN = 90, 240, 5
_VALUED = (
    K.FLAG_CHOICES,
    K.BASE_CHANGED,
    K.CONSTANT_CHANGED,
    K.CONFIG_CHANGED,
    K.REGISTRATION_CHANGED,
    K.CODE_CHANGED,
    K.MEMBER_CHANGED,
    K.FIELD_CHANGED,
    K.DEPENDENCY_CHANGED,
    K.LIMIT_CHANGED,
)
"""What says little where its old and its new value cannot be shown."""
_LONG_PATH, _HASH_SHOWN, _PARTS = 80, 12, 2
_PATH = re.compile(r"[\w.@+=,-]+(?:/[\w.@+=,-]+)+")
_NAME = re.compile(r"[A-Za-z_~][\w.:~]*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_BETWEEN = re.compile(r"\.|::")
_FORMS = re.compile(r"«([^/»]*)/([^»]*)»")
_BETWEEN_SIGNS = re.compile(r"(?<=[\u4e00-\u9fff，、]) (?=[\u4e00-\u9fff，。、；：])")
_HASH = re.compile(r"[0-9a-f]{40}")
_EXPRESSION = re.compile(r"[\w.:]*(?:\(.*\))?")
"""A message that the program puts together elsewhere: a name or a call."""


@cache
def catalogue(lang: Language) -> dict[str, Any]:
    """Read the words of a language; both files have the same keys."""
    return tomllib.loads(files("agent").joinpath("words", f"{lang}.toml").read_text("utf-8"))


# ---------------------------------------------------------------- names and values


def names_of(fact: Fact) -> tuple[str, ...]:
    """List what a fact is about; one change of several functions names them all."""
    # The comma of `Traits<A, B>` or of a path like `shape=[128, 128].json` parts no names.
    return tuple(items(f"[{fact.name}]")) or (fact.name,)


def class_of(fact: Fact) -> str:
    """Name the class that a field or a member belongs to: a fact about several is named by it."""
    return fact.name if (fact.detail or "")[:1].isdigit() else fact.name.rpartition(".")[0]


def messages_of(fact: Fact) -> list[str]:
    """List what the errors say that came or went together, each message by itself."""
    return (fact.new or fact.old or "").split("\n")


def says_much(fact: Fact) -> bool:
    """Tell whether a sentence about a changed value or an error can show it, or only say that it is another."""
    if fact.kind in ERRORS:
        return any(len(one) <= LONG_MESSAGE and not _EXPRESSION.fullmatch(one) for one in messages_of(fact))
    if fact.kind not in _VALUED:
        return True
    values = [value for value in (fact.old, fact.new) if value]
    return bool(values) and all(len(short_value(value)) <= LONG for value in values)


def shown_names(names: Sequence[str], *, constructors: bool = False) -> list[str]:
    """Shorten names by as much as leaves them different from one another; see `shortened` for constructors."""
    longest = max((len(_BETWEEN.split(name)) for name in names), default=1)
    for parts in range(_PARTS, longest + 1):
        shown = unique(shortened(name, parts, constructors=constructors) for name in names)
        if len(shown) == len(set(names)):
            return shown
    return unique(names)


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


def old_name(fact: Fact) -> str:
    """Give the name that users have in their code: the old one, behind its class where it is a member."""
    owner = fact.name.rpartition(".")[0] if fact.detail == "method" else ""
    return shortened(f"{owner}.{fact.old}") if owner and fact.old else fact.old or shortened(fact.name)


def items(text: str | None) -> list[str]:
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


def short_value(value: str | None) -> str:
    """Write a value in one line, and a whole hash short."""
    text = " ".join((value or "").split())
    return text[:_HASH_SHOWN] if _HASH.fullmatch(text) else text


def fits(template: str, fact: Fact) -> bool:
    """Tell whether the sentence has its values, and whether they are short enough to be read."""
    limit = LONG_MESSAGE if fact.kind in (K.ERROR_CHANGED, K.DEPRECATED) else LONG
    values = [value for gap, value in (("{old}", fact.old), ("{new}", fact.new)) if gap in template]
    if fact.kind is K.FLAG_ADDED and fact.new and _DOTTED.fullmatch(fact.new):
        # The default is what another name stands for, which says nothing.
        return False
    return all(value and len(short_value(value)) <= limit for value in values)


# ---------------------------------------------------------------- templates


def fill(template: str, facts: Sequence[Fact], phrases: Phrases, **given: str) -> str:
    """Put names and values into a template; names that several facts have are listed once."""
    fact = facts[0]
    whole = unique(name for one in facts for name in names_of(one))
    names = shown_names(whole, constructors=fact.kind in (K.SYMBOL_ADDED, K.SYMBOL_REMOVED))
    values = {
        "name": listed(names, phrases),
        "old": code(old_name(fact) if fact.kind is K.SYMBOL_RENAMED else short_value(fact.old)),
        "new": code(short_value(fact.new)),
        "detail": code(fact.detail or ""),
        "thing": phrases["things"].get(fact.detail or "", phrases["thing"])[len(names) > 1],
    }
    return formed(template, len(names)).format(**values | given)


def formed(template: str, count: int) -> str:
    """Choose between the words for one and for several."""
    return _FORMS.sub(r"\1" if count == 1 else r"\2", template)


def listed(names: Sequence[str], phrases: Phrases) -> str:
    """List names as code: all of a few, or the first ones and how many more there are."""
    names = unique(names)
    shown = names if len(names) <= SHOWN + 1 else names[:SHOWN]
    text: str = phrases["comma"].join(code(name) for name in shown)
    rest = len(names) - len(shown)
    return f"{text} {phrases['more'].format(count=rest)}" if rest else text


def tight(text: str) -> str:
    """Take out the spaces that a gap leaves between Chinese signs."""
    return _BETWEEN_SIGNS.sub("", text)


def unique(names: Iterable[str]) -> list[str]:
    """List names once, in their order, and none that is empty."""
    return list(dict.fromkeys(name for name in names if name))
