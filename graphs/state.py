"""What the steps of a run are given and hand on: a type for each step, stored by the checkpointer.

State holds decisions and small values. Diffs and discussions are not in it: they are evidence,
which the state names by id and the sources return, in a resumed run from the record.
"""

from operator import add, or_
from typing import Annotated

from langchain_core.messages import AnyMessage
from pydantic import Field
from typing_extensions import TypedDict

from agent.analysts.tasks import Sentences, Task
from agent.domain.base import Frozen, RepoId
from agent.domain.claims import Claim, Refused
from agent.domain.commits import Issue
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Triage
from agent.domain.links import Link, Related
from agent.domain.look_ups import LookUp
from agent.domain.report import Failure, Report
from agent.domain.spending import Account
from agent.domain.window import Window
from agent.editor.placements import Edited
from agent.reports.chapter import Chapter
from agent.settings.values import RepoSpec
from agent.stories.timeline import StoriesFound
from agent.triage.allotment import ExplainingShare
from agent.triage.collected import Collected
from tools.history.cross_repository import Connected

STATE_VERSION = 3
"""Raised when steps hand on something else: a run that was stopped before then is begun anew."""


class AnalysisOutput(TypedDict):
    """What a model wrote and may be published, what may not, and what it cost."""

    analysis: Annotated[list[Claim], add]
    refused: Annotated[list[Refused], add]
    account: Annotated[Account, add]


# ---------------------------------------------------------------- the day


class DayInput(TypedDict):
    """What to report on."""

    window: Window
    specs: tuple[RepoSpec, ...]


class CollectInput(TypedDict):
    """The repository to take a first look at."""

    window: Window
    spec: RepoSpec


class CollectOutput(TypedDict):
    """What a first look found, by repository."""

    collected: Annotated[dict[RepoId, Collected], or_]


class CollectedInput(DayInput, CollectOutput):
    """What the first looks found."""


class EditInput(TypedDict):
    """The repository whose commits get their places."""

    window: Window
    spec: RepoSpec
    first_look: Collected


class EditOutput(TypedDict):
    """Where the commits stand, by repository."""

    edited: Annotated[dict[RepoId, Edited], or_]


class AllocateInput(EditOutput):
    """What the first looks found, and where the commits stand."""

    specs: tuple[RepoSpec, ...]
    collected: Annotated[dict[RepoId, Collected], or_]


class AllocateOutput(TypedDict):
    """What is read of each repository in depth, what in short, and what the budget leaves out."""

    shares: dict[RepoId, ExplainingShare]


class SharesInput(CollectedInput, EditOutput, AllocateOutput):
    """What is sent to the repositories that could be read."""


class ChaptersInput(DayInput):
    """The repositories that were read, and what is to be published of them."""

    collected: Annotated[dict[RepoId, Collected], or_]
    chapters: Annotated[dict[RepoId, Chapter], or_]


class TiesOutput(TypedDict):
    """What ties the repositories to one another."""

    ties: Connected


class PublishInput(ChaptersInput, AnalysisOutput, TiesOutput):
    """Everything that the report consists of; the analysis is that of summaries and brief."""

    failures: Annotated[list[Failure], add]


class PublishOutput(TypedDict):
    """The report as it was published."""

    report: Report


class Day(PublishInput, EditOutput, AllocateOutput, PublishOutput):
    """The state of a run."""


class PartInput(DayInput):
    """A repository to be read by itself."""

    beside: tuple[RepoSpec, ...]  # The other repositories of the edition


class PartShares(SharesInput):
    """What is sent to the repository of a part."""

    beside: tuple[RepoSpec, ...]


class PartState(PartInput, EditOutput, AllocateOutput, AnalysisOutput):
    """The state of a part."""

    collected: Annotated[dict[RepoId, Collected], or_]
    chapters: Annotated[dict[RepoId, Chapter], or_]
    failures: Annotated[list[Failure], add]


class EditionInput(ChaptersInput):
    """The parts of an edition, and what is missing of it."""

    failures: Annotated[list[Failure], add]
    refused: Annotated[list[Refused], add]


# ---------------------------------------------------------------- one repository


class CloseReading(Frozen):
    """Which commits were read in depth, and what is known of the day's commits since then."""

    deep: tuple[str, ...] = ()
    background: tuple[str, ...] = ()  # Commits of earlier days that today's undo or bring back
    ranking: tuple[Triage, ...] = ()  # All commits whose diffs were read, heaviest first
    reverted: dict[EvidenceId, EvidenceId] = Field(default_factory=dict)
    """Which commit undid which."""
    links: tuple[Link, ...] = ()
    earlier_issues: tuple[Issue, ...] = ()  # Issues of earlier days that a link names
    templates: tuple[str, ...] = ()
    """The forms that the repository asks authors of pull requests to fill in."""


class ReadingInput(TypedDict):
    """What names the evidence that was read of a repository's day."""

    window: Window
    spec: RepoSpec
    first_look: Collected
    reading: CloseReading


