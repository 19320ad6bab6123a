"""The state of a run: types for the input and output of each step; the checkpointer stores them.

State holds decisions and small values. Diffs and discussions are not in it: they are evidence,
which the state names by id and the sources return, in a resumed run from the record.
"""

from operator import add, or_
from typing import Annotated

from langchain_core.messages import AnyMessage
from pydantic import Field
from typing_extensions import TypedDict

from agent.domain.account import Account
from agent.domain.base import Frozen, RepoId
from agent.domain.claims import Claim, Refused
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Triage
from agent.domain.links import Link, Related
from agent.domain.look_ups import LookUp
from agent.domain.report import Failure, Report
from agent.domain.threads import Issue
from agent.domain.window import Window
from agent.editor.placements import Edited
from agent.reports.chapter import Chapter
from agent.settings.values import RepoSpec
from agent.stories.timeline import StoriesFound
from agent.triage.allotment import ExplainingShare
from agent.triage.collected_commits import Collected
from agent.writing.tasks import Sentences, Task
from tools.history.cross_repository import Connected

STATE_VERSION = 10
"""Raised when steps hand on something else: a run that was stopped before then is begun anew."""


class AnalysisOutput(TypedDict):
    """The sentences of a model: published ones, refused ones, and their cost."""

    analysis: Annotated[list[Claim], add]
    refused: Annotated[list[Refused], add]
    account: Annotated[Account, add]


# ---------------------------------------------------------------- the day


class DayInput(TypedDict):
    """The repositories and the window to report on."""

    window: Window
    specs: tuple[RepoSpec, ...]


class CollectInput(TypedDict):
    """The repository to take a first look at."""

    window: Window
    spec: RepoSpec


class CollectOutput(TypedDict):
    """The results of a first look, by repository."""

    collected: Annotated[dict[RepoId, Collected], or_]


class CollectedInput(DayInput, CollectOutput):
    """The results of all first looks."""


class EditInput(TypedDict):
    """The repository whose commits get their places."""

    window: Window
    spec: RepoSpec
    first_look: Collected


class EditOutput(TypedDict):
    """The places of the commits, by repository."""

    edited: Annotated[dict[RepoId, Edited], or_]


class AllocateInput(EditOutput):
    """The results of the first looks, and the places of the commits."""

    specs: tuple[RepoSpec, ...]
    collected: Annotated[dict[RepoId, Collected], or_]


class AllocateOutput(TypedDict):
    """The commits of each repository to explain in depth or in short, and those left out."""

    shares: dict[RepoId, ExplainingShare]


class SharesInput(CollectedInput, EditOutput, AllocateOutput):
    """The state that is sent to the repositories that could be read."""


class ChaptersInput(DayInput):
    """The repositories that were read, and their chapters."""

    collected: Annotated[dict[RepoId, Collected], or_]
    chapters: Annotated[dict[RepoId, Chapter], or_]


class TiesOutput(TypedDict):
    """The ties between the repositories."""

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
    """The state that is sent to the repository of a part."""

    beside: tuple[RepoSpec, ...]


class PartState(PartInput, EditOutput, AllocateOutput, AnalysisOutput):
    """The state of a part."""

    collected: Annotated[dict[RepoId, Collected], or_]
    chapters: Annotated[dict[RepoId, Chapter], or_]
    failures: Annotated[list[Failure], add]


class EditionInput(ChaptersInput):
    """The parts of an edition, and its missing repositories."""

    failures: Annotated[list[Failure], add]
    refused: Annotated[list[Refused], add]


# ---------------------------------------------------------------- one repository


class CloseReading(Frozen):
    """The commits that were read in depth, and the day's commits as a close reading shows them."""

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
    """The names of the evidence that was read of a repository's day."""

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
    """The input with which a repository's part of the report begins."""

    window: Window
    spec: RepoSpec
    first_look: Collected
    edited: Edited  # Where its commits stand
    share: ExplainingShare  # Which of them are read in depth, and which get one sentence
    beside: tuple[RepoSpec, ...]
    """The other repositories of the report; where there are none, the brief sums this one up."""


class RepositoryStepInput(RepositoryInput):
    """The input of every step of a repository; without readable code a step does nothing."""

    failures: Annotated[list[Failure], add]


class StudyOutput(TypedDict):
    """The results of the close reading."""

    reading: CloseReading


class ConnectInput(RepositoryStepInput, StudyOutput):
    """A repository whose commits were read."""


