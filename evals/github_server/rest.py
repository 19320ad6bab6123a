"""Which path leads to which endpoint, and what every REST answer has in common."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from evals.github_server import code, contents, pulls, refs, releases, shapes, threads
from evals.github_server.hub import Hosted, Hub
from evals.github_server.limits import Limits
from evals.github_server.shapes import Call
from evals.github_server.wire import Answer, Refusal, Request, encode, not_found

VERSIONS = ("2022-11-28", "2026-03-10")

# Gone since 2026-03-10, wherever they stood.
_DROPPED = {"merge_commit_sha", "assignee", "has_downloads", "master_branch", "use_squash_pr_title_as_default"}

Endpoint = Callable[[Call], Answer]


def _repository(call: Call) -> Answer:
    body = call.repository | {"network_count": 0, "subscribers_count": 0}
    return Answer.json(body, changed=shapes.last_push(call.hosted))


# The most literal first: only what no longer path claims may hold slashes.
_ROUTES: list[tuple[str, Endpoint]] = [
    ("", _repository),
    ("/branches", refs.list_branches),
    ("/branches/{branch+}", refs.get_branch),
    ("/commits", code.list_commits),
    ("/commits/{ref}/pulls", pulls.list_pulls_of_commit),
    ("/commits/{ref+}", code.get_commit),
    ("/compare/{basehead+}", code.compare),
    ("/contents", contents.get_contents),
    ("/contents/{path+}", contents.get_contents),
    ("/git/blobs/{file_sha}", contents.get_blob),
    ("/git/trees/{tree_sha+}", contents.get_tree),
    ("/issues", threads.list_issues),
    ("/issues/{number#}", threads.get_issue),
    ("/issues/{number#}/comments", threads.list_comments),
    ("/issues/{number#}/events", threads.list_events),
    ("/issues/{number#}/timeline", threads.list_timeline),
    ("/labels", threads.list_labels),
    ("/pulls", pulls.list_pulls),
    ("/pulls/{number#}", pulls.get_pull),
    ("/pulls/{number#}/commits", pulls.list_commits),
    ("/pulls/{number#}/files", pulls.list_files),
    ("/releases", releases.list_releases),
    ("/releases/latest", releases.get_latest),
    ("/releases/tags/{tag+}", releases.get_by_tag),
    ("/tags", refs.list_tags),
]

_SHAPES = {"": "[^/]+", "+": ".+", "#": "[0-9]{1,9}"}


def _pattern(route: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)([+#]?)\}", lambda m: f"(?P<{m[1]}>{_SHAPES[m[2]]})", route))


_TABLE = [(_pattern(route), endpoint) for route, endpoint in _ROUTES]


class Rest:
    """The REST API over a hub."""

    def __init__(self, hub: Hub, limits: Limits, web: str, depth: int) -> None:
        self._hub, self._limits, self._web, self._depth = hub, limits, web, depth

    def answer(self, request: Request, api: str, who: str) -> Answer:
        """Answer a GET below the API's address; `api` is the address this client uses."""
        version = request.headers.get("x-github-api-version") or VERSIONS[0]
        if version not in VERSIONS:
            raise Refusal(400, f"{version} is not a supported version. Supported versions: {', '.join(VERSIONS)}")
        answer = self._rate_limit(who) if request.path == "/rate_limit" else self._route(request, api)
        if version == VERSIONS[1] and answer.data is not None:
            answer.body = encode(modern(answer.data))
        answer.headers["X-GitHub-Api-Version-Selected"] = version
        answer.headers["X-GitHub-Media-Type"] = "github.v3; format=json"
        return answer

    def _route(self, request: Request, api: str) -> Answer:
        hosted, tail = self._repository_of(request, api)
        for pattern, endpoint in _TABLE:
            if match := pattern.fullmatch(tail):
                args = {name: unquote(value) for name, value in match.groupdict().items()}
                return endpoint(Call(request, self._hub, hosted, api, self._web, tail, args, self._depth))
        raise not_found()

    def _repository_of(self, request: Request, api: str) -> tuple[Hosted, str]:
        if match := re.fullmatch(r"/repos/([^/]+/[^/]+)((?:/.*)?)", request.path):
            name, tail = unquote(match[1]), match[2]
            hosted = self._hub.named(name)
            if hosted is None and (moved := self._hub.renamed(name)) is not None:
                raise _Moved(f"{api}/repositories/{moved.repo.id}{tail}", request.raw_query)
        elif match := re.fullmatch(r"/repositories/([0-9]{1,18})((?:/.*)?)", request.path):
            hosted, tail = self._hub.numbered(int(match[1])), match[2]
        else:
            raise not_found()
        if hosted is None or tail.endswith("/"):
            raise not_found()
        return hosted, tail

    def _rate_limit(self, who: str) -> Answer:
        core = self._limits.meter(who, "core").overview()
        resources = {
            "core": core,
            "graphql": self._limits.meter(who, "graphql").overview(),
            "search": core | {"limit": 30, "remaining": 30, "used": 0},
        }
        return Answer.json({"resources": resources, "rate": core})


class _Moved(Refusal):
    """The repository has another name now."""

    def __init__(self, address: str, raw_query: str) -> None:
        self.address = f"{address}?{raw_query}" if raw_query else address
        super().__init__(301, "Moved Permanently", headers={"Location": self.address})

    def answer(self) -> Answer:
        """Say where it went, as GitHub does."""
        body = {"message": self.message, "url": self.address, "documentation_url": "https://docs.github.com/rest"}
        return Answer.json(body, status=301, headers=self.headers)


def modern(data: Any) -> Any:
    """Leave out what the API's newer version does not have."""
    if isinstance(data, list):
        return [modern(item) for item in data]
    if not isinstance(data, dict):
        return data
    dropped = _DROPPED | ({"rate"} if "resources" in data else set())
    kept = {key: modern(value) for key, value in data.items() if key not in dropped}
    # An issue that is an unmerged pull request no longer says `"merged_at": null`, it says nothing.
    if isinstance(pull := kept.get("pull_request"), dict) and pull.get("merged_at", "") is None:
        del pull["merged_at"]
    return kept
