"""The REST endpoints for threads: issues, comments, pull requests and releases."""

from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from evals.github_server.repositories import Call, Thread
from evals.github_server.responses import Json, Refusal, json_response, not_found, paged, paged_deep, parse_time, stamp
from evals.worlds.model import Comment, Issue, Pull, Release

_STATES = ("open", "closed", "all")
_ORDERS: dict[str, Callable[[Thread], Any]] = {
    "created": lambda thread: thread.created_at.timestamp(),
    "updated": lambda thread: thread.updated_at.timestamp(),
}


def _account_json(login: str | None) -> Json:
    # Accounts that were deleted are all shown as this one.
    return {"login": "ghost" if login is None else login}


def _thread_json(thread: Thread) -> Json:
    return {
        "number": thread.number,
        "title": thread.title,
        "body": thread.body or None,
        "state": thread.state,
        "user": _account_json(thread.author),
        "labels": [{"name": name} for name in thread.labels],
        "created_at": stamp(thread.created_at),
        "updated_at": stamp(thread.updated_at),
        "closed_at": stamp(thread.closed_at),
    }


def _issue_json(call: Call, thread: Thread) -> Json:
    """Show an issue, or a pull request as the issue that it also is."""
    shown = _thread_json(thread) | {
        "url": f"{call.here}/issues/{thread.number}",
        "repository_url": call.here,
        "comments": len(thread.comments),
        "reactions": {"total_count": thread.reactions},
        "state_reason": thread.state_reason if isinstance(thread, Issue) else None,
    }
    if isinstance(thread, Pull):
        shown["pull_request"] = {"url": f"{call.here}/pulls/{thread.number}", "merged_at": stamp(thread.merged_at)}
    return shown


def list_issues(call: Call) -> Response:
    """`GET issues`: issues and pull requests together; `since` is about the last update."""
    state, sort = call.query("state") or "open", call.query("sort") or "created"
    direction, since = call.query("direction") or "desc", call.query("since")
    if state not in _STATES or sort not in _ORDERS or direction not in ("asc", "desc"):
        raise Refusal(422, "Validation Failed")
    start = parse_time(since) if since else None

    def key(thread: Thread) -> list[Any]:
        return [_ORDERS[sort](thread), thread.number]

    chosen = [
        thread
        for thread in call.repository.threads()
        if state in ("all", thread.state) and (start is None or thread.updated_at >= start)
    ]
    chosen.sort(key=key, reverse=direction == "desc")
    part, headers = paged_deep(call.request, call.address, chosen, key)
    return json_response([_issue_json(call, thread) for thread in part], headers=headers)


def get_issue(call: Call) -> Response:
    """`GET issues/{n}`: one issue or pull request."""
    return json_response(_issue_json(call, call.repository.thread(call.number())))


def list_comments(call: Call) -> Response:
    """`GET issues/{n}/comments`: oldest first."""
    comments = sorted(call.repository.thread(call.number()).comments, key=lambda found: found.id)
    part, headers = paged(call.request, call.address, comments)
    return json_response([_comment_json(found) for found in part], headers=headers)


def _comment_json(found: Comment) -> Json:
    return {
        "id": found.id,
        "user": _account_json(found.author),
        "body": found.body,
        "created_at": stamp(found.created_at),
        "updated_at": stamp(found.created_at),
    }


def get_pull(call: Call) -> Response:
    """`GET pulls/{n}`: one pull request; REST does not tell which issues it closes."""
    pull = call.repository.thread(call.number())
    if not isinstance(pull, Pull):
        raise not_found()
    body = _thread_json(pull) | {
        "url": f"{call.here}/pulls/{pull.number}",
        "merged": pull.merged_at is not None,
        "merged_at": stamp(pull.merged_at),
        "merge_commit_sha": pull.merge_commit,
        "base": {"ref": pull.base},
        "head": {"ref": pull.head_ref, "sha": pull.head_sha},
    }
    return json_response(body)


def list_releases(call: Call) -> Response:
    """`GET releases`: published ones only; tags without a release are not listed."""
    part, headers = paged(call.request, call.address, call.repository.releases())
    return json_response([_release_json(found) for found in part], headers=headers)


def _release_json(found: Release) -> Json:
    return {
        "id": found.id,
        "tag_name": found.tag,
        "name": found.name,
        "body": found.body,
        "author": _account_json(found.author),
        "draft": found.draft,
        "prerelease": found.prerelease,
        "created_at": stamp(found.created_at),
        "published_at": stamp(found.published_at),
    }
