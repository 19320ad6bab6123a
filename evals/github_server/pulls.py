"""The endpoints for pull requests: lists, single ones, their commits and files."""

from evals.github_server import paging
from evals.github_server.code import commit, resolve
from evals.github_server.diffs import FileDiff
from evals.github_server.files import files
from evals.github_server.hub import Hosted, number_of
from evals.github_server.shapes import Call, label, login, node_id, repository_links
from evals.github_server.threads import thread_id
from evals.github_server.wire import Answer, Json, http_date, invalid, maybe_stamp, stamp
from evals.worlds.model import Pull

MAX_FILES = 3000
MAX_COMMITS = 250


def base_sha(hosted: Hosted, pull: Pull) -> str:
    """Find what the pull request is compared with: where its branch stood before the merge, or stands now."""
    merged = hosted.git.commit(pull.merge_commit) if pull.merge_commit else None
    if merged and merged.parents:
        return merged.parents[0]
    return hosted.git.resolve(pull.base) or pull.head_sha


def changed(hosted: Hosted, pull: Pull) -> tuple[FileDiff, ...]:
    """List what the pull request changes; where its own commits are not at hand, what its merge changed."""
    git = hosted.git
    base, head = base_sha(hosted, pull), git.commit(pull.head_sha)
    if head is None:
        merged = git.commit(pull.merge_commit) if pull.merge_commit else None
        return git.diff(base, merged.sha) if merged else ()
    meeting = git.merge_base(base, head.sha)
    return git.diff(meeting, head.sha) if meeting else ()


def _side(call: Call, ref: str, sha: str, full_name: str | None) -> Json:
    if full_name is None:
        # The fork was deleted: GitHub's own description says this cannot be null, GitHub's answers are.
        return {"label": f"unknown repository:{ref}", "ref": ref, "sha": sha, "user": None, "repo": None}
    here = full_name.lower() == call.hosted.full_name.lower()
    owner = full_name.split("/", maxsplit=1)[0]
    shown = call.repository if here else _fork(call, full_name)
    return {"label": f"{owner}:{ref}", "ref": ref, "sha": sha, "user": login(call, owner), "repo": shown}


def _fork(call: Call, full_name: str) -> Json:
    return call.repository | repository_links(call, full_name, number_of(full_name)) | {"fork": True}


def simple(call: Call, pull: Pull) -> Json:
    """Show a pull request as lists have it."""
    url, page = f"{call.here}/pulls/{pull.number}", f"{call.there}/pull/{pull.number}"
    thread, statuses = f"{call.here}/issues/{pull.number}", f"{call.here}/statuses/{pull.head_sha}"
    identifier = thread_id(call.hosted, pull.number)
    links = {
        "self": url,
        "html": page,
        "issue": thread,
        "comments": f"{thread}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{call.here}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": statuses,
    }
    return {
        "url": url,
        "id": identifier,
        "node_id": node_id("PullRequest", identifier),
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": thread,
        "number": pull.number,
        "state": pull.state,
        "locked": False,
        "title": pull.title,
        "user": login(call, pull.author),
        "body": pull.body or None,
        "created_at": stamp(pull.created_at),
        "updated_at": stamp(pull.updated_at),
        "closed_at": maybe_stamp(pull.closed_at),
        "merged_at": maybe_stamp(pull.merged_at),
        "merge_commit_sha": pull.merge_commit,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "labels": [label(call, name) for name in pull.labels],
        "milestone": None,
        "draft": False,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": statuses,
        "head": _side(call, pull.head_ref, pull.head_sha, pull.head_repo),
        "base": _side(call, pull.base, base_sha(call.hosted, pull), call.hosted.full_name),
        "_links": {name: {"href": target} for name, target in links.items()},
        "author_association": "CONTRIBUTOR",
        "auto_merge": None,
        "active_lock_reason": None,
    }


def list_pulls(call: Call) -> Answer:
    """`GET pulls`: pull requests by state, branch and order."""
    query = call.request.query
    state, sort = query.get("state") or "open", query.get("sort") or "created"
    # Oldest first unless they are listed by creation, as GitHub has it.
    direction = query.get("direction") or ("desc" if sort == "created" else "asc")
    if state not in ("open", "closed", "all"):
        raise invalid("PullRequest", "state")
    if sort not in ("created", "updated", "popularity", "long-running") or direction not in ("asc", "desc"):
        raise invalid("PullRequest", "sort")
    base, head = query.get("base"), query.get("head")
    chosen = [
        pull
        for pull in call.hosted.pulls
        if state in ("all", pull.state)
        and base in (None, pull.base)
        and (not head or head.rpartition(":")[2] == pull.head_ref)
    ]
    chosen.sort(key=lambda pull: (_place(pull, sort), pull.number), reverse=direction == "desc")
    part, headers = paging.listed(call.request, call.address, chosen)
    return Answer.json([simple(call, pull) for pull in part], headers=headers)


def _place(pull: Pull, sort: str) -> float:
    if sort == "popularity":
        return len(pull.comments)
    return (pull.updated_at if sort == "updated" else pull.created_at).timestamp()


def get_pull(call: Call) -> Answer:
    """`GET pulls/{n}`: a pull request with its counts, or its diff."""
    pull = call.hosted.pull(int(call.args["number"]))
    if call.request.media() == "diff":
        base, head = base_sha(call.hosted, pull), resolve(call.hosted, pull.head_sha)
        return Answer.text(call.hosted.git.diff_text(call.hosted.git.merge_base(base, head.sha), head.sha), "diff")
    entries = changed(call.hosted, pull)
    merged = pull.merged_at is not None
    mergers = [event.actor for event in pull.events if event.kind in ("merged", "closed")]
    body = simple(call, pull) | {
        "merged": merged,
        "mergeable": None,
        "rebaseable": None,
        "mergeable_state": "unknown",
        "merged_by": login(call, mergers[-1]) if merged and mergers else None,
        "comments": len(pull.comments),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": len(pull.commits),
        "additions": sum(entry.additions for entry in entries),
        "deletions": sum(entry.deletions for entry in entries),
        "changed_files": len(entries),
    }
    headers = {"Last-Modified": http_date(pull.updated_at)}
    return Answer.json(body, headers=headers, changed=pull.updated_at)


def list_files(call: Call) -> Answer:
    """`GET pulls/{n}/files`: at most 3,000 of them."""
    pull = call.hosted.pull(int(call.args["number"]))
    part, headers = paging.listed(call.request, call.address, changed(call.hosted, pull)[:MAX_FILES])
    return Answer.json(files(call, pull.head_sha, part, counts_survive=True), headers=headers)


def list_commits(call: Call) -> Answer:
    """`GET pulls/{n}/commits`: at most 250, oldest first."""
    pull = call.hosted.pull(int(call.args["number"]))
    part, headers = paging.listed(call.request, call.address, pull.commits[:MAX_COMMITS])
    return Answer.json([commit(call, found) for found in call.hosted.git.commits(part)], headers=headers)


def list_pulls_of_commit(call: Call) -> Answer:
    """`GET commits/{sha}/pulls`: the merged pull request that brought a commit, or those that propose it."""
    found = resolve(call.hosted, call.args["ref"])
    part, headers = paging.listed(call.request, call.address, call.hosted.pulls_of(found.sha))
    return Answer.json([simple(call, pull) for pull in part], headers=headers)
