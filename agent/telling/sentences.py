"""The sentences that code writes: each is a predicate with its values, and reads the same in every language."""

import json
import re
from collections.abc import Mapping, Sequence

from agent.domain.base import Language
from agent.domain.facts import Fact, FactKind, Severity
from agent.markdown import code
from agent.telling.catalogue import catalogue
from agent.telling.filling import (
    CALLS,
    CHOSEN,
    ERRORS,
    LISTS,
    LONG,
    LONG_MESSAGE,
    OWNED,
    PAIRED,
    SHOWN,
    Phrases,
    class_of,
    exchanged,
    fill,
    fits,
    formed,
    items_of,
    listed,
    member_name,
    messages_of,
    names_of,
    old_name,
    owner_of,
    says_much,
    shortened,
    shown_names,
    tight,
    unique,
    value_of,
)

K = FactKind
Params = Mapping[str, str]
SEVERAL = {"fact": "facts", "risk": "risks", "advice": "advices"}
"""What a statement about one fact is called when it is about several."""
_LONG_MEMBER = 60
_MESSAGES_SHOWN = 2
_REFUSALS = (*ERRORS, K.ERROR_CHANGED, K.LIMIT_CHANGED)
_GONE = (K.MEMBER_REMOVED, K.FIELD_REMOVED)
_RENAMED = (K.SYMBOL_RENAMED, K.MEMBER_RENAMED, K.FIELD_RENAMED)
_CHECK = re.compile(r"[A-Z0-9_]*(?:CHECK|ASSERT)[A-Z0-9_]*|assert")
"""Macros and statements that are given what must hold; an exception is raised if something else does."""
_TROUBLES = {
    K.SYMBOL_REMOVED: "symbol",
    K.SYMBOL_RENAMED: "renamed",
    K.MEMBER_RENAMED: "renamed",
    K.FIELD_RENAMED: "renamed",
    K.SYMBOL_MOVED: "moved",
    K.PARAMETER_REORDERED: "order",
    K.MEMBER_REMOVED: "member",
    K.MEMBER_CHANGED: "member value",
    K.FIELD_REMOVED: "field",
    K.FLAG_REMOVED: "flag",
    K.FLAG_RENAMED: "flag renamed",
    K.FLAG_CHOICES: "choices",
    K.ENV_REMOVED: "env",
    K.ENV_RENAMED: "env renamed",
    K.ROUTE_REMOVED: "route",
    K.FILE_REMOVED: "file",
    K.FILE_RENAMED: "moved file",
    K.UNREGISTERED: "registered",
    K.FLAG_DEFAULT: "default",
    K.ENV_DEFAULT: "default",
}
_TYPED = re.compile(r"""["'][^"'$(]*["']|-?[\w+-]+(?:\.\d[\w+-]*)?%?""")
"""What somebody can type or set as it stands: a word, a number, a string; no expression of the program."""
_FEW = 2
"""Names in sentences about troubles: those before them have named the rest."""
_DEFAULTS = ("default", "parameter default")
"""What users meet also where nothing breaks."""


def sentence(predicate: str, params: Params, lang: Language) -> str | None:
    """Write the sentence; None where the values give none, as for the risk of something that has no risk."""
    phrases: Phrases = catalogue(lang)["facts"]
    if predicate == "series":
        return _series(params, phrases["series"])
    if predicate == "changes lines":
        days = int(params["days"])
        return str(phrases["changes_lines"][days > 1]).format(days)
    if predicate in phrases["fixed"]:
        return str(phrases["fixed"][predicate])
    facts = _facts_of(params)
    if predicate in ("fact", "facts"):
        return tight(_change(facts, phrases))
    told = _trouble(facts, phrases["risk" if predicate.startswith("risk") else "advice"], phrases)
    return told and tight(told)


def names_alone(predicate: str, text: str, lang: Language) -> str | None:
    """Give the names of a sentence that says no more than that lines of them change; None where it says more."""
    before, after = catalogue(lang)["facts"]["without_values"][K.CODE_CHANGED].split("{name}")
    if predicate not in ("fact", "facts") or not (text.startswith(before) and text.endswith(after)):
        return None
    return text.removeprefix(before).removesuffix(after)


def params_of(fact: Fact) -> dict[str, str]:
    """Give a fact's values as those of a statement."""
    return fact.model_dump(mode="json", include=_VALUES, exclude_none=True)


_VALUES = {"kind", "severity", "name", "old", "new", "detail"}


