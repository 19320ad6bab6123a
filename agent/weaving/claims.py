"""What is said of a story's news: code writes it, each sentence with what it rests on."""

from collections.abc import Iterator, Mapping

from agent.claims import MARK, Claim, Role
from agent.evidence import CommitEvidence, EvidenceId
from agent.settings import Language
from agent.stories import Act, Step, Story
from agent.templates import sentence
from agent.weaving.followups import follows

_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_STANDING = (Act.LANDED, Act.LANDED_AGAIN, Act.PART_AGAIN)


def story_claims(
    story: Story, today: Mapping[EvidenceId, CommitEvidence], said: Mapping[EvidenceId, EvidenceId]
) -> Iterator[Claim]:
    """Say what each new step of a story does; `said` names the pull requests that say it for their commits."""
    for step in story.timeline:
        if step.cite in story.news and step.cite in today:
            for predicate, others, params in _sayings(story, step, today[step.cite], said):
                yield _claim(predicate, step, others, params, story)


def short_text(claim: Claim, lang: Language) -> str:
    """Give a claim's words with the names of what it cites in the place of the marks."""
    sources = claim.sources
    return MARK.sub(lambda mark: _short(sources[int(mark[1]) - 1]), claim.text.get(lang, ""))


def _short(cite: EvidenceId) -> str:
    name, at, digits = cite.partition("@")
    return f"{name}@{digits[:10]}" if at and len(digits) == 40 else cite


_Saying = tuple[str, list[EvidenceId], dict[str, str]]


def _sayings(
    story: Story, step: Step, evidence: CommitEvidence, said: Mapping[EvidenceId, EvidenceId]
) -> Iterator[_Saying]:
    before = [one for one in story.timeline if one.at <= step.at and one.cite != step.cite]
    standing = [one.cite for one in before if one.act in _STANDING]
    undoing = [one.cite for one in before if one.act is Act.UNDONE]
    if step.act is Act.UNDONE and standing:
        yield from (("undoes", [one], {}) for one in step.after or standing[-1:])
    elif step.act is Act.LANDED_AGAIN and standing:
        yield "relands", [standing[0]], {}
    elif step.act is Act.PART_AGAIN and standing and undoing:
        yield "relands part", [standing[0], undoing[-1]], {}
    elif step.act is Act.PART_UNDONE and standing:
        yield "undoes part", [standing[0]], {}
    elif step.act is Act.FOLLOW_UP and standing:
        yield from _followed(step, evidence, standing[0], said.get(step.cite))
    elif step.act is Act.PART and step == _told_part(story):
        yield _part(story, step)


def _followed(step: Step, evidence: CommitEvidence, first: EvidenceId, source: EvidenceId | None) -> Iterator[_Saying]:
    named = bool(follows(evidence.change.commit.message))
    for target in step.after or (first,):
        if source and not named:
            yield "follows as said", [source, target], {}
        else:
            yield "follows" if named else "mends", [target], {}


def _told_part(story: Story) -> Step:
    """Choose the part of which a day's sentence is: the last by number, for it names all others."""
    return max((one for one in story.timeline if one.cite in story.news), key=lambda one: (one.part or 0, one.at))


def _part(story: Story, step: Step) -> _Saying:
    """Say which part it is, which others have landed, and which before it have not."""
    others = sorted((one for one in story.timeline if one.cite != step.cite), key=lambda one: (one.part or 0, one.at))
    own = step.part or 0
    missing = [number for number in story.missing if number < own]
    params = {"part": str(own), "landed": " ".join(str(one.part) for one in others)}
    params |= {"missing": " ".join(map(str, missing))} if missing else {}
    params |= {"unfound": " ".join(map(str, story.unfound))} if story.unfound else {}
    params |= {"total": str(story.total)} if story.total else {}
    return "series", [one.cite for one in others], params


def _claim(predicate: str, step: Step, others: list[EvidenceId], params: dict[str, str], story: Story) -> Claim:
    new = {one.cite for one in story.timeline if one.cite in story.news}
    # A pull request may be older than its landing, and what it says is news all the same.
    fresh = [cite for cite in others if cite in new or "#" in cite]
    # Marks count cited evidence first, then background: the order of the words must be the order of the sources.
    if others and predicate != "series" and others != [*fresh, *(cite for cite in others if cite not in fresh)]:
        fresh = []
    old = [cite for cite in others if cite not in fresh]
    if predicate == "series":
        order = {cite: number for number, cite in enumerate([*fresh, *old])}
        landed = dict(zip(others, params["landed"].split(), strict=True))
        params = params | {"landed": " ".join(landed[cite] for cite in sorted(others, key=order.__getitem__))}
    return Claim(
        id="",
        repo=story.repo,
        role=Role.CHANGE,
        about=(step.cite,),
        predicate=predicate,
        params=params,
        cites=(step.cite, *fresh),
        background=tuple(old),
        text={lang: sentence(predicate, params, lang) or "" for lang in _LANGUAGES},
    )
