"""The REST endpoints for code: the repository, commits with their files, comparisons and contents."""

from collections.abc import Iterable

from starlette.responses import Response

from evals.github_server.diffs import list_files
from evals.github_server.git_store import Commit, Signature
from evals.github_server.repositories import Call
from evals.github_server.responses import (
    Json,
    Page,
    Refusal,
    json_response,
    link,
    not_found,
    paged,
    parse_time,
    raw_response,
    stamp,
)

FILES_PER_PAGE = 300
MAX_FILES = 3000
COMPARE_COMMITS = 250
_MEDIA = "application/vnd.github."


def get_repository(call: Call) -> Response:
    """`GET /repos/{owner}/{repo}`: the name of today and the default branch."""
    repository = call.repository
    body = {
        "id": repository.repo.id,
        "name": repository.repo.name,
        "full_name": repository.full_name,
        "private": False,
        "fork": False,
        "url": call.here,
        "default_branch": repository.repo.default_branch,
    }
    return json_response(body)


def _commit_json(call: Call, commit: Commit) -> Json:
    return {
        "sha": commit.sha,
        "commit": {
            "author": _signature_json(commit.author),
            "committer": _signature_json(commit.committer),
            "message": commit.message,
            "tree": {"sha": commit.tree},
        },
        "url": f"{call.here}/commits/{commit.sha}",
        "parents": [{"sha": sha, "url": f"{call.here}/commits/{sha}"} for sha in commit.parents],
    }


def _signature_json(signature: Signature) -> Json:
    return {"name": signature.name, "email": signature.email, "date": stamp(signature.at)}


def list_commits(call: Call) -> Response:
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
    shas = [sha for sha, at in git.history(tip).items() if low <= at <= high]
    part, headers = paged(call.request, call.address, shas)
    return json_response(_commits_json(call, part), headers=headers)


def _commits_json(call: Call, shas: Iterable[str]) -> list[Json]:
    found = (call.repository.git.commit(sha) for sha in shas)
    return [_commit_json(call, commit) for commit in found if commit is not None]


def get_commit(call: Call) -> Response:
    """`GET commits/{ref}`: a commit with its files against its first parent, or only its hash or its diff."""
    git, commit = call.repository.git, call.repository.commit(call.request.path_params["ref"])
    parent = commit.parents[0] if commit.parents else None
    match _media(call):
        case "sha":
            return raw_response(commit.sha.encode(), "sha")
        case "diff":
            return raw_response(git.diff_text(parent, commit.sha), "diff")
    entries = git.diff(parent, commit.sha)
    additions, deletions = sum(entry.additions for entry in entries), sum(entry.deletions for entry in entries)
    page, reachable = Page.of(call.request, default=FILES_PER_PAGE), entries[:MAX_FILES]
    body = _commit_json(call, commit) | {
        "stats": {"total": additions + deletions, "additions": additions, "deletions": deletions},
        "files": list_files(page.cut(reachable)),
    }
    return json_response(body, headers=link(call.request, call.address, page, len(reachable)))


def _media(call: Call) -> str:
    """Tell which custom representation is asked for: `sha`, `diff`, `raw`, or nothing special."""
    accepted = call.request.headers.get("accept", "")
    return accepted.removeprefix(_MEDIA) if accepted.startswith(_MEDIA) else ""


def compare(call: Call) -> Response:
    """`GET compare/{base}...{head}`: the commits of `base..head`, oldest first."""
    git = call.repository.git
    names = call.request.path_params["basehead"].split("...")
    base, head = (git.resolve(name) for name in names) if len(names) == 2 else (None, None)
    if base is None or head is None:
        raise not_found()
    if not git.have_common_ancestor(base.sha, head.sha):
        raise Refusal(404, f"No common ancestor between {base.sha} and {head.sha}.")
    ahead, behind = git.between(base.sha, head.sha)[::-1], len(git.between(head.sha, base.sha))
    page = Page.of(call.request, default=COMPARE_COMMITS)
    body = {
        "status": _status(len(ahead), behind),
        "ahead_by": len(ahead),
        "behind_by": behind,
        "total_commits": len(ahead),
        "commits": _commits_json(call, page.cut(ahead)),
    }
    return json_response(body, headers=link(call.request, call.address, page, len(ahead)))


def _status(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    return "ahead" if ahead else "behind" if behind else "identical"


def get_contents(call: Call) -> Response:
    """`GET contents/{path}`: the bytes of a file at a commit, the way `application/vnd.github.raw` gives them."""
    repository = call.repository
    commit = repository.git.resolve(call.query("ref") or repository.repo.default_branch)
    found = repository.git.file(commit.sha, call.request.path_params["path"]) if commit else None
    if found is None:
        raise not_found()
    return raw_response(found[1], "raw")
