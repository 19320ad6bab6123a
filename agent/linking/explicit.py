"""The links that somebody made: records first, then keywords, then words that say what a change is for."""

from collections.abc import Iterable, Iterator

from agent.domain import Commit, Issue, Threads
from agent.ids import RepoId, ThreadId, commit_id
from agent.linking.lineage import is_revert
from agent.linking.recorded import Found, Landings, keywords, records, texts
from agent.linking.speech import Saying
from agent.linking.words import sayings
from agent.links import Grade, Link, Relation

_RELATIONS = {
    Saying.ADDRESSES: (Relation.FIXES, Grade.B),
    Saying.PARTLY: (Relation.PARTLY, Grade.B),
    Saying.NAMES: (Relation.MENTIONS, Grade.D),
}
_UNFIXED = ("not_planned", "duplicate")


def explicit_links(
    repo: RepoId, commits: Iterable[Commit], threads: Threads, branch: str | None = None
) -> tuple[Link, ...]:
    """Connect landed commits with issues; of what is said several times of the same two, the strongest stands."""
    landings = Landings(repo, branch, tuple(commits), threads)
    known = {issue.id: issue for issue in threads.issues}
    undoing = {commit.sha for commit in landings.commits if is_revert(commit)}
    links: dict[tuple[ThreadId, str], Link] = {}
    for found, grade in (*_recorded(landings), *_spoken(landings, known)):
        abroad = grade is Grade.A and not found.issue.startswith(f"{repo}#") and found.relation is Relation.FIXES
        if (found.issue not in known and not abroad) or (found.issue, found.sha) in links:
            continue
        relation = Relation.REVERTS if _undoes(found, undoing) else found.relation
        links[found.issue, found.sha] = Link(
            issue=found.issue,
            change=commit_id(repo, found.sha),
            relation=relation,
            grade=grade,
            evidence=(found.evidence,),
        )
    return tuple(links.values())


def _undoes(found: Found, undoing: set[str]) -> bool:
    """Tell whether the words are those of the change that the commit takes back."""
    return found.sha in undoing and found.relation in (Relation.FIXES, Relation.PARTLY)


def _recorded(landings: Landings) -> Iterator[tuple[Found, Grade]]:
    for found in records(landings):
        yield found, Grade.A


def _spoken(landings: Landings, known: dict[ThreadId, Issue]) -> Iterator[tuple[Found, Grade]]:
    """Read the words; an issue that was closed as not planned is only named by them."""
    for found in keywords(landings):
        issue = known.get(found.issue)
        if issue is not None and issue.state_reason not in _UNFIXED:
            yield found, Grade.A
    weaker = []
    for sha, text in texts(landings):
        for one in sayings(text, landings.repo):
            relation, grade = _RELATIONS.get(one.saying, _RELATIONS[Saying.NAMES])
            issue = known.get(one.issue)
            if issue is not None and issue.state_reason in _UNFIXED:
                relation, grade = _RELATIONS[Saying.NAMES]
            weaker.append((Found(one.issue, sha, relation, one.words), grade))
    yield from sorted(weaker, key=lambda pair: (pair[1], pair[0].relation is not Relation.PARTLY))
