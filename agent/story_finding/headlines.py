"""Landed commits by what they are called, found again by hash, number or title."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from agent.domain import Change, Commit, Person
from agent.evidence import CommitEvidence
from agent.ids import RepoId
from agent.sources import Headline

_CLOSING = re.compile(r"\(#([1-9]\d{0,8})\)\s*$")
_MERGED = re.compile(r"^Merge pull request #([1-9]\d{0,8})\b")
_NUMBERS = re.compile(r"\s*\(#\d{1,9}\)")
_AGAIN = re.compile(r"^\W*(?:re-?land(?:ed|ing)?|re-?apply|redo)\b[\s:\]-]*", re.IGNORECASE)
_QUOTES = "\"“”'`"


def pull_named(subject: str) -> int | None:
    """Read which pull request a first line says it came by."""
    found = _CLOSING.search(subject) or _MERGED.match(subject)
    return int(found[1]) if found else None


def headline(commit: Commit, pull: int | None = None) -> Headline:
    """Make the headline of a commit."""
    number = pull or pull_named(commit.subject) or pull_named(commit.title)
    return Headline(
        sha=commit.sha, at=commit.committed_at, author=commit.author.name, title=commit.title[:400], pull=number
    )


def evidence_of(repo: RepoId, head: Headline) -> CommitEvidence:
    """Make evidence of a headline: who landed what, when and under which title; its diff was not read."""
    person = Person(name=head.author, email="")
    commit = Commit(
        repo=repo,
        sha=head.sha,
        parents=(),
        author=person,
        authored_at=head.at,
        committer=person,
        committed_at=head.at,
        message=head.title,
    )
    unread = "only its first line was read"
    return CommitEvidence(change=Change(commit=commit, files=(), incomplete=unread), landed=True, pull=head.pull)


def plain(title: str) -> str:
    """Give a title as one compares it: without numbers of pull requests, quotes, words for landing again, and case."""
    text = _AGAIN.sub("", _NUMBERS.sub("", title))
    return " ".join(re.sub(r"\W+", " ", text.strip(_QUOTES + " …")).lower().split())


class Line:
    """Landed commits, each once, oldest first."""

    def __init__(self, heads: Iterable[Headline]) -> None:
        self.heads = sorted({head.sha: head for head in heads}.values(), key=lambda head: (head.at, head.sha))
        self._by_sha = {head.sha: head for head in self.heads}
        self._shas = sorted(self._by_sha)
        self._by_pull: dict[int, list[Headline]] = defaultdict(list)
        self._by_title: dict[str, list[Headline]] = defaultdict(list)
        for head in self.heads:
            if head.pull:
                self._by_pull[head.pull].append(head)
            self._by_title[plain(head.title)].append(head)

    def sha(self, digits: str) -> Headline | None:
        """Find a commit by its hash; an abbreviated one must mean one commit only."""
        if len(digits) == 40:
            return self._by_sha.get(digits)
        # In their order, whatever begins with the same digits stands side by side.
        at = bisect_left(self._shas, digits)
        fitting = [sha for sha in self._shas[at : at + 2] if digits and sha.startswith(digits)]
        return self._by_sha[fitting[0]] if len(fitting) == 1 else None

    def pull(self, number: int, before: Headline) -> Headline | None:
        """Find the commit by which a pull request landed, before another commit."""
        return _last([head for head in self._by_pull.get(number, ()) if _earlier(head, before)])

    def titled(self, title: str, before: Headline) -> Headline | None:
        """Find the last commit of this title before another one."""
        return _last([head for head in self._by_title.get(plain(title), ()) if _earlier(head, before)])


def _earlier(one: Headline, other: Headline) -> bool:
    return one.sha != other.sha and one.at <= other.at


def _last(heads: list[Headline]) -> Headline | None:
    return heads[-1] if heads else None
