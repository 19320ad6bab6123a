"""The REST endpoints: the repository, commits, comparisons, contents, issues, comments, pull requests and releases."""

from collections.abc import Callable, Iterable, Sequence

from starlette.responses import Response

from evals.github_server.git_store import StoredCommit
from evals.github_server.repositories import RestCall
from evals.github_server.responses import (
    Json,
    Refusal,
    json_response,
    not_found,
    parse_time,
    raw_response,
    stamp,
)
from evals.worlds.model import Pull, WorldComment, WorldIssue, WorldRelease, WorldThread

_MAX_FILES = 3000
# One answer carries about this much patch, and one file at most this much (GitHub's "repository limits").
_PATCH_BYTES, _PATCH_LINES = 1_000_000, 20_000
_FILE_BYTES, _FILE_LINES = 500_000, 20_000
_MEDIA = "application/vnd.github."


def get_repository(call: RestCall) -> Response:
    """`GET /repos/{owner}/{repo}`: the name of today and the default branch."""
    repo = call.repository.repo
    names = {"id": repo.id, "name": repo.name, "full_name": repo.full_name, "url": call.here}
    return json_response(
        names | {"private": False, "fork": False, "default_branch": repo.default_branch}
    )


def _commit_json(call: RestCall, commit: StoredCommit) -> Json:
    parents = [{"sha": sha, "url": f"{call.here}/commits/{sha}"} for sha in commit.parents]
    return {
        "sha": commit.sha,
        "commit": commit.shown,
        "url": f"{call.here}/commits/{commit.sha}",
        "parents": parents,
    }


def _commits_json(call: RestCall, shas: Iterable[str]) -> list[Json]:
    found = (call.repository.git.commit(sha) for sha in shas)
    return [_commit_json(call, commit) for commit in found if commit is not None]


def list_commits(call: RestCall) -> Response:
    """`GET commits`: what a branch or commit reaches, in the order of `git log`."""
    tip, git = call.repository.tip, call.repository.git
    if wanted := call.query("sha"):
        if (found := git.resolve(wanted)) is None:
            raise not_found()
        tip = found.sha
    # Both ends are inclusive, to the second.
    since, until = call.query("since"), call.query("until")
    low = parse_time(since).timestamp() if since else float("-inf")
    high = parse_time(until).timestamp() if until else float("inf")
    part, headers = call.page().cut(
        [sha for sha, at in git.history(tip).items() if low <= at <= high]
    )
    return json_response(_commits_json(call, part), headers=headers)


def get_commit(call: RestCall) -> Response:
    """`GET commits/{ref}`: a commit with its files against its first parent, or only its hash or its diff."""
    git, commit = call.repository.git, call.repository.commit(call.request.path_params["ref"])
    parent = commit.parents[0] if commit.parents else None
    media = call.request.headers.get("accept", "")
    if media == f"{_MEDIA}sha":
        return raw_response(commit.sha.encode(), "sha")
    if media == f"{_MEDIA}diff":
        return raw_response(git.diff_text(parent, commit.sha), "diff")
    files = git.diff(parent, commit.sha)
    added, removed = (sum(file[name] for file in files) for name in ("additions", "deletions"))
    stats = {"total": added + removed, "additions": added, "deletions": removed}
    part, headers = call.page(default=300).cut(files[:_MAX_FILES])
    return json_response(
        _commit_json(call, commit) | {"stats": stats, "files": _within_budget(part)},
        headers=headers,
    )


def _within_budget(files: Sequence[Json]) -> list[Json]:
    """Show files with their patches until the budget of one answer is spent; the others keep only their counts."""
    shown: list[Json] = []
    size = lines = 0
    spent = False
    for file in files:
        patch = file.get("patch", "")
        more, longer = len(patch.encode()), patch.count("\n") + 1 if patch else 0
        too_big = more > _FILE_BYTES or longer > _FILE_LINES
        if not too_big:
            spent = spent or size + more > _PATCH_BYTES or lines + longer > _PATCH_LINES
        if too_big or spent:
            shown.append({name: value for name, value in file.items() if name != "patch"})
        else:
            size, lines = size + more, lines + longer
            shown.append(file)
    return shown


