"""The endpoints for issues: lists, single threads, comments, events and timelines."""

from collections.abc import Callable
from typing import Any

from evals.github_server import paging
from evals.github_server.hub import Hosted, Thread
from evals.github_server.shapes import Call, label, login, node_id
from evals.github_server.wire import (
    Answer,
    Json,
    http_date,
    invalid,
    maybe_stamp,
    parse_time,
    stamp,
)
from evals.worlds.model import Comment, Event, Issue, Pull

_KINDS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
# What only the timeline tells; `events` leaves it out.
_TIMELINE_ONLY = ("cross-referenced", "commented", "committed", "reviewed")

_ORDERS: dict[str, Callable[[Thread], Any]] = {
    "created": lambda thread: thread.created_at.timestamp(),
    "updated": lambda thread: thread.updated_at.timestamp(),
    "comments": lambda thread: len(thread.comments),
}


def thread_id(hosted: Hosted, number: int) -> int:
    """Give a thread a number that no thread of another repository has."""
    return hosted.repo.id * 1_000_000 + number


def _reactions(url: str, count: int) -> Json:
    return {"url": f"{url}/reactions", "total_count": count, **dict.fromkeys(_KINDS, 0), "+1": count}


def issue(call: Call, thread: Thread) -> Json:
    """Show an issue, or a pull request as the issue that it also is."""
    url, is_pull = f"{call.here}/issues/{thread.number}", isinstance(thread, Pull)
    identifier = thread_id(call.hosted, thread.number)
    shown: Json = {
        "url": url,
        "repository_url": call.here,
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": f"{call.there}/{'pull' if is_pull else 'issues'}/{thread.number}",
        "id": identifier,
        "node_id": node_id("PullRequest" if is_pull else "Issue", identifier),
        "number": thread.number,
        "title": thread.title,
        "user": login(call, thread.author),
        "labels": [label(call, name) for name in thread.labels],
        "state": thread.state,
        "locked": False,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": len(thread.comments),
        "created_at": stamp(thread.created_at),
        "updated_at": stamp(thread.updated_at),
        "closed_at": maybe_stamp(thread.closed_at),
        "author_association": "CONTRIBUTOR",
        "active_lock_reason": None,
        "body": thread.body or None,
        "reactions": _reactions(url, thread.reactions),
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": None,
        "state_reason": thread.state_reason if isinstance(thread, Issue) else None,
    }
    if isinstance(thread, Pull):
        page = f"{call.there}/pull/{thread.number}"
        shown["draft"] = False
        shown["pull_request"] = {
            "url": f"{call.here}/pulls/{thread.number}",
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": maybe_stamp(thread.merged_at),
        }
    return shown


def _choice(call: Call, name: str, allowed: tuple[str, ...], default: str) -> str:
    value = call.request.query.get(name) or default
    if value not in allowed:
        raise invalid("Issue", name)
    return value


def list_issues(call: Call) -> Answer:
    """`GET issues`: issues and pull requests together; `since` is about the last update."""
    state = _choice(call, "state", ("open", "closed", "all"), "open")
    order = _ORDERS[_choice(call, "sort", tuple(_ORDERS), "created")]
    newest_first = _choice(call, "direction", ("asc", "desc"), "desc") == "desc"
    query = call.request.query
    labels = {name for name in query.get("labels", "").split(",") if name}
    since = parse_time(query["since"], "Issue", "since") if query.get("since") else None
    creator = query.get("creator")
    chosen = [
        thread
        for thread in call.hosted.living()
        if state in ("all", thread.state)
        and (since is None or thread.updated_at >= since)
        and labels <= set(thread.labels)
        and (creator is None or (thread.author or "ghost").lower() == creator.lower())
    ]
    chosen.sort(key=lambda thread: (order(thread), thread.number), reverse=newest_first)
    part, headers = paging.listed_deep(
        call.request, call.address, chosen, lambda thread: [order(thread), thread.number], call.depth
    )
    return Answer.json([issue(call, thread) for thread in part], headers=headers)


def get_issue(call: Call) -> Answer:
    """`GET issues/{n}`: one issue or pull request; a deleted one is gone (410)."""
    thread = call.hosted.thread(int(call.args["number"]))
    closers = [event.actor for event in thread.events if event.kind == "closed"]
    closed_by = login(call, closers[-1]) if closers and thread.state == "closed" else None
    headers = {"Last-Modified": http_date(thread.updated_at)}
    return Answer.json(issue(call, thread) | {"closed_by": closed_by}, headers=headers, changed=thread.updated_at)


