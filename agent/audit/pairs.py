"""Sentences that tell the other way round what a line of the diff exchanges."""

import re
from collections.abc import Iterator, Sequence

from agent.audit.sides import BEFORE, exchanges
from agent.audit.swaps import has_now, replaced, swapped
from agent.evidence import CommitEvidence

_V = r"`?(?P<{0}>v?\d[\w.]*\w|\d)`?"
_MOVED = (
    re.compile(rf"\bfrom (?:version )?{_V.format('old')} (?:down |up |back )?to (?:version )?{_V.format('new')}(?!\w)"),
    re.compile(
        rf"(?:由|从)(?:原来的)?\s*{_V.format('old')}\s*(?:升级?|降级?|改|上调|下调|调整?|变更?|换|提高|提升|增加|减少|降低|回退|放宽|收紧|扩大?|缩[小减]|更[改新]|修改)?"
        rf"(?:[到至为成])了?\s*{_V.format('new')}"
    ),
    re.compile(rf"(?<![\w.]){_V.format('old')}\s*(?:→|⟶|->|=>)\s*{_V.format('new')}(?![\w.]*\w)"),
    re.compile(
        rf"(?<![\w.]){_V.format('new')}\s*(?:now\s*)?[,(（，;；]\s*{BEFORE}\s*{_V.format('old')}(?![\w.]*\w)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\bto (?:version )?{_V.format('new')}\s*[,(]?\s*(?:up |down )?from (?:version )?{_V.format('old')}"
        r"(?![\w.]*\w)",
        re.IGNORECASE,
    ),
    # "32 elements at a time rather than the prior 24"
    re.compile(
        rf"(?<![\w.]){_V.format('new')}(?:[\s-]+[A-Za-z]+){{0,5}}\s*[(,]?\s*(?:rather than|instead of|as opposed to)\s+"
        rf"(?:the\s+)?(?:prior|previous|former|old|earlier|usual)?\s*{_V.format('old')}(?![\w.]*\w)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<![\w.]){_V.format('new')}\s*[\u4e00-\u9fffA-Za-z ]{{0,10}}?[,，(（]?\s*而(?:不是|非|不再是)"
        rf"(?:此前|之前|先前|原来|原先|以前)?的?\s*{_V.format('old')}(?![\w.]*\w)"
    ),
)
_FIGURE = re.compile(r"v?\d[\w.]*")
_VERSION = re.compile(r"v?\d+\.\d+\.\d[\w.]*")
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
        if other := _other_version(old, new, commits):
            return other
        if _is_told(new, old, commits) and not _is_told(old, new, commits):
            return f"the message goes from {new} to {old}"
    return ""


def _other_version(old: str, new: str, commits: Sequence[CommitEvidence]) -> str:
    """Find what became of a version, whatever stands beside it, where the new one that is told stands nowhere."""
    if not (_VERSION.fullmatch(old) and _VERSION.fullmatch(new)):
        return ""
    now = {value for one in commits for value in replaced(one, old)}
    told = re.compile(rf"(?<![\w.]){re.escape(new.removeprefix('v'))}(?!\w|\.\w)")
    if not now or any(told.search(shown) for one in commits for shown in one.texts):
        return ""
    return f"{old} became {' or '.join(sorted(now)[:3])}, not {new}"


def _is_told(old: str, new: str, commits: Sequence[CommitEvidence]) -> bool:
    """Tell whether a message says that one thing became another."""
    messages = (" ".join(one.change.commit.message.split()) for one in commits)
    said = {(was.strip("\"'").lower(), now.strip("\"'").lower()) for text in messages for was, now in _all_told(text)}
    return (old.strip("\"'").lower(), new.strip("\"'").lower()) in said


def stated_exchanges(text: str) -> Iterator[tuple[str, str]]:
    """Find the values that a sentence says were exchanged, numbers and the empty string among them."""
    yield from dict.fromkeys(_all_told(text))


def _all_told(text: str) -> Iterator[tuple[str, str]]:
    worded = _EMPTY.sub('`""`', text)
    yield from exchanges(worded)
    for form in _MOVED:
        for found in form.finditer(worded):
            if found["old"] != found["new"]:
                yield found["old"].rstrip("."), found["new"].rstrip(".")
