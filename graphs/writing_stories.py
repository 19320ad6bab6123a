"""Stories in a paragraph each: a model writes, code and a judge hold it to what was admitted."""

from collections.abc import Sequence
from typing import NamedTuple

from langgraph.runtime import Runtime

from agent.domain.account import Account, fallback
from agent.domain.base import RepoId
from agent.domain.claims import Claim, Refused
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Related, Relation, Story
from agent.judging.rulings import Case, Control
from agent.model_errors import ModelError
from agent.ports import Step
from agent.prompt_sizes import EvidencePrompt
from agent.stories.stories_to_write import StoryFacts, stories_shape, stories_to_write
from agent.token_estimates import fitting
from agent.writing.model_sentences import asked_languages
from graphs.judging import judged_again_if_void
from graphs.run_context import RunContext
from graphs.state import WriteStoriesInput, WriteStoriesOutput
from tools.chat.requests_and_replies import Handles


async def write_stories(
    state: WriteStoriesInput, runtime: Runtime[RunContext]
) -> WriteStoriesOutput:
    """Have a paragraph written about each story; a refused one keeps the words of its template."""
    context = runtime.context
    repo = state["spec"].name
    found_stories = state["stories"]
    stories: list[StoryFacts] = []
    if context.models is not None:
        stories = stories_to_write(
            found_stories.stories, state["facts"], _reasons(state["related"])
        )
    if not stories:
        return {"stories": found_stories, "refused": [], "account": Account()}
    runtime.stream_writer(Step(repo, "telling stories"))
    try:
        await context.require_models().check_time_for_all(repo, "stories", 1)
        paragraphs = await _written(stories, repo, context)
    except ModelError as error:
        return {
            "stories": found_stories,
            "refused": [],
            "account": fallback("telling stories", error),
        }
    judged = await _judged(paragraphs, repo, context)
    with_paragraphs = [_with_paragraph(story, judged.admitted) for story in found_stories.stories]
    return {
        "stories": found_stories.model_copy(update={"stories": tuple(with_paragraphs)}),
        "refused": judged.refused,
        "account": judged.account + context.take_spent(repo, "telling_stories"),
    }


def _reasons(related: Sequence[Related]) -> dict[EvidenceId, EvidenceId]:
    """Return the issues because of which commits took something back."""
    reasons: dict[EvidenceId, EvidenceId] = {}
    for relation in related:
        if relation.relation is Relation.BECAUSE:
            reasons[relation.change] = relation.other
    return reasons


class _Paragraph(NamedTuple):
    """The paragraph of a model about a story."""

    story: StoryFacts
    claim: Claim


async def _written(
    stories: Sequence[StoryFacts], repo: RepoId, context: RunContext
) -> list[_Paragraph]:
    """Ask for all stories of a repository in one question."""
    form = EvidencePrompt(
        name="stories",
        values={"repo": repo, "languages": asked_languages(context.languages)},
        shape=stories_shape(context.languages),
        slot="stories",
    )
    texts = [story.text for story in stories]
    answer = await context.ask_about(
        "writing",
        repo,
        form,
        lambda budget: "\n\n".join(fitting(texts, budget)),
        handles=Handles("story", {story.handle: _lasting_name(story) for story in stories}),
    )
    by_handle = {story.handle: story for story in stories}
    paragraphs: list[_Paragraph] = []
    for written in answer.stories:
        story = by_handle.pop(written.story.strip("[]` "), None)
        claim = story.claim(written, context.languages) if story else None
        if story is not None and claim is not None:
            paragraphs.append(_Paragraph(story, claim))
    return paragraphs


def _lasting_name(story: StoryFacts) -> str:
    return f"{story.story.kind} {' '.join(story.story.steps)}"


class _Judged(NamedTuple):
    """The paragraphs that a judge admits, what was refused, and how the judge did."""

    admitted: list[_Paragraph]
    refused: list[Refused]
    account: Account


async def _judged(paragraphs: Sequence[_Paragraph], repo: RepoId, context: RunContext) -> _Judged:
    """Check each paragraph against the facts of its story: first by code, then by the judge."""
    passed: dict[str, _Paragraph] = {}
    refused: list[Refused] = []
    for paragraph in paragraphs:
        objections = paragraph.story.objections(paragraph.claim)
        if objections:
            name = paragraph.story.name
            refused.append(Refused(task=name, claim=paragraph.claim, reasons=objections))
        else:
            passed[paragraph.claim.id] = paragraph
    if not passed:
        return _Judged([], refused, Account())

    def show(claims: Sequence[Claim], budget: int) -> str:
        paragraphs = [passed[claim.id] for claim in claims] or list(passed.values())
        return "\n\n".join(fitting([paragraph.story.text for paragraph in paragraphs], budget))

    def controls(evidence: str) -> list[Control]:
        twins: list[Control] = []
        for paragraph in passed.values():
            if paragraph.story.facts[0] in evidence:
                twins += paragraph.story.controls(context.languages)
        return twins

    case = Case(
        account=repo,
        claims=[paragraph.claim for paragraph in passed.values()],
        show=show,
        controls=controls,
        required=lambda claim: [anchor.text for anchor in claim.anchors],
        prompt="judge_day",
    )
    verdicts, account = await judged_again_if_void(case, context, None)
    for claim, judgement in verdicts.refused:
        refused.append(Refused(task=claim.about[0], claim=claim, reasons=(judgement,)))
    admitted = [_Paragraph(passed[claim.id].story, claim) for claim in verdicts.admitted]
    return _Judged(admitted, refused, account + Account(judging=verdicts.judging))


def _with_paragraph(story: Story, admitted: Sequence[_Paragraph]) -> Story:
    for paragraph in admitted:
        if paragraph.story.story == story:
            return story.model_copy(update={"paragraph": paragraph.claim.text})
    return story