def comment(call: Call, thread: Thread, found: Comment) -> Json:
    """Show a comment."""
    url = f"{call.here}/issues/comments/{found.id}"
    kind = "pull" if isinstance(thread, Pull) else "issues"
    return {
        "url": url,
        "html_url": f"{call.there}/{kind}/{thread.number}#issuecomment-{found.id}",
        "issue_url": f"{call.here}/issues/{thread.number}",
        "id": found.id,
        "node_id": node_id("IssueComment", found.id),
        "user": login(call, found.author),
        "created_at": stamp(found.created_at),
        "updated_at": stamp(found.created_at),
        "author_association": "CONTRIBUTOR",
        "body": found.body,
        "reactions": _reactions(url, 0),
        "performed_via_github_app": None,
    }


def list_comments(call: Call) -> Answer:
    """`GET issues/{n}/comments`: oldest first."""
    thread = call.hosted.thread(int(call.args["number"]))
    since = call.request.query.get("since")
    start = parse_time(since, "IssueComment", "since") if since else None
    comments = [found for found in thread.comments if start is None or found.created_at >= start]
    part, headers = paging.listed(call.request, call.address, sorted(comments, key=lambda found: found.id))
    return Answer.json([comment(call, thread, found) for found in part], headers=headers)


def event(call: Call, found: Event) -> Json:
    """Show an entry of a timeline."""
    if found.kind == "cross-referenced":
        return _cross_reference(call, found)
    commit = found.commit
    shown: Json = {
        "id": found.id,
        "node_id": node_id("Event", found.id),
        "url": f"{call.here}/issues/events/{found.id}",
        "actor": login(call, found.actor),
        "event": found.kind,
        "commit_id": commit,
        "commit_url": f"{call.here}/commits/{commit}" if commit else None,
        "created_at": stamp(found.at),
        "performed_via_github_app": None,
    }
    if found.kind in ("closed", "reopened"):
        shown["state_reason"] = found.state_reason
    if found.label is not None:
        shown["label"] = {key: label(call, found.label)[key] for key in ("name", "color")}
    return shown


def _cross_reference(call: Call, found: Event) -> Json:
    source: Json = {"type": "issue"}
    known = call.hub.thread(*found.source) if found.source else None
    if known is not None:
        other = Call(call.request, call.hub, known[0], call.api, call.web, "", {})
        source["issue"] = issue(other, known[1]) | {"repository": other.repository}
    return {
        "actor": login(call, found.actor),
        "created_at": stamp(found.at),
        "updated_at": stamp(found.at),
        "source": source,
        "event": "cross-referenced",
    }


def list_events(call: Call) -> Answer:
    """`GET issues/{n}/events`: what happened to a thread, without comments and mentions elsewhere."""
    thread = call.hosted.thread(int(call.args["number"]))
    events = sorted((e for e in thread.events if e.kind not in _TIMELINE_ONLY), key=lambda e: (e.at, e.id))
    part, headers = paging.listed(call.request, call.address, events)
    return Answer.json([event(call, found) for found in part], headers=headers)


def list_timeline(call: Call) -> Answer:
    """`GET issues/{n}/timeline`: events and comments in the order they happened."""
    thread = call.hosted.thread(int(call.args["number"]))
    items: list[Event | Comment] = [*thread.events, *thread.comments]
    items.sort(key=lambda item: (item.at if isinstance(item, Event) else item.created_at, item.id))
    part, headers = paging.listed(call.request, call.address, items)
    return Answer.json([_item(call, thread, item) for item in part], headers=headers)


def _item(call: Call, thread: Thread, item: Event | Comment) -> Json:
    if isinstance(item, Event):
        return event(call, item)
    return comment(call, thread, item) | {"event": "commented", "actor": login(call, item.author)}


def list_labels(call: Call) -> Answer:
    """`GET labels`: every label in use."""
    names = sorted({name for thread in call.hosted.living() for name in thread.labels})
    part, headers = paging.listed(call.request, call.address, names)
    return Answer.json([label(call, name) for name in part], headers=headers)
