"""Text that says nothing about a change: forms that authors fill in, checklists, hidden comments."""

import re
from collections import Counter
from collections.abc import Iterable

from agent.domain.evidence import Material

_HIDDEN = re.compile(r"<!--.*?-->", re.DOTALL)
_TICKED = re.compile(r"\[[xX]\]")
_MIN_CHANGES = 3  # In fewer changes a line is no part of a form
_MIN_SHARE = 0.5  # Of the changes with a text
_SPACES = re.compile(r"\s+")


def recurring_lines(material: Material) -> frozenset[str]:
    """Return the lines that many changes have in common, or that stand in the repository's form.

    Two parts of a series may well share a paragraph; what a form asks stands in many changes.
    """
    lines_by_change: dict[str, set[str]] = {}
    for read in material.reads:
        commit = read.evidence.change.commit
        # A squashed message repeats the text of its own pull request.
        change = f"#{read.evidence.pull}" if read.evidence.pull else commit.sha
        lines_by_change.setdefault(change, set()).update(_plain_lines(commit.body))
    for pull in material.pulls.values():
        lines_by_change.setdefault(f"#{pull.number}", set()).update(_plain_lines(pull.body))
    counts = Counter(line for lines in lines_by_change.values() for line in lines)
    enough = max(_MIN_CHANGES, _MIN_SHARE * sum(bool(lines) for lines in lines_by_change.values()))
    recurring = {line for line, count in counts.items() if count >= enough}
    for template in material.templates:
        recurring.update(_plain_lines(template))
    return frozenset(recurring)


def without_boilerplate(text: str, recurring: frozenset[str]) -> str:
    """Return a text without hidden comments and recurring lines."""
    kept: list[str] = []
    for line in _HIDDEN.sub("", text).splitlines():
        plain = _plain(line)
        if plain in recurring:
            continue
        if plain or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept).strip()


def _plain_lines(text: str) -> Iterable[str]:
    return {plain for line in _HIDDEN.sub("", text).splitlines() if (plain := _plain(line))}


def _plain(line: str) -> str:
    """Return a line in the form in which it is compared: a task is the same when it is ticked."""
    return _TICKED.sub("[ ]", _SPACES.sub(" ", line).strip())
