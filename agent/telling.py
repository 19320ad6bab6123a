"""The sentences that code writes: a predicate with its values becomes words of `agent/words`, in each language."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from agent.domain.base import Language
from agent.domain.facts import Fact, FactKind, Severity
from agent.languages import catalogue
from agent.markdown import code

Phrases = Mapping[
    str, Any
]  # The part `facts` of a catalogue; «one/more» is chosen by the number of names
_VALUES = {"kind", "severity", "name", "old", "new", "detail", "replacement"}
_UNTOLD = (
    "revert",
    "reland",
    "cherry-pick",
    "code-changed",
)  # Told otherwise, or where nothing else can be said
_ERRORS = ("error-added", "error-removed")
_INSIDE = (
    *_ERRORS,
    "limit-changed",
)  # What is told with the function that it stands in
_OWNED = ("enum-member-added", "enum-member-removed", "field-added", "field-removed")
_BY_NAME = (
    "-removed",
    "symbol-added",
    "file-added",
    "route-added",
    "registered",
    "registration-changed",
)
"""Told by their names and by what they are, or by where they stand; others also by their values."""
_LONG, _LONG_MESSAGE, _LONG_MEMBER = 90, 240, 60
_SHOWN, _ALL, _MESSAGES_SHOWN, _HASH_SHOWN = (
    5,
    60,
    2,
    12,
)  # All of what users may have set, and look for by its name
_FORMS = re.compile(r"«([^/»]*)/([^»]*)»")
_NAME = re.compile(r"[A-Za-z_~][\w.:~]*")
_BETWEEN = re.compile(r"\.|::")
# The comma of `Traits<A, B>` or of a path like `shape=[128, 128].json` parts nothing.
_COMMA = re.compile(r",\s+(?![^<>()\[\]{}]{0,200}[>)\]}])")
_HASH = re.compile(r"[0-9a-f]{40}")
_EXPRESSION = re.compile(
    r"[\w.:]*(?:\(.*\))?"
)  # A message that the program puts together elsewhere: a name or a call


# ---------------------------------------------------------------- which facts are told


def told_facts(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that are worth a sentence each, the most important first."""
    telling: list[Fact] = []
    for fact in facts:
        if fact.severity is Severity.INTERNAL or fact.kind in _UNTOLD:
            continue
        # Stored facts of earlier versions may lack a name, and then nobody can look them up.
        if fact.name and (_says_much(fact) or fact.severity is Severity.BREAKING):
            telling.append(fact)
    return joined(_once(telling))


def exchanged_lines(facts: Sequence[Fact]) -> list[Fact]:
    """Return the functions in which one line takes the place of another, which a sentence tells."""
    exchanges = [fact for fact in _changed_code(facts) if all(_old_and_new(fact))]
    return joined(exchanges)


def telling_hunks(facts: Sequence[Fact]) -> list[Fact]:
    """Return the changed code that no sentence tells and that is shown as its lines instead."""
    return [fact for fact in _changed_code(facts) if not all(_old_and_new(fact))]


def _changed_code(facts: Sequence[Fact]) -> list[Fact]:
    changed: list[Fact] = []
    for fact in facts:
        if fact.kind == "code-changed" and fact.severity is not Severity.INTERNAL:
            changed.append(fact)
    return changed


def joined(facts: Sequence[Fact]) -> list[Fact]:
    """Return one fact for each group that differs in nothing but names, with a place of each."""
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    for number, fact in enumerate(facts):
        groups[join_key(fact) or number].append(fact)
    return [_joined(group) for group in groups.values()]


def join_key(fact: Fact) -> Hashable | None:
    """Return what facts have in common that one sentence can tell; None for a fact by itself."""
    if fact.kind in _OWNED:
        return fact.kind, _class_of(fact)
    if fact.kind in _INSIDE or fact.kind == "hook-added" or len(names_of(fact)) > 1:
        return None
    is_told_by_name = fact.kind.endswith(_BY_NAME) and fact.kind != "config-key-removed"
    values = () if is_told_by_name else _old_and_new(fact)
    return fact.kind, fact.severity, fact.detail, fact.replacement, values


def _joined(group: Sequence[Fact]) -> Fact:
    first = group[0]
    proofs = [[place for place in fact.places if place.lines][:1] for fact in group]
    update: dict[str, Any] = {"places": tuple(place for places in proofs for place in places)}
    if len(group) == 1:
        return first.model_copy(update=update)
    if first.kind in _OWNED:
        for side in ("old", "new"):
            members = [_member(getattr(fact, side) or "") for fact in group]
            update[side] = ", ".join(_unique(members))
        update["name"] = _class_of(first)
        update["detail"] = f"{len(group)} members"
        return first.model_copy(update=update)
    for side in ("old", "new"):
        if len({getattr(fact, side) for fact in group}) > 1:
            update[side] = None
    names = _unique(fact.name for fact in group)
    unnamed = sum(fact.count - 1 for fact in group)
    update["name"] = ", ".join(names)
    update["count"] = len(names) + unnamed
    return first.model_copy(update=update)


