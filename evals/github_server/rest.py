"""The REST endpoints: repository, commits, comparisons, contents, issues, pull requests, releases."""

import json
from collections.abc import Callable, Iterable, Sequence

from starlette.responses import Response

from evals.github_server.git_store import StoredCommit
from evals.github_server.http_responses import (
    Json,
    Refusal,
    json_response,
    not_found,
    parse_time,
    raw_response,
    stamp,
)
from evals.github_server.repositories import RestCall
from evals.worlds.data_model import Pull, WorldComment, WorldIssue, WorldRelease, WorldThread

# GitHub's "repository limits": about so much patch in one answer, and at most so much of one file.
_MAX_FILES = 3000
_MAX_PATCH_BYTES = 1_000_000
_MAX_PATCH_LINES = 20_000
_MAX_FILE_BYTES = 500_000
_MAX_FILE_LINES = 20_000
_FILES_PER_PAGE = 300
_COMPARED_PER_PAGE = 250
_MEDIA = "application/vnd.github."
_MAX_COMMENT_CHARACTERS = 65_536
ACTIONS_BOT = "github-actions[bot]"


def get_repository(call: RestCall) -> Response:
    """`GET /repos/{owner}/{repo}`: the current name and the default branch."""
    repo = call.repository.repo
    body = {
        "id": repo.id,
        "name": repo.name,
        "full_name": repo.full_name,
        "url": call.here,
        "private": False,
        "fork": False,
        "default_branch": repo.default_branch,
    }
    return json_response(body)


def _commit_json(call: RestCall, commit: StoredCommit) -> Json:
    parents = [{"sha": sha, "url": f"{call.here}/commits/{sha}"} for sha in commit.parents]
    return {
        "sha": commit.sha,
        "commit": commit.github_json,
        "url": f"{call.here}/commits/{commit.sha}",
        "parents": parents,
    }


def _commits_json(call: RestCall, shas: Iterable[str]) -> list[Json]:
    commits = []
    for sha in shas:
        commit = call.repository.git.commit(sha)
        if commit is not None:
            commits.append(_commit_json(call, commit))
    return commits


def list_commits(call: RestCall) -> Response:
    """`GET commits`: what a branch or commit reaches, in the order of `git log`."""
    git = call.repository.git
    tip = call.repository.tip
    revision = call.query("sha")
    if revision:
        commit = git.resolve(revision)
        if commit is None:
            raise not_found()
        tip = commit.sha
    since = call.query("since")
    until = call.query("until")
    # Both ends are inclusive, to the second.
    low = parse_time(since).timestamp() if since else float("-inf")
    high = parse_time(until).timestamp() if until else float("inf")
    shas = [sha for sha, committed in git.history(tip).items() if low <= committed <= high]
    page = call.page().cut(shas)
    return json_response(_commits_json(call, page.items), headers=page.headers)


def get_commit(call: RestCall) -> Response:
    """`GET commits/{ref}`: a commit with its files against its first parent, or its hash or diff alone."""
    git = call.repository.git
    commit = call.repository.commit(call.request.path_params["ref"])
    parent = commit.parents[0] if commit.parents else None
    media_type = call.request.headers.get("accept", "")
    if media_type == f"{_MEDIA}sha":
        return raw_response(commit.sha.encode(), "sha")
    if media_type == f"{_MEDIA}diff":
        return raw_response(git.diff_text(parent, commit.sha), "diff")
    files = git.diff(parent, commit.sha)
    additions = sum(file["additions"] for file in files)
    deletions = sum(file["deletions"] for file in files)
    page = call.page(default=_FILES_PER_PAGE).cut(files[:_MAX_FILES])
    body = _commit_json(call, commit) | {
        "stats": {"total": additions + deletions, "additions": additions, "deletions": deletions},
        "files": _within_limits(page.items),
    }
    return json_response(body, headers=page.headers)


