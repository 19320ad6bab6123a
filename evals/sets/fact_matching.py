"""When a fact that was found is the fact that was meant, and what a fact brings with it.

A fact found is the one meant if it is of the same commit and the same kind, the last part of its name is the same, and
its values are, white space and quotes aside, wherever the one meant has any. Besides:

* Several changes of one signature may be told as one `signature-changed`, and one `signature-changed` as its parts.
* Members and fields of one class that come or go together are one fact under the name of the class, and parameters that
  change alike in several functions are one fact under the name of one of them: its places tell the others.
* A pinned version may carry its operator or not (`==2.1.0`), an image's tag its repository and its flavour.
* A variable that an image sets may be told as a setting, another error as one that is gone and one that is new.
* Errors, checks and limits have no names of their own: the words must be in the fact or in the lines it quotes.
"""

import re
from dataclasses import dataclass

from agent.facts import Fact

_PARAMETERS = frozenset(
    {
        "parameter-added",
        "parameter-removed",
        "parameter-renamed",
        "parameter-reordered",
        "parameter-default-changed",
        "parameter-required",
    }
)
_MEMBERS = ("enum-member-", "field-")
_LOOSE = ("error-", "warning-", "limit-", "deprecated", "revert", "reland", "cherry-pick")
_WHOLE = ("generated", "vendored")
_BY_VALUE = ("dependency-", "version-", "image-")
_OPERATOR = re.compile(r"^(?:===?|~=|>=|<=|[v^~=])\s*")
_SEGMENT = re.compile(r"\.|::|#")

BRINGS: dict[str, frozenset[str]] = {
    "env-added": frozenset({"symbol-added"}),
    "env-removed": frozenset({"symbol-removed"}),
    "env-renamed": frozenset({"symbol-renamed", "constant-changed"}),
    "env-default-changed": frozenset({"constant-changed"}),
    "flag-added": frozenset({"field-added", "parameter-added"}),
    "flag-removed": frozenset({"field-removed", "parameter-removed"}),
    "flag-renamed": frozenset({"flag-added", "flag-removed", "field-renamed"}),
    "flag-default-changed": frozenset({"field-changed", "parameter-default-changed"}),
    "route-added": frozenset({"symbol-added"}),
    "route-removed": frozenset({"symbol-removed"}),
    "limit-changed": frozenset({"constant-changed", "error-changed"}),
    "constant-changed": frozenset({"limit-changed"}),
    "file-added": frozenset({"registered", "flag-added", "env-added", "route-added", "config-key-added"}),
    "file-removed": frozenset({"unregistered", "flag-removed", "env-removed", "route-removed", "symbol-removed"}),
    "file-renamed": frozenset({"symbol-moved"}),
    "reland": frozenset({"revert"}),
}
"""What else a change of a kind may rightly be told as, in the same file."""

ALIKE: dict[str, tuple[str, ...]] = {
    "env-default-changed": ("config-key-changed",),
    "error-changed": ("error-added", "error-removed"),
}
"""Kinds that say the same: a variable of an image is a setting of it, another error is one gone and one come."""


@dataclass(frozen=True)
class Meant:
    """A fact that should be found; what is None or empty may be anything."""

    kinds: tuple[str, ...]
    name: str = ""
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    file: str | None = None
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
    split = _splits(meant, fact)
    if fact.kind not in meant.kinds and not split:
        return False
    if meant.shows and meant.shows not in _all_words(fact):
        return False
    if not _named(meant, fact):
        return False
    return split or (_same(meant.old, fact.old, fact.kind) and _same(meant.new, fact.new, fact.kind))


def brought_by(meant: Meant, fact: Fact) -> bool:
    """Tell whether a fact follows from one that was meant (`BRINGS`), or only spells a name that was changed."""
    files = {place.file for place in fact.places}
    if any(fact.kind in BRINGS.get(kind, ()) for kind in meant.kinds):
        return not files or meant.file is None or meant.file in files
    if meant.old and meant.new and fact.old and fact.new and "symbol-renamed" in meant.kinds:
        return fact.old.replace(meant.old, meant.new) == fact.new
    return False


def folded(text: str) -> str:
    """Put a value on one line, without the quotes around it."""
    text = " ".join(text.split())
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`" else text


def names_of(fact: Fact) -> list[str]:
    """List the names that a fact speaks of: one that joins several has them behind one another."""
    return re.sub(r" and \d+ more$", "", fact.name).split(", ")


def last_part(name: str) -> str:
    """Give what a qualified name ends with; paths, flags and routes are whole."""
    if "/" in name or name.startswith("-"):
        return name.split(" ")[-1]
    return _SEGMENT.split(name)[-1]


def _splits(meant: Meant, fact: Fact) -> bool:
    """Tell whether one is the sum of the other."""
    if "signature-changed" in meant.kinds and fact.kind in _PARAMETERS:
        return True
    # Only more than one change at a time may be told as a whole; then each parameter must be in the signatures.
    word = meant.detail or meant.new or ""
    whole = f"{fact.old} {fact.new}"
    return (
        fact.kind == "signature-changed"
        and bool(_PARAMETERS & set(meant.kinds))
        and bool(word)
        and len(fact.places) > 0
        and fact.detail is None
        and re.search(rf"\b{re.escape(word)}\b", whole) is not None
    )


def _named(meant: Meant, fact: Fact) -> bool:
    if not meant.name or (fact.name == meant.name and meant.detail is None):
        return True
    name = last_part(meant.name)
    if fact.kind in _WHOLE:
        return any(place.file == name for place in fact.places)
    if fact.kind == "signature-changed" and name in re.findall(r"\w+", f"{fact.old} {fact.new}"):
        return True
    if fact.kind.startswith("dependency-"):
        return _project(name) == _project(last_part(fact.name))
    named = {last_part(one) for one in names_of(fact)}
    if fact.kind.startswith(_LOOSE):
        return name in _all_words(fact)
    if fact.kind in _PARAMETERS and meant.detail is not None:
        here = name in named or any(place.file == meant.file for place in fact.places)
        return here and meant.detail in (fact.detail, fact.old, fact.new)
    if fact.kind.startswith(_MEMBERS) and name in re.findall(r"\w+", f"{fact.old} {fact.new}"):
        return True
    return name in {*named, fact.detail, fact.old if fact.kind.endswith("renamed") else None}


def _same(meant: str | None, found: str | None, kind: str) -> bool:
    if meant is None:
        return True
    if found is None:
        return False
    one, other = folded(meant), folded(found)
    if one == other or one == last_part(other):
        return True
    if kind.startswith(_MEMBERS) or kind in _PARAMETERS:
        return one in (other.rpartition("=")[2].strip(), re.split(r"\W", other)[0])
    if kind.startswith(_BY_VALUE):
        bare = _OPERATOR.sub("", one)
        return bare == _OPERATOR.sub("", other) or bare in re.split(r"[:@]|(?<=\d)-(?=[a-z])", other)
    return False


def _project(name: str) -> str:
    """Spell a project as package indexes do."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _all_words(fact: Fact) -> str:
    lines = [line[1:] for place in fact.places for line in place.lines]
    return " ".join(filter(None, (fact.name, fact.old, fact.new, fact.detail, *lines)))
