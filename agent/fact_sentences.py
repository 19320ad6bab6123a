"""Sentences of facts, which code writes: a predicate and its values, in the words of `agent/words`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent.domain.base import Language
from agent.domain.facts import Fact, Severity
from agent.markdown import code
from agent.report_languages import catalogue
from agent.shortened_values import (
    MEMBERS,
    WITH_FUNCTION,
    class_of,
    last_part,
    messages_of,
    names_of,
    old_and_new,
    separate_items,
    short_member,
    shortened_name,
    unique,
)

Phrases = Mapping[str, Any]
"""The part `facts` of a catalogue; in «one/more» the number of names chooses the form."""
_VALUES = {"kind", "severity", "name", "old", "new", "detail", "replacement"}
_MAX_NAMES = 5
_MAX_SETTINGS = 60  # Removed flags and variables: users look for the ones that they set
_MAX_MESSAGES = 2
_FORMS = re.compile(r"«([^/»]*)/([^»]*)»")


def sentence(predicate: str, params: Mapping[str, str], lang: Language) -> str:
    """Return the sentence of a predicate."""
    phrases: Phrases = catalogue(lang)["facts"]
    if predicate == "series":
        return _series_sentence(params, phrases["series"])
    if predicate == "changes lines":
        days = params["days"]
        form: str = phrases["changes_lines"][min(int(days), 2)]
        return form.format(days)
    if predicate == "refers outside":
        # As code: GitHub would link a number to the repository that shows the report.
        names = map(code, params["others"].split("\n"))
        return str(phrases["refers_outside"].format(phrases["comma"].join(names)))
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
    if fact.kind not in WITH_FUNCTION or not fact.detail:
        return ""
    return str(phrases["inside"].format(code(shortened_name(fact.detail))))


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
    old, new = map(code, old_and_new(fact))
    if fact.kind in MEMBERS:
        members = separate_items(fact.new or fact.old or last_part(fact.name))
        old = new = _listed(map(short_member, members), phrases)
    detail = fact.detail or ""
    is_plural = _count_of(fact) > 1
    return {
        "name": _listed_names(fact, phrases),
        "old": old,
        "new": new,
        "gained": new if fact.old is None else "",
        "detail": "" if _is_kind_of_symbol(fact) else code(detail),
        "thing": phrases["things"].get(detail, phrases["thing"])[is_plural],
        "last": code(last_part(fact.name)),
        "owner": code(shortened_name(class_of(fact))) if _has_owner(fact) else "",
        "messages": _listed(messages_of(fact), phrases, _MAX_MESSAGES),
    }


def _is_kind_of_symbol(fact: Fact) -> bool:
    """Return True if the detail of a changed signature is no parameter but a sort of symbol."""
    return fact.kind == "signature-changed" and fact.detail in ("function", "method")


def _has_owner(fact: Fact) -> bool:
    return fact.kind != "symbol-renamed" or fact.detail == "method"


def _listed_names(fact: Fact, phrases: Phrases) -> str:
    """Return the names of a fact as code, by their last parts where these differ."""
    names = names_of(fact)
    short_names = [shortened_name(name) for name in names]
    if len(set(short_names)) < len(names):
        short_names = list(names)
    limit = _MAX_SETTINGS if fact.kind in ("env-removed", "flag-removed") else _MAX_NAMES
    return _listed(short_names, phrases, limit, total=_count_of(fact))


def _count_of(fact: Fact) -> int:
    return max(fact.count, len(names_of(fact)))


def _listed(names: Iterable[str], phrases: Phrases, limit: int = _MAX_NAMES, total: int = 0) -> str:
    """Return names as code: all of a few, else the first ones and how many of `total` are left."""
    unique_names = unique(names)
    total = max(total, len(unique_names))
    # One more than the limit takes no more room than the words "and 1 more".
    listed = unique_names if total <= limit + 1 else unique_names[:limit]
    text: str = phrases["comma"].join(code(name) for name in listed)
    if total == len(listed):
        return text
    return f"{text} {phrases['more'].format(count=total - len(listed))}"
