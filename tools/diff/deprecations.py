"""Which deprecations are new: not those that were told before in other words, nor those that are told twice."""

import re

from agent.facts import FactKind
from tools.diff.draft import Draft, Where
from tools.diff.likeness import likeness
from tools.diff.readers.document import SCOPE
from tools.diff.reading import Site

_ALIKE = 0.55
_FLAG = "--"
_PROMISE = re.compile(r"(?<![\w-])--[a-z][\w-]+|\bv?\d+\.\d+(?:\.\d+)*")
"""What a user has to know of a flag that goes: another one to use, and the version without it."""
_MAKER = ".__init__"


def without_old_deprecations(gone: list[Site], come: list[Site]) -> list[Site]:
    """Leave out what was deprecated before, in other words."""
    before = [site for site in gone if site.kind == "deprecation"]
    kept: list[Site] = []
    for site in come:
        same = (one for one in before if _is_of_one(one, site))
        old = next((one for one in same if _is_reworded(one, site)), None) if site.kind == "deprecation" else None
        if old is None:
            kept.append(site)
        else:
            before.remove(old)
    return _said_once(kept)


def promises(gone: list[Site], come: list[Site]) -> list[Draft]:
    """Tell of a deprecated flag what replaces it, or when it goes, where its words say that only now."""
    before = {(site.name, site.scope): site for site in gone if _is_flag(site)}
    drafts: list[Draft] = []
    for site in come if before else ():
        old = before.get((site.name, site.scope)) if _is_flag(site) else None
        if old is None or not _is_reworded(old, site):
            continue
        if {*_PROMISE.findall(site.value or "")} <= {*_PROMISE.findall(old.value or "")}:
            continue
        where = Where((old.start, old.end), (site.start, site.end))
        drafts.append(Draft(FactKind.DEPRECATED, site.name, site.public, where, old.value, site.value))
    return drafts


def _is_flag(site: Site) -> bool:
    return site.kind == "deprecation" and site.name.startswith(_FLAG) and site.scope != SCOPE


def _said_once(sites: list[Site]) -> list[Site]:
    """Leave out what a docstring and a warning both call deprecated, in nearly the same words."""
    kept: list[Site] = []
    classes = {site.name for site in sites if site.kind == "deprecation"}
    for site in sites:
        # Whoever makes an object of a deprecated class is told so.
        if site.kind == "deprecation" and site.name.removesuffix(_MAKER) in classes - {site.name}:
            continue
        twins = (one for one in kept if one.kind == site.kind and _is_of_one(one, site))
        if site.kind != "deprecation" or not any(_is_reworded(one, site) for one in twins):
            kept.append(site)
    return kept


def _is_of_one(one: Site, other: Site) -> bool:
    """Tell whether both may speak of one thing: words that do not name it stand for the function around them."""
    return one.scope == other.scope and (one.name == other.name or one.scope in (one.name, other.name))


def _is_reworded(one: Site, other: Site) -> bool:
    mine, its = one.value or "", other.value or ""
    return not mine or not its or likeness(mine, its, _ALIKE) >= _ALIKE
