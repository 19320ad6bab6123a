"""Claims about the news of a story, written by code, each with its citations."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.domain.base import LANGUAGES, Language
from agent.domain.claims import MARK, Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Story, StoryStep
from agent.fact_sentences import sentence

_STANDING = ("landed", "landed again", "a part landed again", "upstream", "opened")
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
    last = max(story.timeline, key=lambda step: (step.cite in story.news, step.part or 0, step.at))
    for step in story.timeline:
        if step.cite not in story.news or (step.act == "part" and step != last):
            continue
        for statement in _statements(story, step, said_in):
            yield _claim(story, step, statement)


def short_text(claim: Claim, lang: Language) -> str:
    """Return a claim's text with each citation mark replaced by the id that it cites."""
    names = [cite.shortened(10) for cite in claim.sources]
    return MARK.sub(lambda mark: names[int(mark[1]) - 1], claim.text.get(lang, ""))


def _statements(story: Story, step: StoryStep, said_in: SaidIn) -> Iterator[_Statement]:
    before: list[StoryStep] = []
    for other in story.timeline:
        if other.at <= step.at and other.cite != step.cite:
            before.append(other)
    standing = {other.cite: other.at for other in before if other.act in _STANDING}
    if step.act == "part":
        yield _part(story, step)
        return
    if not standing:
        return
    if step.act == "a part landed again":
        undoing = [other.cite for other in before if other.act == "undone"]
        yield _part_landed_again(next(iter(standing)), undoing)
        return
    if step.act not in _PLAIN:
        return
    for target in step.after or [_target(step, list(standing))]:
        source = said_in.get((step.cite, target))
        if step.act == "refers" and source:
            yield _Statement("refers as said", [source, target], {})
            continue
        params = {}
        if step.act == "changed lines":
            params["days"] = str((step.at - standing[target]).days)
        yield _Statement(_PLAIN[step.act], [target], params)


def _target(step: StoryStep, standing: Sequence[EvidenceId]) -> EvidenceId:
    """Return the commit that a step acts on: the first if it lands again, else the latest."""
    return standing[0] if step.act == "landed again" else standing[-1]


def _part_landed_again(target: EvidenceId, undoing: Sequence[EvidenceId]) -> _Statement:
    """State that a part of a commit landed again, and which revert had removed it if known."""
    if undoing:
        return _Statement("relands part", [target, undoing[-1]], {})
    return _Statement("relands some", [target], {})


def _part(story: Story, step: StoryStep) -> _Statement:
    """State the number of a part, the parts that have landed, and the earlier ones missing.

    What is new is cited first.
    """
    parts = [other for other in story.timeline if other.act == "part"]
    others = [other for other in parts if other.cite != step.cite]
    others.sort(key=lambda other: (other.cite not in story.news, other.part or 0, other.at))
    missing = [number for number in story.missing if number < (step.part or 0)]
    params = {
        "part": str(step.part),
        "landed": " ".join(str(other.part) for other in others),
        "missing": " ".join(str(number) for number in missing),
        "total": str(story.total or ""),
    }
    stated_params = {name: value for name, value in params.items() if value}
    return _Statement("series", [other.cite for other in others], stated_params)


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
