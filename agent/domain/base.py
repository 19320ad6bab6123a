"""What everything else is built on: errors, how things are named, and values that never change."""

import re
from dataclasses import dataclass
from typing import Literal, NewType, get_args

from pydantic import BaseModel, ConfigDict

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INCOMPLETE = 3
EXIT_ABSTAINED = 4


class AppError(Exception):
    """A failure that is told in one line; anything else is a bug and keeps its traceback."""

    exit_code = EXIT_FAILED


class UsageError(AppError, ValueError):
    """The user must act: the command line asks for something that makes no sense; pydantic tells it with its key."""

    exit_code = EXIT_USAGE


class ConfigError(UsageError):
    """The user must act: a configuration file or environment variable is wrong."""


class MissingPackages(ConfigError):
    """The user must act: `purpose` needs packages that are installed only on request."""

    def __init__(self, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the packages of Gitzette's extra 'server'; install them from its "
            "checkout with: uv tool install '.[server]' (or pip install '.[server]')"
        )


class InputError(AppError):
    """The user must act: something that was named does not exist or cannot be used."""

    exit_code = EXIT_USAGE


class UnknownVersion(InputError):
    """The user must act: a repository has no tag, commit or day of that name."""


class StorageError(AppError):
    """One of our own files cannot be read or written; what was stored before is untouched."""


class UpstreamError(AppError):
    """A service we depend on failed; the caller may try again if `retryable`."""

    def __init__(self, message: str, *, retryable: bool, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after


class NotFound(UpstreamError):
    """The thing asked for is not there, and asking again will not help."""

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=False)


class RateLimited(UpstreamError):
    """The service asks us to wait longer than the run is willing to."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message, retryable=True, retry_after=retry_after)


# ---------------------------------------------------------------- names

RepoId = NewType("RepoId", str)
CommitId = NewType("CommitId", str)
ThreadId = NewType("ThreadId", str)
EvidenceId = (
    str  # `owner/name@<40 hex>` a commit, `owner/name#12` a thread, `owner/name@v0.6.3` a release
)
Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

# Users managed by an enterprise have an underscore in their name.
_OWNER = r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}"
_NAME = r"[A-Za-z0-9._-]{1,100}"
_REPO = rf"(?P<owner>{_OWNER})/(?P<name>{_NAME}?)(?:\.git)?"
# GitHub.com, its redirect host, its API and any enterprise host all use the same path shapes. Discussions of an
# organisation have numbers of their own, which belong to no repository.
_HOST = (
    r"(?:(?:https?|git|ssh|git\+ssh)://(?:[^\s/@]{1,400}@)?[a-z0-9.-]{1,253}"
    r"|(?:[a-z0-9_-]{1,64}@)?[a-z0-9.-]{1,253}\.[a-z]{2,63})"
    r"(?::[0-9]+/|[:/])(?:api/v3/)?(?:repos/)?(?!orgs/)"
)
_SHA = r"(?P<sha>[0-9a-f]{4,40})"
_NUMBER = r"(?P<number>[1-9][0-9]{0,9})"
_THREAD = r"(?:issues|pull|pulls|discussions)"
_FLAGS = re.ASCII | re.IGNORECASE

_REPO_FORMS = (
    re.compile(rf"^{_HOST}{_REPO}/?(?:[?#].*)?$", _FLAGS),
    re.compile(rf"^{_REPO}/?$", _FLAGS),
)
_REFERENCE_FORMS = (
    re.compile(
        rf"^{_HOST}{_REPO}/(?:git/|pull/[0-9]+/)?commits?/{_SHA}(?:\.patch|\.diff)?(?:[/?#].*)?$",
        _FLAGS,
    ),
    re.compile(rf"^{_REPO}(?:/commits?/|@){_SHA}$", _FLAGS),
    re.compile(r"^@?(?P<sha>[0-9a-f]{7,40})$", _FLAGS),
    re.compile(rf"^{_HOST}{_REPO}/{_THREAD}/{_NUMBER}(?:\.patch|\.diff)?(?:[/?#].*)?$", _FLAGS),
    re.compile(rf"^{_REPO}(?:#|/{_THREAD}/){_NUMBER}$", _FLAGS),
    re.compile(rf"^(?:#|GH-|!){_NUMBER}$", _FLAGS),
)
# What stands around a reference in prose, Chinese prose included.
_BEFORE = "`<([{*\"'“‘「『《（【"
_AFTER = "`>)]}*\"'”’」』》）】.,;:!?。，、；：！？"
# The same within a text of other things, where only what cannot be anything else counts.
_NUMBERED = re.compile(
    r"(?<![\w/&#])(?:([A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100}))?#([1-9]\d{0,8})\b", re.ASCII
)
_ADDRESS = re.compile(
    r"github\.com/([\w-]{1,39}/[\w.-]{1,100})/(?:(?:pull|issues)/([1-9]\d{0,8})|commit/([0-9a-f]{40}))"
)
_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])")
_NO_NAMES = ("", ".", "..", ".git")


class Frozen(BaseModel):
    """A value: it never changes after it was made, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Reference:
    """One thing somebody named; `repo` is None where neither the text nor the context says which."""

    kind: Literal["commit", "thread"]
    repo: RepoId | None
    sha: str = ""
    number: int = 0


def repo_id(text: str) -> RepoId:
    """Read `owner/name`, a web address or a clone address of a repository."""
    for form in _REPO_FORMS:
        if (match := form.match(text.strip())) and match["name"] not in _NO_NAMES:
            return RepoId(f"{match['owner']}/{match['name']}")
    # A clone address may carry a password, which must not reach a log.
    told = "that address" if "@" in text else repr(text)
    raise UsageError(f"{told} is not a repository; write owner/name, for example vllm-project/vllm")


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


def repo_of(evidence: EvidenceId) -> RepoId:
    """Return the repository of a commit, a thread or a release, by the name it is cited under."""
    return RepoId(re.split("[@#]", evidence, maxsplit=1)[0])


def parse_reference(text: str, default_repo: RepoId | None = None) -> Reference | None:
    """Read one reference in any form people write; None when it is not one."""
    text = text.strip().lstrip(_BEFORE).rstrip(_AFTER)
    for form in _REFERENCE_FORMS:
        if match := form.match(text):
            groups = match.groupdict()
            # A path would swallow some names; a form without a repository is fine.
            if groups.get("name") not in _NO_NAMES:
                repo = (
                    RepoId(f"{groups['owner']}/{groups['name']}")
                    if groups.get("owner")
                    else default_repo
                )
                if sha := groups.get("sha"):
                    return Reference("commit", repo, sha=sha.lower())
                return Reference("thread", repo, number=int(groups["number"]))
    return None


def references(repo: RepoId, text: str) -> tuple[str, ...]:
    """List the threads and commits that a text names by number, address or full hash."""
    found = [f"{name or repo}#{number}" for name, number in _NUMBERED.findall(text)]
    found += [
        f"{name}#{number}" if number else f"{name}@{sha}"
        for name, number, sha in _ADDRESS.findall(text)
    ]
    found += [f"{repo}@{sha}" for sha in _HASH.findall(text)]
    return tuple(dict.fromkeys(found))[:60]
