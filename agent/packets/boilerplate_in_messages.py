"""Boilerplate, which says nothing about a change: forms of authors, checklists, hidden comments."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from agent.domain.evidence import Material

_HIDDEN_START = "<!--"
_HIDDEN_END = "-->"
_TICKED = re.compile(r"\[[xX]\]")
_MIN_CHANGES = 3  # In fewer changes a line is no part of a form
_MIN_SHARE = 0.5  # Of the changes with a text
_SPACES = re.compile(r"\s+")


def texts_by_change(material: Material) -> dict[str, list[str]]:
    """Return what people wrote about each change: its message, and the text of its pull request."""
    texts: dict[str, list[str]] = {}
    for read in material.reads:
        commit = read.evidence.change.commit
        # A squashed message repeats the text of its own pull request.
        change = f"#{read.evidence.pull}" if read.evidence.pull else commit.sha
        texts.setdefault(change, []).append(commit.message)
    for pull in material.pulls.values():
        texts.setdefault(f"#{pull.number}", []).append(pull.body)
    return texts


def recurring_lines(material: Material) -> frozenset[str]:
    """Return the lines that many changes have in common, or that stand in the repository's form.

    Two parts of a series may well share a paragraph; what a form asks stands in many changes.
    """
    return lines_in_common(texts_by_change(material), material.templates)


def lines_in_common(texts: Mapping[str, Sequence[str]], templates: Iterable[str]) -> frozenset[str]:
    """Return the lines that the texts about many changes share, and those of the templates."""
    counts = Counter[str]()
    for change_texts in texts.values():
        counts.update(_plain_lines("\n".join(change_texts)))
    enough = max(_MIN_CHANGES, _MIN_SHARE * len(texts))
    recurring = {line for line, count in counts.items() if count >= enough}
    for template in templates:
        recurring.update(_plain_lines(template))
    return frozenset(recurring)


def without_boilerplate(text: str, recurring: frozenset[str]) -> str:
    """Return a text without hidden comments and recurring lines."""
    kept: list[str] = []
    for line in _visible(text).splitlines():
        plain = _plain(line)
        if plain in recurring:
            continue
        if plain or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept).strip()


def _visible(text: str) -> str:
    """Return a text without HTML comments; one that is never closed hides nothing."""
    parts: list[str] = []
    position = 0
    while (start := text.find(_HIDDEN_START, position)) >= 0:
        end = text.find(_HIDDEN_END, start)
        if end < 0:
            break
        parts.append(text[position:start])
        position = end + len(_HIDDEN_END)
    return "".join([*parts, text[position:]])


def _plain_lines(text: str) -> set[str]:
    return {plain for line in _visible(text).splitlines() if (plain := _plain(line))}


def _plain(line: str) -> str:
    """Return a line in the form in which it is compared: a task is the same when it is ticked."""
    return _TICKED.sub("[ ]", _SPACES.sub(" ", line).strip())
