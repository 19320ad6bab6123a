"""Sentences that code writes: a predicate and its values, in the words of `agent/words`."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from agent.domain.base import Language
from agent.domain.facts import Fact, FactKind, FactLocation, Severity
from agent.languages import catalogue
from agent.markdown import code

Phrases = Mapping[str, Any]
"""The part `facts` of a catalogue; in «one/more» the number of names chooses the form."""
_VALUES = {"kind", "severity", "name", "old", "new", "detail", "replacement"}
_WITHOUT_SENTENCE = ("revert", "reland", "cherry-pick", "code-changed")
"""Facts of which another part of the report speaks, or which are shown as lines of the diff."""
_ERRORS = ("error-added", "error-removed")
_WITH_FUNCTION = (*_ERRORS, "limit-changed")  # Sentences about these name the function around them
_MEMBERS = ("enum-member-added", "enum-member-removed", "field-added", "field-removed")
_BY_NAME = (
    "-removed",
    "symbol-added",
    "file-added",
    "route-added",
    "registered",
    "registration-changed",
)
"""How facts end that are joined by their detail alone; others need the same values, too."""
_MAX_VALUE = 90  # Characters of a value; a longer one cannot be read in a sentence
_MAX_MESSAGE = 240  # Characters of the message of an error or a deprecation
_MAX_MEMBER = 60  # Characters of a member with its type and default
_MAX_NAMES = 5
_MAX_SETTINGS = 60  # Removed flags and variables: users look for the ones that they set
_MAX_MESSAGES = 2
_HASH_DIGITS = 12
_FORMS = re.compile(r"«([^/»]*)/([^»]*)»")
_NAME = re.compile(r"[A-Za-z_~][\w.:~]*")
_NAME_SEPARATOR = re.compile(r"\.|::")
_HASH = re.compile(r"[0-9a-f]{40}")
_EXPRESSION = re.compile(r"[\w.:]*(?:\(.*\))?")
"""A message that the program builds elsewhere: a name or a call."""


# ---------------------------------------------------------------- which facts get a sentence


def stated_facts(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts that are worth a sentence each, the most important first."""
    worthy: list[Fact] = []
    for fact in facts:
        if fact.severity is Severity.INTERNAL or fact.kind in _WITHOUT_SENTENCE:
            continue
        # Stored facts of earlier versions may lack a name, and then nobody can look them up.
        if fact.name and (_has_content(fact) or fact.severity is Severity.BREAKING):
            worthy.append(fact)
    return joined(_without_repetitions(worthy))


def exchanged_lines(facts: Sequence[Fact]) -> list[Fact]:
    """Return the functions in which one line replaces another, so that a sentence can say it."""
    exchanges = [fact for fact in _changed_code(facts) if all(_old_and_new(fact))]
    return joined(exchanges)


def quoted_hunks(facts: Sequence[Fact]) -> list[Fact]:
    """Return the changed code that has no sentence and is shown as its lines instead."""
    return [fact for fact in _changed_code(facts) if not all(_old_and_new(fact))]


def _changed_code(facts: Sequence[Fact]) -> list[Fact]:
    changed: list[Fact] = []
    for fact in facts:
        if fact.kind == "code-changed" and fact.severity is not Severity.INTERNAL:
            changed.append(fact)
    return changed


def joined(facts: Sequence[Fact]) -> list[Fact]:
    """Return one fact for each group that differs in nothing but names, with a location of each."""
    groups: dict[Hashable, list[Fact]] = defaultdict(list)
    for number, fact in enumerate(facts):
        groups[join_key(fact) or number].append(fact)
    return [_joined(group) for group in groups.values()]


def join_key(fact: Fact) -> Hashable | None:
    """Return the key that facts of one sentence share; None for a fact with its own sentence."""
    if fact.kind in _MEMBERS:
        return fact.kind, _class_of(fact)
    if fact.kind in _WITH_FUNCTION or fact.kind == "hook-added" or len(names_of(fact)) > 1:
        return None
    needs_no_values = fact.kind.endswith(_BY_NAME) and fact.kind != "config-key-removed"
    values = () if needs_no_values else _old_and_new(fact)
    return fact.kind, fact.severity, fact.detail, fact.replacement, values


