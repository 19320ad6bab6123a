"""What a report cites, looked up anew in the repositories and judged once more by the gate."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from agent.domain.base import EvidenceId, Language, RepoId, commit_id, thread_id
from agent.domain.claims import Claim, Verdict
from agent.domain.evidence import CommitEvidence, Dossier, Evidence, ReleaseEvidence, ThreadEvidence
from agent.domain.facts import FactKind
from agent.domain.ledger import Depth
from agent.domain.report import Report
from agent.gate.check import first_refusal
from evals.figures import Score
from evals.sets.citation_scores import Judged, judged_with
from tools.diff.sheet import study
from tools.git.source import GitSource

_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_WRONG = (Verdict.MALFORMED, Verdict.NONEXISTENT, Verdict.OUT_OF_SCOPE, Verdict.UNSEEN)
_READ = (Depth.DEEP, Depth.SKIM, Depth.GROUP)
_LINEAGE = (FactKind.REVERT, FactKind.RELAND, FactKind.CHERRY_PICK)


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Where a report's evidence is looked up."""

    paths: Mapping[RepoId, Path]
    threads: Mapping[EvidenceId, ThreadEvidence] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdicts:
    """What the gate says of a report."""

    cited: list[Score]
    """Each claim: 1 when everything it cites exists, belongs there and was read."""
    held: list[Score]
    """Each claim in each language: 1 when it is supported."""
    judged: list[Judged]
    """Each claim in each language, for the checks one by one."""


async def judged(report: Report, sources: Sources, where: str) -> Verdicts:
    """Read what the report cites from the repositories and ask the gate about every claim."""
    commits: dict[EvidenceId, CommitEvidence] = {}
    tags: dict[EvidenceId, ReleaseEvidence] = {}
    for repo, path in sources.paths.items():
        source, names = GitSource(repo, path), _cited(report.claims, repo)
        commits |= await _read(source, [name for name in names if len(name) == 40])
        tags |= await _tags(source, [name for name in names if len(name) != 40])
    dossier = _dossier(report, commits, tags, sources)
    cited, held, each = list[Score](), list[Score](), list[Judged]()
    for claim in report.claims:
        mine = {
            lang: judged_with(where, claim, partial(first_refusal, dossier=dossier, lang=lang)) for lang in _LANGUAGES
        }
        verdicts = [(lang, one.judgement) for lang, one in mine.items()]
        told = "; ".join(f"{lang} {one.verdict.value}: {one.reason}" for lang, one in verdicts)
        reason = f"{where}: {claim.id} {claim.predicate}: {told}"
        cited.append(Score(reason, float(all(one.verdict not in _WRONG for _, one in verdicts))))
        held += [Score(reason, float(one.passed)) for _, one in verdicts]
        each += mine.values()
    return Verdicts(cited, held, each)


async def _read(source: GitSource, shas: Sequence[str]) -> dict[EvidenceId, CommitEvidence]:
    """Read commits with the whole files around their changes, and look for what they undo."""
    found = [CommitEvidence(change=change, sheet=await study(source, change)) async for change in source.changes(shas)]
    return {one.id: one for one in found}


async def _tags(source: GitSource, names: Sequence[str]) -> dict[EvidenceId, ReleaseEvidence]:
    """Look up tags, each by its own name."""
    found = [ReleaseEvidence(release=tag) for name in names if (tag := await source.tagged([name]))]
    return {one.id: one for one in found}


def _cited(claims: Iterable[Claim], repo: RepoId) -> list[str]:
    """List the commits and tags of a repository that are cited."""
    names = {name for claim in claims for name in claim.sources}
    return [name.partition("@")[2] for name in sorted(names) if name.startswith(f"{repo}@")]


def _dossier(
    report: Report,
    commits: Mapping[EvidenceId, CommitEvidence],
    tags: Mapping[EvidenceId, ReleaseEvidence],
    sources: Sources,
) -> Dossier:
    found: dict[EvidenceId, Evidence] = {**commits, **tags, **sources.threads}
    rows = {commit_id(row.repo, row.sha) for row in report.ledger if row.depth in _READ}
    pointed_at = _pointed_at([commits[name] for name in rows if name in commits])
    linked = {link.issue for link in report.links}
    linked |= {thread_id(row.repo, row.pull) for row in report.ledger if row.pull}
    told = {step for story in report.stories for step in story.steps}
    return Dossier(
        found=found,
        window=report.window,
        repos=frozenset(report.repos),
        seen=frozenset({*rows, *pointed_at, *linked, *told}),
        late=frozenset(commit_id(row.repo, row.sha) for row in report.ledger if row.late),
    )


def _pointed_at(commits: Sequence[CommitEvidence]) -> dict[EvidenceId, EvidenceId]:
    """List the earlier commits that the day's commits name as undone, brought back or taken over."""
    return {
        commit_id(one.repo, fact.old): one.id
        for one in commits
        for fact in one.facts
        if fact.kind in _LINEAGE and fact.old and len(fact.old) == 40
    }
