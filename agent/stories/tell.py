"""What is said of a story's news: code writes it, each sentence with what it rests on."""

from collections.abc import Iterator, Mapping

from agent.domain.base import LANGUAGES, Language
from agent.domain.claims import MARK, Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Act, Story, StoryStep
from agent.telling import sentence

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
_Saying = tuple[str, list[EvidenceId], dict[str, str]]


def story_claims(story: Story, said_in: SaidIn) -> Iterator[Claim]:
    """Say what each new step of a story does."""
    last = max(story.timeline, key=lambda one: (one.cite in story.news, one.part or 0, one.at))
    for step in story.timeline:
        if step.cite in story.news and (step.act != "part" or step == last):
            yield from (_claim(story, step, *saying) for saying in _sayings(story, step, said_in))


def short_text(claim: Claim, lang: Language) -> str:
    """Give a claim's words with the names of what it cites in the place of the marks."""
    short = [cite.shortened(10) for cite in claim.sources]
    return MARK.sub(lambda mark: short[int(mark[1]) - 1], claim.text.get(lang, ""))


def _sayings(story: Story, step: StoryStep, said_in: SaidIn) -> Iterator[_Saying]:
    before = [one for one in story.timeline if one.at <= step.at and one.cite != step.cite]
    standing = {one.cite: one.at for one in before if one.act in _STANDING}
    undoing = [one.cite for one in before if one.act == "undone"]
    if step.act == "part":
        yield _part(story, step)
    elif step.act == "a part landed again" and standing:
        yield _part_landed_again(next(iter(standing)), undoing)
    elif step.act in _PLAIN and standing:
        for target in (
            step.after or list(standing)[: 1 if step.act == "landed again" else None][-1:]
        ):
            source = said_in.get((step.cite, target))
            if step.act == "refers" and source:
                yield "refers as said", [source, target], {}
            else:
                days = (
                    {"days": str((step.at - standing[target]).days)}
                    if step.act == "changed lines"
                    else {}
                )
                yield _PLAIN[step.act], [target], days


def _part_landed_again(target: EvidenceId, undoing: list[EvidenceId]) -> _Saying:
    """Say that a part of a commit came back, and what had taken it back where that is known."""
    if undoing:
        return "relands part", [target, undoing[-1]], {}
    return "relands some", [target], {}


def _part(story: Story, step: StoryStep) -> _Saying:
    """Say which part it is, which others have landed, and which before it have not; what is new is cited first."""
    parts = [one for one in story.timeline if one.cite != step.cite and one.act == "part"]
    others = sorted(parts, key=lambda one: (one.cite not in story.news, one.part or 0, one.at))
    params = {"part": str(step.part), "landed": " ".join(str(one.part) for one in others)}
    params["missing"] = " ".join(
        str(number) for number in story.missing if number < (step.part or 0)
    )
    params["total"] = str(story.total or "")
    return (
        "series",
        [one.cite for one in others],
        {name: value for name, value in params.items() if value},
    )


def _claim(
    story: Story, step: StoryStep, predicate: str, others: list[EvidenceId], params: dict[str, str]
) -> Claim:
    # A pull request may be older than its landing, and what it says is news all the same.
    fresh = [cite for cite in others if cite in story.news or cite.is_thread]
    # Marks count cited evidence first, then background: the order of the words must be the order of the sources.
    fresh = fresh if others[: len(fresh)] == fresh else []
    return Claim(
        id="",
        repo=story.repo,
        role="change",
        about=(step.cite,),
        predicate=predicate,
        params=params,
        cites=(step.cite, *fresh),
        background=tuple(others[len(fresh) :]),
        text={lang: sentence(predicate, params, lang) or "" for lang in LANGUAGES},
        judged_by=story.judged_by,
    )
