"""What is said of a story's news: code writes it, each sentence with what it rests on."""

from collections.abc import Iterable, Iterator, Mapping

from agent.claims import MARK, Claim, Role
from agent.evidence import EvidenceId
from agent.settings import Language
from agent.stories import Act, Step, Story
from agent.story_finding.found import Pair
from agent.templates import sentence

LANGUAGES: tuple[Language, ...] = ("en", "zh")
_STANDING = (Act.LANDED, Act.LANDED_AGAIN, Act.PART_AGAIN)
_PLAIN: Mapping[Act, str] = {
    Act.UNDONE: "undoes",
    Act.PART_UNDONE: "undoes part",
    Act.LANDED_AGAIN: "relands",
    Act.MENDED: "mends",
    Act.FOLLOW_UP: "continues",
    Act.REFERS: "refers to",
    Act.CHANGED: "changes lines",
}
_Saying = tuple[str, list[EvidenceId], dict[str, str]]


def story_claims(story: Story, pairs: Iterable[Pair]) -> Iterator[Claim]:
    """Say what each new step of a story does; pairs know the pull requests that name what their commits do not."""
    said_in = {(one.doer.sha, one.earlier.sha): one.said_in for one in pairs if one.said_in}
    last = max((one for one in story.timeline if one.cite in story.news), key=lambda one: (one.part or 0, one.at))
    for step in story.timeline:
        if step.cite in story.news and (step.act is not Act.PART or step == last):
            for predicate, others, params in _sayings(story, step, said_in):
                yield _claim(predicate, step, others, params, story)


def short_text(claim: Claim, lang: Language) -> str:
    """Give a claim's words with the names of what it cites in the place of the marks."""
    return MARK.sub(lambda mark: _short(claim.sources[int(mark[1]) - 1]), claim.text.get(lang, ""))


def _short(cite: EvidenceId) -> str:
    name, at, digits = cite.partition("@")
    return f"{name}@{digits[:10]}" if at and len(digits) == 40 else cite


def _sayings(story: Story, step: Step, said_in: Mapping[tuple[str, str], EvidenceId]) -> Iterator[_Saying]:
    before = [one for one in story.timeline if one.at <= step.at and one.cite != step.cite]
    standing = [one.cite for one in before if one.act in _STANDING]
    undoing = [one.cite for one in before if one.act is Act.UNDONE]
    if step.act is Act.PART:
        yield _part(story, step)
    elif step.act is Act.PART_AGAIN and standing and undoing:
        yield "relands part", [standing[0], undoing[-1]], {}
    elif step.act in _PLAIN and standing:
        again = step.act is Act.LANDED_AGAIN
        for target in step.after or (standing[:1] if again else standing[-1:]):
            source = said_in.get((step.cite.partition("@")[2], target.partition("@")[2]))
            if step.act is Act.REFERS and source:
                yield "refers as said", [source, target], {}
            else:
                days = (step.at - next(one.at for one in story.timeline if one.cite == target)).days
                yield _PLAIN[step.act], [target], {"days": str(days)} if step.act is Act.CHANGED else {}


def _part(story: Story, step: Step) -> _Saying:
    """Say which part it is, which others have landed, and which before it have not; what is new is cited first."""
    parts = [one for one in story.timeline if one.cite != step.cite and one.act is Act.PART]
    others = sorted(parts, key=lambda one: (one.cite not in story.news, one.part or 0, one.at))
    missing = [number for number in story.missing if number < (step.part or 0)]
    params = {"part": str(step.part), "landed": " ".join(str(one.part) for one in others)}
    params |= {"missing": " ".join(map(str, missing))} if missing else {}
    params |= {"total": str(story.total)} if story.total else {}
    return "series", [one.cite for one in others], params


def _claim(predicate: str, step: Step, others: list[EvidenceId], params: dict[str, str], story: Story) -> Claim:
    # A pull request may be older than its landing, and what it says is news all the same.
    fresh = [cite for cite in others if cite in story.news or "#" in cite]
    old = [cite for cite in others if cite not in fresh]
    # Marks count cited evidence first, then background: the order of the words must be the order of the sources.
    if others != [*fresh, *old]:
        fresh, old = [], others
    return Claim(
        id="",
        repo=story.repo,
        role=Role.CHANGE,
        about=(step.cite,),
        predicate=predicate,
        params=params,
        cites=(step.cite, *fresh),
        background=tuple(old),
        text={lang: sentence(predicate, params, lang) or "" for lang in LANGUAGES},
    )
