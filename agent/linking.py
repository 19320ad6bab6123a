"""Which issues the landed commits fix, by GitHub's own records and by the words that GitHub obeys."""

import re
from collections.abc import Iterable, Iterator

from agent.domain import Commit, Threads
from agent.ids import RepoId, ThreadId, commit_id, parse_reference, thread_id
from agent.links import Grade, Link, Relation

# Each issue needs its own keyword; a keyword in a quotation or a code fence does not count.
_CLOSES = re.compile(
    r"(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+"
    r"((?:[\w.-]{1,39}/[\w.-]{1,100})?#[1-9]\d{0,9}|GH-[1-9]\d{0,9}|https?://\S+/(?:issues|pull)/[1-9]\d{0,9})",
    re.IGNORECASE | re.ASCII,
)
_NOT_SAID = re.compile(r"^\s*>.*$|^(```|~~~).*?^\1.*?$|<!--.*?-->|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def closing_words(text: str, repo: RepoId) -> Iterator[tuple[ThreadId, str]]:
    """Find the issues that a message closes when it reaches the default branch, each with the words that do it."""
    for found in _CLOSES.finditer(said(text)):
        reference = parse_reference(found[1], repo)
        if reference is not None and reference.kind == "thread" and reference.repo is not None:
            yield thread_id(reference.repo, reference.number), found[0]


def said(text: str) -> str:
    """Leave out what a message only quotes, shows as code or hides: GitHub does not obey words in there."""
    return _NOT_SAID.sub(" ", text)


def recorded_links(repo: RepoId, commits: Iterable[Commit], threads: Threads) -> tuple[Link, ...]:
    """Connect landed commits with issues: closing records first, then closing references and keywords."""
    known = {issue.id for issue in threads.issues}
    links: dict[tuple[ThreadId, str], Link] = {}
    landed = list(commits)
    for issue, sha, evidence in (*_closings(repo, landed, threads), *_references(landed, threads), *_keywords(landed)):
        if issue in known and (issue, sha) not in links:
            links[issue, sha] = Link(
                issue=issue,
                change=commit_id(repo, sha),
                relation=Relation.FIXES,
                grade=Grade.A,
                evidence=(evidence,),
            )
    return tuple(links.values())


_Found = Iterator[tuple[ThreadId, str, str]]


def _closings(repo: RepoId, commits: list[Commit], threads: Threads) -> _Found:
    """Read GitHub's records of what closed an issue; one that was closed as not planned was not fixed."""
    landed = {commit.sha for commit in commits}
    by_pull = {thread_id(repo, number): sha for sha, number in threads.pull_of.items()}
    for closing in threads.closings:
        if closing.reason not in (None, "completed"):
            continue
        sha = closing.by_commit.partition("@")[2] if closing.by_commit else by_pull.get(closing.by_pull or ThreadId(""))
        if sha in landed:
            yield closing.issue, sha, "closed by it, as GitHub records"


def _references(commits: list[Commit], threads: Threads) -> _Found:
    pulls = {pull.number: pull for pull in threads.pulls}
    for commit in commits:
        pull = pulls.get(threads.pull_of.get(commit.sha, 0))
        for issue in pull.closes if pull else ():
            yield issue, commit.sha, "its pull request closes it, as GitHub lists"


def _keywords(commits: list[Commit]) -> _Found:
    for commit in commits:
        for issue, words in closing_words(commit.message, commit.repo):
            yield issue, commit.sha, words
