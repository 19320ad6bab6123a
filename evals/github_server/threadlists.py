"""The lists of threads that a GraphQL query can ask for, filtered and ordered."""

from collections.abc import Sequence
from typing import Any

from evals.github_server.connection import Connection
from evals.github_server.hub import Hosted
from evals.github_server.nodes import Context, place
from evals.github_server.threadnodes import IssueNode, PullNode
from evals.github_server.wire import parse_time
from evals.worlds.model import Issue, Pull

_OLDEST_FIRST = {"field": "CREATED_AT", "direction": "ASC"}


def list_issues(
    context: Context,
    hosted: Hosted,
    *,
    filter_by: dict[str, Any] | None = None,
    labels: list[str] | None = None,
    states: list[str] | None = None,
    order_by: dict[str, str] | None = None,
    **page: Any,
) -> Connection:
    """List the issues of a repository, without pull requests."""
    filters, order = filter_by or {}, order_by or _OLDEST_FIRST
    states, labels = filters.get("states") or states, filters.get("labels") or labels
    since = parse_time(filters["since"], "Issue", "since") if filters.get("since") else None
    author = filters.get("createdBy")
    chosen = [
        thread
        for thread in hosted.living()
        if isinstance(thread, Issue)
        and (not states or thread.state.upper() in states)
        and (not labels or set(labels) & set(thread.labels))
        and (since is None or thread.updated_at >= since)
        and (author is None or thread.author == author)
    ]
    chosen.sort(key=lambda thread: place(thread, order), reverse=order["direction"] == "DESC")
    return Connection(chosen, lambda thread: IssueNode(context, hosted, thread), **page)


def list_pulls(
    context: Context,
    hosted: Hosted,
    chosen: Sequence[Pull],
    *,
    labels: list[str] | None = None,
    states: list[str] | None = None,
    order_by: dict[str, str] | None = None,
    base_ref_name: str | None = None,
    head_ref_name: str | None = None,
    **page: Any,
) -> Connection:
    """List some pull requests of a repository."""
    order = order_by or _OLDEST_FIRST
    nodes = [PullNode(context, hosted, pull) for pull in sorted(chosen, key=lambda pull: place(pull, order))]
    wanted = [
        node
        for node in (reversed(nodes) if order["direction"] == "DESC" else nodes)
        if (not states or node.state in states)
        and (not labels or set(labels) & node.label_names)
        and base_ref_name in (None, node.base_ref_name)
        and head_ref_name in (None, node.head_ref_name)
    ]
    return Connection(wanted, lambda node: node, **page)
