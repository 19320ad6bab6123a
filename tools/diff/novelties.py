"""Refusals that only those meet who use what the commit brings: nobody ran into them before."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from agent.facts import FactKind, Severity
from tools.diff.grouping import Shown
from tools.diff.reading import ELSE, Site
from tools.diff.severity import severity_of
from tools.diff.versions import Blobs, Versions

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
_COMPARED = re.compile(r"([\w.]+) (==|!=|in|not in) (.+)", re.DOTALL)
_OPPOSITE = {"==": "!=", "!=": "==", "in": "not in", "not in": "in"}
_QUOTES = ('"', "'")
_QUOTED = re.compile(r"""["']([^"']*)["']""")
_TOLD = (FactKind.PARAMETER_ADDED, FactKind.FIELD_ADDED)
_PYTHON = ".py"


def for_newcomers(shown: Sequence[Shown], read: Iterable[Versions], blobs: Blobs) -> list[Shown]:
    """Tell refusals as additions that a function makes only where somebody sets what is new."""
    errors = {one.place.file for one in shown if one.place is not None and one.draft.kind is FactKind.ERROR_ADDED}
    read = [versions for versions in read if versions.file.path.endswith(_PYTHON)] if errors else []
    offered = dict(pair for one in shown for pair in _offered(one)) if read else {}
    taken = {(versions.file.path, function): params for versions in read for function, params in _taken_now(versions)}
    if not offered and not taken:
        return list(shown)
    # What the files spoke of before may only be handed on now.
    before = [_before(versions, blobs) for versions in read] if offered else []
    new = {name: offered[name] for name in offered if not any(_speaks_of(name, text) for text in before)}
    asked = {
        (versions.file.path, site.start): (site, new | taken.get((versions.file.path, site.scope), {}))
        for versions in read
        if versions.file.path in errors
        for site in versions.new.sites
        if site.kind == "error"
    }
    return [_for_newcomers(one, asked) for one in shown]


def _before(versions: Versions, blobs: Blobs) -> str:
    """Give the old version of a file, or what its hunks show of it."""
    old = blobs.get(versions.file.path, (None, None))[0]
    if old is not None:
        return old.decode(errors="replace")
    return "\n".join(line for hunk in versions.patch.hunks for line in hunk.side("old"))


def _speaks_of(name: str, text: str) -> bool:
    return name in text and re.search(rf"\b{re.escape(name)}\b", text) is not None


def _for_newcomers(one: Shown, asked: Mapping[tuple[str, int], tuple[Site, Mapping[str, str]]]) -> Shown:
    draft = one.draft
    if draft.kind is not FactKind.ERROR_ADDED or one.place is None or draft.where.new is None:
        return one
    site, new = asked.get((one.place.file, draft.where.new[0]), (None, {}))
    if site is None or not any(_is_set(condition, new) for condition in _conditions(site)):
        return one
    # Without words, what is asserted would seem to be asked of everybody.
    bare = site.value is None and site.under and draft.new
    said = f"{draft.new} (if {' and '.join(site.under)})" if bare else draft.new
    return replace(one, draft=draft._replace(optional=True, new=said))


def _offered(one: Shown) -> Iterator[tuple[str, str]]:
    """Name a new parameter or field that nobody has to set, with its default."""
    name, equals, default = (one.draft.new or "").rpartition(" = ")
    if one.draft.kind in _TOLD and equals and severity_of(one.draft) is not Severity.BREAKING:
        yield name.partition(":")[0].strip(), default


def _taken_now(versions: Versions) -> Iterator[tuple[str, dict[str, str]]]:
    """Give what each function that was there takes now besides, with the defaults."""
    before = {symbol.name: symbol.params for symbol in versions.old.symbols if symbol.params is not None}
    for symbol in versions.new.symbols:
        params = before.get(symbol.name)
        if params is None or params == symbol.params:
            continue
        had = {param.name for param in params}
        new = [param for param in symbol.params or () if param.name not in had]
        if more := {param.name: param.default for param in new if param.default is not None}:
            yield symbol.name, more


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
    elif compared := _COMPARED.fullmatch(site.guard):
        yield f"{compared[1]} {_OPPOSITE[compared[2]]} {compared[3]}"


def _parts(condition: str) -> list[str]:
    """Part a condition at each `and` outside of brackets; one with an `or` says nothing for sure."""
    parts = _JOINED.split(condition)
    whole = all(len(_OPENED.findall(part)) == len(_CLOSED.findall(part)) for part in parts)
    return parts if whole and " or " not in condition and " if " not in condition else []


def _is_set(condition: str, new: Mapping[str, str]) -> bool:
    """Tell whether a condition holds only where something new is set: `mode`, `self.mode is not None`."""
    if compared := _COMPARED.fullmatch(condition):
        default = new.get(compared[1].rpartition(".")[2])
        return default is not None and _is_passed(default, compared[2], compared[3])
    plain = condition.removesuffix(_SOMETHING).strip()
    taken = _TAKEN.fullmatch(plain)
    name = taken[1] if taken else plain.rpartition(".")[2] if _NAME.fullmatch(plain) else ""
    return new.get(name) in _UNSET


def _is_passed(default: str, sign: str, other: str) -> bool:
    """Tell whether a comparison does not hold for a default that is written out, as is what it is compared with."""
    if not default.startswith(_QUOTES) or not other.lstrip("([{").startswith(_QUOTES):
        return False
    listed = default.strip("\"'") in _QUOTED.findall(other)
    return listed == (sign in ("!=", "not in"))
