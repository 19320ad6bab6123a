"""The sentences that code writes: each is a predicate with its values, and reads the same in every language."""

import json
import re
from collections.abc import Mapping, Sequence

from agent.domain.base import Language
from agent.domain.facts import Fact, FactKind, Severity
from agent.markdown import code
from agent.telling.words import (
    CALLS,
    ERRORS,
    LONG,
    LONG_MESSAGE,
    OWNED,
    PAIRED,
    Phrases,
    catalogue,
    class_of,
    fill,
    fits,
    formed,
    items,
    listed,
    messages_of,
    names_of,
    says_much,
    short_value,
    shortened,
    shown_names,
    tight,
    unique,
)

K = FactKind
Params = Mapping[str, str]
_VALUES = {"kind", "severity", "name", "old", "new", "detail"}
_LONG_MEMBER, _MESSAGES_SHOWN = 60, 2
_CHECK = re.compile(r"[A-Z0-9_]*(?:CHECK|ASSERT)[A-Z0-9_]*|assert")
"""Macros and statements that are given what must hold; an exception is raised if something else does."""


def sentence(predicate: str, params: Params, lang: Language) -> str:
    """Write the sentence of a predicate."""
    phrases: Phrases = catalogue(lang)["facts"]
    if predicate == "series":
        return _series(params, phrases["series"])
    if predicate == "changes lines":
        days = int(params["days"])
        return str(phrases["changes_lines"][days > 1]).format(days)
    if predicate in phrases["fixed"]:
        return str(phrases["fixed"][predicate])
    told = json.loads(params["facts"]) if "facts" in params else [params]
    facts = [Fact.model_validate({"severity": Severity.BEHAVIOUR, **one}) for one in told]
    return tight(_change(facts, phrases))


def fact_sentence(fact: Fact, lang: Language) -> str:
    """Tell one fact."""
    return sentence("fact", params_of([fact]), lang)


def params_of(facts: Sequence[Fact]) -> dict[str, str]:
    """Give the values of a fact, or of several, as those of one statement."""
    told = [fact.model_dump(mode="json", include=_VALUES, exclude_none=True) for fact in facts]
    return told[0] if len(told) == 1 else {"facts": json.dumps(told, ensure_ascii=False, separators=(",", ":"))}


def names_alone(predicate: str, text: str, lang: Language) -> str | None:
    """Give the names of a sentence that says no more than that lines of them change; None where it says more."""
    before, after = catalogue(lang)["facts"]["without_values"][K.CODE_CHANGED].split("{name}")
    if predicate not in ("fact", "facts") or not (text.startswith(before) and text.endswith(after)):
        return None
    return text.removeprefix(before).removesuffix(after)


def _series(params: Params, say: Mapping[str, str]) -> str:
    """Tell a part of a series; the parts that have landed are cited in the order of their marks."""
    total, missing = params.get("total"), params.get("missing", "").split()
    text = say["part_of"].format(params["part"], total) if total else say["part"].format(params["part"])
    marked = [(int(part), mark) for mark, part in enumerate(params.get("landed", "").split(), start=2)]
    landed = [say["one"].format(part, mark) for part, mark in sorted(marked)]
    if landed:
        text += say["landed"].format(say["list"].join(landed))
    if missing:
        text += say["missing" if len(missing) == 1 else "several"].format(say["list"].join(missing))
    return text + say["end"]


# ---------------------------------------------------------------- what changed


