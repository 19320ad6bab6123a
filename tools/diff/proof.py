"""The changed lines that show a difference, taken from the diff and nowhere else."""

from agent.facts import Place
from tools.diff.differences import Difference
from tools.diff.versions import Found

_MOST = 4
"""Lines shown of each side; the rest is in the commit."""


def place_of(difference: Difference) -> Place | None:
    """Find the lines that show a difference; None where no changed line does, and then it is not a fact."""
    went = _telling(difference.before, difference.old)
    came = _telling(difference.after, difference.new)
    if not went and not came:
        return None
    file = difference.found.versions.file.path
    own = came if difference.after else went
    shown = (*went, *came) if _in_one_file(difference) else own
    if not shown:
        return None
    return Place(file=file, line=(own or shown)[0][0], lines=tuple(line for _, line in shown))


def _in_one_file(difference: Difference) -> bool:
    before, after = difference.before, difference.after
    return before is None or after is None or before.versions.file.path == after.versions.file.path


def _telling(found: Found | None, value: str | None) -> list[tuple[int, str]]:
    """Take the changed lines of a declaration: the one with its name, and those with its value."""
    if found is None:
        return []
    one = found.one
    lines = found.versions.patch.within(found.side, one.first, one.last)
    if len(lines) <= _MOST:
        return lines
    own = [entry for entry in lines if entry[0] == one.line]
    words = [word for word in (value or "").split() if len(word) > 2][:4]
    valued = [entry for entry in lines if any(word in entry[1] for word in words)]
    return sorted({*own, *valued[: _MOST - 1]}) if own else (valued or lines)[:_MOST]
