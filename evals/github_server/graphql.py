"""GraphQL: the part of GitHub's schema that our documents ask for, answered from plain dictionaries.

A value that is a function is called when a query asks for its field, with the field's arguments.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import graphql as gql
from starlette.responses import Response

from evals.github_server.repositories import Hub, ServedRepository
from evals.github_server.responses import EXHAUSTED, Json, Meter, Refusal, json_response, stamp
from evals.worlds.model import Pull, TimelineEvent, WorldComment, WorldIssue, WorldThread

_MAX_PAGE = 100
_MAX_TEXT = 512_000  # GitHub cuts the text of a blob after so many bytes
_SNIFFED = 8_000
_SCHEMA = Path(__file__).with_name("schema.graphql")


@cache
def schema() -> gql.GraphQLSchema:
    """Build our part of GitHub's schema, once."""
    return gql.build_schema(_SCHEMA.read_text(encoding="utf-8"))


def answer(hub: Hub, content: bytes, meter: Meter) -> Response:
    """Answer a query of a client that is allowed to ask; almost everything is a 200."""
    if meter.used >= meter.limit:
        return json_response({"errors": [{"type": "RATE_LIMITED", "message": EXHAUSTED}]})
    query, variables = _read(content)
    meter.charge()
    result = gql.graphql_sync(schema(), query, _Nodes(hub), variable_values=variables)
    errors = result.errors or []
    for error in errors:
        # A bug of ours must not pass for an answer.
        if error.original_error is not None and not isinstance(
            error.original_error, gql.GraphQLError
        ):
            raise error.original_error
    body: Json = {} if result.data is None and errors else {"data": result.data}
    return json_response(
        body | ({"errors": [_error_json(error) for error in errors]} if errors else {})
    )


def _read(content: bytes) -> tuple[str, Json]:
    try:
        body = json.loads(content)
    except ValueError as error:
        raise Refusal(400, "Problems parsing JSON") from error
    query, variables = (
        (body.get("query"), body.get("variables")) if isinstance(body, dict) else (None, None)
    )
    if not isinstance(query, str):
        raise Refusal(400, "A query attribute must be specified and must be a string.")
    return query, variables if isinstance(variables, dict) else {}


def _error_json(error: gql.GraphQLError) -> Json:
    # GitHub tells the kind of an error beside its message, not in the extensions.
    shown: Json = dict(error.formatted)
    return dict(shown.pop("extensions", None) or {}) | shown


def _missing(kind: str, what: str) -> gql.GraphQLError:
    """Say that something is not there; the field becomes null and the rest of the query is answered."""
    return gql.GraphQLError(
        f"Could not resolve to {kind} with the {what}.", extensions={"type": "NOT_FOUND"}
    )


def _connection(items: Sequence[Any], show: Callable[[Any], Json | None]) -> Callable[..., Json]:
    """Make a list that a query pages through with `first` or `last`, at most a hundred at a time."""

    def page(_: Any, first: int | None = None, last: int | None = None, **__: Any) -> Json:
        size = first if first is not None else last
        if size is None or not 1 <= size <= _MAX_PAGE:
            message = f"You must provide a `first` or `last` value from 1 to {_MAX_PAGE} to properly paginate."
            raise gql.GraphQLError(message, extensions={"type": "EXCESSIVE_PAGINATION"})
        part = items[:size] if first is not None else items[-size:]
        return {"totalCount": len(items), "nodes": [show(item) for item in part]}

    return page


class _Nodes:
    """Shows the repositories of a hub, and from there everything that a query can reach."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def repository(self, _: Any, owner: str, name: str, **__: Any) -> Json:
        """Find a repository; by a former name too."""
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
        found = repository.find(number)
        if not isinstance(found, kind):
            raise _missing("a PullRequest" if kind is Pull else "an Issue", f"number of {number}")
        return self._thread(repository, found)

    def _object(
        self, repository: ServedRepository, oid: str | None = None, expression: str | None = None
    ) -> Json | None:
        """Find a commit, or the file that a commit has at a path; what is not there is null without an error."""
        revision, colon, path = (oid or expression or "").partition(":")
        if not colon:
            return self._commit(repository, revision)
        commit = repository.git.resolve(revision)
        found = repository.git.file(commit.sha, path) if commit else None
        if found is None:
            return None
        sha, content = found
        text = None if b"\0" in content[:_SNIFFED] else _decoded(content)
        return {"__typename": "Blob", "oid": sha, "text": text, "repository": _name(repository)}

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
        own = (
            self._pull(repository, thread)
            if isinstance(thread, Pull)
            else self._issue(repository, thread)
        )
        return own | {
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
        closer = {"closer": lambda _: self._closer(repository, event)}
        return {"__typename": "ClosedEvent", "createdAt": stamp(event.at), **closer}

    def _closer(self, repository: ServedRepository, event: TimelineEvent) -> Json | None:
        """Show what closed an issue: a pull request, a commit of any repository, or a person's hand (null)."""
        found = self._hub.thread(*event.source) if event.source else None
        if found is not None and isinstance(found[1], Pull):
            return self._thread(*found)
        commits = (self._commit(other, event.commit) for other in (repository, *self._hub))
        return next((commit for commit in commits if commit is not None), None)

    def _pull(self, repository: ServedRepository, pull: Pull) -> Json:
        closed = [self._hub.thread(*name) for name in pull.closes]
        issues = [pair for pair in closed if pair is not None and isinstance(pair[1], WorldIssue)]
        named = [event for event in pull.events if event.kind == "cross-referenced"]
        sources = [
            found for one in named if one.source and (found := self._hub.thread(*one.source))
        ]
        return {
            "__typename": "PullRequest",
            "state": "MERGED" if pull.merged_at else pull.state.upper(),
            "mergedAt": stamp(pull.merged_at),
            "baseRefName": pull.base,
            "mergeCommit": lambda _: self._commit(repository, pull.merge_commit),
            "closingIssuesReferences": _connection(issues, lambda pair: self._thread(*pair)),
            "timelineItems": _connection(sources, self._naming),
        }

    def _naming(self, source: tuple[ServedRepository, WorldThread]) -> Json:
        return {"__typename": "CrossReferencedEvent", "source": lambda _: self._thread(*source)}


def _name(repository: ServedRepository) -> Json:
    return {"nameWithOwner": repository.full_name}


def _comment(said: WorldComment) -> Json:
    return {"author": _actor(said.author), "body": said.body, "createdAt": stamp(said.created_at)}


def _actor(login: str | None) -> Json | None:
    """Show an account; a deleted one is null here, and apps lack the suffix that REST gives them."""
    if login is None:
        return None
    return {
        "__typename": "Bot" if login.endswith("[bot]") else "User",
        "login": login.removesuffix("[bot]"),
    }


def _decoded(content: bytes) -> str:
    """Write text as UTF-8, as GitHub does whatever it was written in."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return content[:_MAX_TEXT].decode("latin-1")
    # A cut may go through the middle of a character.
    return content[:_MAX_TEXT].decode("utf-8", "ignore")
