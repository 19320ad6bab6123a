"""The templates of facts, and how names and values are put into them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache

from agent.domain.base import Language
from agent.domain.facts import Fact, FactKind
from agent.telling.catalogue import catalogue
from agent.telling.naming import items_of, names_of, old_name, shown_names
from agent.text.markdown import code

K = FactKind
LONG, LONG_MESSAGE = 90, 240
SHOWN = 5
CHOSEN = (K.FLAG_CHOICES, K.BASE_CHANGED)
LISTS = (*CHOSEN, K.CONSTANT_CHANGED, K.CONFIG_CHANGED, K.REGISTRATION_CHANGED)
"""What may be a list of which only the difference is told."""
ERRORS = (K.ERROR_ADDED, K.ERROR_REMOVED)
_VALUED = (*LISTS, K.CODE_CHANGED, K.MEMBER_CHANGED, K.FIELD_CHANGED, K.DEPENDENCY_CHANGED, K.LIMIT_CHANGED)
_OF_SYMBOLS = (K.SYMBOL_ADDED, K.SYMBOL_REMOVED)
_FORMS = re.compile(r"«([^/»]*)/([^»]*)»")
_BETWEEN_SIGNS = re.compile(r"(?<=[\u4e00-\u9fff，、]) (?=[\u4e00-\u9fff，。、；：])")
_HASH = re.compile(r"[0-9a-f]{40}")
_HASH_SHOWN = 12
_EXPRESSION = re.compile(r"[\w.:]*(?:\(.*\))?")
"""A message that the program puts together elsewhere: a name or a call."""
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """The templates of one language; «one/more» is chosen by the number of names."""

    things: Mapping[str, Sequence[str]]
    """What a detail such as `method` or `kernel` is called, one and several of them."""
    thing: Sequence[str]
    more: str
    comma: str
    semicolon: str
    change: Mapping[FactKind, str]
    without_values: Mapping[FactKind, str]
    """For kinds whose old or new value is missing or too long for a sentence; the excerpt shows it."""
    forms: Mapping[str, str]
    """For facts that ask for other words than their kind alone."""
    calls: Mapping[str, str]
    """What a sentence about several changes of a function's parameters is put together from."""
    lists: Mapping[str, str]
    """What came into a list, went from it, or both."""
    owned: Mapping[str, str]
    """What a class or an enumeration gains or loses."""
    pairs: Mapping[str, str]
    """What happens to each of several members of one owner."""
    risk: Mapping[str, str]
    advice: Mapping[str, str]


@cache
def phrases_of(lang: Language) -> Phrases:
    """Take the templates of facts from the catalogue of a language."""
    told = catalogue(lang)["facts"]
    return Phrases(**{one.name: told[one.name] for one in fields(Phrases)})


def fits(template: str, fact: Fact) -> bool:
    """Tell whether the sentence has its values, and whether they are short enough to be read."""
    limit = LONG_MESSAGE if fact.kind in (K.ERROR_CHANGED, K.DEPRECATED) else LONG
    values = [value for gap, value in (("{old}", fact.old), ("{new}", fact.new)) if gap in template]
    if fact.kind is K.FLAG_ADDED and fact.new and _NAME.fullmatch(fact.new):
        # The default is what another name stands for, which says nothing.
        return False
    return all(value and len(value_of(value)) <= limit for value in values)


def exchanged(fact: Fact) -> tuple[list[str], list[str], bool]:
    """Compare what was listed with what is: what went, what came, and whether something stayed."""
    old, new = (fact.old or "").strip(), (fact.new or "").strip()
    if fact.kind not in CHOSEN and not (old[:1] == new[:1] and old[:1] in ("[", "(", "{")):
        return [], [], False
    before, after = items_of(old), items_of(new)
    gone, came = [item for item in before if item not in after], [item for item in after if item not in before]
    return gone, came, len(gone) < len(before)


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
    gone, came, stayed = exchanged(fact) if fact.kind in LISTS else ([], [], False)
    short = bool(values) and all(len(value_of(value)) <= LONG for value in values)
    return short or (stayed and 0 < len(gone) + len(came) <= SHOWN)


def fill(template: str, facts: Sequence[Fact], phrases: Phrases, most: int = SHOWN, **given: str) -> str:
    """Put names and values into a template; names that several facts have are listed once, `most` of them."""
    fact = facts[0]
    whole = tuple(dict.fromkeys(name for one in facts for name in names_of(one)))
    names = shown_names(whole, constructors=fact.kind in _OF_SYMBOLS)
    values = {
        "name": listed(names, phrases, most),
        "old": code(old_name(fact) if fact.kind is K.SYMBOL_RENAMED else value_of(fact.old)),
        "new": code(value_of(fact.new)),
        "detail": code(fact.detail or ""),
        "thing": phrases.things.get(fact.detail or "", phrases.thing)[len(names) > 1],
    }
    return tight(formed(template, len(names)).format(**values | given))


def tight(text: str) -> str:
    """Take out the spaces that a gap leaves between Chinese signs."""
    return _BETWEEN_SIGNS.sub("", text)


def formed(template: str, count: int) -> str:
    """Choose between the words for one and for several."""
    return _FORMS.sub(r"\1" if count == 1 else r"\2", template)


def value_of(value: str | None) -> str:
    """Write a value in one line, and a whole hash short."""
    text = " ".join((value or "").split())
    return text[:_HASH_SHOWN] if _HASH.fullmatch(text) else text


def listed(names: Sequence[str], phrases: Phrases, most: int = SHOWN) -> str:
    """List names as code: all of a few, or the first ones and how many more there are."""
    names = unique(names)
    shown = names if len(names) <= most + 1 else names[:most]
    text = phrases.comma.join(code(name) for name in shown)
    rest = len(names) - len(shown)
    return f"{text} {phrases.more.format(count=rest)}" if rest else text


def unique(names: Iterable[str]) -> list[str]:
    """List names once, in their order, and none that is empty."""
    return list(dict.fromkeys(name for name in names if name))
