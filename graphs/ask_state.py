"""The state of a question on its way: the conversation, which is kept, and this question, which is not."""

from typing import Annotated, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.channels import UntrackedValue
from langgraph.graph import add_messages
from typing_extensions import TypedDict

from agent.analysts.tasks import Sentences
from agent.asking.query import Hit, Query
from agent.asking.reply import Reply, Searched
from agent.evidence import EvidenceId
from agent.window import Window


class AskInput(TypedDict):
    """What is asked, and by which version: a thread that another one wrote is not gone on with."""

    question: str
    version: NotRequired[int]


class AskState(AskInput, total=False):
    """A conversation, which is kept, and a question on its way, which is not."""

    messages: Annotated[list[AnyMessage], add_messages]
    cites: list[EvidenceId]
    """What the last answer cites."""
    turns: list[str]
    query: Annotated[Query, UntrackedValue]
    window: Annotated[Window, UntrackedValue]
    hits: Annotated[list[Hit], UntrackedValue]
    searched: Annotated[list[Searched], UntrackedValue]
    handles: Annotated[dict[str, EvidenceId], UntrackedValue]
    sentences: Annotated[Sentences, UntrackedValue]
    nearest: Annotated[list[EvidenceId] | None, UntrackedValue]
    """What comes nearest where the model abstains; None where it answers."""
    trouble: Annotated[str, UntrackedValue]
    """Why the model did not answer."""
    reply: Annotated[Reply, UntrackedValue]