def _says_much(fact: Fact) -> bool:
    """Tell whether a sentence has more to show than that something is another, or is part of a class nobody knows."""
    if fact.kind in _ERRORS:
        return bool(_messages(fact))
    return fact.name != "__init__" and (
        any(_old_and_new(fact)) or not fact.kind.endswith("-changed")
    )


def _once(facts: Sequence[Fact]) -> list[Fact]:
    """Leave out what another fact says: a flag's field or its new name, a name's export, an error that only moved."""
    flags = {
        fact.name.strip("-").replace("-", "_")
        for fact in facts
        if fact.kind in ("flag-added", "env-added")
    }
    narrowed = {
        fact.name.strip("-").replace("-", "_")
        for fact in facts
        if fact.kind == "flag-choices-changed"
    }
    aliases = {fact.name for fact in facts if fact.kind == "deprecated"}
    came, gone = ({fact.new or fact.old for fact in facts if fact.kind == kind} for kind in _ERRORS)
    seen: set[tuple[FactKind, str]] = set()
    kept = []
    for fact in facts:
        lasts = {(fact.kind, name.rpartition(".")[2]) for name in names_of(fact)}
        is_field = (
            fact.kind in ("field-added", "symbol-added") and fact.name.rpartition(".")[2] in flags
        )
        only_moved = fact.kind in _ERRORS and (fact.new or fact.old) in came & gone
        is_alias = fact.kind == "flag-default-changed" and fact.name in aliases
        is_field = is_field or (
            fact.kind == "choices-changed" and fact.name.rpartition(".")[2] in narrowed
        )
        if not (is_field or only_moved or is_alias) and not (
            fact.detail == "export" and lasts <= seen
        ):
            kept.append(fact)
            seen |= lasts
    return kept


# ---------------------------------------------------------------- sentences


def sentence(predicate: str, params: Mapping[str, str], lang: Language) -> str:
    """Write the sentence of a predicate."""
    phrases: Phrases = catalogue(lang)["facts"]
    if predicate == "series":
        return _series(params, phrases["series"])
    if predicate == "changes lines":
        return str(phrases["changes_lines"][int(params["days"]) > 1]).format(params["days"])
    if predicate in phrases["fixed"]:
        return str(phrases["fixed"][predicate])
    return fact_sentence(Fact.model_validate({"severity": Severity.BEHAVIOUR, **params}), lang)


def fact_sentence(fact: Fact, lang: Language) -> str:
    """Tell a fact as Markdown, in the first sentence of its kind whose values are there and short, else the last."""
    phrases: Phrases = catalogue(lang)["facts"]
    values, templates = _values(fact, phrases), phrases["change"][fact.kind]
    full = (
        one
        for one in templates
        if all(value for gap, value in values.items() if f"{{{gap}}}" in one)
    )
    form = r"\1" if _count_of(fact) == 1 else r"\2"
    place = (
        phrases["inside"].format(code(_shortened(fact.detail)))
        if fact.kind in _INSIDE and fact.detail
        else ""
    )
    must = _consequence_of_parameter(fact, phrases)
    text = _FORMS.sub(form, next(full, templates[-1])).format(**values, place=place, must=must)
    if fact.replacement:
        text = text.removesuffix(phrases["end"]) + phrases["instead"].format(code(fact.replacement))
    if fact.severity is Severity.MAY_BREAK:
        text = phrases["may_break"].format(text[:1].lower() + text[1:])
    return text[:1].upper() + text[1:]


def _consequence_of_parameter(fact: Fact, phrases: Phrases) -> str:
    """Return what a new parameter means for callers: pass it, or pass those behind it by name."""
    has_default = "=" in (fact.new or "")
    if has_default and fact.severity is Severity.MAY_BREAK:
        return str(phrases["shifts"])
    return str(phrases["must"]) if fact.severity is Severity.BREAKING else ""


def params_of(fact: Fact) -> dict[str, str]:
    """Return the values that `sentence` needs to write about a fact."""
    params: dict[str, str] = fact.model_dump(mode="json", include=_VALUES, exclude_none=True)
    if fact.count > len(names_of(fact)):
        params["count"] = str(fact.count)
    return params


def names_alone(predicate: str, text: str, lang: Language) -> str | None:
    """Give the names of a sentence that says no more than that lines of them change; None where it says more."""
    before, after = catalogue(lang)["facts"]["change"]["code-changed"][-1].split("{name}")
    if predicate != "fact" or not (text.startswith(before) and text.endswith(after)):
        return None
    return text.removeprefix(before).removesuffix(after)


def _series(params: Mapping[str, str], say: Mapping[str, str]) -> str:
    """Tell a part of a series; the parts that have landed are cited in the order of their marks."""
    total, missing = params.get("total"), params.get("missing", "").split()
    text = (
        say["part_of"].format(params["part"], total)
        if total
        else say["part"].format(params["part"])
    )
    marked = [
        (int(part), mark) for mark, part in enumerate(params.get("landed", "").split(), start=2)
    ]
    landed = [say["one"].format(part, mark) for part, mark in sorted(marked)]
    text += say["landed"].format(say["list"].join(landed)) if landed else ""
    text += say["missing"].format(say["list"].join(missing)) if missing else ""
    return text + say["end"]


