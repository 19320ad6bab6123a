"""Citations: what is cited exists, is in scope, was read, is quoted verbatim, and supports the sentence.

Our reports are checked claim by claim: by the gate on evidence that is read again and, on worlds,
by plain git without the gate. A report by others, in Markdown, is checked by the audit.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any, NamedTuple, get_args

from agent.domain.base import Language
from agent.domain.claims import Claim, Judgement, Verdict
from agent.domain.errors import NotFound
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
from agent.reports.report_json import load
from agent.settings.values import RepoSpec
from evals.figures import ALL, NONE, Exhibit, Figure, Figures, Score, Target, share
from evals.github_server.app import GitHubServer
from evals.harness import TOKEN, Bench, evalset, serving, specs_of, through
from evals.mirror_commits import days_of, first_parent_line, path_of
from evals.model_server.honest import honest
from evals.model_server.server import ModelServer
from evals.truth import Truth
from evals.worlds.data_model import World
from tools.diff.files_read_for_facts import study
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.threads import GitHubThreads

_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_READ_DEPTHS = ("deep", "skim", "group")
_LINEAGE = ("revert", "reland", "partial-revert", "partial-reland", "cherry-pick")
_ORDER: tuple[Verdict, ...] = get_args(Verdict)
_STEPS: dict[str, Verdict] = {
    "exist": "nonexistent",
    "are in scope": "out of scope",
    "were seen": "unseen",
    "are anchored": "quote",
}
"""Each check with the last verdict that fails it; only claims that passed the earlier ones count."""
_PASSED = Judgement(verdict="supported")
_FEW_DAYS = 1
_MANY_DAYS = 12
_MAX_COMMITS = 6  # Commits of each repository that the report by others cites


@dataclass(frozen=True)
class GateRuling:
    """A claim in one language, and what the gate says of it."""

    claim: Claim
    lang: Language
    judgement: Judgement

    def score(self, good: bool) -> Score:
        """Score the claim by one check."""
        case = f"{self.claim.id} {self.lang}"
        reason = f"{case}: {self.judgement.verdict}: {self.judgement.reason}"
        exhibit = Exhibit(self.claim.text.get(self.lang, ""), self.judgement.reason)
        return Score(reason, float(good), case, "", exhibit)


@evalset("citations", "everything cited exists, is in scope, was seen, is anchored and supports")
async def run(bench: Bench) -> Figures:
    """Report on days of a world and of mirrors, then check reports of ours and of others."""
    world = bench.world("demo")
    days = _complete_days(world)
    rulings: defaultdict[str, list[GateRuling]] = defaultdict(list)
    by_git: defaultdict[str, list[Score]] = defaultdict(list)
    await _check_world(bench, world, days[-bench.count(_FEW_DAYS, _MANY_DAYS) :], rulings, by_git)
    if not bench.reports:
        await _check_mirrors(bench, rulings)
    for file in bench.reports:
        report = load(file.read_bytes(), file.name)
        rulings["given reports"] += await looked_up(report, bench.mirrors, {})
    figures: dict[str, Figure] = {}
    for writer, writer_rulings in rulings.items():
        figures |= _figures(writer, writer_rulings)
    for writer, scores in by_git.items():
        figures[f"{writer}: claims that plain git bears out"] = share(scores)
    return figures | await _audit_of_others(bench, world, days[-1])


def _complete_days(world: World) -> list[date]:
    """List the days on which something landed, without the present one."""
    days = {row.committed_at.date() for row in world.landed}
    return sorted(day for day in days if day < world.now.date())


async def _check_world(
    bench: Bench,
    world: World,
    days: Sequence[date],
    rulings: defaultdict[str, list[GateRuling]],
    by_git: defaultdict[str, list[Score]],
) -> None:
    """Report on days with code alone and with a scripted model, and check every claim."""
    truth = Truth(world)
    specs = specs_of(world)
    with serving(world.repos, world.now) as server, ModelServer(honest, context=65_536) as model:
        scripted = {"analyst": "model", "model": model.model, "model_url": model.url}
        writers: dict[str, dict[str, Any]] = {"rules": {}, "scripted model": scripted}
        for day in days:
            for writer, settings in writers.items():
                report = await bench.report(specs, day, **through(server), **settings)
                threads = await _cited_threads(server, report)
                rulings[writer] += await looked_up(report, specs, threads)
                by_git[writer] += _git_scores(report, truth)


def _git_scores(report: Report, truth: Truth) -> Iterator[Score]:
    for claim in report.claims:
        untruth = next(truth.of_claim(claim, report), "")
        yield Score(f"{claim.id}: {untruth}", float(not untruth), claim.id)


async def _check_mirrors(bench: Bench, rulings: defaultdict[str, list[GateRuling]]) -> None:
    """Report on a day of each mirror, with the real model where one is given."""
    settings: dict[str, Any] = {"analyst": "model", **bench.model} if bench.model else {}
    for spec in bench.mirrors:
        for day in days_of(bench, await first_parent_line(spec), commits=5):
            report = await bench.report([spec], day, **settings)
            rulings["real days"] += await looked_up(report, [spec], {})


def _figures(writer: str, rulings: Sequence[GateRuling]) -> dict[str, Figure]:
    """Score every check, and all of them together."""
    figures: dict[str, Figure] = {}
    for name, last in _STEPS.items():
        figures[f"{writer}: citations that {name}"] = share(steps(rulings, last))
    supported = [ruling.score(ruling.judgement.passed) for ruling in rulings]
    target = Target(0.98) if "real" in writer else ALL
    figures[f"{writer}: claims that are supported"] = share(supported, target)
    return figures


def steps(rulings: Iterable[GateRuling], last: Verdict) -> list[Score]:
    """Score one check over the claims that passed all before it."""
    fails_until = _ORDER.index(last)
    earlier = [_ORDER.index(verdict) for verdict in _STEPS.values()]
    failed_before = max((index for index in earlier if index < fails_until), default=-1)
    scores = []
    for ruling in rulings:
        index = _ORDER.index(ruling.judgement.verdict)
        if index > failed_before:
            scores.append(ruling.score(index > fails_until))
    return scores


# ---------------------------------------------------------------- looking up


async def looked_up(
    report: Report, specs: Sequence[RepoSpec], threads: Mapping[EvidenceId, ThreadEvidence]
) -> list[GateRuling]:
    """Read what a report cites from the repositories, and let the gate rule on every claim."""
    evidence: dict[EvidenceId, Citable] = {}
    cited = _cited(report)
    for spec in specs:
        cited_here = [cite for cite in cited if cite.repo == spec.name]
        evidence |= await _cited_code(spec, cited_here)
    evidence_set = _evidence_set(report, {**evidence, **threads})
    rulings = []
    for claim in report.claims:
        if not threads and any(cite.is_thread for cite in claim.sources):
            continue
        for lang in _LANGUAGES:
            if claim.free and not claim.text.get(lang):
                continue
            judgement = next(iter(refusals(claim, evidence_set, lang)), _PASSED)
            rulings.append(GateRuling(claim, lang, judgement))
    return rulings


def _cited(report: Report) -> list[EvidenceId]:
    cited: set[EvidenceId] = set()
    for claim in report.claims:
        cited.update(claim.sources)
    return sorted(cited)


async def _cited_code(spec: RepoSpec, cited: Sequence[EvidenceId]) -> dict[EvidenceId, Citable]:
    """Read the cited commits, tags and lines of files of one repository."""
    source = GitSource(spec.name, path_of(spec))
    evidence: dict[EvidenceId, Citable] = {}
    async for change in source.changes([cite.sha for cite in cited if cite.is_commit]):
        sheet = await study(source, change)
        evidence[change.commit.id] = CommitEvidence(change=change, sheet=sheet)
    for cite in cited:
        release = await source.tagged([cite.revision]) if cite.kind == "tag" else None
        if release is not None:
            evidence[release.id] = ReleaseEvidence(release=release)
        if cite.kind == "lines":
            evidence[cite] = await _file_lines(source, cite)
    return evidence


async def _file_lines(source: GitSource, cite: EvidenceId) -> FileEvidence:
    """Read the lines of a file that a report cites; empty where there are none."""
    text = await source.file(cite.sha, cite.path) or ""
    first = cite.first_line or 1
    lines = text.split("\n")[first - 1 : cite.last_line]
    return FileEvidence(id=cite, text="\n".join(lines))


async def _cited_threads(server: GitHubServer, report: Report) -> dict[EvidenceId, ThreadEvidence]:
    """Read the issues and pull requests that a report cites."""
    threads: dict[EvidenceId, ThreadEvidence] = {}
    async with GitHubClient(base_url=server.url, token=TOKEN) as client:
        for cite in _cited(report):
            if cite.number is None:
                continue
            try:
                thread = await GitHubThreads(client, cite.repo).issue(cite.number)
            except NotFound:
                continue
            threads[cite] = ThreadEvidence(thread=thread)
    return threads


def _evidence_set(report: Report, evidence: Mapping[EvidenceId, Citable]) -> EvidenceSet:
    """Return the evidence with what counts as read.

    That is rows, what they undo or take over, linked threads, and steps of stories.
    """
    rows = {row.id for row in report.ledger if row.depth in _READ_DEPTHS}
    seen = set(rows)
    for name in rows:
        seen.update(_lineage(evidence.get(name)))
    seen.update(link.issue for link in report.links)
    for row in report.ledger:
        if row.pull:
            seen.add(EvidenceId.thread(row.repo, row.pull))
    for story in report.stories:
        seen.update(story.steps)
    return EvidenceSet(
        by_id=evidence,
        window=report.window,
        repos=frozenset(report.repos),
        seen=frozenset(seen),
        late=frozenset(row.id for row in report.ledger if row.late),
    )


def _lineage(evidence: Citable | None) -> Iterator[EvidenceId]:
    """Yield the commits that a commit undoes or takes over."""
    if not isinstance(evidence, CommitEvidence):
        return
    for fact in evidence.facts:
        if fact.kind in _LINEAGE and fact.old and is_full_hash(fact.old):
            yield EvidenceId.commit(evidence.repo, fact.old)


# ---------------------------------------------------------------- a report by others


class ForeignLine(NamedTuple):
    """A line of a report by others: what is wrong with it, `true`, or empty for a heading."""

    kind: str
    text: str


async def _audit_of_others(bench: Bench, world: World, day: date) -> dict[str, Figure]:
    """Write a report as others do, with true and false lines, and see which the audit accuses."""
    dice = Random(bench.seed)  # noqa: S311 -- no secret
    lines = [ForeignLine("", f"# Daily report {day}"), *_foreign_lines(world, day, dice)]
    with bench.settings(specs_of(world)) as settings:
        file = settings.out.parent / "foreign.md"
        text = "\n".join(line.text for line in lines)
        await asyncio.to_thread(file.write_text, text, "utf-8")
        findings = await bench.system.audit(file, settings)
    accused: set[int] = set()
    for finding in findings:
        if finding.wrong:
            accused.update((finding.line, *finding.also_lines))
    true: list[Score] = []
    false: list[Score] = []
    for number, line in enumerate(lines, start=1):
        score = Score(f"{line.kind}: {line.text}", float(number in accused))
        if line.kind == "true":
            true.append(score)
        elif line.kind:
            false.append(score)
    return {
        "anybody's report: false citations that are found": share(false),
        "anybody's report: true lines accused": share(true, NONE),
    }


def _foreign_lines(world: World, day: date, dice: Random) -> Iterator[ForeignLine]:
    # In another time zone the day before overlaps with this one.
    day_before = day - timedelta(days=1)
    for repo in world.repos:
        yield ForeignLine("", f"## {repo.full_name}")
        start = f"- A change landed: https://github.com/{repo.full_name}/commit/"
        landed: list[str] = []
        earlier: list[str] = []
        others: list[str] = []
        for row in world.landed:
            if row.repo != repo.full_name:
                others.append(row.sha)
            elif row.dropped_by is None and row.committed_at.date() == day:
                landed.append(row.sha)
            elif row.dropped_by is None and row.committed_at.date() < day_before:
                earlier.append(row.sha)
        for sha in landed[:_MAX_COMMITS]:
            yield ForeignLine("true", f"{start}{sha}")
            yield ForeignLine("nonexistent", f"{start}{dice.randbytes(20).hex()}")
            yield ForeignLine("repository", f"{start}{dice.choice(others)}")
            yield ForeignLine("day", f"{start}{dice.choice(earlier)}")
