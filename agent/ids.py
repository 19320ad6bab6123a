"""How things are named: `owner/name`, `owner/name@<40 hex>`, `owner/name#12`, and every other form people write."""

import re
from dataclasses import dataclass
from typing import Literal, NewType

from agent.errors import UsageError

RepoId = NewType("RepoId", str)
CommitId = NewType("CommitId", str)
ThreadId = NewType("ThreadId", str)

_OWNER = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})"
_NAME = r"[A-Za-z0-9._-]{1,100}"
_REPO = rf"(?P<owner>{_OWNER})/(?P<name>{_NAME}?)(?:\.git)?"
# GitHub.com, its redirect host, its API and any enterprise host all use the same path shapes.
_HOST = (
    r"(?:https?://|ssh://git@|git@|git://)?(?:www\.)?[A-Za-z0-9.-]+\.[A-Za-z]{2,}(?::\d+)?[:/](?:api/v3/)?(?:repos/)?"
)

_REPO_FORM = re.compile(rf"^(?:{_HOST})?{_REPO}/?$")
_COMMIT_FORMS = (
    re.compile(rf"^{_HOST}{_REPO}/(?:pull/\d+/)?commits?/(?P<sha>[0-9a-fA-F]{{4,40}})(?:[/?#.].*)?$"),
    re.compile(rf"^{_REPO}(?:/commits?/|@)(?P<sha>[0-9a-fA-F]{{4,40}})$"),
    re.compile(r"^@?(?P<sha>[0-9a-fA-F]{7,40})$"),
)
_THREAD_FORMS = (
    re.compile(rf"^{_HOST}{_REPO}/(?:issues|pull|pulls|discussions)/(?P<number>[1-9]\d{{0,9}})(?:[/?#].*)?$"),
    re.compile(rf"^{_REPO}(?:#|/(?:issues|pull|pulls)/)(?P<number>[1-9]\d{{0,9}})$"),
    re.compile(r"^(?:#|GH-|gh-|!)(?P<number>[1-9]\d{0,9})$"),
)


@dataclass(frozen=True)
class Reference:
    """One thing somebody named; `repo` is None where neither the text nor the context says which."""

    kind: Literal["commit", "thread"]
    repo: RepoId | None
    sha: str = ""
    number: int = 0

    @property
    def exact(self) -> bool:
        """True when the reference names one artefact without looking anything up."""
        return self.repo is not None and (self.kind == "thread" or len(self.sha) == 40)


def repo_id(text: str) -> RepoId:
    """Read `owner/name`, a web address or a clone address of a repository."""
    match = _REPO_FORM.match(text.strip())
    if match is None or match["name"] in ("", ".", ".."):
        raise UsageError(f"{text!r} is not a repository; write owner/name, for example vllm-project/vllm")
    return RepoId(f"{match['owner']}/{match['name']}")


def commit_id(repo: RepoId, sha: str) -> CommitId:
    """Name one commit by its full hash."""
    if not re.fullmatch(r"[0-9a-f]{40}", sha):
        raise ValueError(f"not a full commit hash: {sha!r}")
    return CommitId(f"{repo}@{sha}")


def thread_id(repo: RepoId, number: int) -> ThreadId:
    """Name one issue or pull request; GitHub numbers them together."""
    if number < 1:
        raise ValueError(f"not an issue number: {number}")
    return ThreadId(f"{repo}#{number}")


def parse_reference(text: str, default_repo: RepoId | None = None) -> Reference | None:
    """Read one reference in any form people write; None when it is not one."""
    text = text.strip().strip("`<>()[]").rstrip(".,;:")
    for form in _COMMIT_FORMS:
        if match := form.match(text):
            return Reference("commit", _repo_of(match, default_repo), sha=match["sha"].lower())
    for form in _THREAD_FORMS:
        if match := form.match(text):
            return Reference("thread", _repo_of(match, default_repo), number=int(match["number"]))
    return None


def _repo_of(match: re.Match[str], default_repo: RepoId | None) -> RepoId | None:
    """Take the repository from the text, else from the context."""
    groups = match.groupdict()
    return RepoId(f"{groups['owner']}/{groups['name']}") if groups.get("owner") else default_repo
