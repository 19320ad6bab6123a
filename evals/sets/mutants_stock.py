"""The evidence that claims of the mutants are made from and judged by: commits with facts, threads, links."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path

from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ThreadEvidence
from agent.gate.pulls import pulls_of
from agent.ids import RepoId
from agent.links import Link
from agent.window import Window
from evals.sets.mutants_case import Place
from tools.diff.sheet import paths_to_read, read_facts
from tools.git.source import GitSource


@dataclass(frozen=True, kw_only=True)
class Stock:
    """Everything that was read of some repositories."""

    name: str
    place: Place
    commits: Mapping[EvidenceId, CommitEvidence]
    threads: Mapping[EvidenceId, ThreadEvidence] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    reverted: Mapping[EvidenceId, EvidenceId] = field(default_factory=dict)
    now: datetime

    def commit(self, repo: str, sha: str) -> CommitEvidence | None:
        """Find a commit that was read."""
        return self.commits.get(f"{repo}@{sha}")

    def parent(self, commit: CommitEvidence) -> CommitEvidence | None:
        """Find the commit before this one, if it was read."""
        parents = commit.change.commit.parents
        return self.commit(commit.repo, parents[0]) if parents else None

    def stranger(self, commit: CommitEvidence) -> CommitEvidence | None:
        """Find the commit of the same repository, nearest in time, that touches none of its files."""
        own = set(commit.paths)
        others = [one for one in self.of(commit.repo) if one.paths and own.isdisjoint(one.paths)]
        return min(others, key=lambda one: abs(one.at - commit.at), default=None)

    def elsewhere(self, commit: CommitEvidence) -> CommitEvidence | None:
        """Find the commit of another repository that is nearest in time."""
        others = [one for one in self.commits.values() if one.repo != commit.repo]
        return min(others, key=lambda one: abs(one.at - commit.at), default=None)

    def of(self, repo: RepoId) -> list[CommitEvidence]:
        """List the commits of one repository."""
        return [one for one in self.commits.values() if one.repo == repo]

    def dossier(self, about: Sequence[Evidence], *, today: bool = False) -> Dossier:
        """Put together what a report on these artefacts would have read on that day, or what is known by now."""
        moments = [one.at for one in about]
        window = Window.days(min(moments).date(), max(moments).date(), "UTC")
        as_of = self.now if today else window.end
        own = {one.id for one in about}
        undone = {
            one: by for one, by in self.reverted.items() if today or (one not in own and self._landed_by(by, as_of))
        }
        return Dossier(
            found=self.found,
            window=window,
            as_of=as_of,
            seen=self.names,
            links=self.links,
            reverted=undone,
        )

    @cached_property
    def found(self) -> dict[EvidenceId, Evidence]:
        """List everything under its name."""
        return {**self.commits, **self.threads}

    @cached_property
    def names(self) -> frozenset[EvidenceId]:
        """Name everything."""
        return frozenset(self.found)

    def _landed_by(self, commit: EvidenceId, moment: datetime) -> bool:
        return commit in self.commits and self.commits[commit].at < moment


async def read_commits(repo: RepoId, path: Path, shas: Iterable[str]) -> dict[EvidenceId, CommitEvidence]:
    """Read commits once, with their facts."""
    source = GitSource(repo, path)
    found: dict[EvidenceId, CommitEvidence] = {}
    async for change in source.changes(list(dict.fromkeys(shas))):
        blobs = await source.blobs(change, paths_to_read(change))
        evidence = CommitEvidence(change=change, sheet=read_facts(change, blobs), landed=True)
        pulls = pulls_of(evidence)
        evidence = evidence.model_copy(update={"pull": pulls[0] if pulls else None})
        found[evidence.id] = evidence
    return found
