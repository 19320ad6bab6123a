"""Metadata that free words assert: when, by whom, in which state."""

import re
from collections.abc import Iterator, Sequence

from agent.claims import MARK, Claim
from agent.dossier import Dossier
from agent.evidence import Evidence, EvidenceId, ThreadEvidence
from agent.gate.dates import Stated, dates_of, find_dates
from agent.gate.doers import is_thing
from agent.gate.people import authors, same, written_by
from agent.gate.predicates import prose
from agent.gate.states import states
from agent.settings import Language
from agent.window import zone

Misstated = tuple[str, str, EvidenceId | None]

_EVENTS = (
    (("opened",), re.compile(r"\b(?:opened|filed|reported|created|raised)\b|提出|创建|报告|打开")),
    (("closed",), re.compile(r"\bclosed\b|关闭")),
    (("merged", "landed"), re.compile(r"\b(?:merged|landed|committed)\b|合并|合入|落地")),
    (("authored",), re.compile(r"\bauthored\b")),
    (("released",), re.compile(r"\b(?:released|published)\b|发布")),
)
_CLAUSE = re.compile(r"[,;.，；。、]")
_NAME = r"[A-Z][\w.'’-]*(?: (?:[A-Z][\w.'’-]*|van|de|von|der|da|bin|al)){0,4}"
_LISTED = rf"{_NAME}(?:(?:, | and |, and | & ){_NAME}){{0,4}}"
# Who merged or reviewed a change is not its author, so those verbs are not here.
_BY = re.compile(
    r"\b(?i:authored|written|contributed|submitted|committed|opened|filed|reported|created|raised|implemented)\s+by\s+"
    rf"(?P<en>{_LISTED}|`?@?[\w-]+(?:\[bot\])?`?)"
    rf"|\b(?:[Aa]uthor|[Rr]eporter)\s*(?:is|was|:)\s*(?P<author>{_LISTED}|`?[\w-]+`?)"
    r"|由\s*(?P<zh>[^\s，。；：由的、]{1,30}(?: [A-Z][\w.'’-]*){0,4}?)\s*(?:提交|贡献|编写|撰写|提出|报告|开启|创建)"
    r"|作者\s*(?:是|为|：|:)\s*(?P<zuo>[^，。；()（）\n]{1,40}?)\s*(?=[，。；()（）]|$)"
)
_PLAIN_BY = re.compile(rf"\bby (?P<name>{_NAME} {_NAME})")
# What says more comes first, because it holds the words of what says less.
_STATES = (
    ("not merged", re.compile(r"\b(?:not|never)(?: yet)?(?: been)? merged\b|(?:尚|还|仍)未(?:被)?合(?:并|入)")),
    ("open", re.compile(r"\b(?:is|are|remains?|stays?|still|currently) (?:still )?open\b(?! ?-?source)")),
    ("open", re.compile(r"(?:仍|尚|还)(?:然|旧)?(?:未关闭|未被关闭|没有关闭|处于打开|处于开放|开放着|打开着)")),
    (
        "closed as not planned",
        re.compile(r"\bclosed as (?:not planned|won.?t fix)\b|(?:以|因)?(?:不计划|未计划)[^，。]{0,6}关闭"),
    ),
    (
        "closed without merging",
        re.compile(r"\bclosed (?:un|without (?:being )?)merg|未(?:经|被)?合并(?:就|即|便)?(?:被)?关闭"),
    ),
    ("closed", re.compile(r"\b(?:is|was|were|now|been|got) closed\b|已(?:经|被|于[^，。]{0,14})?关闭")),
    ("merged", re.compile(r"\b(?:is|was|were|now|been|got) merged\b|已(?:经|被|于[^，。]{0,14})?(?:合并|合入)")),
)


_HAPPENED = "|".join(form.pattern for _, form in _EVENTS)
_WHEN = re.compile(
    rf"(?:(?:{_HAPPENED})\s*(?:(?:on|at|in|于|在)\s*)?)?§+(?:\s*(?:{_HAPPENED}))?|(?:{_HAPPENED})\s+by\s+§+",
    re.IGNORECASE,
)


def without_metadata(text: str, evidence: Sequence[Evidence]) -> str:
    """Take out the dates, authors and states of a text, which were looked up before its words are read."""
    kept = text
    for date in find_dates(text):
        kept = kept[: date.start] + "§" * len(date.text) + kept[date.start + len(date.text) :]
    kept = _WHEN.sub(_blank, kept)
    kept = _BY.sub(lambda match: match[0] if is_thing(_named(match), match[0], evidence) else _blank(match), kept)
    if any(isinstance(one, ThreadEvidence) for one in evidence):
        for _, words in _STATES:
            kept = words.sub(_blank, kept)
    return kept


