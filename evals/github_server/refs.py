"""The endpoints for what names a commit: branches and tags."""

from urllib.parse import quote

from evals.github_server import paging
from evals.github_server.code import commit
from evals.github_server.shapes import Call, node_id
from evals.github_server.wire import Answer, Refusal


def _named(call: Call, prefix: str) -> list[tuple[str, str]]:
    view = call.hosted.git.view
    return [
        (name.removeprefix(prefix).encode("utf-8", "replace").decode(), view.peeled.get(name, sha))
        for name, sha in view.refs.items()
        if name.startswith(prefix)
    ]


def list_branches(call: Call) -> Answer:
    """`GET branches`: every branch with its head."""
    part, headers = paging.listed(call.request, call.address, sorted(_named(call, "refs/heads/")))
    shown = [
        {"name": name, "commit": {"sha": sha, "url": f"{call.here}/commits/{sha}"}, "protected": False}
        for name, sha in part
    ]
    return Answer.json(shown, headers=headers)


def get_branch(call: Call) -> Answer:
    """`GET branches/{branch}`: a branch with the whole commit at its head."""
    name = call.args["branch"]
    sha = dict(_named(call, "refs/heads/")).get(name)
    found = call.hosted.git.commit(sha) if sha else None
    if found is None:
        raise Refusal(404, "Branch not found")
    url = f"{call.here}/branches/{quote(name, safe='')}"
    body = {
        "name": name,
        "commit": commit(call, found),
        "_links": {"self": url, "html": f"{call.there}/tree/{quote(name)}"},
        "protected": False,
        "protection": {"enabled": False},
        "protection_url": f"{url}/protection",
    }
    return Answer.json(body)


def list_tags(call: Call) -> Answer:
    """`GET tags`: every tag with its commit, last name first."""
    part, headers = paging.listed(call.request, call.address, sorted(_named(call, "refs/tags/"), reverse=True))
    shown = [
        {
            "name": name,
            "zipball_url": f"{call.here}/zipball/refs/tags/{quote(name)}",
            "tarball_url": f"{call.here}/tarball/refs/tags/{quote(name)}",
            "commit": {"sha": sha, "url": f"{call.here}/commits/{sha}"},
            "node_id": node_id("Ref", name),
        }
        for name, sha in part
    ]
    return Answer.json(shown, headers=headers)
