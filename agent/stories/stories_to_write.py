"""The stories of which a model is to write a paragraph: its input, and the checks of its answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from agent.domain.base import Language
from agent.domain.claims import Anchor, Claim, Judgement, Kind
from agent.domain.evidence import EvidenceSet, PublishedEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import BARE, Story
from agent.gate.check import refusals
from agent.judging.rulings import Control
from agent.report_languages import writing_of
from agent.stories.paragraph import story_paragraph, story_title
from agent.stories.story_claims import short_text
from agent.writing.model_sentences import words_of

_MAX_STORIES = 12  # Stories of a repository's day that a model writes
_MIN_STEPS = 2


class StoryText(BaseModel):
    """A story in one paragraph."""

    story: str = Field(default="", description="the handle of the story")


@cache
def stories_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Return the schema of an answer with stories in some languages."""
    words: dict[str, Any] = {}
    for lang in languages:
        description = f"the paragraph in {writing_of(lang).asked_as}"
        words[lang] = (str, Field(default="", description=description))
    text = create_model("StoryText", __base__=StoryText, **words)
    return create_model("StoryTexts", stories=(list[text], Field(default_factory=list)))


@dataclass(frozen=True, kw_only=True)
class StoryFacts:
    """A story with the facts that its paragraph may state."""

    handle: str
    story: Story
    steps: tuple[str, ...]  # One a line: what happened on which day, with the titles of people
    sentences: tuple[str, ...] = ()  # What was published of the steps, each checked by its commit

    @property
    def name(self) -> EvidenceId:
        """The newest step, under which the paragraph is judged."""
        return self.story.news[-1]

    @property
    def facts(self) -> tuple[str, ...]:
        """The lines that the paragraph may be told from."""
        return (*self.steps, *self.sentences)

    @property
    def text(self) -> str:
        """The text of the story that a model is shown."""
        return "\n".join((f"[{self.handle}] {story_title(self.story)}", *self.facts))

    def claim(self, answer: BaseModel, languages: Sequence[Language]) -> Claim | None:
        """Return the paragraph of an answer as a claim about the story's newest step."""
        text = words_of(answer, languages)
        if not text:
            return None
        return Claim(
            id=f"{self.name.shortened()}.story {self.handle}",
            repo=self.story.repo,
            role="change",
            about=(self.name,),
            cites=(self.name,),
            anchors=(Anchor(cite=self.name, text=self.facts[0]),),
            text=text,
            kind=Kind.STATED,
        )

    def objections(self, claim: Claim) -> tuple[Judgement, ...]:
        """Return the hashes, days, numbers and names of a paragraph that no fact has."""
        evidence = PublishedEvidence(id=self.name, text=self.text)
        evidence_set = EvidenceSet(
            by_id={self.name: evidence},
            seen=frozenset({self.name}),
            # Dotted names in checked sentences are code; those in titles may be hosts.
            notes={self.name: "\n".join(self.sentences)},
        )
        objections: list[Judgement] = []
        for lang in claim.text:
            objections += refusals(claim, evidence_set, lang)
        return tuple(objections)

    def controls(self, languages: Sequence[Language]) -> list[Control]:
        """Return false twins of the story: two of its steps exchange their days, or their commits.

        Where both happened on one day, only their commits make a difference.
        """
        steps = [step for step in self.story.timeline if step.act != "released"]
        first = steps[0]
        last = steps[-1]
        other_days = {first.cite: {"at": last.at}, last.cite: {"at": first.at}}
        other_commits = {first.cite: {"cite": last.cite}, last.cite: {"cite": first.cite}}
        twins: list[Control] = []
        for updates in (other_days, other_commits):
            twin = self._twin(updates, languages)
            if twin != self._twin({}, languages):
                twins.append(Control(twin, "twin"))
        return twins

    def _twin(
        self, updates: Mapping[EvidenceId, dict[str, Any]], languages: Sequence[Language]
    ) -> dict[Language, str]:
        """Return the paragraph of the story with some steps changed, by their ids."""
        steps = []
        for step in self.story.timeline:
            steps.append(step.model_copy(update=updates.get(step.cite, {})))
        story = self.story.model_copy(update={"timeline": tuple(steps)})
        return {lang: story_paragraph(story, lang) for lang in languages}


def stories_to_write(
    stories: Sequence[Story], claims: Sequence[Claim], reasons: Mapping[EvidenceId, EvidenceId]
) -> list[StoryFacts]:
    """Return the stories of several steps that have news, with what was published of each."""
    worthy: list[StoryFacts] = []
    for story in stories:
        steps = [step for step in story.timeline if step.act != "released"]
        if story.kind in ("released", *BARE) or not story.news or len(steps) < _MIN_STEPS:
            continue
        worthy.append(
            StoryFacts(
                handle=f"s{len(worthy) + 1}",
                story=story,
                steps=tuple(_step_lines(story, reasons)),
                sentences=tuple(_sentences(story, claims)),
            )
        )
        if len(worthy) == _MAX_STORIES:
            break
    return worthy


def _step_lines(story: Story, reasons: Mapping[EvidenceId, EvidenceId]) -> Iterator[str]:
    yield story_paragraph(story, "en", reasons)
    for step in story.timeline:
        if step.title:
            yield f"{step.at:%Y-%m-%d} {step.cite.shortened(7)}: {step.title}"


def _sentences(story: Story, claims: Sequence[Claim]) -> Iterator[str]:
    steps = set(story.steps)
    for claim in claims:
        if claim.about and claim.about[0] in steps and claim.text and not claim.speech:
            yield f"{claim.about[0].shortened(7)}: {short_text(claim, 'en')}"
