"""Submodules: what stands in a tree as a commit of another repository comes and goes as a dependency, not as a file."""

from collections.abc import Sequence
from dataclasses import replace

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.grouping import Shown

_COMMIT, _URL = "submodule", "url"
_SHORT = 9
_ONE_SIDED = (FactKind.DEPENDENCY_ADDED, FactKind.DEPENDENCY_REMOVED)


def is_commit(draft: Draft) -> bool:
    """Tell whether this is the commit at which a submodule came or went."""
    return draft.kind in _ONE_SIDED and draft.detail == _COMMIT


def told_once(shown: Sequence[Shown]) -> list[Shown]:
    """Say in one fact from where a submodule came and at which commit, by `.gitmodules` and by the tree."""
    commits = {_key(one.draft): one.draft for one in shown if is_commit(one.draft)}
    if not commits:
        return list(shown)
    urls = {_key(one.draft): one.draft for one in shown if one.draft.detail == _URL}
    return [
        replace(one, draft=_joined(one.draft, urls.get(key), commits[key]))
        if (key := _key(one.draft)) in commits and one.draft.detail in (_COMMIT, _URL)
        else one
        for one in shown
    ]


def _key(draft: Draft) -> tuple[FactKind, str]:
    return draft.kind, draft.name


def _joined(draft: Draft, url: Draft | None, commit: Draft) -> Draft:
    """Write the address, where it is known, and the commit as people do."""
    at = (commit.new or commit.old or "")[:_SHORT]
    text = f"{url.new or url.old} at {at}" if url is not None else at
    old, new = (None, text) if commit.old is None else (text, None)
    return draft._replace(old=old, new=new, detail=_COMMIT)