def _joined(group: Sequence[Fact]) -> Fact:
    first = group[0].model_copy(update={"places": tuple(_first_locations(group))})
    if len(group) == 1:
        return first
    if first.kind in _MEMBERS:
        return _with_members(first, group)
    return _with_names(first, group)


def _first_locations(facts: Iterable[Fact]) -> Iterator[FactLocation]:
    """Yield the first location with lines of each fact that has one."""
    for fact in facts:
        for location in fact.places:
            if location.lines:
                yield location
                break


def _with_members(first: Fact, group: Sequence[Fact]) -> Fact:
    """Return the first fact of a group with the members of all, which are of one class."""
    return first.model_copy(
        update={
            "name": _class_of(first),
            "old": _member_list(fact.old for fact in group),
            "new": _member_list(fact.new for fact in group),
            "detail": f"{len(group)} members",
        }
    )


def _member_list(values: Iterable[str | None]) -> str:
    return ", ".join(_unique(_member(value or "") for value in values))


def _with_names(first: Fact, group: Sequence[Fact]) -> Fact:
    """Return the first fact of a group with the names of all; values that differ are left out."""
    names = _unique(fact.name for fact in group)
    unnamed_count = sum(fact.count - 1 for fact in group)
    return first.model_copy(
        update={
            "name": ", ".join(names),
            "old": _shared_value(fact.old for fact in group),
            "new": _shared_value(fact.new for fact in group),
            "count": len(names) + unnamed_count,
        }
    )


def _shared_value(values: Iterable[str | None]) -> str | None:
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def _has_content(fact: Fact) -> bool:
    """Return True if a sentence can say more than that something changed."""
    if fact.kind in _ERRORS:
        return bool(_messages(fact))
    if fact.name == "__init__":
        return False  # Nobody knows of which class
    return any(_old_and_new(fact)) or not fact.kind.endswith("-changed")


