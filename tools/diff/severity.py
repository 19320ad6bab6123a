"""What a difference means for a user downstream; the same rules, in words, are in docs/facts.md."""

import re

from agent.facts import FactKind, Severity
from tools.diff.draft import Draft

_BREAKING = {
    FactKind.SYMBOL_REMOVED,
    FactKind.SYMBOL_RENAMED,
    FactKind.SYMBOL_MOVED,
    FactKind.PARAMETER_REMOVED,
    FactKind.PARAMETER_RENAMED,
    FactKind.PARAMETER_REORDERED,
    FactKind.PARAMETER_REQUIRED,
    FactKind.MEMBER_REMOVED,
    FactKind.MEMBER_RENAMED,
    FactKind.FIELD_REMOVED,
    FactKind.FIELD_RENAMED,
    FactKind.FLAG_REMOVED,
    FactKind.FLAG_RENAMED,
    FactKind.ENV_REMOVED,
    FactKind.ENV_RENAMED,
    FactKind.ROUTE_REMOVED,
    FactKind.UNREGISTERED,
    FactKind.FILE_REMOVED,
    FactKind.FILE_RENAMED,
    FactKind.FOLDER_RENAMED,
}
_ADDITIVE = {
    FactKind.SYMBOL_ADDED,
    FactKind.PARAMETER_ADDED,
    FactKind.MEMBER_ADDED,
    FactKind.FIELD_ADDED,
    FactKind.FLAG_ADDED,
    FactKind.ENV_ADDED,
    FactKind.CONFIG_ADDED,
    FactKind.ROUTE_ADDED,
    FactKind.REGISTERED,
    FactKind.FILE_ADDED,
}
_INTERNAL = {
    FactKind.ONLY_TESTS,
    FactKind.ONLY_DOCS,
    FactKind.ONLY_CI,
    FactKind.ONLY_UPKEEP,
    FactKind.ONLY_FORMATTING,
    FactKind.ONLY_COMMENTS,
    FactKind.GENERATED,
    FactKind.VENDORED,
}
_OPTIONAL = re.compile(r"^\*| = ")
_OVERRIDE = "override"
OWN_LIST = "own list"
"""The detail of what a class takes, listed by itself where its base may have had another list for it."""
DEFINITION = "definition"
"""The detail of a macro that a compiler is given: nobody asked for it, and everybody has what it makes."""
COMPILER = "compiler flag"
"""The detail of another flag that a compiler is given, of which the same holds."""
_SPOKEN = re.compile(
    r"(?:^|_)(?:PROTO|PROTOCOL|ABI)(?:_\w+)?_MAJOR|(?:^|_)MAJOR_(?:\w+_)?(?:PROTO|PROTOCOL|ABI)", re.IGNORECASE
)
"""The version by which two programs tell whether they understand each other at all."""
_BOUND = re.compile(r"^(<=|<|>=|>|==|!=)\s*(-?\d+(?:\.\d+)?)$")


def severity_of(draft: Draft) -> Severity:
    """Decide; everything not covered by a rule changes behaviour."""
    if draft.kind in _INTERNAL or not draft.public:
        return Severity.INTERNAL
    if draft.breaking is not None:
        return Severity.BREAKING if draft.breaking else _mild(draft)
    if draft.kind is FactKind.LIMIT_CHANGED:
        return Severity.BREAKING if _narrower(draft.old, draft.new) else Severity.BEHAVIOUR
    if draft.kind is FactKind.VERSION_CHANGED and _SPOKEN.search(draft.name):
        return Severity.BREAKING
    if draft.kind is FactKind.FIELD_ADDED and draft.detail == "required":
        return Severity.BREAKING
    if draft.kind in _BREAKING:
        return Severity.BREAKING
    return _mild(draft)


def _mild(draft: Draft) -> Severity:
    # What a new function refuses, nobody could ask of it before.
    if draft.optional or draft.debut:
        return Severity.ADDITIVE
    # What has to be given is nothing that one may leave aside, even where no user is the one to give it.
    asked = draft.kind is FactKind.PARAMETER_ADDED and not _OPTIONAL.search(draft.new or "")
    # Whoever calls a method of a base, or is held to a list of it, has another one now.
    over = draft.kind in (FactKind.SYMBOL_ADDED, FactKind.FIELD_ADDED) and draft.detail in (_OVERRIDE, OWN_LIST)
    defined = draft.kind is FactKind.CONFIG_ADDED and draft.detail in (DEFINITION, COMPILER)
    return Severity.ADDITIVE if draft.kind in _ADDITIVE and not (asked or over or defined) else Severity.BEHAVIOUR


def _narrower(old: str | None, new: str | None) -> bool:
    """Tell whether a bound lets less through than before."""
    before, after = _BOUND.match(old or ""), _BOUND.match(new or "")
    if before is None or after is None or before[1] != after[1]:
        return False
    if before[1] in ("<=", "<"):
        return float(after[2]) < float(before[2])
    return before[1] in (">=", ">") and float(after[2]) > float(before[2])