def _change(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what changed, as Markdown; the facts are a group of `agent.telling.choosing`."""
    first = facts[0]
    if first.kind in CALLS and len(facts) > 1:
        pieces = [_piece(one, phrases) for kind in CALLS for one in facts if one.kind is kind]
        return fill(phrases["forms"]["call"], facts, phrases, changes=phrases["semicolon"].join(unique(pieces)))
    if first.kind in OWNED:
        return _owned(facts, phrases)
    if first.kind in PAIRED and class_of(first) and (first.kind is not K.SYMBOL_RENAMED or len(facts) > 1):
        return _pairs(facts, phrases)
    if first.kind in (*ERRORS, K.ERROR_CHANGED, K.LIMIT_CHANGED):
        return _refusal(first, phrases)
    if first.kind is K.FILE_ADDED and len(facts) == 1:
        return _file(first, phrases)
    if first.kind is K.REGISTRATION_CHANGED and len(facts) > 1:
        return fill(phrases["without_values"][first.kind], facts, phrases)
    must = first.kind is K.PARAMETER_ADDED and first.severity is Severity.BREAKING
    return fill(_template(first, phrases), facts, phrases) + (phrases["forms"]["must be given"] if must else "")


def _template(fact: Fact, phrases: Phrases) -> str:
    """Choose the words by the kind of a fact and by which of its values there are."""
    own: str = phrases["forms"].get(_form(fact), phrases["change"].get(fact.kind, ""))
    return own if fits(own, fact) else phrases["without_values"].get(fact.kind, own)


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


def _piece(fact: Fact, phrases: Phrases) -> str:
    """Tell one of several changes in the parameters of a function."""
    whole = fact.new if fact.kind is K.PARAMETER_ADDED and len(fact.new or "") <= LONG else None
    values = {"names": whole or fact.detail or "", "old": short_value(fact.old), "new": short_value(fact.new)}
    own: str = phrases["calls"][_form(fact) or fact.kind.value]
    return own.format(**{name: code(value) for name, value in values.items()})


def _owned(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what a class or an enumeration lost and gained, with the values that are short."""
    lost = (K.MEMBER_REMOVED, K.FIELD_REMOVED)
    gone = unique(_member(item) for fact in facts if fact.kind in lost for item in items(fact.old))
    came = unique(_member(item) for fact in facts if fact.kind not in lost for item in items(fact.new))
    owners = shown_names(unique(map(class_of, facts)))
    form = "both" if gone and came else "gone" if gone else "came"
    template = formed(phrases["owned"][form if owners else f"{form} somewhere"], len(owners))
    return template.format(name=listed(owners, phrases), gone=listed(gone, phrases), came=listed(came, phrases))


def _member(item: str) -> str:
    """Write a member or a field with its type and value, or by its name where that would be long."""
    return item if len(item) <= _LONG_MEMBER else item.partition("=")[0].partition(":")[0].strip()


def _pairs(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what happens to members of one owner, each with its old and its new name or value."""
    told, forms = [], phrases["pairs"]
    for fact in facts:
        renamed = fact.kind.endswith("-renamed")
        form = "renamed" if renamed else "changed" if fits(forms["changed"], fact) else "other"
        name, old, new = (
            code(one) for one in (fact.name.rpartition(".")[2], short_value(fact.old), short_value(fact.new))
        )
        told.append(forms[form].format(name=name, old=old, new=new))
    owner = code(shortened(class_of(facts[0])))
    return str(forms["owner"]).format(owner=owner, pairs=phrases["semicolon"].join(unique(told)))


def _refusal(fact: Fact, phrases: Phrases) -> str:
    """Tell an error or a check by its words or its condition, and by the function that it stands in."""
    requires = fact.kind is K.LIMIT_CHANGED and all(map(_CHECK.fullmatch, names_of(fact)))
    own = phrases["forms"]["requires"] if requires else phrases["change"][fact.kind]
    shown = says_much(fact) if fact.kind in ERRORS else fits(own, fact)
    messages = messages_of(fact)
    template = formed(own if shown else phrases["without_values"][fact.kind], len(messages))
    legible = [one for one in messages if len(one) <= LONG_MESSAGE][:_MESSAGES_SHOWN]
    rest = len(messages) - len(legible)
    quoted = phrases["comma"].join(map(code, legible)) + (f" {phrases['more'].format(count=rest)}" if rest else "")
    told = fill(template, [fact], phrases, messages=quoted)
    if fact.detail in (None, "__init__"):
        return told[:1].upper() + told[1:]
    return str(phrases["forms"]["inside"]).format(place=code(shortened(fact.detail or "")), told=told)


def _file(fact: Fact, phrases: Phrases) -> str:
    """Tell a new file with what it declares, or several of one folder by their own names."""
    paths = names_of(fact)
    if len(paths) > 1:
        folder = paths[0].rpartition("/")[0]
        names = listed([path.removeprefix(f"{folder}/") for path in paths], phrases)
        return fill(phrases["forms"]["in folder"], [fact], phrases, folder=code(folder or "."), names=names)
    if fact.new and fact.new != fact.name:
        return fill(phrases["forms"]["with names"], [fact], phrases, names=listed(items(fact.new), phrases))
    return fill(phrases["change"][fact.kind], [fact], phrases)