class ConnectOutput(TypedDict):
    """The stories that the day's commits belong to, and earlier commits that they may go on with."""

    stories: StoriesFound


class RelateInput(ConnectInput, ConnectOutput):
    """A repository whose stories were found."""


class RelateOutput(TypedDict):
    """The relations of commits that a model named and a judge admitted."""

    related: list[Related]
    refused: Annotated[list[Refused], add]
    account: Annotated[Account, add]


class LookAheadOutput(TypedDict):
    """What writers looked up before relations were known, by task, and what it cost."""

    looked_up: Annotated[dict[str, tuple[LookUp, ...]], or_]
    account: Annotated[Account, add]


class WriteFactsInput(RelateInput):
    """A repository whose commits were related to what they name."""

    related: list[Related]


class WriteFactsOutput(TypedDict):
    """The claims of code, and the commits that a model shall explain."""

    facts: list[Claim]
    stories: StoriesFound
    stories_pending: bool  # Whether the stories are still to be written
    writes_stories: bool  # Whether they are written now
    waiting: list[Task]  # Commits that are not explained yet
    tasks: list[Task]  # What is written now


class WriteStoriesInput(WriteFactsInput):
    """A repository whose facts are written."""

    facts: list[Claim]


class WriteStoriesOutput(TypedDict):
    """The stories with their paragraphs, refused paragraphs, and the cost."""

    stories: StoriesFound
    refused: Annotated[list[Refused], add]
    account: Annotated[Account, add]


class NextTasksInput(RepositoryStepInput):
    """The commits that are not written about yet."""

    waiting: list[Task]
    tasks: list[Task]
    stories_pending: bool


class NextTasksOutput(TypedDict):
    """The tasks to write next; none where everything is written."""

    waiting: list[Task]
    tasks: list[Task]
    stories_pending: bool
    writes_stories: bool


class AfterNextTasksInput(NextTasksInput):
    """What is written next, and whether stories are written beside it."""

    writes_stories: bool


class ExplainInput(WriteFactsInput):
    """The tasks of the model that explains commits, and what their writers have looked up."""

    tasks: list[Task]
    looked_up: Annotated[dict[str, tuple[LookUp, ...]], or_]


class FileInput(WriteFactsInput, AnalysisOutput):
    """Everything that a repository's part of the report consists of."""

    facts: list[Claim]


class ChapterOutput(TypedDict):
    """A repository's part of the report."""

    chapters: Annotated[dict[RepoId, Chapter], or_]


class FileOutput(ChapterOutput):
    """The same, and what an editor said that may not be published."""

    refused: Annotated[list[Refused], add]


class RepositoryOutput(FileOutput):
    """The part of a repository in the report."""

    failures: Annotated[list[Failure], add]


class RepositoryState(FileInput, RepositoryOutput):
    """The state of a repository's part of a run."""

    looked_up: Annotated[dict[str, tuple[LookUp, ...]], or_]
    stories_pending: bool
    writes_stories: bool
    waiting: list[Task]
    tasks: list[Task]


# ---------------------------------------------------------------- sentences of a model


class AnalysisInput(TypedDict):
    """Tasks for a writer: commits of a repository, or published sentences to sum up.

    What was looked up for a task is the newest last; a writer that has looked further before, and
    be it without finding anything, is not asked again whether it wants to.
    """

    tasks: list[Task]
    repository: MaterialInput | None
    looked_up: Annotated[dict[str, tuple[LookUp, ...]], or_]


class LookInput(AnalysisInput):
    """The same, with the conversations of writers and tools, by task."""

    conversations: Annotated[dict[str, list[AnyMessage]], or_]


class LookOutput(TypedDict):
    """The conversations in which writers were asked again."""

    conversations: Annotated[dict[str, list[AnyMessage]], or_]
    account: Annotated[Account, add]


class LookUpOutput(LookOutput):
    """The conversations with the answers of the tools, and what these showed."""

    looked_up: Annotated[dict[str, tuple[LookUp, ...]], or_]


class LookingState(LookInput):
    """Tasks, and the conversations in which their writers look further."""

    account: Annotated[Account, add]


class SentencesInput(TypedDict):
    """Sentences on their way; their subjects are in the rest of the state."""

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
    """The sentences of a model that may be published, and those that may not."""

    analysis: Annotated[list[Claim], add]
    refused: Annotated[list[Refused], add]
