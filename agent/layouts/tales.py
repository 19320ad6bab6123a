"""The part of a report that tells how earlier things went on: each story with its news and its timeline."""

from agent.claims import Claim
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.layouts.sheet import Sheet, chrome, computed, title
from agent.layouts.view import View
from agent.markdown import code, link
from agent.report import RepoSection
from agent.spans import Span, words_spans
from agent.stories import BARE, Act, Step, Story, StoryKind
from agent.window import zone

_LEAST = 3
_SHOWN = 12
_NAMING = ("mends", "continues", "changes lines", "changes new lines", "refers to", "refers as said", "undoes part")


def tales(sheet: Sheet, section: RepoSection, view: View) -> None:
    """Tell the stories that go on today; what landed and was undone today is told as one item elsewhere."""
    stories = [story for story in view.report.stories if story.repo == section.repo and _goes_on(story)]
    if not stories:
        return
    sheet.heading(3, f"{section.repo} stories", chrome(view.say.stories))
    for story in stories:
        _story(sheet, story, view)
    sheet.blank()


def earlier_title(claim: Claim, view: View) -> list[Span]:
    """Give the title of the earlier commit that a change mends, continues, names or undoes in part."""
    steps = (step for story in view.report.stories for step in story.timeline if step.cite == claim.sources[-1])
    called = next((step.title for step in steps if step.title), "")
    return [chrome(" — "), title(called)] if called and claim.predicate in _NAMING else []


def _goes_on(story: Story) -> bool:
    """Tell whether a story has its own place: a pair that landed and was undone today is one item elsewhere.

    That a fix was released stands among the issues already, and what a commit names or changes stands with it.
    """
    steps = [step for step in story.timeline if step.act is not Act.RELEASED]
    if story.kind in (StoryKind.RELEASED, *BARE) or not steps:
        return False
    older = any(step.cite not in story.news for step in steps)
    return older or len(steps) >= _LEAST or story.kind is not StoryKind.REVERT


def _story(sheet: Sheet, story: Story, view: View) -> None:
    say = view.say
    since = [computed(f"**{say.update_since.format(story.since)}**{say.colon}")] if story.since else []
    news: list[Span] = []
    for claim in _news(story, view):
        name = claim.about[0]
        gap = [chrome(" ")] if news and say.colon.endswith(" ") else []
        subject = computed(f"{_link(name, story, view)}{say.colon}")
        news += [*gap, subject, *words_spans(claim, view.lang, view.web, own=name)]
    sheet.line(chrome("- "), *since, *news)
    left_out = len(story.timeline) - _SHOWN
    for step in story.timeline[-_SHOWN:]:
        sheet.line(chrome("  - "), *_step(step, story, view))
    if left_out > 0:
        sheet.line(chrome("  - "), computed(say.more.format(left_out)))


def _news(story: Story, view: View) -> list[Claim]:
    steps = set(story.steps)
    return [
        claim
        for claim in view.report.claims
        if claim.text
        and claim.about[:1]
        and claim.about[0] in story.news
        and len(commits := {cite for cite in claim.sources if "@" in cite}) > 1
        and commits <= steps
    ]


def _step(step: Step, story: Story, view: View) -> list[Span]:
    say = view.say
    day = f"{step.at.astimezone(zone(view.report.window.tz)):%Y-%m-%d}"
    act = say.acts[step.act.value].format(step.part) if step.act is Act.PART else say.acts[step.act.value]
    named = [chrome(" "), title(step.title)] if step.title else []
    return [computed(f"{day} {_link(step.cite, story, view)}"), *named, computed(f" — {act}")]


def _link(cite: EvidenceId, story: Story, view: View) -> str:
    repo, at, digits = cite.partition("@")
    if not at:
        repo, _, number = cite.partition("#")
        label = f"#{number}" if repo == story.repo else cite
        return link(code(label), view.web.thread(RepoId(repo), int(number)))
    short = digits[:7] if len(digits) == 40 else digits
    label = short if repo == story.repo else f"{repo}@{short}"
    address = view.web.commit(RepoId(repo), digits) if len(digits) == 40 else view.web.release(RepoId(repo), digits)
    return link(code(label), address)
