"""GraphQL: the part of GitHub's schema that our documents use, answered from plain dictionaries.

A value that is a function is called when a query asks for its field, with the field's arguments.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import graphql as gql
from starlette.responses import Response

from evals.github_server.http_responses import EXHAUSTED, Json, Meter, Refusal, json_response, stamp
from evals.github_server.repositories import FoundThread, Hub, ServedRepository
from evals.worlds.data_model import Pull, TimelineEvent, WorldComment, WorldIssue, WorldThread

_MAX_PAGE = 100
_MAX_TEXT_BYTES = 512_000  # GitHub truncates the text of a longer blob
_SNIFFED_BYTES = 8_000  # A NUL among them makes a blob binary
_SCHEMA = Path(__file__).with_name("schema.graphql")


@cache
def schema() -> gql.GraphQLSchema:
    """Build our part of GitHub's schema, once."""
    return gql.build_schema(_SCHEMA.read_text(encoding="utf-8"))


class GraphQLQuery(NamedTuple):
    """A query with its variables."""

    document: str
    variables: Json


def answer(hub: Hub, content: bytes, meter: Meter) -> Response:
    """Answer a query of an authenticated client; almost every answer is a 200."""
    if meter.used >= meter.limit:
        return json_response({"errors": [{"type": "RATE_LIMITED", "message": EXHAUSTED}]})
    query = _parse(content)
    meter.charge()
    result = gql.graphql_sync(
        schema(), query.document, _Nodes(hub), variable_values=query.variables
    )
    errors = result.errors or []
    for error in errors:
        _raise_bug(error)
    body: Json = {}
    if result.data is not None or not errors:
        body["data"] = result.data
    if errors:
        body["errors"] = [_error_json(error) for error in errors]
    return json_response(body)


def _parse(content: bytes) -> GraphQLQuery:
    try:
        body = json.loads(content)
    except ValueError as error:
        raise Refusal(400, "Problems parsing JSON") from error
    if not isinstance(body, dict):
        body = {}
    document = body.get("query")
    variables = body.get("variables")
    if not isinstance(document, str):
        raise Refusal(400, "A query attribute must be specified and must be a string.")
    return GraphQLQuery(document, variables if isinstance(variables, dict) else {})


def _raise_bug(error: gql.GraphQLError) -> None:
    """Raise what a resolver raised, unless it meant to: a bug must not pass for an answer."""
    cause = error.original_error
    if cause is not None and not isinstance(cause, gql.GraphQLError):
        raise cause


def _error_json(error: gql.GraphQLError) -> Json:
    # GitHub has the type of an error next to its message, not in the extensions.
    answer: Json = dict(error.formatted)
    extensions = answer.pop("extensions", None) or {}
    return {**extensions, **answer}


def _missing(kind: str, identity: str) -> gql.GraphQLError:
    """Return the error for a missing node; its field becomes null, the rest is answered."""
    message = f"Could not resolve to {kind} with the {identity}."
    return gql.GraphQLError(message, extensions={"type": "NOT_FOUND"})


def _connection(items: Sequence[Any], show: Callable[[Any], Json | None]) -> Callable[..., Json]:
    """Return a list that a query pages through with `first` or `last`, at most 100 at a time."""

    def page(_: Any, first: int | None = None, last: int | None = None, **__: Any) -> Json:
        size = first if first is not None else last
        if size is None or not 1 <= size <= _MAX_PAGE:
            allowed = f"a `first` or `last` value from 1 to {_MAX_PAGE}"
            message = f"You must provide {allowed} to properly paginate."
            raise gql.GraphQLError(message, extensions={"type": "EXCESSIVE_PAGINATION"})
        part = items[:size] if first is not None else items[-size:]
        return {"totalCount": len(items), "nodes": [show(item) for item in part]}

    return page