def compare(call: RestCall) -> Response:
    """`GET compare/{base}...{head}`: the commits of `base..head`, oldest first."""
    git = call.repository.git
    names = call.request.path_params["basehead"].split("...")
    base, head = (git.resolve(name) for name in names) if len(names) == 2 else (None, None)
    if base is None or head is None:
        raise not_found()
    ahead, behind = git.between(base.sha, head.sha)[::-1], len(git.between(head.sha, base.sha))
    part, headers = call.page(default=250).cut(ahead)
    status = ("diverged" if behind else "ahead") if ahead else "behind" if behind else "identical"
    counts = {
        "status": status,
        "ahead_by": len(ahead),
        "behind_by": behind,
        "total_commits": len(ahead),
    }
    return json_response(counts | {"commits": _commits_json(call, part)}, headers=headers)


def get_contents(call: RestCall) -> Response:
    """`GET contents/{path}`: the bytes of a file at a commit, the way `application/vnd.github.raw` gives them."""
    repository = call.repository
    commit = repository.git.resolve(call.query("ref") or repository.repo.default_branch)
    found = repository.git.file(commit.sha, call.request.path_params["path"]) if commit else None
    if found is None:
        raise not_found()
    return raw_response(found[1], "raw")


def _fields(
    thing: WorldComment | WorldRelease | WorldThread, plain: str, moments: str, who: str = "user"
) -> Json:
    """Show who wrote something, and its fields, as they are or as times."""
    # Accounts that were deleted are all shown as one.
    author = {"login": "ghost" if thing.author is None else thing.author}
    shown = {name: getattr(thing, name) for name in plain.split()}
    return shown | {name: stamp(getattr(thing, name)) for name in moments.split()} | {who: author}


def _thread_json(thread: WorldThread) -> Json:
    labels = {"body": thread.body or None, "labels": [{"name": name} for name in thread.labels]}
    return _fields(thread, "number title state", "created_at updated_at closed_at") | labels


def _issue_json(call: RestCall, thread: WorldThread) -> Json:
    """Show an issue, or a pull request as the issue that it also is."""
    shown = _thread_json(thread) | {
        "url": f"{call.here}/issues/{thread.number}",
        "repository_url": call.here,
        "comments": len(thread.comments),
        "reactions": {"total_count": thread.reactions},
        "state_reason": thread.state_reason if isinstance(thread, WorldIssue) else None,
    }
    if isinstance(thread, Pull):
        shown["pull_request"] = {
            "url": f"{call.here}/pulls/{thread.number}",
            "merged_at": stamp(thread.merged_at),
        }
    return shown


def list_issues(call: RestCall) -> Response:
    """`GET issues`: issues and pull requests together; `since` is about the last update."""
    state, sort = call.query("state") or "open", call.query("sort") or "created"
    direction, since = call.query("direction") or "desc", call.query("since")
    allowed = (
        state in ("open", "closed", "all")
        and sort in ("created", "updated")
        and direction in ("asc", "desc")
    )
    if not allowed:
        raise Refusal(422, "Validation Failed")
    start = parse_time(since) if since else None
    chosen = [
        thread
        for thread in call.repository.threads()
        if state in ("all", thread.state) and (start is None or thread.updated_at >= start)
    ]
    chosen.sort(
        key=lambda thread: (getattr(thread, f"{sort}_at"), thread.number),
        reverse=direction == "desc",
    )
    part, headers = call.page().cut(chosen)
    return json_response([_issue_json(call, thread) for thread in part], headers=headers)


def get_issue(call: RestCall) -> Response:
    """`GET issues/{n}`: one issue or pull request."""
    return json_response(_issue_json(call, call.thread()))


def list_comments(call: RestCall) -> Response:
    """`GET issues/{n}/comments`: oldest first."""
    part, headers = call.page().cut(sorted(call.thread().comments, key=lambda found: found.id))
    shown = [
        _fields(one, "id body", "created_at") | {"updated_at": stamp(one.created_at)}
        for one in part
    ]
    return json_response(shown, headers=headers)


def get_pull(call: RestCall) -> Response:
    """`GET pulls/{n}`: one pull request; REST does not tell which issues it closes."""
    pull = call.thread()
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


def list_releases(call: RestCall) -> Response:
    """`GET releases`: published ones only; tags without a release are not listed."""
    part, headers = call.page().cut(call.repository.releases())
    shown = [
        _fields(one, "id name body draft prerelease", "created_at published_at", "author")
        for one in part
    ]
    return json_response(
        [{**one, "tag_name": of.tag} for one, of in zip(shown, part, strict=True)], headers=headers
    )


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
