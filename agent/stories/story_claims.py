"""Claims about the news of a story, written by code, each with its citations."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from agent.domain.base import LANGUAGES, Language
from agent.domain.claims import MARK, Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Story, StoryStep
from agent.fact_sentences import sentence
from agent.report_languages import catalogue

_DIGITS = 10  # Of a hash in the text of a story
_LANDED = ("landed", "landed again", "a part landed again", "upstream", "opened")
_PLAIN: Mapping[Act, str] = {
    "undone": "undoes",
    "a part undone": "undoes part",
    "landed again": "relands",
    "mended": "mends",
    "follow-up": "continues",
    "step": "step of",
    "ported": "needs or ports",
    "same change": "same change",
    "same work": "same work",
    "refers": "refers to",
    "changed lines": "changes lines",
    "taken in": "takes in",
}
SaidIn = Mapping[tuple[EvidenceId, EvidenceId], EvidenceId]
"""The pull requests that name what their commits do not, by the commit and what is named."""


class _Statement(NamedTuple):
    """A sentence about a step: its predicate, its citations, and its values."""

    predicate: str
    others: list[EvidenceId]
    params: dict[str, str]


def story_claims(story: Story, said_in: SaidIn) -> Iterator[Claim]:
    """Yield what each new step of a story does; of the parts of a series only the last one."""
    new_steps = [step for step in story.timeline if step.cite in story.news]
    last = max(new_steps, key=lambda step: (step.part or 0, step.at), default=None)
    for step in new_steps:
        if step.act == "part" and step != last:
            continue
        for statement in _statements(story, step, said_in):
            yield _claim(story, step, statement)


def short_text(claim: Claim, lang: Language) -> str:
    """Return a claim's text with each citation mark replaced by the id that it cites."""

    def cited_id(mark: re.Match[str]) -> str:
        number = int(mark[1])
        return claim.sources[number - 1].shortened(_DIGITS)

    return MARK.sub(cited_id, claim.text.get(lang, ""))


def joined_texts(claims: Iterable[Claim], lang: Language) -> str:
    """Return the texts of claims in one language as running text, without those that lack it."""
    texts = [short_text(claim, lang) for claim in claims]
    gap: str = catalogue(lang)["signs"]["gap"]
    return gap.join(filter(None, texts))


def _statements(story: Story, step: StoryStep, said_in: SaidIn) -> Iterator[_Statement]:
    if step.act == "part":
        yield _part(story, step)
        return
    landed: dict[EvidenceId, datetime] = {}
    undoing: list[EvidenceId] = []
    for other in _steps_before(story, step):
        if other.act in _LANDED:
            landed[other.cite] = other.at
        elif other.act == "undone":
            undoing.append(other.cite)
    if not landed:
        return
    targets = list(landed)
    if step.act == "a part landed again":
        yield _part_landed_again(targets[0], undoing)
        return
    if step.act not in _PLAIN:
        return
    for target in step.after or [_target(step, targets)]:
        yield _plain_statement(step, target, landed, said_in)


def _plain_statement(
    step: StoryStep,
    target: EvidenceId,
    landed: Mapping[EvidenceId, datetime],
    said_in: SaidIn,
) -> _Statement:
    source = said_in.get((step.cite, target))
    if step.act == "refers" and source:
        return _Statement("refers as said", [source, target], {})
    params: dict[str, str] = {}
    if step.act == "changed lines":
        params["days"] = str((step.at - landed[target]).days)
    return _Statement(_PLAIN[step.act], [target], params)


def _steps_before(story: Story, step: StoryStep) -> Iterator[StoryStep]:
    for other in story.timeline:
        if other.at <= step.at and other.cite != step.cite:
            yield other


def _target(step: StoryStep, landed: Sequence[EvidenceId]) -> EvidenceId:
    """Return the commit that a step acts on: the first if it lands again, else the latest."""
    return landed[0] if step.act == "landed again" else landed[-1]


def _part_landed_again(target: EvidenceId, undoing: Sequence[EvidenceId]) -> _Statement:
    """State that a part of a commit landed again, and which revert had removed it if known."""
    if undoing:
        return _Statement("relands part", [target, undoing[-1]], {})
    return _Statement("relands some", [target], {})


def _part(story: Story, step: StoryStep) -> _Statement:
    """State the number of a part, the parts that have landed, and the earlier ones missing.

    What is new is cited first.
    """
    others: list[StoryStep] = []
    for other in story.timeline:
        if other.act == "part" and other.cite != step.cite:
            others.append(other)
    others.sort(key=lambda other: (other.cite not in story.news, other.part or 0, other.at))
    missing = [number for number in story.missing if number < (step.part or 0)]
    params = {"part": str(step.part)}
    if others:
        params["landed"] = " ".join(str(other.part) for other in others)
    if missing:
        params["missing"] = " ".join(map(str, missing))
    if story.total:
        params["total"] = str(story.total)
    return _Statement("series", [other.cite for other in others], params)


def _claim(story: Story, step: StoryStep, statement: _Statement) -> Claim:
    others = statement.others
    # A pull request may be older than its landing, and what it says is news all the same.
    news = [cite for cite in others if cite in story.news or cite.is_thread]
    # Marks count cited evidence first, then background, so the words must have that order, too.
    if others[: len(news)] != news:
        news = []
    text: dict[Language, str] = {}
    for lang in LANGUAGES:
        text[lang] = sentence(statement.predicate, statement.params, lang)
    return Claim(
        id="",
        repo=story.repo,
        role="change",
        about=(step.cite,),
        predicate=statement.predicate,
        params=statement.params,
        cites=(step.cite, *news),
        background=tuple(others[len(news) :]),
        text=text,
        judged_by=story.judged_by,
    )
