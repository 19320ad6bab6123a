"""What a revert does to issues, by what it takes back, whether or not it has a word of them."""

from collections.abc import Iterable, Mapping

from agent.evidence import CommitEvidence, EvidenceId
from agent.facts import FactKind
from agent.ids import CommitId
from agent.links import Grade, Link, Relation

_KINDS = {FactKind.REVERT: Relation.REVERTS, FactKind.RELAND: Relation.FIXES}
BROUGHT_BACK = "brings back"
_SAYS = {Relation.REVERTS: "takes back", Relation.FIXES: BROUGHT_BACK}


def partners(commits: Iterable[CommitEvidence]) -> dict[CommitId, tuple[Relation, EvidenceId]]:
    """Tell which commits take back or bring back which, by their patches or by what their messages name."""
    known = list(commits)
    by_pull = {f"#{one.pull}": one.id for one in known if one.pull}
    found: dict[CommitId, tuple[Relation, EvidenceId]] = {}
    for one in known:
        for fact in one.facts:
            relation = _KINDS.get(fact.kind)
            named = by_pull.get("#" + fact.name.rpartition("#")[2])
            other = f"{one.repo}@{fact.old}" if fact.old and len(fact.old) == 40 else named
            if relation is not None and other and other != one.id:
                found[CommitId(one.id)] = (relation, other)
    return found


def carried_links(
    links: Iterable[Link], earlier: Iterable[Link], pairs: Mapping[CommitId, tuple[Relation, EvidenceId]]
) -> tuple[Link, ...]:
    """Add to the links what follows from reverts and re-lands; `earlier` are links that earlier reports told."""
    found = {(link.issue, link.change): link for link in links}
    addressed = [link for link in (*found.values(), *earlier) if link.relation in (Relation.FIXES, Relation.PARTLY)]
    for commit, (relation, other) in pairs.items():
        for link in addressed:
            weaker = found.get((link.issue, commit))
            if link.change != other or link.grade is Grade.D or (weaker and weaker.relation is not Relation.MENTIONS):
                continue
            told = link.relation if relation is Relation.FIXES else relation
            evidence = (f"{_SAYS[relation]} {other.rpartition('@')[2][:12]}",)
            found[link.issue, commit] = Link(
                issue=link.issue, change=commit, relation=told, grade=link.grade, evidence=evidence
            )
    return tuple(found.values())
