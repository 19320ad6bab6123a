"""What all GraphQL nodes share: how they find one another, and the accounts behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

from graphql import GraphQLError

from evals.github_server.connection import Connection
from evals.github_server.cost import Cost
from evals.github_server.hub import Hosted, Hub, Thread, number_of
from evals.github_server.limits import Meter
from evals.github_server.shapes import node_id
from evals.worlds.model import Pull, User


class Nodes(Protocol):
    """Makes nodes; code and threads name each other, and neither has to know how the other is shown."""

    def repository(self, context: "Context", hosted: Hosted) -> Any:
        """Show a repository."""
        ...

    def commit(self, context: "Context", hosted: Hosted, sha: str | None) -> Any:
        """Show a commit; None if it is not there."""
        ...

    def thread(self, context: "Context", hosted: Hosted, thread: Thread) -> Any:
        """Show an issue or pull request."""
        ...

    def issues(self, context: "Context", hosted: Hosted, **arguments: Any) -> Connection:
        """List the issues of a repository."""
        ...

    def pulls(self, context: "Context", hosted: Hosted, chosen: Sequence[Pull], **arguments: Any) -> Connection:
        """List some pull requests of a repository."""
        ...


@dataclass(frozen=True)
class Context:
    """What every node needs."""

    hub: Hub
    web: str
    cost: Cost
    meter: Meter
    nodes: Nodes


def missing(kind: str, what: str) -> GraphQLError:
    """Say that something is not there; the field becomes null and the rest of the query is answered."""
    return GraphQLError(f"Could not resolve to {kind} with the {what}.", extensions={"type": "NOT_FOUND"})


class Actor:
    """An account."""

    def __init__(self, context: Context, person: User) -> None:
        self.typename = "Bot" if person.bot else "User"
        # GraphQL names apps without the suffix that REST has.
        self.login = person.login.removesuffix("[bot]") if person.bot else person.login
        self.name = person.name
        self.id = node_id("User", number_of(person.login))
        self.url = f"{context.web}/{quote(person.login)}"


def actor(context: Context, login: str | None) -> Actor | None:
    """Find an account; a deleted one is null here."""
    return None if login is None else Actor(context, context.hub.person(login))


def place(thread: Thread, order: dict[str, str]) -> tuple[float, int]:
    """Tell where a thread stands in the order that was asked for."""
    if order["field"] == "COMMENTS":
        return len(thread.comments), thread.number
    moment = thread.updated_at if order["field"] == "UPDATED_AT" else thread.created_at
    return moment.timestamp(), thread.number