def params_of_several(facts: Sequence[Fact]) -> dict[str, str]:
    """Give the values of several facts as those of one statement."""
    told = [params_of(fact) for fact in facts]
    return {"facts": json.dumps(told, ensure_ascii=False, separators=(",", ":"))}


def _facts_of(params: Params) -> tuple[Fact, ...]:
    told = json.loads(params["facts"]) if "facts" in params else [params]
    return tuple(Fact.model_validate({"severity": Severity.BEHAVIOUR, **one}) for one in told)


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
        return fill(phrases["forms"]["call"], facts[:1], phrases, changes=phrases["semicolon"].join(unique(pieces)))
    if first.kind in OWNED:
        return _owned(facts, phrases)
    if first.kind in PAIRED and class_of(first) and (first.kind is not K.SYMBOL_RENAMED or len(facts) > 1):
        return _pairs(facts, phrases)
    if first.kind in _REFUSALS:
        return _refusal(first, phrases)
    if first.kind is K.FILE_ADDED and len(facts) == 1:
        return _file(first, phrases)
    if first.kind is K.REGISTRATION_CHANGED and len(facts) > 1:
        return fill(phrases["without_values"][first.kind], facts, phrases)
    exchange = _exchange(first, phrases) if first.kind in LISTS and len(facts) == 1 else None
    must = phrases["forms"]["must be given"] if first.kind is K.PARAMETER_ADDED and _must_be_given(first) else ""
    return (exchange or fill(_template(first, phrases), facts, phrases)) + must


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
    values = {"names": whole or fact.detail or "", "old": value_of(fact.old), "new": value_of(fact.new)}
    own: str = phrases["calls"][_form(fact) or fact.kind.value]
    return own.format(**{name: code(value) for name, value in values.items()})


def _must_be_given(fact: Fact) -> bool:
    """Tell whether callers fail who leave a parameter out."""
    added = fact.kind is K.PARAMETER_ADDED and fact.severity is Severity.BREAKING
    return added or fact.kind is K.PARAMETER_REQUIRED


