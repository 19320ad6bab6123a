"""References as people write them: repositories, commits and threads in addresses and in prose.

This is the one place that knows the forms: `owner/name`, clone and web addresses, `#12`,
`owner/name#12`, `GH-12`, full and shortened hashes, and the `(#12)` that GitHub adds to titles.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from agent.domain.base import RepoId
from agent.domain.errors import UsageError
from agent.domain.evidence_id import OWNER, REPO_NAME, EvidenceId

_MAX_MENTIONS = 60  # References of one text that are worth remembering

# ---------------------------------------------------------------- one reference by itself

_REPO = rf"(?P<owner>{OWNER})/(?P<name>{REPO_NAME}?)(?:\.git)?"
# GitHub.com, its redirect host, its API and any enterprise host all use the same path shapes.
# Discussions of an organisation have numbers of their own, which belong to no repository.
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
_NO_NAMES = ("", ".", "..", ".git")


@dataclass(frozen=True)
class Reference:
    """A commit or a thread that somebody named.

    `repo` is None if neither the text nor the context says which.
    """

    kind: Literal["commit", "thread"]
    repo: RepoId | None
    sha: str = ""  # In lower case, perhaps shortened
    number: int = 0


def repo_id(text: str) -> RepoId:
    """Return the repository of `owner/name`, a web address or a clone address."""
    for form in _REPO_FORMS:
        match = form.match(text.strip())
        if match and match["name"] not in _NO_NAMES:
            return RepoId(f"{match['owner']}/{match['name']}")
    # A clone address may carry a password, which must not reach a log.
    described = "that address" if "@" in text else repr(text)
    raise UsageError(
        f"{described} is not a repository; write owner/name, for example vllm-project/vllm"
    )


def parse_reference(text: str, default_repo: RepoId | None = None) -> Reference | None:
    """Return the reference that a text is, in any form people write; None if it is none."""
    text = text.strip().lstrip(_BEFORE).rstrip(_AFTER)
    for form in _REFERENCE_FORMS:
        match = form.match(text)
        if match is None:
            continue
        groups = match.groupdict()
        # A path would swallow some names; a form without a repository is fine.
        if groups.get("name") in _NO_NAMES:
            continue
        repo = default_repo
        if groups.get("owner"):
            repo = RepoId(f"{groups['owner']}/{groups['name']}")
        if groups.get("sha"):
            return Reference("commit", repo, sha=groups["sha"].lower())
        return Reference("thread", repo, number=int(groups["number"]))
    return None


# ---------------------------------------------------------------- references within prose

_OWNED = r"[A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100}"
_THREAD_NUMBER = r"[1-9]\d{0,8}"
_ADDRESS = (
    rf"https?://(?:[\w-]{{1,60}}\.){{0,4}}github(?:\.[\w-]{{1,60}}){{1,3}}/(?P<where>{_OWNED})"
    rf"/(?:(?:issues|pull)/(?P<thread>{_THREAD_NUMBER})|commit/(?P<commit>[0-9a-f]{{7,40}}))"
    r"(?:[/?#][^\s()\[\]<>\"']{0,200})?"
)
_LINK = re.compile(_ADDRESS, re.ASCII | re.IGNORECASE)
_IN_PROSE = re.compile(
    # A link is what it links to, whatever number it shows.
    r"\[[^\[\]\n]{1,200}\]\((?P<url>[^()\s]{1,400})\)"
    r"|<a\s[^<>\n]{0,200}?href=[\"'](?P<href>[^\"'\s]{1,400})[\"'][^<>\n]{0,200}>[^<>\n]{1,200}</a>"
    rf"|(?<![\w/])(?P<address>{_ADDRESS})"
    rf"|(?<![\w/#&.\\-])(?:(?P<repo>{_OWNED})?#|GH-)(?P<number>{_THREAD_NUMBER})(?!\w|\.\d)"
    r"|\bcommit\s{1,3}(?P<short>[0-9a-f]{7,40})\b|(?<![\w/@-])(?P<hash>[0-9a-f]{40})(?!\w)",
    re.ASCII | re.IGNORECASE,
)


class FoundReference(NamedTuple):
    """A reference in a text, and where it is."""

    start: int
    end: int
    target: EvidenceId  # A shortened hash stays short


def find_references(text: str, home: RepoId) -> Iterator[FoundReference]:
    """Yield the threads and commits that prose names, as GitHub would link them.

    `home` is the repository of references that name none.
    """
    for match in _IN_PROSE.finditer(text):
        target = _target(match, home)
        if target is not None:
            yield FoundReference(match.start(), match.end(), target)


def _target(match: re.Match[str], home: RepoId) -> EvidenceId | None:
    """Return the thread or commit that a match refers to; None for a link to something else."""
    link = match["url"] or match["href"]
    address = _LINK.match(link) if link else match
    if address is None:
        return None
    groups = address.groupdict()
    repo = _named_repo(groups["where"] or groups.get("repo") or home, home)
    number = groups["thread"] or groups.get("number")
    if number:
        return EvidenceId.parse_parts(repo, number=number)
    sha = groups["commit"] or groups.get("short") or groups["hash"]
    return EvidenceId.parse_parts(repo, revision=sha.lower())


def _named_repo(name: str, home: RepoId) -> RepoId:
    # GitHub ignores the case of names.
    if name.lower() == home.lower():
        return home
    return RepoId(name.removesuffix(".git"))


# In texts of all kinds, where only what cannot be anything else counts.
_UNMISTAKABLE = re.compile(
    rf"(?<![\w/&#])(?P<repo>{_OWNED})?#(?P<number>{_THREAD_NUMBER})\b", re.ASCII
)
_UNMISTAKABLE_ADDRESS = re.compile(
    r"github\.com/(?P<repo>[\w-]{1,39}/[\w.-]{1,100})"
    rf"/(?:(?:pull|issues)/(?P<number>{_THREAD_NUMBER})|commit/(?P<sha>[0-9a-f]{{40}}))"
)
_UNMISTAKABLE_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])")


def mentioned_ids(repo: RepoId, text: str) -> tuple[EvidenceId, ...]:
    """Return the threads and commits that a text names by number, address or full hash."""
    mentioned: dict[EvidenceId, None] = {}
    for evidence_id in _unmistakable_ids(repo, text):
        if evidence_id is not None:
            mentioned[evidence_id] = None
    return tuple(mentioned)[:_MAX_MENTIONS]


def _unmistakable_ids(repo: RepoId, text: str) -> Iterator[EvidenceId | None]:
    for match in _UNMISTAKABLE.finditer(text):
        yield EvidenceId.parse_parts(match["repo"] or repo, number=match["number"])
    for match in _UNMISTAKABLE_ADDRESS.finditer(text):
        yield EvidenceId.parse_parts(
            match["repo"], revision=match["sha"] or "", number=match["number"] or ""
        )
    for match in _UNMISTAKABLE_HASH.finditer(text):
        yield EvidenceId.commit(repo, match[0])


# ---------------------------------------------------------------- numbers of threads

_BARE_NUMBER = re.compile(r"(?<![\w/&#])#([1-9]\d{0,9})\b")
_PULL_NUMBERS = re.compile(r"\((#\d{1,10}(?:,\s{0,3}#\d{1,10}){0,9})\)")
_PULL_NUMBER = re.compile(r"\s*\(#(\d{1,10})\)")
_LAST_PULL_NUMBER = re.compile(r"\s*\(#(?P<number>[1-9]\d{0,8})\)\s*$")
_MERGED_PULL = re.compile(r"^Merge pull request #([1-9]\d{0,8})\b")


def thread_numbers(text: str) -> list[int]:
    """Return the numbers that stand behind a `#` and belong to no other repository."""
    return [int(number) for number in _BARE_NUMBER.findall(text)]


def pull_number(title: str) -> int | None:
    """Return the pull request that a title says it came by, as GitHub's merge buttons write it."""
    match = _MERGED_PULL.match(title) or _LAST_PULL_NUMBER.search(title)
    return int(match[1]) if match else None