class _Nodes:
    """The root of all queries: the repositories of a hub and everything below them."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def repository(self, _: Any, owner: str, name: str, **__: Any) -> Json:
        """Return a repository by its name or a former one."""
        repository = self._hub.named(f"{owner}/{name}")
        if repository is None:
            raise _missing("a Repository", f"name '{owner}/{name}'")
        return {
            "nameWithOwner": repository.full_name,
            "issue": lambda _, number: self._numbered(repository, number, WorldIssue),
            "pullRequest": lambda _, number: self._numbered(repository, number, Pull),
            "issueOrPullRequest": lambda _, number: self._numbered(repository, number, WorldThread),
            "object": lambda _, **names: self._object(repository, **names),
        }

    def _numbered(self, repository: ServedRepository, number: int, kind: type[WorldThread]) -> Json:
        thread = repository.find(number)
        if not isinstance(thread, kind):
            raise _missing("a PullRequest" if kind is Pull else "an Issue", f"number of {number}")
        return self._thread(repository, thread)

    def _object(
        self, repository: ServedRepository, oid: str | None = None, expression: str | None = None
    ) -> Json | None:
        """Return a commit, or a file at a commit; a missing one is null without an error."""
        revision, colon, path = (oid or expression or "").partition(":")
        if not colon:
            return self._commit(repository, revision)
        commit = repository.git.resolve(revision)
        file = repository.git.file(commit.sha, path) if commit else None
        if file is None:
            return None
        is_binary = b"\0" in file.content[:_SNIFFED_BYTES]
        return {
            "__typename": "Blob",
            "oid": file.sha,
            "text": None if is_binary else _decoded(file.content),
            "repository": _name(repository),
        }

    def _commit(self, repository: ServedRepository, name: str | None) -> Json | None:
        commit = repository.git.resolve(name) if name else None
        if commit is None:
            return None
        pulls = repository.pulls_of(commit.sha)
        return {
            "__typename": "Commit",
            "oid": commit.sha,
            "repository": _name(repository),
            "associatedPullRequests": _connection(
                pulls, lambda pull: self._thread(repository, pull)
            ),
        }

    def _thread(self, repository: ServedRepository, thread: WorldThread) -> Json:
        return self._fields_of_kind(repository, thread) | {
            "number": thread.number,
            "title": thread.title,
            "body": thread.body,
            "createdAt": stamp(thread.created_at),
            "updatedAt": stamp(thread.updated_at),
            "author": _actor(thread.author),
            "repository": _name(repository),
            "labels": _connection(thread.labels, lambda name: {"name": name}),
            "comments": _connection(thread.comments, _comment),
        }

    def _fields_of_kind(self, repository: ServedRepository, thread: WorldThread) -> Json:
        if isinstance(thread, Pull):
            return self._pull(repository, thread)
        return self._issue(repository, thread)

    def _issue(self, repository: ServedRepository, issue: WorldThread) -> Json:
        closings = [event for event in issue.events if event.kind == "closed"]
        reason = issue.state_reason if isinstance(issue, WorldIssue) else None
        return {
            "__typename": "Issue",
            "state": issue.state.upper(),
            "reactions": {"totalCount": issue.reactions},
            "closedAt": stamp(issue.closed_at),
            "stateReason": reason.upper() if reason else None,
            "timelineItems": _connection(closings, lambda event: self._closing(repository, event)),
        }

    def _closing(self, repository: ServedRepository, event: TimelineEvent) -> Json:
        return {
            "__typename": "ClosedEvent",
            "createdAt": stamp(event.at),
            "closer": lambda _: self._closer(repository, event),
        }

    def _closer(self, repository: ServedRepository, event: TimelineEvent) -> Json | None:
        """Return what closed an issue: a pull request, a commit of any repository, or null."""
        source = self._hub.thread(*event.source) if event.source else None
        if source is not None and isinstance(source.thread, Pull):
            return self._found_thread(source)
        for other in (repository, *self._hub):
            commit = self._commit(other, event.commit)
            if commit is not None:
                return commit
        return None

    def _pull(self, repository: ServedRepository, pull: Pull) -> Json:
        return {
            "__typename": "PullRequest",
            "state": "MERGED" if pull.merged_at else pull.state.upper(),
            "mergedAt": stamp(pull.merged_at),
            "baseRefName": pull.base,
            "mergeCommit": lambda _: self._commit(repository, pull.merge_commit),
            "closingIssuesReferences": _connection(self._closed_issues(pull), self._found_thread),
            "timelineItems": _connection(self._mentions(pull), self._mention),
        }

    def _closed_issues(self, pull: Pull) -> list[FoundThread]:
        issues = []
        for reference in pull.closes:
            closed = self._hub.thread(*reference)
            if closed is not None and isinstance(closed.thread, WorldIssue):
                issues.append(closed)
        return issues

    def _mentions(self, pull: Pull) -> list[FoundThread]:
        """List the threads that mention a pull request."""
        mentions = []
        for event in pull.events:
            if event.kind != "cross-referenced" or not event.source:
                continue
            source = self._hub.thread(*event.source)
            if source is not None:
                mentions.append(source)
        return mentions

    def _found_thread(self, source: FoundThread) -> Json:
        return self._thread(source.repository, source.thread)

    def _mention(self, source: FoundThread) -> Json:
        return {
            "__typename": "CrossReferencedEvent",
            "source": lambda _: self._found_thread(source),
        }


def _name(repository: ServedRepository) -> Json:
    return {"nameWithOwner": repository.full_name}


def _comment(comment: WorldComment) -> Json:
    return {
        "author": _actor(comment.author),
        "body": comment.body,
        "createdAt": stamp(comment.created_at),
    }


def _actor(login: str | None) -> Json | None:
    """Return an account; a deleted one is null here, and apps lack the suffix that REST gives them."""
    if login is None:
        return None
    return {
        "__typename": "Bot" if login.endswith("[bot]") else "User",
        "login": login.removesuffix("[bot]"),
    }


def _decoded(content: bytes) -> str:
    """Decode a text as GitHub does: as UTF-8, else as Latin-1."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return content[:_MAX_TEXT_BYTES].decode("latin-1")
    # The limit may cut through a character.
    return content[:_MAX_TEXT_BYTES].decode("utf-8", "ignore")
