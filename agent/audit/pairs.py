"""Lines of a diff that differ in one value only, and sentences that tell their change the other way round."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from agent.audit.sides import exchanges
from agent.evidence import CommitEvidence

_V = r"`?(?P<{0}>v?\d[\w.]*\w|\d)`?"
_MOVED = (
    re.compile(rf"\bfrom (?:version )?{_V.format('old')} (?:down |up |back )?to (?:version )?{_V.format('new')}(?!\w)"),
    re.compile(
        rf"(?:由|从)\s*{_V.format('old')}\s*(?:升级?|降级?|改|调整?|变|换|提高|降低|回退)?(?:[到至为成])\s*{_V.format('new')}"
    ),
)
_EMPTY = re.compile(r"(?:the |an )?empty string|空字符串", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]\w{2,}")


def turned_round(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say that a value went the other way than a sentence says: a line of the diff has just these two exchanged."""
    if any(one.change.unreadable or one.change.incomplete for one in commits):
        return ""
    for old, new in stated_exchanges(text):
        turned = [line for one in commits for line in swapped(one, new, old)]
        if turned and not any(line for one in commits for line in swapped(one, old, new)):
            return f"the change goes from {new} to {old}: {turned[0].strip()[:120]}"
    return ""


def stated_exchanges(text: str) -> Iterator[tuple[str, str]]:
    """Find the values that a sentence says were exchanged, numbers and the empty string among them."""
    worded = _EMPTY.sub('`""`', text)
    yield from exchanges(worded)
    for form in _MOVED:
        for found in form.finditer(worded):
            if found["old"] != found["new"]:
                yield found["old"].rstrip("."), found["new"].rstrip(".")


def swapped(commit: CommitEvidence, old: str, new: str) -> Iterator[str]:
    """Find the added lines that are a removed one with one value in the place of another."""
    for file in commit.change.files:
        removed: list[str] = []
        added: set[str] = set()
        for line in (*(file.patch or "").split("\n"), "@@"):
            if line.startswith("@@"):
                yield from (shown for one in removed if (shown := _value(old).sub(lambda _: new, one)) in added)
                removed, added = [], set()
            elif line[:1] == "-" and _value(old).search(line):
                removed.append(_even(line[1:]))
            elif line[:1] == "+":
                added.add(_even(line[1:]))


def _even(line: str) -> str:
    return " ".join(line.split()).replace("''", '""')


@lru_cache(maxsize=256)
def _value(value: str) -> re.Pattern[str]:
    if value == '""':
        return re.compile('(?<!["\\w])""(?!["\\w])')
    return re.compile(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\w)")
