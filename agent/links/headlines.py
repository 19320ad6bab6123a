"""Landed commits by what they are called, found again by hash, number or title."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from agent.domain.base import RepoId
from agent.domain.commits import Change, Commit, Headline, Person
from agent.domain.evidence import CommitEvidence

_PULL = re.compile(r"^Merge pull request #([1-9]\d{0,8})\b|\(#([1-9]\d{0,8})\)\s*$")
_NUMBERS = re.compile(r"\s*\(#\d{1,9}\)")
_AGAIN = re.compile(r"^\W*(?:re-?land(?:ed|ing)?|re-?apply)\b[\s:\]-]*", re.IGNORECASE)


def pull_named(subject: str) -> int | None:
    """Read which pull request a first line says it came by."""
    found = _PULL.search(subject)
    return int(found[1] or found[2]) if found else None


def headline(commit: Commit, pull: int | None = None) -> Headline:
    """Make the headline of a commit."""
    number = pull or pull_named(commit.subject) or pull_named(commit.title)
    return Headline(
        sha=commit.sha, at=commit.committed_at, author=commit.author.name, title=commit.title[:400], pull=number
    )


def evidence_of(repo: RepoId, head: Headline) -> CommitEvidence:
    """Make evidence of a headline: who landed what, when and under which title; its diff was not read."""
    person, moments = Person(name=head.author, email=""), {"authored_at": head.at, "committed_at": head.at}
    commit = Commit(repo=repo, sha=head.sha, parents=(), author=person, committer=person, message=head.title, **moments)
    unread = "only its first line was read"
    return CommitEvidence(change=Change(commit=commit, files=(), incomplete=unread), pull=head.pull)


def plain(title: str) -> str:
    """Give a title as one compares it: without numbers of pull requests, signs, case, and words for landing again."""
    return " ".join(re.sub(r"\W+", " ", _AGAIN.sub("", _NUMBERS.sub("", title))).lower().split())


class Line:
    """Landed commits, each once, oldest first."""

    def __init__(self, heads: Iterable[Headline]) -> None:
        self.heads = sorted({head.sha: head for head in heads}.values(), key=lambda head: (head.at, head.sha))
        self._by_sha = {head.sha: head for head in self.heads}
        self._named: dict[int | str, list[Headline]] = defaultdict(list)
        for head in self.heads:
            self._named[plain(head.title)].append(head)
            if head.pull:
                self._named[head.pull].append(head)

    def earlier(self, doer: Headline, *, sha: str = "", number: int | None = None, title: str = "") -> Headline | None:
        """Find the last commit before another one by its hash, else its number, else its title."""
        found = self._of_hash(sha) if sha else []
        found = found or self._named.get(number or 0, []) or ([] if number else self._named.get(plain(title), []))
        before = [head for head in found if head.sha != doer.sha and head.at <= doer.at]
        return before[-1] if before else None

    def _of_hash(self, digits: str) -> Sequence[Headline]:
        """Find a commit by its hash; an abbreviated one must mean one commit only."""
        if len(digits) == 40:
            return [self._by_sha[digits]] if digits in self._by_sha else []
        found = [head for head in self.heads if head.sha.startswith(digits)]
        return found if len(found) == 1 else []