class StoriesInput(ReadingInput):
    """The same, with the earlier commits that stories rest on."""

    stories: StoriesFound


class MaterialInput(StoriesInput):
    """The same, with the relations that were admitted: all that sentences are written from."""

    related: list[Related]


class RepositoryInput(TypedDict):
    """What is known of a repository when its part of the report begins."""

    window: Window
    spec: RepoSpec
    first_look: Collected
    edited: Edited  # Where its commits stand
    share: ExplainingShare  # Which of them are read in depth, and which get one sentence
    beside: tuple[RepoSpec, ...]
    """The other repositories of the report; where there are none, the brief sums this one up."""


class RepositoryStepInput(RepositoryInput):
    """What every step of a repository is given; one whose code could not be read does nothing."""

    failures: Annotated[list[Failure], add]


class StudyOutput(TypedDict):
    """What the close reading found."""

    reading: CloseReading


class ConnectInput(RepositoryStepInput, StudyOutput):
    """A repository whose commits were read."""


class ConnectOutput(TypedDict):
    """The stories that the day's commits belong to, and earlier commits that they may go on with."""

    stories: StoriesFound


class RelateInput(ConnectInput, ConnectOutput):
    """A repository whose stories were found."""


class RelateOutput(TypedDict):
    """What commits have to do with what they name, as a model said and a judge admitted."""

    related: list[Related]
    refused: Annotated[list[Refused], add]
    account: Annotated[Account, add]


class WriteFactsInput(RelateInput):
    """A repository whose commits were related to what they name."""

    related: list[Related]


class WriteFactsOutput(TypedDict):
    """What code says, and which commits a model shall explain."""

    facts: list[Claim]
    stories: StoriesFound
    waiting: list[Task]  # Commits that are not explained yet
    tasks: list[Task]  # What is written now


class TellStoriesInput(WriteFactsInput):
    """A repository whose facts are written, and whose stories are told."""

    facts: list[Claim]


class TellStoriesOutput(TypedDict):
    """The stories with their paragraphs, what of them was refused, and what it cost."""

    stories: StoriesFound
    refused: Annotated[list[Refused], add]
    account: Annotated[Account, add]


class NextTasksInput(RepositoryStepInput):
    """What is not written yet."""

    waiting: list[Task]
    tasks: list[Task]


class NextTasksOutput(TypedDict):
    """What is written next; nothing where everything is written."""

    waiting: list[Task]
    tasks: list[Task]


class ExplainInput(WriteFactsInput):
    """What a model is to write about."""

    tasks: list[Task]


class FileInput(WriteFactsInput, AnalysisOutput):
    """Everything that a repository's part of the report consists of."""

    facts: list[Claim]


class ChapterOutput(TypedDict):
    """A repository's part of the report."""

    chapters: Annotated[dict[RepoId, Chapter], or_]


class RepositoryOutput(ChapterOutput):
    """What a repository hands to the report."""

    failures: Annotated[list[Failure], add]
    refused: Annotated[list[Refused], add]


class RepositoryState(FileInput, RepositoryOutput):
    """The state of a repository's part of a run."""

    waiting: list[Task]
    tasks: list[Task]


# ---------------------------------------------------------------- sentences of a model


class AnalysisInput(TypedDict):
    """What to write about: commits of a repository, or sentences to sum up, which need none."""

    tasks: list[Task]
    repository: MaterialInput | None


class LookedUpInput(AnalysisInput):
    """The same, with what was looked up for each task, the newest last."""

    looked_up: Annotated[dict[str, tuple[LookUp, ...]], or_]


class LookInput(LookedUpInput):
    """The same, with what writers and tools have said to each other, by task."""

    conversations: Annotated[dict[str, list[AnyMessage]], or_]


class LookOutput(TypedDict):
    """The conversations in which writers were asked again."""

    conversations: Annotated[dict[str, list[AnyMessage]], or_]
    account: Annotated[Account, add]


class LookUpOutput(LookOutput):
    """The conversations with the answers of the tools, and what these showed."""

    looked_up: Annotated[dict[str, tuple[LookUp, ...]], or_]


class SentencesInput(TypedDict):
    """Sentences on their way; what they are about is in the rest of the state."""

    sentences: Sentences


class CheckOutput(TypedDict):
    """Sentences on their way."""

    sentences: Sentences


class SentencesOutput(CheckOutput):
    """Sentences on their way, and what the last step cost."""

    account: Annotated[Account, add]


class JudgeOutput(SentencesOutput, total=False):
    """The same, with what the judge looked up; a judge that cannot look further has none."""

    looked_up: Annotated[dict[str, tuple[LookUp, ...]], or_]


class AnalysisState(LookInput, AnalysisOutput):
    """Tasks, and the sentences that are written about them."""

    sentences: Sentences


class SettleOutput(TypedDict):
    """What may be published of a model's sentences, and what may not."""

    analysis: Annotated[list[Claim], add]
    refused: Annotated[list[Refused], add]
