"""How facts become a sentence: the template of their kind, filled with their own names and values as code."""

import re
from collections.abc import Sequence

from agent.domain.facts import Fact, FactKind
from agent.markdown import code
from agent.telling.grouping import CALLS, FIELDS, MEMBERS, PAIRED, class_of, must_be_given
from agent.telling.naming import items_of, member_name, names_of, shortened, shown_names
from agent.telling.phrasing import (
    CHOSEN,
    ERRORS,
    LISTS,
    LONG,
    LONG_MESSAGE,
    SHOWN,
    Phrases,
    exchanged,
    fill,
    fits,
    formed,
    listed,
    messages_of,
    says_much,
    tight,
    unique,
    value_of,
)

K = FactKind
_LONG_MEMBER = 60
_MESSAGES_SHOWN = 2
_REFUSALS = (*ERRORS, K.ERROR_CHANGED, K.LIMIT_CHANGED)
_GONE = (K.MEMBER_REMOVED, K.FIELD_REMOVED)
_CHECK = re.compile(r"[A-Z0-9_]*(?:CHECK|ASSERT)[A-Z0-9_]*|assert")
"""Macros and statements that are given what must hold; an exception is raised if something else does."""


def change_sentence(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what changed, as Markdown; the facts are a group of `agent.telling.grouping`."""
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
    if first.kind is K.REGISTRATION_CHANGED and len(facts) > 1:
        return fill(phrases.without_values[first.kind], facts, phrases)
    listed_ = _list(first, phrases) if first.kind in LISTS and len(facts) == 1 else None
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
    return fill(phrases.forms["call"], facts, phrases, changes=phrases.semicolon.join(unique(pieces)))


def _piece(fact: Fact, phrases: Phrases) -> str:
    own = phrases.calls[_form(fact) or fact.kind.value]
    return own.format(names=code(fact.detail or ""), old=code(value_of(fact.old)), new=code(value_of(fact.new)))


def _parameters(facts: Sequence[Fact]) -> list[str]:
    """Write each parameter once; one that functions take in different forms by its name alone."""
    forms: dict[str, set[str]] = {}
    for fact in facts:
        whole = fact.new if fact.kind is K.PARAMETER_ADDED else None
        forms.setdefault(fact.detail or "", set()).add(whole if whole and len(whole) <= LONG else fact.detail or "")
    return [next(iter(told)) if len(told) == 1 else name for name, told in forms.items()]


# ---------------------------------------------------------------- members and fields


def _owned(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what a class or an enumeration lost and gained, with the values that are short."""
    gone = unique(_member(item) for fact in facts if fact.kind in _GONE for item in items_of(fact.old))
    came = unique(_member(item) for fact in facts if fact.kind not in _GONE for item in items_of(fact.new))
    owners = shown_names(tuple(dict.fromkeys(filter(None, map(class_of, facts)))))
    form = "both" if gone and came else "gone" if gone else "came"
    template = phrases.owned[form if owners else f"{form} somewhere"]
    values = {"gone": listed(gone, phrases), "came": listed(came, phrases)}
    return tight(formed(template, len(owners)).format(name=listed(owners, phrases), **values))


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
            "old": code(value_of(fact.old)),
            "new": code(value_of(fact.new)),
        }
        told.append(phrases.pairs[form].format(**values))
    owner = code(shortened(class_of(facts[0])))
    return phrases.pairs["owner"].format(owner=owner, pairs=phrases.semicolon.join(unique(told)))


# ---------------------------------------------------------------- errors, files, lists


def _refusal(fact: Fact, phrases: Phrases) -> str:
    """Tell an error or a check by its words or its condition, and by the function that it stands in."""
    check = "check" if all(map(_CHECK.fullmatch, names_of(fact))) else "error"
    own = phrases.forms.get(f"{check} {fact.kind.value.partition('-')[2]}" if fact.kind in ERRORS else "", "")
    if fact.kind is K.LIMIT_CHANGED and check == "check":
        own = phrases.forms["requires"]
    own = own or phrases.change[fact.kind]
    shown = says_much(fact) if fact.kind in ERRORS else fits(own, fact)
    messages = messages_of(fact)
    template = formed(own if shown else phrases.without_values[fact.kind], len(messages))
    told = fill(template, [fact], phrases, messages=_some_messages(messages, phrases))
    if fact.detail in (None, "__init__"):
        return told[:1].upper() + told[1:]
    return tight(phrases.forms["inside"].format(place=code(shortened(fact.detail or "")), told=told))


def _some_messages(messages: Sequence[str], phrases: Phrases) -> str:
    """Quote the first messages that can be read, and count the others."""
    shown = [one for one in messages if len(one) <= LONG_MESSAGE][:_MESSAGES_SHOWN]
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
    gone, came, stayed = exchanged(fact)
    if not (gone or came) or not (stayed or fact.kind in CHOSEN) or len(gone) + len(came) > 2 * SHOWN:
        return None
    if any(len(item) > LONG for item in (*gone, *came)):
        return None
    form = "both" if gone and came else "gone" if gone else "came"
    prefix = {K.FLAG_CHOICES: "flag ", K.BASE_CHANGED: "base "}.get(fact.kind, "")
    return fill(phrases.lists[prefix + form], [fact], phrases, gone=listed(gone, phrases), came=listed(came, phrases))