def _within_limits(files: Sequence[Json]) -> list[Json]:
    """Return files with their patches until the limit of one answer is reached.

    The others, and those that are too large themselves, keep only their counts.
    """
    answer: list[Json] = []
    total_bytes = 0
    total_lines = 0
    limit_reached = False
    for file in files:
        patch = file.get("patch", "")
        patch_bytes = len(patch.encode())
        patch_lines = patch.count("\n") + 1 if patch else 0
        too_large = patch_bytes > _MAX_FILE_BYTES or patch_lines > _MAX_FILE_LINES
        if not too_large and not limit_reached:
            limit_reached = (
                total_bytes + patch_bytes > _MAX_PATCH_BYTES
                or total_lines + patch_lines > _MAX_PATCH_LINES
            )
        if too_large or limit_reached:
            answer.append({name: value for name, value in file.items() if name != "patch"})
            continue
        total_bytes += patch_bytes
        total_lines += patch_lines
        answer.append(file)
    return answer


def compare(call: RestCall) -> Response:
    """`GET compare/{base}...{head}`: the commits of `base..head`, oldest first."""
    git = call.repository.git
    names = call.request.path_params["basehead"].split("...")
    if len(names) != 2:
        raise not_found()
    base = git.resolve(names[0])
    tip = git.resolve(names[1])
    if base is None or tip is None:
        raise not_found()
    ahead = git.between(base.sha, tip.sha)[::-1]
    behind = git.between(tip.sha, base.sha)
    page = call.page(default=_COMPARED_PER_PAGE).cut(ahead)
    body = {
        "status": _comparison(len(ahead), len(behind)),
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": _commits_json(call, page.items),
    }
    return json_response(body, headers=page.headers)


