"""How a fact becomes a sentence: the template of its kind, filled with its own names and values as code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agent.facts import Fact, FactKind, Severity
from agent.markdown import code

_LONG = 72
_SHOWN_NAMES = 3
_PARTS = 2
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+")


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """The templates of one language."""

    things: Mapping[str, str]
    """What a detail such as `method` or `kernel` is called."""
    thing: str
    more: str
    comma: str
    change: Mapping[FactKind, str]
    without_values: Mapping[FactKind, str]
    """For kinds whose old or new value is missing or too long for a sentence; the excerpt shows it."""
    gained_default: str
    must_give: str
    risk: Mapping[str, str]
    advice: Mapping[str, str]


# Which risk and which advice belong to a kind of fact.
_TROUBLE = {
    FactKind.SYMBOL_REMOVED: "symbol",
    FactKind.SYMBOL_RENAMED: "symbol",
    FactKind.SYMBOL_MOVED: "symbol",
    FactKind.PARAMETER_ADDED: "parameter",
    FactKind.PARAMETER_REMOVED: "parameter",
    FactKind.PARAMETER_RENAMED: "parameter",
    FactKind.PARAMETER_REORDERED: "parameter",
    FactKind.PARAMETER_REQUIRED: "parameter",
    FactKind.SIGNATURE_CHANGED: "parameter",
    FactKind.MEMBER_REMOVED: "member",
    FactKind.MEMBER_RENAMED: "member",
    FactKind.FIELD_REMOVED: "member",
    FactKind.FIELD_RENAMED: "member",
    FactKind.FLAG_REMOVED: "flag",
    FactKind.FLAG_RENAMED: "flag",
    FactKind.FLAG_CHOICES: "flag",
    FactKind.FLAG_DEFAULT: "default",
    FactKind.ENV_REMOVED: "env",
    FactKind.ENV_RENAMED: "env",
    FactKind.ENV_DEFAULT: "default",
    FactKind.PARAMETER_DEFAULT: "default",
    FactKind.CONFIG_REMOVED: "config",
    FactKind.ROUTE_REMOVED: "route",
    FactKind.LIMIT_CHANGED: "limit",
    FactKind.FILE_REMOVED: "file",
    FactKind.FILE_RENAMED: "file",
    FactKind.FOLDER_RENAMED: "file",
    FactKind.DEPENDENCY_CHANGED: "dependency",
    FactKind.REVERT: "revert",
    FactKind.UNREGISTERED: "registered",
    FactKind.DEPRECATED: "deprecated",
}


def change_sentence(fact: Fact, phrases: Phrases) -> str:
    """Tell what changed, as Markdown."""
    template = phrases.change[fact.kind]
    if fact.kind is FactKind.PARAMETER_DEFAULT and fact.old is None and fact.new is not None:
        template = phrases.gained_default
    if not _fits(template, fact):
        template = phrases.without_values.get(fact.kind, template)
    told = _fill(template, fact, phrases)
    if fact.kind is FactKind.PARAMETER_ADDED and fact.severity is Severity.BREAKING and "=" not in (fact.new or "="):
        space = "" if told.endswith("。") else " "
        told += space + phrases.must_give
    return told


def risk_sentence(fact: Fact, phrases: Phrases) -> str | None:
    """Tell what can go wrong for users; None where the kind of fact says nothing of that."""
    return _bound(fact, phrases.risk, phrases)


def advice_sentence(fact: Fact, phrases: Phrases) -> str | None:
    """Tell what to do about it."""
    return _bound(fact, phrases.advice, phrases)


def _bound(fact: Fact, table: Mapping[str, str], phrases: Phrases) -> str | None:
    template = table.get(_TROUBLE.get(fact.kind, ""))
    return _fill(template, fact, phrases) if template and _fits(template, fact) else None


def _fits(template: str, fact: Fact) -> bool:
    """Tell whether the sentence has its values, and whether they are short enough to be read."""
    values = (fact.old if "{old}" in template else "", fact.new if "{new}" in template else "")
    return all(value is not None and len(value) <= _LONG and "\n" not in value for value in values)


def _fill(template: str, fact: Fact, phrases: Phrases) -> str:
    name = fact.old if fact.kind in (FactKind.FLAG_RENAMED, FactKind.ENV_RENAMED) and fact.old else fact.name
    return template.format(
        name=_names(name, phrases),
        old=code(fact.old or ""),
        new=code(fact.new or ""),
        detail=code(fact.detail or ""),
        thing=phrases.things.get(fact.detail or "", phrases.thing),
    )


def _names(name: str, phrases: Phrases) -> str:
    """Write one name or several; a long qualified name by its last parts, which are what people search for."""
    parts = [code(shortened(part)) for part in name.split(", ")]
    shown = phrases.comma.join(parts[:_SHOWN_NAMES])
    rest = len(parts) - _SHOWN_NAMES
    return shown if rest <= 0 else f"{shown} {phrases.more.format(count=rest)}"


def shortened(name: str) -> str:
    """Keep the last parts of a qualified name; a path, a flag or a version stays whole."""
    if _PATH.search(name) or name.startswith("-") or not re.fullmatch(r"[A-Za-z_][\w.:<>]*", name):
        return name
    return ".".join(name.split(".")[-_PARTS:])
