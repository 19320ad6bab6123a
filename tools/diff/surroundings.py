"""Checks that keep their words and stand under fewer or more conditions than before: somebody moved them out or in."""

from collections.abc import Iterable, Sequence

from tools.diff.reading import ELSE, Site


def moved_out_or_in(old: Sequence[Site], new: Sequence[Site], others: Iterable[Site]) -> tuple[str, str] | None:
    """Say under which conditions the only check of its words stood and stands, where one is a part of the other.

    What went must still be asked for another check of the function: a condition that is gone altogether may be asked
    by an early return now. `others` are all checks of the new version.
    """
    if len(old) != 1 or len(new) != 1 or old[0].value is None:
        return None
    before, after = set(old[0].under), set(new[0].under)
    moved = before ^ after
    if not moved or ELSE in before | after or not (before < after or after < before):
        return None
    if any(condition in site.guard for condition in moved for site in (*old, *new)):
        return None
    asked = {condition for site in others if site.scope == new[0].scope and site != new[0] for condition in site.under}
    if not moved <= asked:
        return None
    return _written(old[0]), _written(new[0])


def _written(site: Site) -> str:
    where = f"if {' and '.join(site.under)}" if site.under else "always"
    return f"{site.value} ({where})"