def _without_repetitions(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts without those that another one implies.

    Implied are the field of a new flag, the default of a flag that has a new name, an error that
    only moved, and the export of a name that is reported itself.
    """
    flag_fields = _field_names(facts, ("flag-added", "env-added"))
    narrowed_fields = _field_names(facts, ("flag-choices-changed",))
    deprecated_names = {fact.name for fact in facts if fact.kind == "deprecated"}
    added_errors = _error_texts(facts, "error-added")
    moved_errors = added_errors & _error_texts(facts, "error-removed")
    reported: set[tuple[FactKind, str]] = set()
    kept: list[Fact] = []
    for fact in facts:
        last_name = _last_name(fact.name)
        if fact.kind in ("field-added", "symbol-added") and last_name in flag_fields:
            continue
        if fact.kind == "choices-changed" and last_name in narrowed_fields:
            continue
        if fact.kind in _ERRORS and (fact.new or fact.old) in moved_errors:
            continue
        if fact.kind == "flag-default-changed" and fact.name in deprecated_names:
            continue
        names = _last_names(fact)
        if fact.detail == "export" and names <= reported:
            continue
        kept.append(fact)
        reported |= names
    return kept


def _field_names(facts: Iterable[Fact], kinds: Sequence[FactKind]) -> set[str]:
    """Return the fields in which a program keeps its flags and variables."""
    fields: set[str] = set()
    for fact in facts:
        if fact.kind in kinds:
            fields.add(fact.name.strip("-").replace("-", "_"))
    return fields


def _error_texts(facts: Iterable[Fact], kind: FactKind) -> set[str | None]:
    return {fact.new or fact.old for fact in facts if fact.kind == kind}


def _last_names(fact: Fact) -> set[tuple[FactKind, str]]:
    return {(fact.kind, _last_name(name)) for name in names_of(fact)}


def _last_name(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


# ---------------------------------------------------------------- sentences


def sentence(predicate: str, params: Mapping[str, str], lang: Language) -> str:
    """Return the sentence of a predicate."""
    phrases: Phrases = catalogue(lang)["facts"]
    if predicate == "series":
        return _series_sentence(params, phrases["series"])
    if predicate == "changes lines":
        days = params["days"]
        form: str = phrases["changes_lines"][int(days) > 1]
        return form.format(days)
    if predicate in phrases["fixed"]:
        return str(phrases["fixed"][predicate])
    return fact_sentence(Fact.model_validate({"severity": Severity.BEHAVIOUR, **params}), lang)


def fact_sentence(fact: Fact, lang: Language) -> str:
    """Return a fact as a sentence of Markdown."""
    phrases: Phrases = catalogue(lang)["facts"]
    values = _values(fact, phrases)
    template = _template(phrases["change"][fact.kind], values)
    form = r"\1" if _count_of(fact) == 1 else r"\2"
    must = _consequence_of_parameter(fact, phrases)
    text = _FORMS.sub(form, template).format(**values, place=_inside(fact, phrases), must=must)
    if fact.replacement:
        text = text.removesuffix(phrases["end"]) + phrases["instead"].format(code(fact.replacement))
    if fact.severity is Severity.MAY_BREAK:
        text = phrases["may_break"].format(text[:1].lower() + text[1:])
    return text[:1].upper() + text[1:]


def _template(templates: Sequence[str], values: Mapping[str, str]) -> str:
    """Return the first template that has a value for each of its gaps, else the last one."""
    empty_gaps = [f"{{{gap}}}" for gap, value in values.items() if not value]
    for template in templates:
        if not any(gap in template for gap in empty_gaps):
            return template
    return templates[-1]


def _inside(fact: Fact, phrases: Phrases) -> str:
    """Return in which function a fact stands, or an empty string."""
    if fact.kind not in _WITH_FUNCTION or not fact.detail:
        return ""
    return str(phrases["inside"].format(code(_shortened(fact.detail))))


def _consequence_of_parameter(fact: Fact, phrases: Phrases) -> str:
    """Return the phrase for callers of a new parameter: pass it, or pass later ones by name."""
    has_default = "=" in (fact.new or "")
    if has_default and fact.severity is Severity.MAY_BREAK:
        return str(phrases["shifts"])
    return str(phrases["must"]) if fact.severity is Severity.BREAKING else ""


def params_of(fact: Fact) -> dict[str, str]:
    """Return the values that `sentence` needs for a fact."""
    params: dict[str, str] = fact.model_dump(mode="json", include=_VALUES, exclude_none=True)
    if fact.count > len(names_of(fact)):
        params["count"] = str(fact.count)
    return params


def names_alone(predicate: str, text: str, lang: Language) -> str | None:
    """Return the names in a sentence that only says that lines of them change; None for another."""
    before, after = catalogue(lang)["facts"]["change"]["code-changed"][-1].split("{name}")
    if predicate != "fact" or not (text.startswith(before) and text.endswith(after)):
        return None
    return text.removeprefix(before).removesuffix(after)


def _series_sentence(params: Mapping[str, str], phrases: Phrases) -> str:
    """Return the sentence about a part of a series; marks cite the landed parts in order."""
    text = _part_of_series(params, phrases)
    marks: list[tuple[int, int]] = []
    for mark, part in enumerate(params.get("landed", "").split(), start=2):
        marks.append((int(part), mark))
    landed: list[str] = []
    for number, mark in sorted(marks):
        landed.append(phrases["one"].format(number, mark))
    if landed:
        text += phrases["landed"].format(phrases["list"].join(landed))
    missing = params.get("missing", "").split()
    if missing:
        text += phrases["missing"].format(phrases["list"].join(missing))
    return text + str(phrases["end"])


def _part_of_series(params: Mapping[str, str], phrases: Phrases) -> str:
    total = params.get("total")
    if total:
        return str(phrases["part_of"].format(params["part"], total))
    return str(phrases["part"].format(params["part"]))


def _values(fact: Fact, phrases: Phrases) -> dict[str, str]:
    """Return the text for each gap of a sentence; empty where a value is missing or too long."""
    old, new = map(code, _old_and_new(fact))
    if fact.kind in _MEMBERS:
        members = _separate(fact.new or fact.old or _last_name(fact.name))
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
        "last": code(_last_name(fact.name)),
        "owner": code(_shortened(_class_of(fact))) if _has_owner(fact) else "",
        "messages": _listed(_messages(fact), phrases, _MAX_MESSAGES),
    }


def _is_kind_of_symbol(fact: Fact) -> bool:
    """Return True if the detail of a changed signature is no parameter but a sort of symbol."""
    return fact.kind == "signature-changed" and fact.detail in ("function", "method")


def _has_owner(fact: Fact) -> bool:
    return fact.kind != "symbol-renamed" or fact.detail == "method"


def _listed_names(fact: Fact, phrases: Phrases) -> str:
    """Return the names of a fact as code, by their last parts where these differ."""
    names = names_of(fact)
    short_names = [_shortened(name) for name in names]
    if len(set(short_names)) < len(names):
        short_names = list(names)
    limit = _MAX_SETTINGS if fact.kind in ("env-removed", "flag-removed") else _MAX_NAMES
    return _listed(short_names, phrases, limit, total=_count_of(fact))


def names_of(fact: Fact) -> tuple[str, ...]:
    """Return the names of what a fact is about: several where many things changed alike."""
    return tuple(_unique(_separate(fact.name))) or (fact.name,)


def _separate(listed: str) -> list[str]:
    """Return the items of a list; the commas inside of brackets separate nothing.

    Such are those of `Traits<A, B>`, of `dict[str, set[int]]` and of `shape=[128, 128].json`.
    """
    items: list[str] = []
    depth = 0
    start = 0
    for position, character in enumerate(listed):
        if character in "<([{":
            depth += 1
        elif character in ">)]}":
            depth = max(0, depth - 1)
        elif character == "," and depth == 0 and listed[position + 1 : position + 2].isspace():
            items.append(listed[start:position].strip())
            start = position + 1
    items.append(listed[start:].strip())
    return items


def _count_of(fact: Fact) -> int:
    return max(fact.count, len(names_of(fact)))


def _class_of(fact: Fact) -> str:
    is_joined = (fact.detail or "")[:1].isdigit()  # As in `3 members`: its name is the class
    return fact.name if is_joined else fact.name.rpartition(".")[0]


def _shortened(name: str) -> str:
    """Return the last two parts of a qualified name; a path, a flag or a version stays as it is."""
    if not _NAME.fullmatch(name):
        return name
    part_starts = [separator.end() for separator in _NAME_SEPARATOR.finditer(name)]
    if len(part_starts) < 2:
        return name
    return name[part_starts[-2] :]


def _old_and_new(fact: Fact) -> tuple[str, str]:
    """Return both values, in one line each; empty if too long to be read."""
    is_message = fact.kind in ("error-changed", "deprecated")
    limit = _MAX_MESSAGE if is_message else _MAX_VALUE
    # The words of a deprecation have a full stop of their own.
    end = "." if fact.kind == "deprecated" else None
    old = _short_value(_in_one_line(fact.old).rstrip(end), limit)
    new = _short_value(_in_one_line(fact.new).rstrip(end), limit)
    if fact.kind in ("flag-added", "env-added") and _is_computed(new):
        return old, ""
    return old, new


def _in_one_line(value: str | None) -> str:
    return " ".join((value or "").split())


def _is_computed(default: str) -> bool:
    """Return True for a default that is a call or another name, and so says nothing."""
    if "(" in default:
        return True
    return "." in default and _NAME.fullmatch(default) is not None


def _short_value(value: str, limit: int) -> str:
    """Return a value unless it is too long; of a hash, or an address with one, its first digits."""
    is_address = "://" in value
    commit = _HASH.search(value) if is_address else _HASH.fullmatch(value)
    if commit is not None:
        return commit[0][:_HASH_DIGITS]
    return value if len(value) <= limit else ""


def _messages(fact: Fact) -> list[str]:
    """Return the messages of an error that can be read."""
    messages: list[str] = []
    for message in (fact.new or fact.old or "").split("\n"):
        if len(message) <= _MAX_MESSAGE and not _EXPRESSION.fullmatch(message):
            messages.append(message)
    return messages


def _member(item: str) -> str:
    """Return a member with its type and default, or without them if they are long."""
    if len(item) <= _MAX_MEMBER:
        return item
    return item.partition("=")[0].partition(":")[0].strip()


def _listed(names: Iterable[str], phrases: Phrases, limit: int = _MAX_NAMES, total: int = 0) -> str:
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
