"""Layers of models that their own file makes: what they must be given, or are given elsewhere now, breaks few."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown
from tools.diff.roles import Role, role
from tools.diff.versions import Blobs, Versions

_MADE = ".__init__"
_OPTIONAL = " = "
_PARAMETER = "parameter-"
_NAMED = re.compile(r"\s*(?:\w+\s*=(?!=)|\*)")
_OPENING, _CLOSING = "([{", ")]}"
_LONGEST = 4_000
"""Letters of a call that are looked at."""


def made_by_name(shown: Sequence[Shown], read: Iterable[Versions], blobs: Blobs) -> list[Shown]:
    """Take a new optional parameter of a layer for an addition where its file makes it, and never by that position.

    What else such a layer is made with is between it and its file.
    """
    shown = [
        replace(one, draft=one.draft._replace(breaking=False)) if _is_made_at_home(one, blobs) else one for one in shown
    ]
    if not any(_is_between(one) for one in shown):
        return shown
    params = {
        (versions.file.path, symbol.name): [param.name for param in symbol.params]
        for versions in read
        if versions.file.path in blobs
        for symbol in versions.new.symbols
        if symbol.params is not None and symbol.name.endswith(_MADE)
    }
    return [
        replace(one, draft=one.draft._replace(breaking=False))
        if _is_between(one) and _is_named(one, params, blobs)
        else one
        for one in shown
    ]


def _is_made_at_home(one: Shown, blobs: Blobs) -> bool:
    """Tell of what a model's class is made with, other than by position, where its own file makes it."""
    draft = one.draft
    if not draft.name.endswith(_MADE) or not draft.kind.startswith(_PARAMETER) or _OPTIONAL in (draft.new or ""):
        return False
    if one.place is None or role(one.place.file) is not Role.MODEL or one.place.file not in blobs:
        return False
    return any(True for _ in _given_by_position(draft, blobs[one.place.file][1] or b""))


def _is_between(one: Shown) -> bool:
    """Tell of an optional parameter in front of others that a model's class takes when it is made."""
    draft = one.draft
    between = draft.kind is FactKind.PARAMETER_ADDED and draft.breaking and draft.name.endswith(_MADE)
    optional = bool(between) and _OPTIONAL in (draft.new or "")
    return optional and one.place is not None and role(one.place.file) is Role.MODEL


def _is_named(one: Shown, params: dict[tuple[str, str], list[str]], blobs: Blobs) -> bool:
    assert one.place is not None
    names = params.get((one.place.file, one.draft.name), [])
    if one.draft.detail not in names:
        return False
    at = names.index(one.draft.detail)
    given = list(_given_by_position(one.draft, blobs[one.place.file][0] or b""))
    return bool(given) and max(given) <= at


def _given_by_position(draft: Draft, text: bytes) -> Iterator[int]:
    """Count for each call of a class what it is given before the first name."""
    owner = draft.name.removesuffix(_MADE)
    if "." in owner:
        return
    code = text.decode(errors="replace")
    for call in re.finditer(rf"(?<!class )\b{re.escape(owner)}\(", code):
        yield _positions(code[call.end() : call.end() + _LONGEST])


def _positions(text: str) -> int:
    """Count the arguments at the beginning of a call that have no names; what is given by a star may be any number."""
    depth, start, found = 0, 0, 0
    for at, letter in enumerate(text):
        if letter in _OPENING:
            depth += 1
        elif depth and letter in _CLOSING:
            depth -= 1
        elif not depth and letter in f",{_CLOSING}":
            part = text[start:at]
            if _NAMED.match(part) or not part.strip():
                return _LONGEST if part.strip().startswith("*") and not part.strip().startswith("**") else found
            found, start = found + 1, at + 1
            if letter in _CLOSING:
                return found
    return _LONGEST
