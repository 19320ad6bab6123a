"""Sentences that tell the other way round what a line of the diff exchanges."""

import re
from collections.abc import Iterator, Sequence

from agent.audit.sides import exchanges
from agent.audit.swaps import has_now, replaced, swapped
from agent.evidence import CommitEvidence

_V = r"`?(?P<{0}>v?\d[\w.]*\w|\d)`?"
_MOVED = (
    re.compile(rf"\bfrom (?:version )?{_V.format('old')} (?:down |up |back )?to (?:version )?{_V.format('new')}(?!\w)"),
    re.compile(
        rf"(?:由|从)\s*{_V.format('old')}\s*(?:升级?|降级?|改|调整?|变|换|提高|提升|增加|减少|降低|回退)?"
        rf"(?:[到至为成])\s*{_V.format('new')}"
    ),
)
_FIGURE = re.compile(r"v?\d[\w.]*")
_CODE = re.compile(r"`([^`]+)`")
_EMPTY = re.compile(r"(?:the |an )?empty string|空字符串", re.IGNORECASE)


def turned_round(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say that a value went the other way than a sentence says: a line of the diff has just these two exchanged."""
    if any(one.change.unreadable or one.change.incomplete for one in commits):
        return ""
    for old, new in stated_exchanges(text):
        turned = [line for one in commits for line in swapped(one, new, old)]
        if turned and not any(line for one in commits for line in swapped(one, old, new)):
            return f"the change goes from {new} to {old}: {turned[0].strip()[:120]}"
        names = [name for name in _CODE.findall(text) if name not in (old, new)]
        now = {value for one in commits for value in replaced(one, old, names)} if _FIGURE.fullmatch(new) else set()
        if now and not any(has_now(one, new, names) for one in commits):
            return f"{old} became {' or '.join(sorted(now)[:3])}, not {new}"
    return ""


def stated_exchanges(text: str) -> Iterator[tuple[str, str]]:
    """Find the values that a sentence says were exchanged, numbers and the empty string among them."""
    worded = _EMPTY.sub('`""`', text)
    yield from exchanges(worded)
    for form in _MOVED:
        for found in form.finditer(worded):
            if found["old"] != found["new"]:
                yield found["old"].rstrip("."), found["new"].rstrip(".")
