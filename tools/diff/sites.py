"""What changed between the sites of two versions: flags, variables, keys, routes, versions, errors, limits."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from agent.facts import METRICS, PACKAGE, UNCHOSEN, FactKind
from tools.diff.cautions import cautions, without_old_warnings
from tools.diff.deprecations import promises, without_old_deprecations
from tools.diff.draft import Draft, Where
from tools.diff.markers import ANY, remarked, remarked_draft
from tools.diff.metrics import COUNTER, stem
from tools.diff.readers.manifest_python import SETUP
from tools.diff.readers.manifest_setup import PACKAGES
from tools.diff.readers.python_choices import ELSEWHERE
from tools.diff.reading import Site
from tools.diff.refusals import is_macro_exchanged, loosened_or_tightened, spare, without_echoes
from tools.diff.signatures import compare_signatures
from tools.diff.site_heirs import (
    ASSERTED,
    begins_so,
    is_only_held,
    is_same_macro,
    rebased,
    renames,
    spelled_out,
    worded,
)
from tools.diff.surroundings import moved_out_or_in
from tools.diff.values import requoted, same_value
from tools.diff.variables import is_foreign

_ADDED = {
    "flag": FactKind.FLAG_ADDED,
    "env": FactKind.ENV_ADDED,
    "config": FactKind.CONFIG_ADDED,
    "route": FactKind.ROUTE_ADDED,
    "dependency": FactKind.DEPENDENCY_ADDED,
    "deprecation": FactKind.DEPRECATED,
    "error": FactKind.ERROR_ADDED,
    "warning": FactKind.WARNING_ADDED,
    "registration": FactKind.REGISTERED,
}
_REMOVED = {
    "flag": FactKind.FLAG_REMOVED,
    "env": FactKind.ENV_REMOVED,
    "config": FactKind.CONFIG_REMOVED,
    "route": FactKind.ROUTE_REMOVED,
    "dependency": FactKind.DEPENDENCY_REMOVED,
    "error": FactKind.ERROR_REMOVED,
    "registration": FactKind.UNREGISTERED,
}
_CHANGED = {
    "flag": FactKind.FLAG_DEFAULT,
    "env": FactKind.ENV_DEFAULT,
    "config": FactKind.CONFIG_CHANGED,
    "dependency": FactKind.DEPENDENCY_CHANGED,
    "version": FactKind.VERSION_CHANGED,
    "image": FactKind.IMAGE_CHANGED,
    "limit": FactKind.LIMIT_CHANGED,
    "constant": FactKind.CONSTANT_CHANGED,
    "registration": FactKind.REGISTRATION_CHANGED,
}
_RENAMED = {
    "flag": FactKind.FLAG_RENAMED,
    "env": FactKind.ENV_RENAMED,
    "error": FactKind.ERROR_CHANGED,
    "registration": FactKind.SYMBOL_RENAMED,
}
_CHOSEN = {"flag": FactKind.FLAG_CHOICES, "limit": FactKind.LIMIT_CHANGED}
_REFUSALS = ("error", "assertion")
"""Checks; an assertion of C is told only where it asks for something else in the same place."""
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_AMONG, _NOT_AMONG = "in ", "not in "
_REFUSED = re.compile(r"^([<>])=?\s*(-?\d+(?:\.\d+)?)$")
_FEATURES = re.compile(r"(?<=\S) \[[^\]]*\]$")
_FOR_CHECKERS = re.compile(r"^(?:[\w.\[\]]+(?: is not None)?|isinstance\(.*|(?:False|True|0).*)$", re.DOTALL)
"""Assertions that tell a type checker what is so, or that a place is never reached."""
_SHIPPED = re.compile(r"""["'](\w+)["']""")
_EXPRESSION = "${{"
"""Begins what a workflow only knows when it runs."""
_MOST_WORDS = 400
_NOTHING = "None"
_HELD = re.compile(r"(\w+)\.\w+")
"""What a class has as an attribute: `ServerArgs.tp_size`."""
_NUMBERS = re.compile(r"(?<![\w.])\d[\w.]*")
_NAMES = re.compile(r"(?!(?:not|and|or|in|is|None|True|False)\b)[A-Za-z_]\w*(?:\(\)|\.\w+)*")


def compare_sites(old: Iterable[Site], new: Iterable[Site], together: Callable[[int, int], int]) -> list[Draft]:
    """List what a user can newly set or run into, can no longer, or finds set otherwise.

    `together` tells whether an old and a new line stand in the same hunk: what took another's place does.
    """
    before, after = _by_key(old), _by_key(new)
    spelled = _spellings(before), _spellings(after)
    drafts = list(_respelled(before, after))
    drafts += [_rebased(one, other) for one, other in rebased(before, after)]
    gone = [_first(sites) for key, sites in before.items() if key not in after]
    come = [_first(sites) for key, sites in after.items() if key not in before]
    gone, come = _without_moved_errors(gone, come)
    drafts += promises(gone, come)
    come = without_old_warnings(gone, without_old_deprecations(gone, come))
    for one, other in list(remarked(gone, come)):
        gone.remove(one)
        come.remove(other)
        drafts.append(remarked_draft(one, other))
    spares = spare(before, after), spare(after, before)
    for one, other in list(renames([*gone, *spares[0]], [*come, *spares[1]], together)):
        for sites, site in ((gone, one), (come, other)):
            if site in sites:
                sites.remove(site)
        if one.kind != "error" or _is_reported(one, other):
            drafts.append(_renamed(one, other))
        drafts += _altered(one, other)
    gone, come = without_echoes(gone), without_echoes(come)
    drafts += [_one_sided(site, _REMOVED[site.kind], removed=True) for site in gone if _is_told(site, _REMOVED)]
    drafts += [_one_sided(site, _ADDED[site.kind], removed=False) for site in come if _is_told(site, _ADDED)]
    checks = [site for sites in after.values() for site in sites if site.under]
    for key, sites in before.items():
        if key in after:
            drafts += _paired(sites, after[key])
            if key[0] in _REFUSALS and (pair := loosened_or_tightened(sites, after[key])):
                drafts.append(_reconditioned(*pair))
            elif key[0] == "error" and (moved := moved_out_or_in(sites, after[key], checks)):
                drafts.append(_surrounded(sites[0], after[key][0], moved))
    return [draft for draft in drafts if not _is_spelled_still(draft, *spelled)]


def without_listed_still(drafts: Iterable[Draft], sites: Iterable[Site]) -> list[Draft]:
    """Leave out entries that another table of their sort has as well: `_TEXT_MODELS`, `_SEEING_MODELS`."""
    drafts = list(drafts)
    if not any(draft.kind is FactKind.UNREGISTERED and draft.old for draft in drafts):
        return drafts
    listed = {(site.name, site.value, _sort(site.scope)) for site in sites if site.kind == "registration"}
    gone = FactKind.UNREGISTERED
    return [
        draft
        for draft in drafts
        if draft.kind is not gone or (draft.name, draft.old, _sort(draft.detail or "")) not in listed
    ]


def _sort(table: str) -> str:
    """Give the last word of a table's name; one of a single word has no likes."""
    return table.rpartition("_")[2] if "_" in table else f"{table}_"


def _spellings(sites: Mapping[tuple[str, ...], list[Site]]) -> set[str]:
    """Name all spellings of all flags that have more than one."""
    flags = (site for key, found in sites.items() if key[0] == "flag" for site in found)
    return {name for site in flags if site.also for name in (site.name, *site.also)}


def _is_spelled_still(draft: Draft, before: Set[str], after: Set[str]) -> bool:
    """Tell whether a flag that seems gone is another spelling of one now, or one that seems new was one before."""
    if draft.kind is FactKind.FLAG_REMOVED:
        return draft.name in after
    return draft.kind is FactKind.FLAG_ADDED and draft.name in before


def _respelled(before: dict[tuple[str, ...], list[Site]], after: dict[tuple[str, ...], list[Site]]) -> Iterator[Draft]:
    """Tell the spellings that a flag has gained or lost, and know it by one that stayed."""
    for site in [sites[0] for key, sites in after.items() if key[0] == "flag" and len(sites) == 1]:
        spelled = (site.name, *site.also)
        keys = [("flag", name) for name in spelled]
        old = next((before[key] for key in keys if key in before), None) or next(
            (sites for key, sites in before.items() if key[0] == "flag" and site.name in sites[0].also), []
        )
        was = (old[0].name, *old[0].also) if len(old) == 1 else ()
        if not was or (spelled[0] == was[0] and {*spelled} == {*was}):
            continue
        for name in (name for name in spelled if name not in was and ("flag", name) not in before):
            yield _one_sided(site._replace(name=name), FactKind.FLAG_ADDED, removed=False)._replace(new=f"= {was[0]}")
        for name in (name for name in was if name not in spelled and ("flag", name) not in after):
            yield _one_sided(old[0]._replace(name=name), FactKind.FLAG_REMOVED, removed=True)
        del before["flag", old[0].name], after["flag", site.name]
        before["flag", site.name], after["flag", site.name] = [old[0]._replace(name=site.name)], [site]


def _rebased(one: Site, other: Site) -> Draft:
    old, new = (":".join(filter(None, (site.name, site.value))) for site in (one, other))
    # What is built from another image has its own name still.
    return Draft(FactKind.IMAGE_CHANGED, one.scope, one.public, _where(one, other), old, new, one.scope)


def _first(sites: list[Site]) -> Site:
    """Speak for sites of one name by the first; of several things that are registered under it, none speaks for all."""
    several = sites[0].kind == "registration" and len({site.value for site in sites}) > 1
    return sites[0]._replace(value=None) if several else sites[0]


def _is_told(site: Site, kinds: Mapping[str, FactKind]) -> bool:
    """Leave out assertions without words, but for those with which a public function refuses what it is given."""
    if site.kind == "env" and is_foreign(site.name):
        return False
    if site.kind not in kinds or (site.kind == "config" and _EXPRESSION in (site.value or "")):
        return False
    if site.kind == "warning":
        return site.public and cautions(site.value)
    if site.kind == "config" and (site.condition or site.scope == PACKAGE):
        # What is set in some case only is derived, and nothing that somebody is offered; every package has a name.
        return False
    if site.value is not None or site.name != ASSERTED:
        return True
    if not site.public:
        return False
    own = any(part.startswith("_") and part != "__init__" for part in site.scope.split("."))
    return bool(site.scope and site.guard) and not own and not _FOR_CHECKERS.search(site.guard)


def _is_reported(one: Site, other: Site) -> bool:
    """Tell whether users would notice that an error is another one now."""
    if one.value or other.value:
        if is_same_macro(one.name, other.name) and worded(one)[1:] == worded(other)[1:]:
            return False
        mine, its = (spelled_out(site.name, site.value or "") for site in (one, other))
        return not is_same_macro(mine[0], its[0]) or not (mine[1] == its[1] or is_only_held(mine[1], its[1]))
    # By what names an assertion without words gets at what it compares is the function's own business.
    named = _NAMES.sub("x", one.guard) == _NAMES.sub("x", other.guard)
    return not named and (_is_told(one, _REMOVED) or _is_told(other, _ADDED))


def _without_moved_errors(gone: list[Site], come: list[Site]) -> tuple[list[Site], list[Site]]:
    """Leave out errors that are raised in another function now, in the same words, perhaps with more behind them."""
    words = [{worded(site) for site in sites if site.kind == "error"} for sites in (gone, come)]
    moved = words[0] & words[1]
    if len(words[0]) * len(words[1]) <= _MOST_WORDS:
        longer = [(one, other) for one in words[0] for other in words[1] if begins_so(one, other)]
        # In the same function it is the same error with more to say.
        scopes = [{(worded(site), site.scope) for site in sites if site.kind == "error"} for sites in (gone, come)]
        for one, other in longer:
            if not any((one, scope) in scopes[0] for said, scope in scopes[1] if said == other):
                moved |= {one, other}
    kept = [[site for site in sites if site.kind != "error" or worded(site) not in moved] for sites in (gone, come)]
    return kept[0], kept[1]


def _by_key(sites: Iterable[Site]) -> dict[tuple[str, ...], list[Site]]:
    found: dict[tuple[str, ...], list[Site]] = defaultdict(list)
    for site in sites:
        found[_key(site)].append(site)
    return found


def _key(site: Site) -> tuple[str, ...]:
    """Say what makes two sites the same one."""
    if site.kind in (*_REFUSALS, "deprecation"):
        return site.kind, site.name, site.value or requoted(site.guard), site.scope
    if site.kind == "warning":
        # Whether it is said once or each time is no matter.
        return site.kind, site.value or "", site.scope
    if site.kind == "registration" and site.scope == METRICS and site.value == COUNTER:
        return site.kind, stem(site.name), site.scope
    if site.kind in ("limit", "constant", "dependency", "config", "registration"):
        return site.kind, site.name, site.scope
    return site.kind, site.name


def _paired(old: list[Site], new: list[Site]) -> Iterator[Draft]:
    """Compare what has one name; where it stands several times, only a value that went and one that came count."""
    ways = {way for site in (*old, *new) if (way := _facing(site))}
    if len(ways) > 1:
        for way in sorted(ways):
            mine, its = ([site for site in sites if _facing(site) == way] for sites in (old, new))
            if mine and its:
                yield from _paired(mine, its)
        return
    if len(old) == len(new) == 1:
        yield from _altered(old[0], new[0])
        yield from _called_otherwise(old[0], new[0])
        return
    before, after = {site.value for site in old}, {site.value for site in new}
    gone = [site for site in old if site.value not in after]
    come = [site for site in new if site.value not in before]
    if gone and come and len({site.value for site in gone}) == len({site.value for site in come}) == 1:
        yield from _altered(gone[0], come[0])


def _called_otherwise(one: Site, other: Site) -> Iterator[Draft]:
    """Compare what those give who call a registered function by its name."""
    if not one.params or not other.params:
        return
    for change in compare_signatures(one.params, other.params):
        values = change.old, change.new, change.param
        yield Draft(change.kind, other.name, one.public, _where(one, other), *values, breaking=change.breaking)


def _facing(site: Site) -> tuple[str, bool] | None:
    """Tell which way a limit bounds: from above never takes the place of from below, nor what holds of what fails."""
    sign = (site.value or "")[:1] if site.kind == "limit" else ""
    return (sign, site.rejects) if sign in ("<", ">") else None


def _renamed(one: Site, other: Site) -> Draft:
    if one.kind == "error":
        scope = one.scope or None
        old, new = one.value, other.value
        if one.name == other.name == ASSERTED and not (old and new):
            # What has no words on one side is told by what it checks on both.
            old, new = one.guard, other.guard
        if not is_same_macro(one.name, other.name):
            old, new = (f"{site.name}: {site.value or site.guard}" for site in (one, other))
        # Whoever runs into the same refusal by another macro of the project is told the same.
        public = one.public and not is_macro_exchanged(one, other)
        return Draft(FactKind.ERROR_CHANGED, other.name, public, _where(one, other), old, new, scope)
    told = one.kind == "flag" or other.scope in UNCHOSEN
    detail = (other.scope or None) if told else None
    return Draft(_RENAMED[one.kind], other.name, one.public, _where(one, other), one.name, other.name, detail)


def _reconditioned(one: Site, other: Site) -> Draft:
    scope = one.scope or None
    return Draft(FactKind.ERROR_CHANGED, other.name, one.public, _where(one, other), one.guard, other.guard, scope)


def _surrounded(one: Site, other: Site, moved: tuple[str, str]) -> Draft:
    return Draft(FactKind.ERROR_CHANGED, other.name, one.public, _where(one, other), *moved, one.scope or None)


def _where(one: Site, other: Site) -> Where:
    return Where((one.start, one.end), (other.start, other.end))


def _altered(one: Site, other: Site) -> Iterator[Draft]:
    where = _where(one, other)
    if one.rejects is not other.rejects:
        # What is let through is compared, however it is asked for: `assert x in [1]`, `if x not in [1]: raise`.
        one, other = _accepting(one), _accepting(other)
    same = same_value(one.value, other.value) or (one.kind == "flag" and _is_same_default(one, other))
    if one.kind in _CHANGED and not same and not _is_other_wording(one, other):
        detail = one.scope or None
        breaking = _refuses_more(one, other) if one.rejects and other.rejects else _installs_less(one, other)
        old, new = _versions(one, other)
        yield Draft(_CHANGED[one.kind], other.name, one.public, where, old, new, detail, breaking=breaking)
    if one.choices is not None and other.choices is not None and _offers_others(one.choices, other.choices):
        gone = [choice for choice in one.choices if choice not in other.choices]
        # Only flags have a kind of their own for what one may choose from.
        kind, detail = _CHOSEN.get(one.kind, FactKind.CONFIG_CHANGED), None if one.kind == "flag" else "choices"
        yield Draft(
            kind,
            other.name,
            one.public,
            where,
            _listed(one),
            _listed(other),
            detail,
            breaking=bool(gone),
        )


def _is_same_default(one: Site, other: Site) -> bool:
    """Tell whether a flag without a default says so now, or takes over that of the field by which it is declared."""
    if same_value(one.value or _NOTHING, other.value or _NOTHING):
        return True
    sides = ((mine, its) for mine, its in ((one, other), (other, one)) if (mine.value or "").partition(".")[2])
    return any(
        _HELD.fullmatch(mine.value or "") and (mine.value or "").startswith(f"{its.scope}.") for mine, its in sides
    )


def _offers_others(old: Sequence[str], new: Sequence[str]) -> bool:
    """Tell whether one may choose from others, in whichever order; what left for a list elsewhere may be there."""
    if sorted(old) == sorted(new):
        return False
    return len({choice.startswith(ELSEWHERE) for choice in {*old} ^ {*new}}) <= 1


def _listed(site: Site) -> str:
    """Write what one may choose from; what a check lets through is written as a check."""
    choices = ", ".join(site.choices or ())
    return f"in ({choices})" if site.kind == "limit" else choices


def _versions(one: Site, other: Site) -> tuple[str | None, str | None]:
    """Leave the features of a package out where its version tells enough; without a version any will do."""
    if one.kind != "dependency":
        return one.value, other.value
    if not one.value or not other.value:
        return one.value or ANY, other.value or ANY
    old, new = _FEATURES.sub("", one.value), _FEATURES.sub("", other.value)
    return (one.value, other.value) if old == new else (old, new)


def _is_other_wording(one: Site, other: Site) -> bool:
    """Tell whether a check was only turned around, or a number stands beside another name."""
    if one.kind == "config":
        return _EXPRESSION in (one.value or "") and _EXPRESSION in (other.value or "")
    if one.kind == "constant":
        return _NUMBERS.findall(one.value or "") == _NUMBERS.findall(other.value or "")
    return _negated(one, other)


def _accepting(site: Site) -> Site:
    """Write what a check refuses to find, or to miss, in a list as what it lets through."""
    value = site.value or ""
    if not site.rejects or not value.startswith((_AMONG, _NOT_AMONG)):
        return site
    turned = value.removeprefix("not ") if value.startswith(_NOT_AMONG) else f"not {value}"
    return site._replace(value=turned, rejects=False)


def _negated(one: Site, other: Site) -> bool:
    """Tell whether a check was only turned around: `assert x == 0` and `if x != 0: raise` let the same through."""
    if one.kind != "limit":
        return False
    mine, its = ((site.value or "").split(" ", 1) for site in (one, other))
    return mine[1:] == its[1:] and _OPPOSITE.get(mine[0]) == its[0]


def _refuses_more(one: Site, other: Site) -> bool | None:
    """Tell whether a check that refuses what is beyond a number has come nearer; None where that is no number."""
    before, after = _REFUSED.match(one.value or ""), _REFUSED.match(other.value or "")
    if before is None or after is None or before[1] != after[1]:
        return None
    old, new = float(before[2]), float(after[2])
    return new < old if before[1] == ">" else new > old


def _installs_less(one: Site, other: Site) -> bool | None:
    """Tell whether a package is no longer installed by its name, or, at the top, no longer among those written out."""
    if one.scope == other.scope == PACKAGE:
        return True
    if one.kind != "config" or one.name != PACKAGES or one.scope != SETUP:
        return None
    values = one.value or "", other.value or ""
    shipped = [_SHIPPED.findall(value) for value in values]
    listed = all(value.startswith("[") and value.find("]") == len(value) - 1 for value in values)
    return True if listed and {*shipped[0]} - {*shipped[1]} else None


def _one_sided(site: Site, kind: FactKind, *, removed: bool) -> Draft:
    value = _FEATURES.sub("", site.value or "") or None if site.kind == "dependency" else site.value
    text = value if site.choices is None else f"{site.value or ''} of {', '.join(site.choices)}".strip()
    text = site.guard if text is None and site.kind == "error" and site.name == ASSERTED else text
    span = (site.start, site.end)
    return Draft(
        kind,
        site.name,
        site.public,
        Where(old=span) if removed else Where(new=span),
        old=text if removed else None,
        new=None if removed else text,
        detail=site.scope or None,
        # What a build no longer asks for may be read elsewhere still.
        breaking=False if removed and site.kind == "env" and site.scope == SETUP else None,
        condition=site.condition,
    )
