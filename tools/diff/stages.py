"""What a Dockerfile has in another of its stages now: it neither came nor went."""

import re
from collections.abc import Iterable, Mapping

from agent.facts import FactKind
from tools.diff.draft import Draft, Where
from tools.diff.hunks import Patch
from tools.diff.readers.docker import STARTS
from tools.diff.reading import Site

_INSTALLED = (FactKind.DEPENDENCY_ADDED, FactKind.DEPENDENCY_REMOVED)


def without_restaged(drafts: list[Draft], old: Iterable[Site], new: Iterable[Site], patch: Patch) -> list[Draft]:
    """Leave out packages that some stage installed before and after, and settings that only moved or are given on."""
    had, has = ({(site.name, site.value) for site in sites if site.kind == "dependency"} for sites in (old, new))
    stays = had & has
    left = {(draft.name, draft.old) for draft in drafts if draft.kind is FactKind.CONFIG_REMOVED}
    ran = {draft.name: draft for draft in drafts if draft.kind is FactKind.CONFIG_REMOVED and draft.name in STARTS}
    return [
        _started(draft, ran, patch)
        for draft in drafts
        if not (draft.kind in _INSTALLED and (draft.name, draft.new or draft.old) in stays)
        and not (draft.kind is FactKind.CONFIG_ADDED and (draft.name, draft.new) in left)
        and not (draft.kind is FactKind.CONFIG_REMOVED and _is_given_still(draft.name, patch))
    ]


def _started(draft: Draft, ran: Mapping[str, Draft], patch: Patch) -> Draft:
    """Know what an image runs that was there before: something else, perhaps by another stage, or what it was told."""
    if draft.kind is not FactKind.CONFIG_ADDED or draft.name not in STARTS:
        return draft
    came = re.compile(rf"\+FROM\s.*\sAS\s+{re.escape(draft.detail or '')}$", re.IGNORECASE)
    new = draft.detail and any(came.match(line.rstrip()) is not None for hunk in patch.hunks for line in hunk.lines)
    if new and draft.name not in ran:
        return draft
    was = ran.get(draft.name, draft)
    return draft._replace(kind=FactKind.CONFIG_CHANGED, old=was.old, where=Where(was.where.old, draft.where.new))


def _is_given_still(name: str, patch: Patch) -> bool:
    """Tell whether a line of the new version gives something by that name: `-DLIB_FAST=ON`, `ARG LIB_FAST`."""
    given = re.compile(rf"[+ ](?!\s*#).*(?<![\w$\{{]){re.escape(name)}\b|[+ ].*\s-D{re.escape(name)}\b")
    return any(name in line and given.match(line) is not None for hunk in patch.hunks for line in hunk.lines)