def _owned(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what a class or an enumeration lost and gained, with the values that are short."""
    gone = unique(_member(item) for fact in facts if fact.kind in _GONE for item in items_of(fact.old))
    came = unique(_member(item) for fact in facts if fact.kind not in _GONE for item in items_of(fact.new))
    owners = shown_names(unique(map(class_of, facts)))
    form = "both" if gone and came else "gone" if gone else "came"
    template = phrases["owned"][form if owners else f"{form} somewhere"]
    values = {"gone": listed(gone, phrases), "came": listed(came, phrases)}
    return formed(template, len(owners)).format(name=listed(owners, phrases), **values)


def _member(item: str) -> str:
    return item if len(item) <= _LONG_MEMBER else member_name(item)


def _pairs(facts: Sequence[Fact], phrases: Phrases) -> str:
    """Tell what happens to members of one owner, each with its old and its new name or value."""
    told, forms = [], phrases["pairs"]
    for fact in facts:
        form = "renamed" if fact.kind in _RENAMED else "changed" if fits(forms["changed"], fact) else "other"
        name, old, new = (code(one) for one in (fact.name.rpartition(".")[2], value_of(fact.old), value_of(fact.new)))
        told.append(forms[form].format(name=name, old=old, new=new))
    owner = code(shortened(class_of(facts[0])))
    return str(forms["owner"]).format(owner=owner, pairs=phrases["semicolon"].join(unique(told)))


def _refusal(fact: Fact, phrases: Phrases) -> str:
    """Tell an error or a check by its words or its condition, and by the function that it stands in."""
    check = "check" if all(map(_CHECK.fullmatch, names_of(fact))) else "error"
    own = phrases["forms"].get(f"{check} {fact.kind.value.partition('-')[2]}" if fact.kind in ERRORS else "", "")
    if fact.kind is K.LIMIT_CHANGED and check == "check":
        own = phrases["forms"]["requires"]
    own = own or phrases["change"][fact.kind]
    shown = says_much(fact) if fact.kind in ERRORS else fits(own, fact)
    messages = messages_of(fact)
    template = formed(own if shown else phrases["without_values"][fact.kind], len(messages))
    legible = [one for one in messages if len(one) <= LONG_MESSAGE][:_MESSAGES_SHOWN]
    rest = len(messages) - len(legible)
    quoted = phrases["comma"].join(map(code, legible)) + (f" {phrases['more'].format(count=rest)}" if rest else "")
    told = fill(template, [fact], phrases, messages=quoted)
    if fact.detail in (None, "__init__"):
        return told[:1].upper() + told[1:]
    return str(phrases["forms"]["inside"]).format(place=code(shortened(fact.detail or "")), told=tight(told))


def _file(fact: Fact, phrases: Phrases) -> str:
    """Tell a new file with what it declares, or several of one folder by their own names."""
    paths = names_of(fact)
    if len(paths) > 1:
        folder = paths[0].rpartition("/")[0]
        names = listed([path.removeprefix(f"{folder}/") for path in paths], phrases)
        return fill(phrases["forms"]["in folder"], [fact], phrases, folder=code(folder or "."), names=names)
    if fact.new and fact.new != fact.name:
        return fill(phrases["forms"]["with names"], [fact], phrases, names=listed(items_of(fact.new), phrases))
    return fill(phrases["change"][fact.kind], [fact], phrases)


def _exchange(fact: Fact, phrases: Phrases) -> str | None:
    """Tell what came into a list and what went, where most of it stayed."""
    gone, came, stayed = exchanged(fact)
    if not (gone or came) or not (stayed or fact.kind in CHOSEN) or len(gone) + len(came) > 2 * SHOWN:
        return None
    if any(len(item) > LONG for item in (*gone, *came)):
        return None
    form = "both" if gone and came else "gone" if gone else "came"
    prefix = {K.FLAG_CHOICES: "flag ", K.BASE_CHANGED: "base "}.get(fact.kind, "")
    lost, won = listed(gone, phrases), listed(came, phrases)
    return fill(phrases["lists"][prefix + form], [fact], phrases, gone=lost, came=won)


# ---------------------------------------------------------------- what it means for users


def _trouble(facts: Sequence[Fact], table: Mapping[str, str], phrases: Phrases) -> str | None:
    """Fill the sentence that belongs to the kind of these facts; None where it has nothing to say of them."""
    fact = facts[0]
    kind = _call_trouble(facts) if fact.kind in CALLS else _TROUBLES.get(fact.kind, "")
    if fact.kind in (K.MEMBER_RENAMED, K.FIELD_RENAMED) and owner_of(fact.name):
        # `d` alone is nothing to search for.
        kind = "member renamed"
    template = table.get(kind)
    if template is None or not fits(template, fact):
        return None
    if kind in _DEFAULTS and not all(_TYPED.fullmatch(value) for value in (fact.old, fact.new) if value):
        return None
    if kind not in _DEFAULTS and not any(one.severity is Severity.BREAKING for one in facts):
        return None
    pairs = [_exchanged_names(one) for one in facts]
    given = {
        "gone": listed([name for gone, _ in pairs for name in gone], phrases, _FEW),
        "came": listed([name for _, came in pairs for name in came], phrases, _FEW),
    }
    if any(f"{{{name}}}" in template and not value for name, value in given.items()):
        return None
    if fact.kind in (*OWNED, K.MEMBER_RENAMED, K.FIELD_RENAMED):
        given["name"] = listed([shortened(class_of(one) or one.name) for one in facts], phrases, _FEW)
    return fill(template, facts, phrases, _FEW, **given)


def _call_trouble(facts: Sequence[Fact]) -> str:
    """Choose by what hurts callers most."""
    kinds = {fact.kind for fact in facts if fact.severity is Severity.BREAKING}
    if K.PARAMETER_REMOVED in kinds:
        return "parameter gone"
    if K.PARAMETER_RENAMED in kinds:
        return "parameter renamed"
    if any(map(_must_be_given, facts)):
        return "parameter required"
    return "parameter default" if all(fact.kind is K.PARAMETER_DEFAULT and fact.old for fact in facts) else ""


def _exchanged_names(fact: Fact) -> tuple[list[str], list[str]]:
    """List what users may have written and must not write any more, and what they must write now."""
    if fact.kind in _GONE:
        return [member_name(item) for item in items_of(fact.old)], []
    if fact.kind is K.PARAMETER_REMOVED:
        return [fact.detail or ""], []
    if fact.kind is K.FLAG_CHOICES:
        gone, came, _ = exchanged(fact)
        return gone, came
    if fact.kind is K.PARAMETER_RENAMED or fact.kind in _RENAMED:
        return [old_name(fact) if fact.kind in _RENAMED else fact.old or ""], [fact.new or ""]
    return [], [fact.detail or ""] if _must_be_given(fact) else []
