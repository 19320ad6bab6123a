"""What a revert does to issues, by what it takes back, whether or not it has a word of them."""

from collections.abc import Iterable, Mapping, Sequence

from agent.domain.base import CommitId, EvidenceId, Frozen, RepoId, commit_id
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import FactKind
from agent.domain.links import Link, Relation

_ADDRESSING = (Relation.FIXES, Relation.PARTLY)
_PATCH = "patch "
_KINDS = {FactKind.REVERT: Relation.REVERTS, FactKind.RELAND: Relation.FIXES}
BROUGHT_BACK = "brings back"
_SAYS = {Relation.REVERTS: "takes back", Relation.FIXES: BROUGHT_BACK}
Undoing = tuple[CommitId, Relation, EvidenceId]
"""A commit, whether it takes back or brings back, and the commit that it does so to."""


class Patch(Frozen):
    """The names of a change and of its opposite."""

    name: str
    opposite: str


def partners(commits: Iterable[CommitEvidence]) -> list[Undoing]:
    """Tell which commits take back or bring back which, by their patches or by what their messages name."""
    known = {one.id: one for one in commits}
    by_pull = {f"#{one.pull}": one.id for one in known.values() if one.pull}
    found: list[Undoing] = []
    for one in known.values():
        for fact in (fact for fact in one.facts if fact.kind in _KINDS):
            hashed = f"{one.repo}@{fact.old}" if fact.old and len(fact.old) == 40 else ""
            other = hashed if hashed in known else by_pull.get("#" + fact.name.rpartition("#")[2], hashed)
            if other and other != one.id:
                found.append((CommitId(one.id), _KINDS[fact.kind], other))
    return found


def reverted_by(commits: Sequence[CommitEvidence]) -> dict[EvidenceId, EvidenceId]:
    """Tell which of these commits was undone by which."""
    mine = {one.id for one in commits}
    return {other: own for own, does, other in partners(commits) if does is Relation.REVERTS and other in mine}


def with_patches(links: Iterable[Link], names: Mapping[str, Patch]) -> tuple[Link, ...]:
    """Keep with each fix the name of its patch, by which a later day knows what takes it back."""
    found = []
    for link in links:
        patch = names.get(link.change.rpartition("@")[2])
        if patch and link.relation in _ADDRESSING:
            link = link.model_copy(update={"evidence": (*link.evidence, f"{_PATCH}{patch.name}")})
        found.append(link)
    return tuple(found)


def patch_partners(repo: RepoId, names: Mapping[str, Patch], links: Iterable[Link]) -> list[Undoing]:
    """Tell which commits take back or bring back a fix by their patches alone, however closely they were read."""
    fixes = {
        one.removeprefix(_PATCH): link.change
        for link in links
        if link.relation in _ADDRESSING
        for one in link.evidence
        if one.startswith(_PATCH)
    }
    found: list[Undoing] = []
    for sha, patch in names.items():
        own = commit_id(repo, sha)
        for name, relation in ((patch.opposite, Relation.REVERTS), (patch.name, Relation.FIXES)):
            if fixes.get(name, own) != own:
                found.append((own, relation, fixes[name]))
                break
    return found


def carried_links(links: Iterable[Link], earlier: Iterable[Link], pairs: Iterable[Undoing]) -> tuple[Link, ...]:
    """Add to the links what follows from reverts and re-lands; `earlier` are links that earlier reports told."""
    found = {(link.issue, link.change): link for link in links}
    addressed = [link for link in (*found.values(), *earlier) if link.relation in _ADDRESSING]
    for commit, relation, other in pairs:
        for link in addressed:
            weaker = found.get((link.issue, commit))
            if link.change != other or (weaker and weaker.relation is not Relation.MENTIONS):
                continue
            told = link.relation if relation is Relation.FIXES else relation
            said = (f"{_SAYS[relation]} {other.rpartition('@')[2][:12]}",)
            found[link.issue, commit] = link.model_copy(update={"change": commit, "relation": told, "evidence": said})
    return tuple(found.values())
