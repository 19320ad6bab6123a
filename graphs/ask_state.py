"""The state of `ask`: types for the input and output of each step of a question."""

from operator import add
from typing import Annotated

from langchain_core.messages import AnyMessage
from langgraph.graph import add_messages
from typing_extensions import TypedDict

from agent.domain.account import Account
from agent.domain.affected_versions import Affected
from agent.domain.base import RepoId
from agent.domain.commits import Commit
from agent.domain.evidence import Citable
from agent.domain.evidence_id import EvidenceId
from agent.domain.window import Window
from agent.questions_and_replies import Hit, Query, Reply, Searched
from agent.writing.tasks import Sentences


class AskInput(TypedDict):
    """A question, and what of its conversation comes before it."""

    question: str
    history: list[AnyMessage]  # What was asked and answered before
    earlier_cites: list[EvidenceId]  # What earlier answers cite, the last one's first
    recent_cites: list[EvidenceId]  # What the last two of them cite
    turn: int  # How many questions of the conversation were answered before


class SearchPlanOutput(TypedDict):
    """The searches that a model asks for; none without a model."""

    searches: list[str]
    goes_on: bool | None  # Whether the question goes on with the conversation; None if unknown


class RetrieveInput(AskInput, SearchPlanOutput):
    """A question, and what to search for beside its own words."""


class RetrieveOutput(TypedDict):
    """The evidence, and the message with which a model begins; no message without a model."""

    query: Query
    window: Window
    hits: list[Hit]
    releases: dict[
        EvidenceId, EvidenceId
    ]  # The first release that contains each of the best commits
    affected: dict[EvidenceId, Affected]  # The versions with the faults that the best commits mend
    searched: list[Searched]
    evidence: dict[EvidenceId, Citable]  # What was read for the question, by its names
    notes: dict[EvidenceId, str]  # What code knows of pieces of evidence beside their text
    handles: dict[str, EvidenceId]
    landed: dict[RepoId, list[Commit]]  # What tools can show; empty until they are offered
    messages: Annotated[list[AnyMessage], add_messages]
    sentences: Sentences
    nearest: list[EvidenceId] | None
    """What comes nearest where the model abstains; None where it answers."""
    corrects: bool  # Whether the model says that the question takes for granted what is not so
    absent: list[str]  # What the model says that nothing mentions; code looks it up
    trouble: str  # Why the model did not answer


class AskState(RetrieveInput, RetrieveOutput):
    """The state of a question."""

    account: Annotated[Account, add]  # What the judge was paid
    reply: Reply


class TargetInput(AskInput):
    """The evidence that an answer is written about."""

    query: Query
    searched: list[Searched]
    evidence: dict[EvidenceId, Citable]
    notes: dict[EvidenceId, str]
    handles: dict[str, EvidenceId]
    nearest: list[EvidenceId] | None
    corrects: bool


class QuestionReadInput(AskInput):
    """The conversation with the tools so far."""

    query: Query
    window: Window
    searched: list[Searched]
    handles: dict[str, EvidenceId]
    landed: dict[RepoId, list[Commit]]
    messages: Annotated[list[AnyMessage], add_messages]


class QuestionReadOutput(TypedDict):
    """The message of the model, and the evidence that the tools can show."""

    messages: Annotated[list[AnyMessage], add_messages]
    landed: dict[RepoId, list[Commit]]


class QuestionToolsInput(QuestionReadInput):
    """The conversation with the tools, and what was read so far."""

    evidence: dict[EvidenceId, Citable]
    notes: dict[EvidenceId, str]


class QuestionToolsOutput(TypedDict):
    """The answers of the tools, and the evidence that they showed, each piece under a handle."""

    messages: Annotated[list[AnyMessage], add_messages]
    evidence: dict[EvidenceId, Citable]
    notes: dict[EvidenceId, str]
    handles: dict[str, EvidenceId]


class AnswerInput(TargetInput):
    """Everything that was read for a question."""

    messages: Annotated[list[AnyMessage], add_messages]


class AnswerOutput(TypedDict):
    """The answer of the model, and the evidence by the handles that the model was given."""

    handles: dict[str, EvidenceId]
    evidence: dict[EvidenceId, Citable]
    sentences: Sentences
    nearest: list[EvidenceId] | None
    corrects: bool
    absent: list[str]
    trouble: str


class ReplyInput(AskInput):
    """Everything that a reply consists of."""

    account: Annotated[Account, add]
    query: Query
    hits: list[Hit]
    releases: dict[EvidenceId, EvidenceId]
    affected: dict[EvidenceId, Affected]
    searched: list[Searched]
    evidence: dict[EvidenceId, Citable]
    messages: Annotated[list[AnyMessage], add_messages]
    sentences: Sentences
    nearest: list[EvidenceId] | None
    absent: list[str]
    trouble: str


class ReplyOutput(TypedDict):
    """The reply."""

    reply: Reply
