"""The links that somebody made: records first, then keywords, then words that say what a change is for."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from agent.domain import Commit, Issue, Threads
from agent.ids import RepoId, ThreadId, commit_id
from agent.linking.lineage import is_revert
from agent.linking.recorded import Found, Landings, records, texts
from agent.linking.speech import Saying
from agent.linking.words import sayings
from agent.links import Grade, Link, Relation

_RELATIONS = {
    Saying.CLOSES: (Relation.FIXES, Grade.A),
    Saying.ADDRESSES: (Relation.FIXES, Grade.B),
    Saying.PARTLY: (Relation.PARTLY, Grade.B),
    Saying.NAMES: (Relation.MENTIONS, Grade.D),
}
_UNFIXED = ("not_planned", "duplicate")
_EARLY, _LATE = timedelta(minutes=10), timedelta(hours=1)


def explicit_links(
    repo: RepoId, commits: Iterable[Commit], threads: Threads, branch: str | None = None
) -> tuple[Link, ...]:
    """Connect landed commits with issues; of what is said several times of the same two, the strongest stands."""
    landings = Landings(repo, branch, tuple(commits), threads)
    known = {issue.id: issue for issue in threads.issues}
    undoing = {commit.sha: commit for commit in landings.commits if is_revert(commit)}
    spoken = list(_spoken(landings, known))
    parts = {(found.issue, found.sha) for found, _ in spoken if found.relation is Relation.PARTLY}
    links: dict[tuple[ThreadId, str], Link] = {}
    for found, grade in (*_recorded(landings), *spoken):
        issue, pair = known.get(found.issue), (found.issue, found.sha)
        abroad = grade is Grade.A and not found.issue.startswith(f"{repo}#") and found.relation is Relation.FIXES
        if (issue is None and not abroad) or pair in links:
            continue
        links[pair] = Link(
            issue=found.issue,
            change=commit_id(repo, found.sha),
            relation=_relation(found, issue, undoing.get(found.sha), partly=pair in parts),
            grade=grade,
            evidence=(found.evidence,),
        )
    return tuple(links.values())


def _relation(found: Found, issue: Issue | None, revert: Commit | None, *, partly: bool) -> Relation:
    """Tell what the change does to the issue, whatever a list of GitHub's calls it.

    Who says "partly" and leaves the issue open has not fixed it. The title of a revert is that of the change it takes
    back; other words of it are its own where the issue was closed when it landed.
    """
    if found.relation not in (Relation.FIXES, Relation.PARTLY):
        return found.relation
    if revert is not None:
        own = f"#{found.issue.partition('#')[2]}" not in re.findall(r"#\d+", revert.title)
        return found.relation if own and _closed_by(issue, revert.committed_at) else Relation.REVERTS
    return Relation.PARTLY if partly and issue is not None and issue.state == "open" else found.relation


def _closed_by(issue: Issue | None, landed: datetime) -> bool:
    closed = issue.closed_at if issue is not None else None
    return closed is not None and closed >= landed - _EARLY


def _recorded(landings: Landings) -> Iterator[tuple[Found, Grade]]:
    for found in records(landings):
        yield found, Grade.A


def _spoken(landings: Landings, known: dict[ThreadId, Issue]) -> Iterator[tuple[Found, Grade]]:
    """Read the words; an issue that was closed as not planned, or is younger than the change, is only named by them."""
    landed = {commit.sha: commit.committed_at for commit in landings.commits}
    found = []
    for sha, text in texts(landings):
        for one in sayings(text, landings.repo):
            issue = known.get(one.issue)
            relation, grade = _RELATIONS[one.saying]
            if issue is None or issue.state_reason in _UNFIXED or issue.created_at > landed[sha] + _LATE:
                relation, grade = _RELATIONS[Saying.NAMES]
            found.append((Found(one.issue, sha, relation, one.words), grade))
    yield from sorted(found, key=lambda pair: (pair[1], pair[0].relation is not Relation.PARTLY))
