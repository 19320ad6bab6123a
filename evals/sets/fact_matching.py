"""When a fact that was found is the fact that was meant, and what a fact brings with it.

A fact found is the one meant if it is of the same commit and the same kind, the last part of its name is the same, and
its values are, white space and quotes aside, wherever the one meant has any. A fact that joins several has all of their
names or values behind one another. Errors have no names: the words must be in the fact or in the lines it quotes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agent.domain.facts import Fact

PARAMETERS = (
    "parameter-added",
    "parameter-removed",
    "parameter-renamed",
    "parameter-reordered",
    "parameter-default-changed",
    "parameter-required",
)
_JOINED = ("enum-member-", "field-")
_LOOSE = ("error-", "limit-", "deprecated", "revert", "reland", "cherry-pick")
_BY_VALUE = ("dependency-", "version-", "image-")
_OPERATOR = re.compile(r"^(?:===?|~=|>=|<=|[v^~=])\s*")
_SEGMENT = re.compile(r"\.|::|#")
Kinds = Mapping[str, tuple[str, ...]]

ALIKE: Kinds = {
    "env-default-changed": ("config-key-changed",),
    "error-changed": ("error-added", "error-removed"),
    "signature-changed": PARAMETERS,
}
"""Kinds that say the same: a variable of an image is a setting of it, a signature changes by its parameters."""
BRINGS: Kinds = {
    "env-added": ("symbol-added",),
    "env-removed": ("symbol-removed",),
    "env-renamed": ("symbol-renamed", "constant-changed"),
    "env-default-changed": ("constant-changed",),
    "flag-added": ("field-added", "parameter-added"),
    "flag-removed": ("field-removed", "parameter-removed"),
    "flag-renamed": ("field-renamed",),
    "flag-default-changed": ("field-changed", "parameter-default-changed"),
    "route-added": ("symbol-added",),
    "route-removed": ("symbol-removed",),
    "limit-changed": ("error-changed",),
    "file-added": ("registered", "flag-added", "env-added", "route-added", "config-key-added"),
    "file-removed": ("revert", "unregistered", "flag-removed", "env-removed", "route-removed", "symbol-removed"),
    "reland": ("revert",),
}
"""What else a change of a kind may rightly be told as."""


@dataclass(frozen=True)
class Meant:
    """A fact that should be found; what is None or empty may be anything."""

    kinds: tuple[str, ...]
    name: str = ""
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    shows: str | None = None
    """Words that the fact or the lines it quotes must have."""
    severity: str | None = None
    optional: bool = False

    def __str__(self) -> str:
        values = f" {self.old or ''} → {self.new or ''}" if self.old or self.new else ""
        named = " ".join(part for part in (self.name, self.detail or "", self.shows or "") if part)
        return f"{'/'.join(self.kinds)} {named}{values}"


def matches(meant: Meant, fact: Fact) -> bool:
    """Tell whether this is the fact that was meant; severity is judged apart."""
    if fact.kind not in meant.kinds or (meant.shows or "") not in _all_words(fact) or not _named(meant, fact):
        return False
    return _same(meant.old, fact.old, fact.kind) and _same(meant.new, fact.new, fact.kind)


def brought_by(meant: Meant, fact: Fact) -> bool:
    """Tell whether a fact follows from one that was meant, or only spells a name that was changed."""
    if any(fact.kind in BRINGS.get(kind, ()) for kind in meant.kinds):
        return True
    if meant.old and meant.new and fact.old and fact.new and "symbol-renamed" in meant.kinds:
        return fact.old.replace(meant.old, meant.new) == fact.new
    return False


def last_part(name: str) -> str:
    """Give what a qualified name ends with; paths, flags and routes are whole."""
    if "/" in name or name.startswith("-"):
        return name.split(" ")[-1]
    return _SEGMENT.split(name)[-1]


def _named(meant: Meant, fact: Fact) -> bool:
    name = last_part(meant.name)
    if not name or fact.kind in ("generated", "vendored"):
        return True
    if fact.kind.startswith(_LOOSE):
        return name in _all_words(fact)
    named = {_project(last_part(one)) for one in fact.name.split(", ")}
    if fact.kind.startswith(_JOINED):
        named |= {_project(word) for word in re.findall(r"\w+", f"{fact.old} {fact.new}")}
    known = meant.detail is None or meant.detail in (fact.detail, fact.old, fact.new)
    return known and (_project(name) in named or name in (fact.detail, fact.old))


def _same(meant: str | None, found: str | None, kind: str) -> bool:
    if meant is None:
        return True
    one, other = (" ".join(text.split()).strip("\"'`") for text in (meant, found or ""))
    if one in (other, last_part(other)) or (kind.startswith(("limit-", "error-")) and one in other):
        return True
    if kind.startswith(_JOINED):
        return one == other.rpartition("=")[2].strip().strip("\"'")
    bare = _OPERATOR.sub("", one)
    same = bare == _OPERATOR.sub("", other) or bare in re.split(r"[:@]|(?<=\d)-(?=[a-z])", other)
    return kind.startswith(_BY_VALUE) and same


def _project(name: str) -> str:
    """Spell a name as package indexes do."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _all_words(fact: Fact) -> str:
    lines = [line[1:] for place in fact.places for line in place.lines]
    return " ".join(filter(None, (fact.name, fact.old, fact.new, fact.detail, *lines)))
