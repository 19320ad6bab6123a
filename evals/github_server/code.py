"""The endpoints for code: commits, comparisons, branches, tags."""

import re
from collections.abc import Sequence

from evals.github_server import paging
from evals.github_server.files import files
from evals.github_server.hub import Hosted
from evals.github_server.objects import CommitObject, Signature
from evals.github_server.paging import Page
from evals.github_server.shapes import Call, node_id, user
from evals.github_server.wire import Answer, Json, Refusal, http_date, not_found, parse_time, stamp

FILES_PER_PAGE = 300
MAX_FILES = 3000
COMPARE_COMMITS = 250


def unknown_commit(name: str) -> Refusal:
    """Refuse a commit that is not there."""
    return Refusal(422, f"No commit found for SHA: {name}")


def resolve(hosted: Hosted, name: str) -> CommitObject:
    """Find a commit by anything that names it."""
    _ = hosted.tip
    sha = hosted.git.resolve(name)
    found = hosted.git.commit(sha) if sha else None
    if found is None:
        raise unknown_commit(name)
    return found


# ---------------------------------------------------------------- shapes


def _git_user(signature: Signature) -> Json:
    return {"name": signature.name, "email": signature.email, "date": stamp(signature.at)}


def commit(call: Call, found: CommitObject) -> Json:
    """Show a commit without its files."""
    url, page = f"{call.here}/commits/{found.sha}", f"{call.there}/commit/{found.sha}"
    author, committer = call.hub.account(found.author), call.hub.account(found.committer)
    return {
        "sha": found.sha,
        "node_id": node_id("Commit", found.sha),
        "commit": {
            "author": _git_user(found.author),
            "committer": _git_user(found.committer),
            "message": found.message,
            "tree": {"sha": found.tree, "url": f"{call.here}/git/trees/{found.tree}"},
            "url": f"{call.here}/git/commits/{found.sha}",
            "comment_count": 0,
            "verification": {
                "verified": False,
                "reason": "unsigned",
                "signature": None,
                "payload": None,
                "verified_at": None,
            },
        },
        "url": url,
        "html_url": page,
        "comments_url": f"{url}/comments",
        "author": user(call, author) if author else None,
        "committer": user(call, committer) if committer else None,
        "parents": [
            {"sha": sha, "url": f"{call.here}/commits/{sha}", "html_url": f"{call.there}/commit/{sha}"}
            for sha in found.parents
        ],
    }


# ---------------------------------------------------------------- endpoints


def list_commits(call: Call) -> Answer:
    """`GET commits`: what a branch or commit reaches, in the order of `git log`."""
    query, git = call.request.query, call.hosted.git
    tip = call.hosted.tip
    if wanted := query.get("sha"):
        found = git.resolve(wanted)
        if found is None or git.commit(found) is None:
            raise not_found()
        tip = found
    shas = _in_time(call, tip)
    if author := query.get("author"):
        shas = [found.sha for found in git.commits(shas) if _is(call, found.author, author)]
    if committer := query.get("committer"):
        shas = [found.sha for found in git.commits(shas) if _is(call, found.committer, committer)]
    part, headers = paging.listed(call.request, call.address, shas)
    return Answer.json([commit(call, found) for found in git.commits(part)], headers=headers)


def _in_time(call: Call, tip: str) -> Sequence[str]:
    query = call.request.query
    history = call.hosted.git.history(tip, query.get("path") or None)
    since, until = query.get("since"), query.get("until")
    if since is None and until is None:
        return history.shas
    # Both ends are inclusive, to the second.
    low = parse_time(since, "Commit", "since").timestamp() if since else float("-inf")
    high = parse_time(until, "Commit", "until").timestamp() if until else float("inf")
    return [sha for sha, at in zip(history.shas, history.times, strict=True) if low <= at <= high]


def _is(call: Call, signature: Signature, wanted: str) -> bool:
    account = call.hub.account(signature)
    return wanted.lower() in (signature.email.lower(), account.login.lower() if account else None)


def get_commit(call: Call) -> Answer:
    """`GET commits/{ref}`: a commit with its files against its first parent, 300 to a page."""
    git = call.hosted.git
    found = resolve(call.hosted, call.args["ref"])
    media = call.request.media()
    parent = found.parents[0] if found.parents else None
    if media == "sha":
        return Answer.text(found.sha.encode(), "sha")
    if media == "diff":
        return Answer.text(git.diff_text(parent, found.sha), "diff")
    if media == "patch":
        return Answer.text(git.patch_text(found.sha), "patch")
    entries = git.diff(parent, found.sha)
    stats = (sum(entry.additions for entry in entries), sum(entry.deletions for entry in entries))
    page = Page.of(call.request, default=FILES_PER_PAGE)
    reachable = entries[:MAX_FILES]
    body = commit(call, found) | {
        "stats": {"total": sum(stats), "additions": stats[0], "deletions": stats[1]},
        "files": files(call, found.sha, page.cut(reachable), counts_survive=True),
    }
    headers = paging.link(call.request, call.address, page, len(reachable))
    return Answer.json(
        body, headers=headers | {"Last-Modified": http_date(found.committer.at)}, changed=found.committer.at
    )


def compare(call: Call) -> Answer:
    """`GET compare/{base}...{head}`: the commits of `base..head`, oldest first, and the files since they parted."""
    names = re.fullmatch(r"(.+?)\.\.\.?(.+)", call.args["basehead"])
    git = call.hosted.git
    ends = [git.resolve(name) for name in names.groups()] if names else []
    base, head = (git.commit(sha) if sha else None for sha in ends) if names else (None, None)
    if base is None or head is None:
        raise not_found()
    meeting = git.merge_base(base.sha, head.sha)
    joint = git.commit(meeting) if meeting else None
    if joint is None:
        raise Refusal(404, f"No common ancestor between {base.sha} and {head.sha}.")
    media = call.request.media()
    if media == "diff":
        return Answer.text(git.diff_text(joint.sha, head.sha), "diff")
    return _comparison(call, base, head, joint)


def _comparison(call: Call, base: CommitObject, head: CommitObject, joint: CommitObject) -> Answer:
    git, request = call.hosted.git, call.request
    ahead, behind = git.between(base.sha, head.sha)[::-1], len(git.between(head.sha, base.sha))
    paged = "page" in request.query or "per_page" in request.query
    page = Page.of(request, default=COMPARE_COMMITS)
    part = page.cut(ahead) if paged else ahead[-COMPARE_COMMITS:]
    entries = git.diff(joint.sha, head.sha)[:FILES_PER_PAGE] if page.number == 1 else ()
    url = f"{call.here}/compare/{call.args['basehead']}"
    path = f"{call.there}/compare/{base.sha}...{head.sha}"
    body = {
        "url": url,
        "html_url": f"{call.there}/compare/{call.args['basehead']}",
        "permalink_url": path,
        "diff_url": f"{path}.diff",
        "patch_url": f"{path}.patch",
        "base_commit": commit(call, base),
        "merge_base_commit": commit(call, joint),
        "status": _status(len(ahead), behind),
        "ahead_by": len(ahead),
        "behind_by": behind,
        "total_commits": len(ahead),
        "commits": [commit(call, found) for found in git.commits(part)],
    }
    if page.number == 1:
        body["files"] = files(call, head.sha, entries, counts_survive=False)
    return Answer.json(body, headers=paging.link(request, call.address, page, len(ahead)) if paged else {})


def _status(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    return "ahead" if ahead else "behind" if behind else "identical"