def _values(fact: Fact, phrases: Phrases) -> dict[str, str]:
    """Return the text for each gap of a sentence; empty where a value is missing or too long."""
    old, new = map(code, _old_and_new(fact))
    if fact.kind in _OWNED:
        members = _COMMA.split(fact.new or fact.old or fact.name.rpartition(".")[2])
        old = new = _listed(map(_member, members), phrases)
    detail = fact.detail or ""
    is_plural = _count_of(fact) > 1
    return {
        "name": _listed_names(fact, phrases),
        "old": old,
        "new": new,
        "gained": new if fact.old is None else "",
        "detail": "" if _is_kind_of_symbol(fact) else code(detail),
        "thing": phrases["things"].get(detail, phrases["thing"])[is_plural],
        "last": code(fact.name.rpartition(".")[2]),
        "owner": code(_shortened(_class_of(fact))) if _has_owner(fact) else "",
        "messages": _listed(_messages(fact), phrases, _MESSAGES_SHOWN),
    }


def _is_kind_of_symbol(fact: Fact) -> bool:
    """Return True if the detail of a changed signature is no parameter but a sort of symbol."""
    return fact.kind == "signature-changed" and fact.detail in ("function", "method")


def _has_owner(fact: Fact) -> bool:
    return fact.kind != "symbol-renamed" or fact.detail == "method"


def _listed_names(fact: Fact, phrases: Phrases) -> str:
    """Return the names of a fact as code, by their last parts where these tell them apart."""
    names = names_of(fact)
    short_names = [_shortened(name) for name in names]
    if len(set(short_names)) < len(names):
        short_names = list(names)
    limit = _ALL if fact.kind in ("env-removed", "flag-removed") else _SHOWN
    return _listed(short_names, phrases, limit, total=_count_of(fact))


def names_of(fact: Fact) -> tuple[str, ...]:
    """Return the names of what a fact is about: several where much changed alike."""
    return tuple(_unique(_COMMA.split(fact.name))) or (fact.name,)


def _count_of(fact: Fact) -> int:
    return max(fact.count, len(names_of(fact)))


def _class_of(fact: Fact) -> str:
    # A fact about several members is named by their class.
    return fact.name if (fact.detail or "")[:1].isdigit() else fact.name.rpartition(".")[0]


def _shortened(name: str) -> str:
    """Keep the last two parts of a qualified name; a path, a flag or a version stays whole."""
    cuts = [found.end() for found in _BETWEEN.finditer(name)] if _NAME.fullmatch(name) else []
    return name[cuts[-2] :] if len(cuts) > 1 else name


def _old_and_new(fact: Fact) -> tuple[str, str]:
    """Give the values in one line each, a whole hash short; what is too long to be read is empty."""
    limit = _LONG_MESSAGE if fact.kind in ("error-changed", "deprecated") else _LONG
    # The words of a deprecation have a full stop of their own.
    end = "." if fact.kind == "deprecated" else None
    flat = (" ".join((value or "").split()).rstrip(end) for value in (fact.old, fact.new))
    old, new = (_short_value(value, limit) for value in flat)
    if fact.kind in ("flag-added", "env-added") and _is_computed(new):
        return old, ""
    return old, new


def _is_computed(default: str) -> bool:
    """Return True for a default that another name or a call stands for, which says nothing."""
    return "(" in default or ("." in default and _NAME.fullmatch(default) is not None)


def _short_value(value: str, limit: int) -> str:
    """Return a value that can be read; of a hash, and of an address that has one, its beginning."""
    commit = _HASH.search(value) if "://" in value else _HASH.fullmatch(value)
    if commit is not None:
        return commit[0][:_HASH_SHOWN]
    return value if len(value) <= limit else ""


def _messages(fact: Fact) -> list[str]:
    messages = (fact.new or fact.old or "").split("\n")
    return [one for one in messages if len(one) <= _LONG_MESSAGE and not _EXPRESSION.fullmatch(one)]


def _member(item: str) -> str:
    return item if len(item) <= _LONG_MEMBER else item.partition("=")[0].partition(":")[0].strip()


def _listed(names: Iterable[str], phrases: Phrases, limit: int = _SHOWN, total: int = 0) -> str:
    """Return names as code: all of a few, else the first ones and how many of `total` are left."""
    unique_names = _unique(names)
    total = max(total, len(unique_names))
    # One more than the limit takes no more room than the words "and 1 more".
    listed = unique_names if total <= limit + 1 else unique_names[:limit]
    text: str = phrases["comma"].join(code(name) for name in listed)
    if total == len(listed):
        return text
    return f"{text} {phrases['more'].format(count=total - len(listed))}"


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name))
