"""What a fact means for those who depend on the repository: what can go wrong, and what to do about it."""

import re
from collections.abc import Mapping, Sequence

from agent.domain.facts import Fact, FactKind, Severity
from agent.telling.grouping import CALLS, FIELDS, MEMBERS, class_of, must_be_given
from agent.telling.naming import items_of, member_names, old_name, owner_of, shortened
from agent.telling.phrasing import Phrases, fill, fits, listed

K = FactKind
_OF = {
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
_RENAMED = (K.SYMBOL_RENAMED, K.MEMBER_RENAMED, K.FIELD_RENAMED)
_TYPED = re.compile(r"""["'][^"'$(]*["']|-?[\w+-]+(?:\.\d[\w+-]*)?%?""")
"""What somebody can type or set as it stands: a word, a number, a string; no expression of the program."""
_MOST = 2
"""Names in these sentences: those before them have named the rest."""
_DEFAULTS = ("default", "parameter default")
"""What users meet also where nothing breaks."""


def trouble_sentence(facts: Sequence[Fact], table: Mapping[str, str], phrases: Phrases) -> str | None:
    """Fill the sentence that belongs to the kind of these facts; None where it has nothing to say of them."""
    fact = facts[0]
    kind = _call_kind(facts) if fact.kind in CALLS else _OF.get(fact.kind, "")
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
    given = {"gone": _gone(facts, phrases), "came": _came(facts, phrases)}
    if any(f"{{{name}}}" in template and not value for name, value in given.items()):
        return None
    if fact.kind in (*MEMBERS, *FIELDS, K.MEMBER_RENAMED, K.FIELD_RENAMED):
        given["name"] = listed([shortened(class_of(one) or one.name) for one in facts], phrases, _MOST)
    return fill(template, facts, phrases, _MOST, **given)


def _call_kind(facts: Sequence[Fact]) -> str:
    """Choose by what hurts callers most."""
    kinds = {fact.kind for fact in facts if fact.severity is Severity.BREAKING}
    if K.PARAMETER_REMOVED in kinds:
        return "parameter gone"
    if K.PARAMETER_RENAMED in kinds:
        return "parameter renamed"
    if any(map(must_be_given, facts)):
        return "parameter required"
    return "parameter default" if all(fact.kind is K.PARAMETER_DEFAULT and fact.old for fact in facts) else ""


def _gone(facts: Sequence[Fact], phrases: Phrases) -> str:
    """List what users may have written and must not write any more."""
    names: list[str] = []
    for fact in facts:
        if fact.kind in (K.MEMBER_REMOVED, K.FIELD_REMOVED):
            names += member_names(fact.old)
        elif fact.kind is K.PARAMETER_REMOVED:
            names.append(fact.detail or "")
        elif fact.kind is K.PARAMETER_RENAMED:
            names.append(fact.old or "")
        elif fact.kind is K.FLAG_CHOICES:
            names += [item for item in items_of(fact.old) if item not in items_of(fact.new)]
        elif fact.kind in _RENAMED:
            names.append(old_name(fact))
    return listed(names, phrases, _MOST)


def _came(facts: Sequence[Fact], phrases: Phrases) -> str:
    """List what users must write now."""
    names: list[str] = []
    for fact in facts:
        if must_be_given(fact):
            names.append(fact.detail or "")
        elif fact.kind is K.PARAMETER_RENAMED or fact.kind in _RENAMED:
            names.append(fact.new or "")
        elif fact.kind is K.FLAG_CHOICES:
            names += [item for item in items_of(fact.new) if item not in items_of(fact.old)]
    return listed(names, phrases, _MOST)
