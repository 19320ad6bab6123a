"""What a Dockerfile has in another of its stages now: it neither came nor went."""

import re
from collections.abc import Iterable

from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.hunks import Patch
from tools.diff.reading import Site

_INSTALLED = (FactKind.DEPENDENCY_ADDED, FactKind.DEPENDENCY_REMOVED)


def without_restaged(drafts: list[Draft], old: Iterable[Site], new: Iterable[Site], patch: Patch) -> list[Draft]:
    """Leave out packages that some stage installed before and after, and settings that only moved or are given on."""
    had, has = ({(site.name, site.value) for site in sites if site.kind == "dependency"} for sites in (old, new))
    stays = had & has
    left = {(draft.name, draft.old) for draft in drafts if draft.kind is FactKind.CONFIG_REMOVED}
    return [
        draft
        for draft in drafts
        if not (draft.kind in _INSTALLED and (draft.name, draft.new or draft.old) in stays)
        and not (draft.kind is FactKind.CONFIG_ADDED and (draft.name, draft.new) in left)
        and not (draft.kind is FactKind.CONFIG_REMOVED and _is_given_still(draft.name, patch))
    ]


def _is_given_still(name: str, patch: Patch) -> bool:
    """Tell whether a line of the new version gives something by that name: `-DLIB_FAST=ON`, `ARG LIB_FAST`."""
    given = re.compile(rf"[+ ](?!\s*#).*(?<![\w$\{{]){re.escape(name)}\b|[+ ].*\s-D{re.escape(name)}\b")
    return any(name in line and given.match(line) is not None for hunk in patch.hunks for line in hunk.lines)
