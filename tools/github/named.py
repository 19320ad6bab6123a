"""Threads that commit subjects name, read one by one: all that an anonymous client can afford."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.domain import Commit, Issue, PullRequest
from agent.errors import NotFound, RateLimited
from agent.ids import RepoId
from tools.github.address import repo_path
from tools.github.client import GitHubClient
from tools.github.shapes import ISSUE, PULL

# `(#123)` at the end is what a squash merge writes: a pull request.
_SQUASHED = re.compile(r"\(#([1-9]\d{0,9})\)\s*$")
_MERGED = re.compile(r"^Merge pull request #([1-9]\d{0,9}) from ")
# Not `owner/name#5`, which is somebody else's.
_NAMED = re.compile(r"(?<![\w/#])#([1-9]\d{0,9})\b")


@dataclass
class Named:
    """What the named numbers turned out to be."""

    issues: dict[int, Issue] = field(default_factory=dict)
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    pull_of: dict[str, int] = field(default_factory=dict)
    unread: int = 0
    """How many numbers were not asked for because the limit was near."""


def pull_number(subject: str) -> int | None:
    """Read the pull request that a subject says it is."""
    match = _SQUASHED.search(subject) or _MERGED.match(subject)
    return int(match[1]) if match else None


def numbers(subject: str) -> tuple[int, ...]:
    """Read every number of this repository that a subject names."""
    return tuple(dict.fromkeys(int(text) for text in _NAMED.findall(subject)))


async def read_named(client: GitHubClient, repo: RepoId, commits: Sequence[Commit], *, low_water: int) -> Named:
    """Read the named threads, newest commit first, until the limit is near."""
    named = Named()
    likely_pulls = {number for commit in commits if (number := pull_number(commit.subject))}
    wanted = list(dict.fromkeys(number for commit in commits for number in numbers(commit.subject)))
    for index, number in enumerate(wanted):
        left = client.remaining()
        if left is not None and left <= low_water:
            named.unread = len(wanted) - index
            break
        try:
            await _read(client, repo, number, named, pull_first=number in likely_pulls)
        except NotFound:
            continue
        except RateLimited:
            named.unread = len(wanted) - index
            break
    for commit in commits:
        origin = named.pulls.get(pull_number(commit.subject) or 0)
        if origin is not None and origin.merged_at is not None and origin.merge_commit in (None, commit.sha):
            named.pull_of[commit.sha] = origin.number
    return named


async def _read(client: GitHubClient, repo: RepoId, number: int, named: Named, *, pull_first: bool) -> None:
    if pull_first:
        try:
            pull = (await client.get_if_there(repo_path(repo, "pulls", str(number)), PULL)).value
        except NotFound:
            pass
        else:
            named.pulls[number] = pull.to_pull(repo)
            return
    shape = (await client.get_if_there(repo_path(repo, "issues", str(number)), ISSUE)).value
    if shape.number != number:
        raise NotFound(f"{repo}#{number} was moved elsewhere")
    if shape.is_pull:
        pull = (await client.get_if_there(repo_path(repo, "pulls", str(number)), PULL)).value
        named.pulls[number] = pull.to_pull(repo)
    else:
        named.issues[number] = shape.to_issue(repo)
