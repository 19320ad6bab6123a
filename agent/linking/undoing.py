"""What a revert does to issues, by what it takes back, whether or not it has a word of them."""

from collections.abc import Iterable, Mapping

from agent.domain import Frozen
from agent.evidence import CommitEvidence, EvidenceId
from agent.facts import FactKind
from agent.ids import CommitId, RepoId, commit_id
from agent.links import Link, Relation

_ADDRESSING = (Relation.FIXES, Relation.PARTLY)
_PATCH = "patch "
_KINDS = {FactKind.REVERT: Relation.REVERTS, FactKind.RELAND: Relation.FIXES}
BROUGHT_BACK = "brings back"
_SAYS = {Relation.REVERTS: "takes back", Relation.FIXES: BROUGHT_BACK}


class Patch(Frozen):
    """The names of a change and of its opposite."""

    name: str
    opposite: str


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


def with_patches(links: Iterable[Link], names: Mapping[str, Patch]) -> tuple[Link, ...]:
    """Keep with each fix the name of its patch, by which a later day knows what takes it back."""
    found = []
    for link in links:
        patch = names.get(link.change.rpartition("@")[2])
        if patch and link.relation in _ADDRESSING:
            link = link.model_copy(update={"evidence": (*link.evidence, f"{_PATCH}{patch.name}")})
        found.append(link)
    return tuple(found)


def patch_partners(
    repo: RepoId, names: Mapping[str, Patch], links: Iterable[Link]
) -> dict[CommitId, tuple[Relation, EvidenceId]]:
    """Tell which commits take back or bring back a fix by their patches alone, however closely they were read."""
    fixes = {
        one.removeprefix(_PATCH): link.change
        for link in links
        if link.relation in _ADDRESSING
        for one in link.evidence
        if one.startswith(_PATCH)
    }
    found: dict[CommitId, tuple[Relation, EvidenceId]] = {}
    for sha, patch in names.items():
        own = commit_id(repo, sha)
        for name, relation in ((patch.opposite, Relation.REVERTS), (patch.name, Relation.FIXES)):
            if fixes.get(name, own) != own:
                found[own] = (relation, fixes[name])
                break
    return found


def carried_links(
    links: Iterable[Link], earlier: Iterable[Link], pairs: Mapping[CommitId, tuple[Relation, EvidenceId]]
) -> tuple[Link, ...]:
    """Add to the links what follows from reverts and re-lands; `earlier` are links that earlier reports told."""
    found = {(link.issue, link.change): link for link in links}
    addressed = [link for link in (*found.values(), *earlier) if link.relation in _ADDRESSING]
    for commit, (relation, other) in pairs.items():
        for link in addressed:
            weaker = found.get((link.issue, commit))
            if link.change != other or (weaker and weaker.relation is not Relation.MENTIONS):
                continue
            told = link.relation if relation is Relation.FIXES else relation
            said = (f"{_SAYS[relation]} {other.rpartition('@')[2][:12]}",)
            found[link.issue, commit] = link.model_copy(update={"change": commit, "relation": told, "evidence": said})
    return tuple(found.values())
