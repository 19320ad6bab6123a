"""Citations: what is cited exists, belongs there, was read, is quoted verbatim, and bears the sentence out.

Reports are looked up anew in the repositories: ours claim by claim with the gate on evidence that is read afresh, and
on worlds once more by plain git without the gate; a strange report in Markdown with the audit.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any, get_args

from agent.domain.base import Language, NotFound
from agent.domain.claims import Claim, Judgement, Verdict
from agent.domain.evidence import (
    Citable,
    CommitEvidence,
    EvidenceSet,
    FileEvidence,
    ReleaseEvidence,
    ThreadEvidence,
)
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.report import Report
from agent.gate.check import refusals
from agent.reports.stored import load
from agent.settings.values import RepoSpec
from evals.figures import ALL, NONE, Exhibit, Figures, Score, Target, share
from evals.github_server.app import GitHubServer
from evals.harness import TOKEN, Bench, evalset, serving, specs_of, through
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer
from evals.sets.oracle import days_of, first_parent_line, path_of
from evals.truth import Truth
from evals.worlds.model import World
from tools.diff.sheet import study
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.threads import GitHubThreads

_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_READ = ("deep", "skim", "group")
_LINEAGE = ("revert", "reland", "cherry-pick")
_ORDER: tuple[Verdict, ...] = get_args(Verdict)
_STEPS: dict[str, Verdict] = {
    "exist": "nonexistent",
    "are in scope": "out of scope",
    "were seen": "unseen",
    "are anchored": "quote",
}
"""Each check with the last verdict that fails it; whoever failed an earlier one is not asked again."""
_FEW_DAYS = 2
_LINES = 6


@dataclass(frozen=True)
class GateRuling:
    """A claim in one language, and what the gate says of it now."""

    claim: Claim
    lang: Language
    judgement: Judgement

    def score(self, good: bool) -> Score:
        """Score the claim by one check."""
        told = f"{self.claim.id} {self.lang}: {self.judgement.verdict}: {self.judgement.reason}"
        shown = Exhibit(self.claim.text.get(self.lang, ""), self.judgement.reason)
        return Score(told, float(good), f"{self.claim.id} {self.lang}", "", shown)


@evalset("citations", "everything cited exists, is in scope, was seen, is anchored and supports")
async def run(bench: Bench) -> Figures:
    """Report on days of a world with code alone and with a scripted model; then on mirrors; then read others."""
    world, true = bench.world("demo"), dict[str, list[Score]]()
    truth, found = Truth(world), dict[str, list[GateRuling]]()
    days = sorted(
        {
            row.committed_at.date()
            for row in world.landed
            if row.committed_at.date() < world.now.date()
        }
    )
    with serving(world.repos, world.now) as server, ModelServer(honest, context=65_536) as model:
        scripted: dict[str, Any] = {
            "analyst": "model",
            "model": model.model,
            "model_url": model.url,
        }
        for day in days[-bench.count(_FEW_DAYS, 12) :]:
            for who, more in {"rules": {}, "scripted model": scripted}.items():
                report = await bench.report(specs_of(world), day, **through(server), **more)
                threads = await _threads(server, report)
                found.setdefault(who, []).extend(await looked_up(report, specs_of(world), threads))
                for claim in report.claims:
                    wrong = next(truth.of_claim(claim, report), "")
                    true.setdefault(who, []).append(
                        Score(f"{claim.id}: {wrong}", float(not wrong), claim.id)
                    )
    real: dict[str, Any] = {"analyst": "model", **bench.model} if bench.model else {}
    for spec in bench.mirrors if not bench.reports else ():
        for day in days_of(bench, await first_parent_line(spec), commits=5):
            report = await bench.report([spec], day, **real)
            found.setdefault("real days", []).extend(await looked_up(report, [spec], {}))
    for file in bench.reports:
        report = load(file.read_bytes(), file.name)
        found.setdefault("given reports", []).extend(await looked_up(report, bench.mirrors, {}))
    figures = {
        name: figure for who, each in found.items() for name, figure in _figures(who, each).items()
    }
    borne_out = {
        f"{who}: claims that plain git bears out": share(scores) for who, scores in true.items()
    }
    return {**figures, **borne_out, **await _foreign(bench, world, days[-1])}


def _figures(who: str, rulings: Sequence[GateRuling]) -> Figures:
    """Score every check, and what all of them come to."""
    found = {
        f"{who}: citations that {name}": share(steps(rulings, last))
        for name, last in _STEPS.items()
    }
    supported = share(
        [one.score(one.judgement.passed) for one in rulings], Target(0.98) if "real" in who else ALL
    )
    return {**found, f"{who}: claims that are supported": supported}


def steps(rulings: Iterable[GateRuling], last: Verdict) -> list[Score]:
    """Score one check over the claims that passed all before it."""
    place = _ORDER.index(last)
    before = max(
        (_ORDER.index(one) for one in _STEPS.values() if _ORDER.index(one) < place), default=-1
    )
    asked = ((one, _ORDER.index(one.judgement.verdict)) for one in rulings)
    return [one.score(at > place) for one, at in asked if at > before]


# ---------------------------------------------------------------- looking up


async def looked_up(
    report: Report, specs: Sequence[RepoSpec], threads: Mapping[EvidenceId, ThreadEvidence]
) -> list[GateRuling]:
    """Read what the report cites from the repositories and ask the gate about every claim in both languages."""
    commits: dict[EvidenceId, CommitEvidence] = {}
    tags: dict[EvidenceId, ReleaseEvidence] = {}
    files: dict[EvidenceId, FileEvidence] = {}
    cited = sorted({name for claim in report.claims for name in claim.sources})
    for spec in specs:
        source = GitSource(spec.name, path_of(spec))
        of_repo = [cite for cite in cited if cite.repo == spec.name]
        async for change in source.changes([cite.sha for cite in of_repo if cite.is_commit]):
            commits[change.commit.id] = CommitEvidence(
                change=change, sheet=await study(source, change)
            )
        for cite in of_repo:
            release = await source.tagged([cite.revision]) if cite.kind == "tag" else None
            if release is not None:
                tags[release.id] = ReleaseEvidence(release=release)
            if cite.kind == "lines":
                files[cite] = await _file_lines(source, cite)
    evidence_set = _evidence_set(report, {**commits, **tags, **threads, **files})
    claims = [
        claim
        for claim in report.claims
        if threads or not any(cite.is_thread for cite in claim.sources)
    ]
    spoken = [
        (claim, lang)
        for claim in claims
        for lang in _LANGUAGES
        if not claim.free or claim.text.get(lang)
    ]
    passed = Judgement(verdict="supported")
    return [
        GateRuling(claim, lang, next(iter(refusals(claim, evidence_set, lang)), passed))
        for claim, lang in spoken
    ]


async def _file_lines(source: GitSource, cite: EvidenceId) -> FileEvidence:
    """Read the lines of a file that a report cites; empty where there are none."""
    text = await source.file(cite.sha, cite.path) or ""
    first = cite.first_line or 1
    lines = text.split("\n")[first - 1 : cite.last_line]
    return FileEvidence(id=cite, text="\n".join(lines))


async def _threads(server: GitHubServer, report: Report) -> dict[EvidenceId, ThreadEvidence]:
    """Read the issues and pull requests that a report cites."""
    found: dict[EvidenceId, ThreadEvidence] = {}
    async with GitHubClient(base_url=server.url, token=TOKEN) as client:
        for cite in sorted({cite for claim in report.claims for cite in claim.sources}):
            if cite.number is None:
                continue
            try:
                thread = await GitHubThreads(client, cite.repo).issue(cite.number)
            except NotFound:
                continue
            found[cite] = ThreadEvidence(thread=thread)
    return found


def _evidence_set(report: Report, found: Mapping[EvidenceId, Citable]) -> EvidenceSet:
    """Say what counts as read: rows, what they undo or take over, linked threads, steps of stories."""
    rows = {row.id for row in report.ledger if row.depth in _READ}
    commits = [one for name in rows if isinstance(one := found.get(name), CommitEvidence)]
    facts = [(one.repo, fact.old) for one in commits for fact in one.facts if fact.kind in _LINEAGE]
    undone = {EvidenceId.commit(repo, old) for repo, old in facts if old and is_full_hash(old)}
    linked = {link.issue for link in report.links}
    linked |= {EvidenceId.thread(row.repo, row.pull) for row in report.ledger if row.pull}
    told = {step for story in report.stories for step in story.steps}
    return EvidenceSet(
        by_id=found,
        window=report.window,
        repos=frozenset(report.repos),
        seen=frozenset({*rows, *undone, *linked, *told}),
        late=frozenset(row.id for row in report.ledger if row.late),
    )


# ---------------------------------------------------------------- somebody else's report


async def _foreign(bench: Bench, world: World, day: date) -> Figures:
    """Write a report as others do, true lines and false ones, and see which of them the audit accuses."""
    lines = [("", f"# Daily report {day}"), *_written(world, day, Random(bench.seed))]  # noqa: S311 -- no secret
    with bench.settings(specs_of(world)) as settings:
        file = settings.out.parent / "foreign.md"
        await asyncio.to_thread(file.write_text, "\n".join(text for _, text in lines), "utf-8")
        accused = {
            finding.line for finding in await bench.system.audit(file, settings) if finding.wrong
        }
    told = [
        (kind, Score(f"{kind}: {text}", float(at in accused)))
        for at, (kind, text) in enumerate(lines, start=1)
    ]
    return {
        "anybody's report: false citations that are found": share(
            [s for kind, s in told if kind not in ("", "true")]
        ),
        "anybody's report: true lines accused": share(
            [s for kind, s in told if kind == "true"], NONE
        ),
    }


def _written(world: World, day: date, dice: Random) -> Iterator[tuple[str, str]]:
    """Give the lines of a report with what is wrong with each; a heading is neither true nor false."""
    # Whoever writes elsewhere may mean another day that overlaps with this one.
    before = day - timedelta(days=1)
    for repo in world.repos:
        yield "", f"## {repo.full_name}"
        line = f"- A change landed: https://github.com/{repo.full_name}/commit/"
        mine = [
            row for row in world.landed if row.repo == repo.full_name and row.dropped_by is None
        ]
        earlier = [row.sha for row in mine if row.committed_at.date() < before]
        others = [row.sha for row in world.landed if row.repo != repo.full_name]
        for row in [row for row in mine if row.committed_at.date() == day][:_LINES]:
            yield "true", f"{line}{row.sha}"
            yield "nonexistent", f"{line}{dice.randbytes(20).hex()}"
            yield "repository", f"{line}{dice.choice(others)}"
            yield "day", f"{line}{dice.choice(earlier)}"
