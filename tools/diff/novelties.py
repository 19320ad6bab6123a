"""Refusals that only those meet who use what the commit brings: nobody ran into them before."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from agent.facts import FactKind
from tools.diff.grouping import Shown
from tools.diff.reading import ELSE, Site
from tools.diff.severity import severity_of
from tools.diff.versions import Versions

_UNSET = ("None", "False", '""', "''", "0")
"""Defaults by which something new is switched off."""
_REFUSED = re.compile(r"^not (?:\((.*)\)|([\w.]+))$", re.DOTALL)
_NOTHING, _SOMETHING = " is None", " is not None"
_JOINED = re.compile(r"\s+and\s+")
_OPENED = re.compile(r"[(\[{]")
_CLOSED = re.compile(r"[)\]}]")
_NAME = re.compile(r"[\w.]+")
_TAKEN = re.compile(r"\w+\.get\([\"'](\w+)[\"']\)")
"""What a check of a whole record takes of it before it is made: `data.get("salt")`."""
_TOLD = (FactKind.PARAMETER_ADDED, FactKind.FIELD_ADDED)
_PYTHON = ".py"


def for_newcomers(shown: Sequence[Shown], read: Iterable[Versions]) -> list[Shown]:
    """Tell refusals as additions that a function makes only where somebody sets what is new, and off by default."""
    errors = {one.place.file for one in shown if one.place is not None and one.draft.kind is FactKind.ERROR_ADDED}
    new = frozenset(name for one in shown for name in _switched_off(one)) if errors else frozenset()
    if not new:
        return list(shown)
    asked = {
        (versions.file.path, site.start): site
        for versions in read
        if versions.file.path in errors and versions.file.path.endswith(_PYTHON)
        for site in versions.new.sites
        if site.kind == "error"
    }
    return [_for_newcomers(one, asked, new) for one in shown]


def _for_newcomers(one: Shown, asked: dict[tuple[str, int], Site], new: frozenset[str]) -> Shown:
    draft = one.draft
    if draft.kind is not FactKind.ERROR_ADDED or one.place is None or draft.where.new is None:
        return one
    site = asked.get((one.place.file, draft.where.new[0]))
    if site is None or not any(_is_set(condition, new) for condition in _conditions(site)):
        return one
    # Without words, what is asserted would seem to be asked of everybody.
    bare = site.value is None and site.under and draft.new
    said = f"{draft.new} (if {' and '.join(site.under)})" if bare else draft.new
    return replace(one, draft=draft._replace(optional=True, new=said))


def _switched_off(one: Shown) -> Iterator[str]:
    """Name a new parameter or field that nothing sets by default."""
    name, equals, default = (one.draft.new or "").rpartition(" = ")
    if one.draft.kind in _TOLD and equals and default in _UNSET and severity_of(one.draft) != "breaking":
        yield name.partition(":")[0].strip()


def _conditions(site: Site) -> Iterator[str]:
    """Give what all must hold lest nothing is refused: the branches around, and the parts of its own condition."""
    if ELSE not in site.under:
        for condition in site.under:
            yield from _parts(condition)
    if refused := _REFUSED.match(site.guard):
        yield from _parts(refused[1] or refused[2])
    elif site.guard.endswith(_NOTHING):
        # What must be nothing lest it is refused is refused where it is something.
        yield f"{site.guard.removesuffix(_NOTHING)}{_SOMETHING}"


def _parts(condition: str) -> list[str]:
    """Part a condition at each `and` outside of brackets; one with an `or` says nothing for sure."""
    parts = _JOINED.split(condition)
    whole = all(len(_OPENED.findall(part)) == len(_CLOSED.findall(part)) for part in parts)
    return parts if whole and " or " not in condition and " if " not in condition else []


def _is_set(condition: str, new: frozenset[str]) -> bool:
    """Tell whether a condition holds only where something new is set: `mode`, `self.mode is not None`, `mode > 0`."""
    plain = condition.removesuffix(_SOMETHING).strip()
    if taken := _TAKEN.fullmatch(plain):
        return taken[1] in new
    return _NAME.fullmatch(plain) is not None and plain.rpartition(".")[2] in new