def _comparison(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    if ahead:
        return "ahead"
    return "behind" if behind else "identical"


def get_contents(call: RestCall) -> Response:
    """`GET contents/{path}`: the bytes of a file at a commit, as `application/vnd.github.raw`."""
    repository = call.repository
    commit = repository.git.resolve(call.query("ref") or repository.repo.default_branch)
    if commit is None:
        raise not_found()
    file = repository.git.file(commit.sha, call.request.path_params["path"])
    if file is None:
        raise not_found()
    return raw_response(file.content, "raw")


def _author_json(author: str | None) -> Json:
    # GitHub shows all deleted accounts as one.
    return {"login": "ghost" if author is None else author}


def _thread_json(thread: WorldThread) -> Json:
    return {
        "number": thread.number,
        "title": thread.title,
        "state": thread.state,
        "created_at": stamp(thread.created_at),
        "updated_at": stamp(thread.updated_at),
        "closed_at": stamp(thread.closed_at),
        "user": _author_json(thread.author),
        "body": thread.body or None,
        "labels": [{"name": name} for name in thread.labels],
    }


def _issue_json(call: RestCall, thread: WorldThread) -> Json:
    """Return an issue, or a pull request as the issue that it also is."""
    answer = _thread_json(thread) | {
        "url": f"{call.here}/issues/{thread.number}",
        "repository_url": call.here,
        "comments": len(thread.comments),
        "reactions": {"total_count": thread.reactions},
        "state_reason": thread.state_reason if isinstance(thread, WorldIssue) else None,
    }
    if isinstance(thread, Pull):
        answer["pull_request"] = {
            "url": f"{call.here}/pulls/{thread.number}",
            "merged_at": stamp(thread.merged_at),
        }
    return answer


def list_issues(call: RestCall) -> Response:
    """`GET issues`: issues and pull requests together; `since` is about the last update."""
    state = call.query("state") or "open"
    sort = call.query("sort") or "created"
    direction = call.query("direction") or "desc"
    since = call.query("since")
    if (
        state not in ("open", "closed", "all")
        or sort not in ("created", "updated")
        or direction not in ("asc", "desc")
    ):
        raise Refusal(422, "Validation Failed")
    start = parse_time(since) if since else None
    threads = []
    for thread in call.repository.threads():
        if state not in ("all", thread.state):
            continue
        if start is None or thread.updated_at >= start:
            threads.append(thread)
    threads.sort(
        key=lambda thread: (getattr(thread, f"{sort}_at"), thread.number),
        reverse=direction == "desc",
    )
    page = call.page().cut(threads)
    body = [_issue_json(call, thread) for thread in page.items]
    return json_response(body, headers=page.headers)


def get_issue(call: RestCall) -> Response:
    """`GET issues/{n}`: one issue or pull request."""
    return json_response(_issue_json(call, call.thread()))


def list_comments(call: RestCall) -> Response:
    """`GET issues/{n}/comments`: oldest first."""
    comments = sorted(call.thread().comments, key=lambda comment: comment.id)
    page = call.page().cut(comments)
    body = [_comment_json(comment) for comment in page.items]
    return json_response(body, headers=page.headers)


def create_comment(call: RestCall, body: bytes) -> Response:
    """`POST issues/{n}/comments`: add a comment as the bot of GitHub Actions."""
    number = int(call.request.path_params["number"])
    comment = call.repository.add_comment(number, ACTIONS_BOT, _written_body(body))
    return json_response(_comment_json(comment), 201)


def edit_comment(call: RestCall, body: bytes) -> Response:
    """`PATCH issues/comments/{id}`: replace the text of a comment."""
    identifier = int(call.request.path_params["comment"])
    comment = call.repository.edit_comment(identifier, _written_body(body))
    return json_response(_comment_json(comment))


def _written_body(body: bytes) -> str:
    """Return the text of a comment; GitHub refuses an empty or a very long one."""
    try:
        text = json.loads(body)["body"]
    except (ValueError, KeyError, TypeError) as error:
        raise Refusal(400, "Problems parsing JSON") from error
    if not isinstance(text, str) or not text or len(text) > _MAX_COMMENT_CHARACTERS:
        raise Refusal(422, "Validation Failed")
    return text


def _comment_json(comment: WorldComment) -> Json:
    return {
        "id": comment.id,
        "body": comment.body,
        "created_at": stamp(comment.created_at),
        "user": _author_json(comment.author),
        "updated_at": stamp(comment.created_at),
    }


def get_pull(call: RestCall) -> Response:
    """`GET pulls/{n}`: one pull request; REST does not show which issues it closes."""
    pull = call.thread()
    if not isinstance(pull, Pull):
        raise not_found()
    base = {"ref": pull.base}
    if pull.base_sha:
        base["sha"] = pull.base_sha
    body = _thread_json(pull) | {
        "url": f"{call.here}/pulls/{pull.number}",
        "merged": pull.merged_at is not None,
        "merged_at": stamp(pull.merged_at),
        "merge_commit_sha": pull.merge_commit,
        "base": base,
        "head": {"ref": pull.head_ref, "sha": pull.head_sha},
    }
    return json_response(body)


def list_releases(call: RestCall) -> Response:
    """`GET releases`: published ones only; tags without a release are not listed."""
    page = call.page().cut(call.repository.releases())
    body = [_release_json(release) for release in page.items]
    return json_response(body, headers=page.headers)


def _release_json(release: WorldRelease) -> Json:
    return {
        "id": release.id,
        "name": release.name,
        "body": release.body,
        "draft": release.draft,
        "prerelease": release.prerelease,
        "created_at": stamp(release.created_at),
        "published_at": stamp(release.published_at),
        "author": _author_json(release.author),
        "tag_name": release.tag,
    }


ENDPOINTS: dict[str, Callable[[RestCall], Response]] = {
    "": get_repository,
    "/commits": list_commits,
    "/commits/{ref:path}": get_commit,
    "/compare/{basehead:path}": compare,
    "/contents/{path:path}": get_contents,
    "/issues": list_issues,
    "/issues/{number:int}": get_issue,
    "/issues/{number:int}/comments": list_comments,
    "/pulls/{number:int}": get_pull,
    "/releases": list_releases,
}
"""What is served below a repository; a name in a path may hold slashes."""
WRITE_ENDPOINTS: dict[tuple[str, str], Callable[[RestCall, bytes], Response]] = {
    ("POST", "/issues/{number:int}/comments"): create_comment,
    ("PATCH", "/issues/comments/{comment:int}"): edit_comment,
}
"""What a client with a token that may write can change, by method and path."""