def pull_numbers(title: str) -> list[int]:
    """Return the number of every `(#12)` in a title."""
    return [int(number) for number in _PULL_NUMBER.findall(title)]


def without_pull_number(title: str) -> str:
    """Return a title without the `(#12)` that GitHub adds to the end when it squashes."""
    return _LAST_PULL_NUMBER.sub("", title)


def without_pull_numbers(title: str) -> str:
    """Return a title without any `(#12)`, as a revert of a revert has several."""
    return _PULL_NUMBER.sub("", title)


def grouped_pull_numbers(title: str) -> list[list[int]]:
    """Return the numbers in each pair of parentheses: `(#1, #2) (#3)` gives two groups."""
    groups = []
    for group in _PULL_NUMBERS.findall(title):
        groups.append([int(number) for number in re.findall(r"\d+", group)])
    return groups


_MENTION = r"(?:#|GH-|/pull/|/issues/){number}(?!\d)"


def mentions_thread(text: str, number: int) -> bool:
    """Return True if a text has the number of a thread, be it in prose or in an address."""
    return re.search(_MENTION.format(number=number), text) is not None


# ---------------------------------------------------------------- references in anybody's report

_REPORT_HASH = re.compile(
    rf"(?<![\w/@.=&?#%+$-])(?:(?P<repo>{_OWNED})@)?(?P<sha>[0-9a-f]{{7,40}})(?![\w/]|[-.=]\w)",
    re.ASCII,
)
_REPORT_NUMBER = re.compile(
    rf"(?<![\w/&#.-])(?P<repo>{_OWNED})?#(?P<number>{_THREAD_NUMBER})(?![\w-])", re.ASCII
)
_LABEL_HASH = re.compile(r"(?<![\w/-])[0-9a-f]{7,40}(?![\w/-])", re.ASCII)
_LABEL_NUMBER = re.compile(rf"(?<!\w)(?:#|GH-)(?P<number>{_THREAD_NUMBER})(?!\w)", re.ASCII)


class LocatedReference(NamedTuple):
    """A reference that somebody's report makes, and where it stands."""

    start: int
    end: int
    reference: Reference


def report_hashes(text: str) -> Iterator[LocatedReference]:
    """Yield what looks like a hash in a report, with its repository if that is written before it."""
    for match in _REPORT_HASH.finditer(text):
        repo = RepoId(match["repo"]) if match["repo"] else None
        reference = Reference("commit", repo, sha=match["sha"])
        yield LocatedReference(match.start(), match.end(), reference)


def report_numbers(text: str) -> Iterator[LocatedReference]:
    """Yield the numbers of threads in a report, with their repository if that is written."""
    for match in _REPORT_NUMBER.finditer(text):
        repo = RepoId(match["repo"]) if match["repo"] else None
        reference = Reference("thread", repo, number=int(match["number"]))
        yield LocatedReference(match.start(), match.end(), reference)


def label_hashes(label: str) -> list[str]:
    """Return the hashes, perhaps shortened, in the label of a link."""
    return _LABEL_HASH.findall(label)


def label_numbers(label: str) -> list[int]:
    """Return the numbers of threads in the label of a link."""
    return [int(number) for number in _LABEL_NUMBER.findall(label)]


def is_repo_name(text: str) -> bool:
    """Return True if a text is `owner/name` and nothing else."""
    return re.fullmatch(_OWNED, text, re.ASCII) is not None
