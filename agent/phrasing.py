"""How facts become a sentence: the template of their kind, filled with their own names and values as code."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent.facts import Fact, FactKind
from agent.grouping import CALLS, FIELDS, MEMBERS, PAIRED, class_of, must_be_given
from agent.markdown import code
from agent.naming import items_of, member_name, names_of, old_name, shortened, shown_names

K = FactKind
_LONG, _LONG_MESSAGE, _LONG_MEMBER = 90, 240, 60
_MESSAGES_SHOWN = 2
_SHOWN = 5
_CHOSEN = (K.FLAG_CHOICES, K.BASE_CHANGED)
_LISTS = (*_CHOSEN, K.CONSTANT_CHANGED, K.CONFIG_CHANGED, K.REGISTRATION_CHANGED)
"""What may be a list of which only the difference is told."""
_VALUED = (*_LISTS, K.CODE_CHANGED, K.MEMBER_CHANGED, K.FIELD_CHANGED, K.DEPENDENCY_CHANGED, K.LIMIT_CHANGED)
_ERRORS = (K.ERROR_ADDED, K.ERROR_REMOVED)
_REFUSALS = (*_ERRORS, K.ERROR_CHANGED, K.LIMIT_CHANGED)
_OF_SYMBOLS = (K.SYMBOL_ADDED, K.SYMBOL_REMOVED)
_CHECK = re.compile(r"[A-Z0-9_]*(?:CHECK|ASSERT)[A-Z0-9_]*|assert")
"""Macros and statements that are given what must hold; an exception is raised if something else does."""
_FORMS = re.compile(r"«([^/»]*)/([^»]*)»")
_BETWEEN_SIGNS = re.compile(r"(?<=[\u4e00-\u9fff，、]) (?=[\u4e00-\u9fff，。、；：])")
_HASH = re.compile(r"[0-9a-f]{40}")
_HASH_SHOWN = 12
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """The templates of one language; «one/more» is chosen by the number of names."""

    things: Mapping[str, tuple[str, str]]
    """What a detail such as `method` or `kernel` is called, one and several of them."""
    thing: tuple[str, str]
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


def change_sentence(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what changed, as Markdown; the facts are a group of `agent.grouping`."""
    first = facts[0]
    if first.kind in CALLS:
        return _call(facts, phrases)
    if first.kind in (*MEMBERS, *FIELDS):
        return _owned(facts, phrases)
    if first.kind in PAIRED and class_of(first) and (first.kind is not K.SYMBOL_RENAMED or len(facts) > 1):
        return _pairs(facts, phrases)
    if first.kind in _REFUSALS:
        return _refusal(first, phrases)
    if first.kind is K.FILE_ADDED and len(facts) == 1:
        return _file(first, phrases)
    listed_ = _list(first, phrases) if first.kind in _LISTS and len(facts) == 1 else None
    return listed_ or fill(_template(first, phrases), facts, phrases)


def _template(fact: Fact, phrases: Phrases) -> str:
    """Choose the words by the kind of a fact and by which of its values there are."""
    own = phrases.forms.get(_form(fact), phrases.change[fact.kind])
    return own if fits(own, fact) else phrases.without_values.get(fact.kind, own)


def _form(fact: Fact) -> str:
    if fact.kind is K.PARAMETER_DEFAULT and fact.old is None:
        return "gained default"
    if fact.kind is K.DEPENDENCY_CHANGED and not (fact.old and fact.new):
        return "asks for" if fact.new else "any version"
    if fact.kind in (K.REGISTERED, K.UNREGISTERED) and fact.detail:
        return f"{fact.kind.value} in"
    if fact.kind is K.SIGNATURE_CHANGED and fact.detail in ("function", "method"):
        return "returns"
    return "version of" if fact.kind is K.VERSION_CHANGED and fact.name.strip("_").lower() != "version" else ""


# ---------------------------------------------------------------- parameters


