"""What there is to tell of a commit beside its facts, a sentence each, in its author's words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from agent.analyst import Material, Read
from agent.commands import commands
from agent.domain import Issue
from agent.evidence import EvidenceId
from agent.facts import FactKind
from agent.links import Link
from agent.speech import own_words, told_sentences
from agent.triage import Tier

_MOST = 3
_SHORTEST, _LONGEST, _FEW_WORDS = 20, 320, 4
_REFERENCE = re.compile(r"#\d+|https?://")
_CUT = re.compile(r"\b(?:a|an|and|as|at|by|for|from|in|like|of|or|see|than|that|the|to|with)$", re.IGNORECASE)
"""Where a sentence goes on in a line that is no sentence, as an address is none."""
_TO_REVIEWERS = re.compile(r"\bI\b(?!\.)|\b(?i:my|you|your|please|welcome|suggestions?|reviewers?)\b|请|欢迎")
"""An author who speaks of oneself or to somebody speaks of the review, not of the change."""
_ITSELF = re.compile(r"^(?:(?:as|because|since)\s+)?(?:it|this)\s+", re.IGNORECASE)
_UNDONE = "Undone because it "
"""Whoever undoes something and says that it breaks speaks of what is undone; told without that, it would be blamed."""
_LABEL = re.compile(r"^(?:\s*\[[^\]]*\]\s*:?)+|^\s*\w+\s*:\s")
"""What a form puts before the title of an issue: [Bug]:, Bug:."""
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True)
class Point:
    """One sentence that somebody wrote, and where it stands."""

    text: str
    source: EvidenceId
    reported: bool = False
    """Whether it tells what was wrong before, in the words of whoever reported it."""


def points_of(read: Read, material: Material) -> list[Point]:
    """Choose what is worth telling of the author's words in the message and the pull request, in their order.

    What the rules quote already comes last; of what is folded they quote nothing. Behind it stands what was reported
    of an issue that the commit fixes.
    """
    return [*_own_points(read, material), *_reported(read, material)]


def _own_points(read: Read, material: Material) -> list[Point]:
    title = read.evidence.change.commit.title
    authored = list(_authored(read, material))
    texts = _texts(read, material) if read.triage.tier is not Tier.NOISE else ()
    quoted = {words for _, text in texts if (words := own_words(text, title))}
    fresh = [one for one in authored if not any(one.text in " ".join(words.split()) for words in quoted)]
    chosen = [*fresh, *(one for one in authored if one not in fresh)]
    unlike = list({one.text: one for one in chosen}.values())[:_MOST]
    reverts = any(fact.kind is FactKind.REVERT for fact in read.evidence.facts)
    return [replace(one, text=_ITSELF.sub(_UNDONE, one.text)) for one in unlike] if reverts else unlike


def _reported(read: Read, material: Material) -> list[Point]:
    """Give the title of the first issue that the commit is told to fix, or likely to: it says what users saw."""
    issues = {issue.id: issue for issue in material.issues}
    fixed = [
        issues[link.issue]
        for link in material.links
        if link.change == read.evidence.id and link.issue in issues and _is_told(link, issues[link.issue])
    ]
    told = ((_LABEL.sub("", issue.title).strip(), issue.id) for issue in fixed)
    return [Point(text, source, reported=True) for text, source in told if _tells(text)][:1]


def _is_told(link: Link, issue: Issue) -> bool:
    return (link.may_read_fixed and issue.state == "closed") or link.may_read_likely


def _texts(read: Read, material: Material) -> Iterator[tuple[EvidenceId, str]]:
    yield read.evidence.id, read.evidence.change.commit.message.partition("\n")[2]
    if pull := material.pulls.get(read.evidence.pull or 0):
        yield pull.id, pull.body


def _authored(read: Read, material: Material) -> Iterator[Point]:
    title = read.evidence.change.commit.title
    for source, text in _texts(read, material):
        yield from (Point(one, source) for one in told_sentences(text) if _tells(one) and one not in title)


def _tells(sentence: str) -> bool:
    """Tell a statement about the change from a trifle, a mere reference, an order, or a word to the reviewers."""
    han = len(_HAN.findall(sentence))
    enough = (han >= _FEW_WORDS * 2 or len(sentence.split()) >= _FEW_WORDS) and len(sentence) + han >= _SHORTEST
    aside = _REFERENCE.search(sentence) or _TO_REVIEWERS.search(sentence) or sentence.endswith((":", "?", "：", "？"))
    return enough and len(sentence) <= _LONGEST and not aside and not _CUT.search(sentence) and not commands(sentence)