def _blank(match: re.Match[str]) -> str:
    # Quotation marks of code must stay in pairs.
    return " " * len(match[0]) if match[0].count("`") % 2 == 0 else match[0]


def misstated(claim: Claim, dossier: Dossier, lang: Language) -> Misstated | None:
    """Find the first date, author or state in the words that the evidence does not have."""
    text = MARK.sub(" ", prose(claim, lang))
    if not text:
        return None
    evidence = [dossier.found[cite] for cite in claim.sources]
    return next(
        (
            found
            for found in (
                _wrong_date(text, evidence, dossier),
                _wrong_author(text, evidence, dossier),
                _wrong_state(text, evidence, dossier),
            )
            if found
        ),
        None,
    )


# ---------------------------------------------------------------- dates


def _wrong_date(text: str, evidence: list[Evidence], dossier: Dossier) -> Misstated | None:
    where = zone(dossier.window.tz if dossier.window else "UTC")
    for date in find_dates(text):
        told = [moment for event in _events(text, date) for one in evidence for moment in dates_of(one, event)]
        moments = told or [moment for one in evidence for moment in dates_of(one)]
        if any(date.fits(moment, where) for moment in moments) or _is_written(date, evidence):
            continue
        if not told and _is_the_day(date, dossier):
            continue
        real = ", ".join(dict.fromkeys(date.form(moment, where) for moment in moments[:3]))
        return "dated", f"{date.text.strip()} is not its date; the evidence has {real or 'none'}", None
    return None


def _is_the_day(date: Stated, dossier: Dossier) -> bool:
    """Tell whether a date is the only day the report speaks of."""
    if dossier.window is None or ".." in dossier.window.label:
        return False
    return date.fits(dossier.window.start, zone(dossier.window.tz))


def _events(text: str, date: Stated) -> tuple[str, ...]:
    """Tell which moment a date is said of: the nearest word of its clause, behind it in Chinese."""
    before = _CLAUSE.split(text[: date.start])[-1]
    after = _CLAUSE.split(text[date.start + len(date.text) :])[0]
    near: list[tuple[int, tuple[str, ...]]] = []
    for names, words in _EVENTS:
        near += [(len(before) - match.end(), names) for match in words.finditer(before)]
        near += [(match.start(), names) for match in words.finditer(after)]
    return min(near)[1] if near else ()


def _is_written(date: Stated, evidence: list[Evidence]) -> bool:
    """Tell whether the evidence itself speaks of that date."""
    parts = ("year", "month", "day", "hour", "minute", "second")
    said = [(part, getattr(date, part)) for part in parts if getattr(date, part) is not None]
    others = (other for one in evidence for text in one.texts for other in find_dates(text))
    return any(all(getattr(other, part) == value for part, value in said) for other in others)


# ---------------------------------------------------------------- people


def _wrong_author(text: str, evidence: list[Evidence], dossier: Dossier) -> Misstated | None:
    for name in _said_authors(text, evidence):
        known = [authors(one, dossier) for one in evidence]
        # A name may hold a comma, which looks like the end of the clause.
        if any(written_by(name, who) or any(real.startswith(f"{name},") for real in who.main) for who in known):
            continue
        real = ", ".join(dict.fromkeys(who.main[0] for who in known if who.main))
        return "authored", f"it is by {real or 'somebody unknown'}, not by {name.strip()}", None
    for match in _PLAIN_BY.finditer(text):
        if reason := _stranger(match["name"], evidence, dossier):
            return "authored", reason, None
    return None


def _said_authors(text: str, evidence: Sequence[Evidence]) -> Iterator[str]:
    for match in _BY.finditer(text):
        if not is_thing(_named(match), match[0], evidence):
            yield _named(match)


def _named(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group).rstrip(".'’")


def _stranger(name: str, evidence: list[Evidence], dossier: Dossier) -> str:
    """Say that a capitalised name behind "by" is nobody's; it may also be a thing that the evidence names."""
    name = name.rstrip(".'’")
    known = [authors(one, dossier) for one in evidence]
    people = [real for who in known for real in (*who.main, *who.along)]
    if any(same(name, real) for real in people) or not people:
        return ""
    if any(name.casefold() in text.casefold() for one in evidence for text in one.texts):
        return ""
    return f"it is by {people[0]}, not by {name}"


# ---------------------------------------------------------------- states


def _wrong_state(text: str, evidence: list[Evidence], dossier: Dossier) -> Misstated | None:
    if not any(isinstance(one, ThreadEvidence) for one in evidence):
        return None
    real = [state for one in evidence for state in states(one, dossier)]
    for state, words in _STATES:
        text, times = words.subn(" ", text)
        if times and state not in real:
            thread = next(one for one in evidence if isinstance(one, ThreadEvidence))
            return "state", f"{thread.id} is {states(thread, dossier)[0]}, not {state}", thread.id
    return None