def _call(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell all that changed in the parameters of one function, or of several alike, in one sentence."""
    fact = facts[0]
    if len({(one.kind, one.detail, one.old, one.new) for one in facts}) == 1:
        told = fill(_template(fact, phrases), facts, phrases)
        must = fact.kind is K.PARAMETER_ADDED and must_be_given(fact)
        return told + phrases.forms["must be given"] if must else told
    came, gone = (
        listed(_parameters([one for one in facts if one.kind is kind]), phrases)
        for kind in (K.PARAMETER_ADDED, K.PARAMETER_REMOVED)
    )
    if {one.kind for one in facts} == {K.PARAMETER_ADDED, K.PARAMETER_REMOVED}:
        return fill(phrases.forms["instead"], facts, phrases, new=came, old=gone)
    pieces = [phrases.calls[K.PARAMETER_ADDED].format(names=came)] if came else []
    pieces += [phrases.calls[K.PARAMETER_REMOVED].format(names=gone)] if gone else []
    others = [one for one in facts if one.kind not in (K.PARAMETER_ADDED, K.PARAMETER_REMOVED)]
    pieces += [_piece(one, phrases) for kind in CALLS for one in others if one.kind is kind]
    return fill(phrases.forms["call"], facts, phrases, changes=phrases.semicolon.join(_unique(pieces)))


def _piece(fact: Fact, phrases: Phrases) -> str:
    own = phrases.calls[_form(fact) or fact.kind.value]
    return own.format(names=code(fact.detail or ""), old=code(_value(fact.old)), new=code(_value(fact.new)))


def _parameters(facts: Sequence[Fact]) -> list[str]:
    """Write each parameter once; one that functions take in different forms by its name alone."""
    forms: dict[str, set[str]] = {}
    for fact in facts:
        whole = fact.new if fact.kind is K.PARAMETER_ADDED else None
        forms.setdefault(fact.detail or "", set()).add(whole if whole and len(whole) <= _LONG else fact.detail or "")
    return [next(iter(told)) if len(told) == 1 else name for name, told in forms.items()]


# ---------------------------------------------------------------- members and fields


def _owned(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what a class or an enumeration lost and gained, with the values that are short."""
    gone, came = (
        _unique(_member(item) for fact in facts for item in items_of(getattr(fact, side))) for side in ("old", "new")
    )
    owners = shown_names(tuple(dict.fromkeys(filter(None, map(class_of, facts)))))
    sort = "fields" if facts[0].kind in FIELDS else "members"
    form = "both" if gone and came else "gone" if gone else "came"
    template = phrases.owned[f"{sort} {form}" if owners else f"{sort} {form} somewhere"]
    template = re.sub(r"«(fields?)/(\w+)»", lambda found: found[1 + (len(gone or came) > 1)], template)
    values = {"gone": listed(gone, phrases), "came": listed(came, phrases)}
    return _tight(_formed(template, len(owners)).format(name=listed(owners, phrases), **values))


def _member(item: str) -> str:
    return item if len(item) <= _LONG_MEMBER else member_name(item)


def _pairs(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what happens to members of one owner, each with its old and its new name or value."""
    renamed = facts[0].kind in (K.SYMBOL_RENAMED, K.FIELD_RENAMED, K.MEMBER_RENAMED)
    told = []
    for fact in facts:
        form = "renamed" if renamed else "changed" if fits(phrases.pairs["changed"], fact) else "other"
        values = {
            "name": code(fact.name.rpartition(".")[2]),
            "old": code(_value(fact.old)),
            "new": code(_value(fact.new)),
        }
        told.append(phrases.pairs[form].format(**values))
    owner = code(shortened(class_of(facts[0])))
    return phrases.pairs["owner"].format(owner=owner, pairs=phrases.semicolon.join(_unique(told)))


# ---------------------------------------------------------------- errors, files, lists


def _refusal(fact: Fact, phrases: Phrases) -> str:
    """Tell an error or a check by its words or its condition, and by the function that it stands in."""
    check = "check" if all(map(_CHECK.fullmatch, names_of(fact))) else "error"
    own = phrases.forms.get(f"{check} {fact.kind.value.partition('-')[2]}" if fact.kind in _ERRORS else "", "")
    if fact.kind is K.LIMIT_CHANGED and check == "check":
        own = phrases.forms["requires"]
    own = own or phrases.change[fact.kind]
    shown = says_much(fact) if fact.kind in _ERRORS else fits(own, fact)
    messages = messages_of(fact)
    template = _formed(own if shown else phrases.without_values[fact.kind], len(messages))
    told = fill(template, [fact], phrases, messages=_some_messages(messages, phrases))
    if fact.detail in (None, "__init__"):
        return told[:1].upper() + told[1:]
    return _tight(phrases.forms["inside"].format(place=code(shortened(fact.detail or "")), told=told))


def messages_of(fact: Fact) -> list[str]:
    """List what the errors say that came or went together, each message by itself."""
    return (fact.new or fact.old or "").split("\n")


def _some_messages(messages: Sequence[str], phrases: Phrases) -> str:
    """Quote the first messages that can be read, and count the others."""
    shown = [one for one in messages if len(one) <= _LONG_MESSAGE][:_MESSAGES_SHOWN]
    rest = len(messages) - len(shown)
    return phrases.comma.join(map(code, shown)) + (f" {phrases.more.format(count=rest)}" if rest else "")


def _file(fact: Fact, phrases: Phrases) -> str:
    """Tell a new file with what it declares, or several of one folder by their own names."""
    paths = names_of(fact)
    if len(paths) > 1:
        folder = paths[0].rpartition("/")[0]
        names = listed([path.removeprefix(f"{folder}/") for path in paths], phrases)
        return fill(phrases.forms["in folder"], [fact], phrases, folder=code(folder or "."), names=names)
    if fact.new and fact.new != fact.name:
        return fill(phrases.forms["with names"], [fact], phrases, names=listed(items_of(fact.new), phrases))
    return fill(phrases.change[fact.kind], [fact], phrases)


def _list(fact: Fact, phrases: Phrases) -> str | None:
    """Tell what came into a list and what went, where most of it stayed."""
    gone, came, stayed = _exchanged(fact)
    if not (gone or came) or not (stayed or fact.kind in _CHOSEN) or len(gone) + len(came) > 2 * _SHOWN:
        return None
    if any(len(item) > _LONG for item in (*gone, *came)):
        return None
    form = "both" if gone and came else "gone" if gone else "came"
    prefix = {K.FLAG_CHOICES: "flag ", K.BASE_CHANGED: "base "}.get(fact.kind, "")
    return fill(phrases.lists[prefix + form], [fact], phrases, gone=listed(gone, phrases), came=listed(came, phrases))


def _exchanged(fact: Fact) -> tuple[list[str], list[str], bool]:
    """Compare what was listed with what is: what went, what came, and whether something stayed."""
    old, new = (fact.old or "").strip(), (fact.new or "").strip()
    if fact.kind not in _CHOSEN and not (old[:1] == new[:1] and old[:1] in ("[", "(", "{")):
        return [], [], False
    before, after = items_of(old), items_of(new)
    gone, came = [item for item in before if item not in after], [item for item in after if item not in before]
    return gone, came, len(gone) < len(before)


# ---------------------------------------------------------------- filling


def fits(template: str, fact: Fact) -> bool:
    """Tell whether the sentence has its values, and whether they are short enough to be read."""
    limit = _LONG_MESSAGE if fact.kind in (K.ERROR_CHANGED, K.DEPRECATED) else _LONG
    values = [value for gap, value in (("{old}", fact.old), ("{new}", fact.new)) if gap in template]
    if fact.kind is K.FLAG_ADDED and fact.new and _NAME.fullmatch(fact.new):
        # The default is what another name stands for, which says nothing.
        return False
    return all(value and len(_value(value)) <= limit for value in values)


def says_much(fact: Fact) -> bool:
    """Tell whether a sentence about a changed value or an error can show it, or only say that it is another."""
    if fact.kind in _ERRORS:
        return any(one and len(one) <= _LONG_MESSAGE for one in messages_of(fact))
    if fact.kind not in _VALUED:
        return True
    values = [value for value in (fact.old, fact.new) if value]
    gone, came, stayed = _exchanged(fact) if fact.kind in _LISTS else ([], [], False)
    short = bool(values) and all(len(_value(value)) <= _LONG for value in values)
    return short or (stayed and 0 < len(gone) + len(came) <= _SHOWN)


def fill(template: str, facts: Sequence[Fact], phrases: Phrases, most: int = _SHOWN, **given: str) -> str:
    """Put names and values into a template; names that several facts have are listed once, `most` of them."""
    fact = facts[0]
    whole = tuple(dict.fromkeys(name for one in facts for name in names_of(one)))
    names = shown_names(whole, constructors=fact.kind in _OF_SYMBOLS)
    values = {
        "name": listed(names, phrases, most),
        "old": code(old_name(fact) if fact.kind is K.SYMBOL_RENAMED else _value(fact.old)),
        "new": code(_value(fact.new)),
        "detail": code(fact.detail or ""),
        "thing": phrases.things.get(fact.detail or "", phrases.thing)[len(names) > 1],
    }
    return _tight(_formed(template, len(names)).format(**values | given))


def _tight(text: str) -> str:
    """Take out the spaces that a gap leaves between Chinese signs."""
    return _BETWEEN_SIGNS.sub("", text)


def _formed(template: str, count: int) -> str:
    return _FORMS.sub(r"\1" if count == 1 else r"\2", template)


def _value(value: str | None) -> str:
    """Write a value in one line, and a whole hash short."""
    text = " ".join((value or "").split())
    return text[:_HASH_SHOWN] if _HASH.fullmatch(text) else text


def listed(names: Sequence[str], phrases: Phrases, most: int = _SHOWN) -> str:
    """List names as code: all of a few, or the first ones and how many more there are."""
    names = _unique(names)
    shown = names if len(names) <= most + 1 else names[:most]
    text = phrases.comma.join(code(name) for name in shown)
    rest = len(names) - len(shown)
    return f"{text} {phrases.more.format(count=rest)}" if rest else text


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))
