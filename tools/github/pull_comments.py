"""One comment below a pull request, found again by a hidden line and updated in place."""

from typing import Literal

from pydantic import BaseModel, Field, TypeAdapter

from agent.domain.base import RepoId
from agent.domain.errors import UpstreamError
from tools.github.client import GitHubClient
from tools.github.server_address import repo_path

CommentChange = Literal["created", "updated", "unchanged", "not needed"]
_PER_PAGE = 100
_ACTIONS_BOT = "github-actions[bot]"


class _Author(BaseModel):
    login: str


class _ListedComment(BaseModel):
    id: int
    body: str | None = None
    user: _Author | None = None


class _PullEnd(BaseModel):
    sha: str


class PullEnds(BaseModel):
    """The commits between which a pull request makes its changes."""

    base: _PullEnd
    tip: _PullEnd = Field(validation_alias="head")


_COMMENTS = TypeAdapter(list[_ListedComment])
_COMMENT = TypeAdapter(_ListedComment)
_AUTHOR = TypeAdapter(_Author)
_PULL = TypeAdapter(PullEnds)


async def pull_ends(client: GitHubClient, repo: RepoId, number: int) -> PullEnds:
    """Return the commits of a pull request's base and head."""
    page = await client.get(repo_path(repo, "pulls", str(number)), _PULL)
    return page.value


async def put_comment(
    client: GitHubClient, repo: RepoId, number: int, marker: str, body: str, *, may_create: bool
) -> CommentChange:
    """Write the comment that begins with a marker: update the one that is there, or create it."""
    existing = await _own_comment(client, repo, number, marker)
    if existing is None and not may_create:
        return "not needed"
    if existing is None:
        path = repo_path(repo, "issues", str(number), "comments")
        try:
            await client.write("POST", path, {"body": body}, _COMMENT)
        except UpstreamError as error:
            # It may have been written although the answer was lost; a second one would be noise.
            if not error.retryable or await _own_comment(client, repo, number, marker) is None:
                raise
        return "created"
    if existing.body == body:
        return "unchanged"
    path = repo_path(repo, "issues", "comments", str(existing.id))
    await client.write("PATCH", path, {"body": body}, _COMMENT)
    return "updated"


async def _own_comment(
    client: GitHubClient, repo: RepoId, number: int, marker: str
) -> _ListedComment | None:
    """Return the comment of ours with the marker, from all pages.

    Anybody can write the marker, so the author counts as well.
    """
    author = await _own_login(client)
    path = repo_path(repo, "issues", str(number), "comments")
    async for page in client.pages(path, _COMMENTS, {"per_page": _PER_PAGE}):
        for comment in page.value:
            is_ours = comment.user is not None and comment.user.login == author
            if is_ours and (comment.body or "").startswith(marker):
                return comment
    return None


async def _own_login(client: GitHubClient) -> str:
    """Return whose token this is; a workflow's token belongs to its bot."""
    try:
        page = await client.get("/user", _AUTHOR)
    except UpstreamError as error:
        if error.retryable:
            raise
        return _ACTIONS_BOT
    return page.value.login
