"""Which issues the landed commits close, by GitHub's own records, and where its words are to be looked for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.domain import Commit, PullRequest, Threads
from agent.ids import RepoId, ThreadId
from agent.links import Relation

_COPIES = re.compile(r"(?:app/)?(?:dependabot|renovate|pre-commit-ci|pyup|snyk)\b", re.IGNORECASE)
CLOSED = "closed by it, as GitHub records"
LISTED = "its pull request closes it, as GitHub lists"


@dataclass(frozen=True)
class Found:
    """One issue that a landed commit addresses, and what says so."""

    issue: ThreadId
    sha: str
    relation: Relation
    evidence: str


@dataclass(frozen=True)
class Landings:
    """The landed commits with the pull requests that brought them."""

    repo: RepoId
    branch: str | None
    """The default branch; None where it is not known, and no base is then refused."""
    commits: Sequence[Commit]
    threads: Threads

    def pulls(self) -> Iterator[tuple[PullRequest, str]]:
        """Give each pull request that was merged into the default branch, with the commit that it became."""
        for pull in self.threads.pulls:
            if pull.merged_at is None or self.branch not in (None, pull.base):
                continue
            brought = [one.sha for one in self.commits if self.threads.pull_of.get(one.sha) == pull.number]
            if brought:
                yield pull, pull.merge_commit if pull.merge_commit in brought else brought[0]


def records(landings: Landings) -> Iterator[Found]:
    """Read what GitHub itself says: what closed an issue, and which issues a merged pull request closes.

    An issue that was closed as not planned or as a duplicate was not fixed, whatever closed it.
    """
    landed = {commit.sha for commit in landings.commits}
    became = {pull.id: sha for pull, sha in landings.pulls()}
    unfixed = set()
    for closing in landings.threads.closings:
        if closing.reason not in (None, "completed"):
            unfixed.add(closing.issue)
            continue
        sha = closing.by_commit.partition("@")[2] if closing.by_commit else became.get(closing.by_pull or ThreadId(""))
        if sha in landed and (not closing.by_commit or closing.by_commit.startswith(f"{landings.repo}@")):
            yield Found(closing.issue, sha, Relation.FIXES, CLOSED)
    for pull, sha in landings.pulls():
        yield from (Found(issue, sha, Relation.FIXES, LISTED) for issue in pull.closes if issue not in unfixed)


def texts(landings: Landings) -> Iterator[tuple[str, str]]:
    """Give everything that may speak of issues, each with its commit; what a bot copies is of other repositories."""
    for commit in landings.commits:
        yield commit.sha, commit.title if _COPIES.match(commit.author.name) else commit.message
    for pull, sha in landings.pulls():
        yield sha, pull.title if _COPIES.match(pull.author or "") else f"{pull.title}\n\n{pull.body}"
