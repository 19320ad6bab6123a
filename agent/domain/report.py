"""A report as data: every landed commit in its ledger, what is said of them, and what is missing."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, get_args

from agent.domain.base import Frozen, RepoId
from agent.domain.claims import Claim, Kind, Verdict
from agent.domain.commits import Coverage, Notice
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth, LedgerRow, OwnUse
from agent.domain.links import Link, Standing, Story
from agent.domain.placement import CommitGroup
from agent.domain.releases import ReleaseNotes
from agent.domain.spending import Account, longest_chain
from agent.domain.window import Window


class ThreadLine(Frozen):
    """What happened to one issue inside the window."""

    number: int
    title: str
    author: str | None
    event: Literal["opened", "closed", "not planned", "active", "linked"]
    """`linked`: nothing but that a change addresses it."""
    at: datetime
    labels: tuple[str, ...]
    standing: Standing | None = None  # How it stands at the end of the window

    def id(self, repo: RepoId) -> EvidenceId:
        """Return the name under which the issue is cited."""
        return EvidenceId.listed(repo, number=self.number)


class ReleaseLine(Frozen):
    """A release published inside the window."""

    tag: str
    name: str
    published_at: datetime
    prerelease: bool
    notes: ReleaseNotes | None = None
    """What is new since the release before; None where no clone tells, or for the first one."""

    def id(self, repo: RepoId) -> EvidenceId:
        """Return the name under which the release is cited."""
        return EvidenceId.listed(repo, revision=self.tag)


class RepoSection(Frozen):
    """What the report says of one repository, beside its rows in the ledger."""

    repo: RepoId
    branch: str
    tip: str | None
    known_tip: str | None = None
    """The tip from which "late" was counted; empty where the repository was not known before."""
    first_tip: str | None = None
    """The tip when this window was reported for the first time: from there the next report counts on."""
    files: int | None = None
    """How many files the commits of the window changed, each counted once; None where unknown."""
    coverage: Coverage
    coverage_notices: tuple[Notice, ...] = ()
    issues: tuple[ThreadLine, ...] = ()
    releases: tuple[ReleaseLine, ...] = ()
    notices: tuple[Notice, ...] = ()
    account: Account = Account()  # What a model cost here, and which parts the rules did without it


class Drop(Frozen):
    """A claim that gate or judge refused, or a relation that no place was found for."""

    repo: RepoId | None
    verdict: Verdict
    check: str
    about: tuple[EvidenceId, ...] = ()
    free: bool = False  # Whether the words were those of a model
    reason: str = ""  # Empty where it could quote a model


Stage = (
    Literal["code", "commits", "diffs", "facts", "threads"]
    | Literal["model", "analysis", "connections", "brief"]
)
"""What is missing. `code` is a whole repository, and `connections` what ties several together. The
analysis is missing because the `model` failed at everything, or because of an error of ours."""


class Failure(Frozen):
    """Something that was asked for and is missing from the report."""

    repo: RepoId | None  # None for what is over all repositories
    stage: Stage
    message: str
    unknown: bool = False  # Nothing of this name is there: it was mistyped, or is gone


class Report(Frozen):
    """A window's report over all its repositories: the data from which every page is rendered."""

    window: Window
    repos: tuple[RepoId, ...]
    sections: tuple[RepoSection, ...]  # One for each repository that could be read
    ledger: tuple[LedgerRow, ...]
    failures: tuple[Failure, ...] = ()
    claims: tuple[Claim, ...] = ()
    """What is said, in the order of weight within each repository; each has passed the gate."""
    links: tuple[Link, ...] = ()
    stories: tuple[Story, ...] = ()
    groups: tuple[CommitGroup, ...] = ()  # Commits that share a card
    drops: tuple[Drop, ...] = ()
    uses: tuple[OwnUse, ...] = ()  # Where the user's own code uses what the commits change
    analyst: str = "rules"
    account: Account = Account()  # What the brief over all repositories cost

    def rows(self, repo: RepoId) -> tuple[LedgerRow, ...]:
        """List one repository's ledger."""
        return tuple(row for row in self.ledger if row.repo == repo)


def failed_share(report: Report) -> float:
    """Tell of which share of the repositories nothing could be read: no commits, or no diff of any commit."""
    failed = set(report.repos) - {section.repo for section in report.sections}
    for repo in report.repos:
        rows = report.rows(repo)
        if rows and all(row.depth == "failed" for row in rows):
            failed.add(repo)
    return len(failed) / len(report.repos) if report.repos else 0.0


def sound(report: Report, max_failed: float) -> bool:
    """Tell whether a report may be shown as that of its window: it is over, and enough of it could be read."""
    return not report.window.partial and failed_share(report) <= max_failed


def footer_counts(report: Report) -> dict[str, int]:
    """Count what was done with the landed commits."""
    depths = Counter(row.depth for row in report.ledger)
    return {
        "landed": len(report.ledger),
        "late": sum(row.late for row in report.ledger),
        **{depth: depths[depth] for depth in get_args(Depth)},
        "unreadable_files": sum(row.unreadable for row in report.ledger),
    }


def kind_counts(claims: Iterable[Claim]) -> dict[str, int]:
    """Count claims by the kind of text that they are; headlines apart, which are no sentences."""
    claims = list(claims)
    kinds = Counter(claim.kind for claim in claims if claim.role != "headline")
    return {kind.value: kinds[kind] for kind in Kind} | {
        "headlines": sum(c.role == "headline" for c in claims)
    }


def model_counts(report: Report) -> dict[str, Any]:
    """Count what a model wrote and cost, how its judge did, and what the rules did without it."""
    whole = sum((section.account for section in report.sections), report.account)
    return {
        "statements": sum(claim.free for claim in report.claims),
        "dropped": sum(drop.free for drop in report.drops),
        "judges": sorted({claim.judged_by for claim in report.claims if claim.judged_by}),
        "controls": {
            "hidden": whole.judging.controls,
            "refused": whole.judging.caught,
            "twins": {"hidden": whole.judging.twins, "refused": whole.judging.caught_twins},
        },
        "judged": {
            "standing": whole.judging.standing,
            "narrowed": whole.judging.narrowed,
            "refuted": whole.judging.refuted,
            "could_look": whole.judging.could_look,
            "look_ups": whole.judging.look_ups,
        },
        "spent": whole.spent.model_dump(mode="json"),
        "by_job": _spent_by_job(whole),
        "longest_chain": longest_chain(whole.calls_about),
        "kept": {"commits": len(whole.kept), "summaries": whole.kept_summaries},
        "fallbacks": dict(sorted(Counter(one.part for one in whole.fallbacks).items())),
        "reasons": sorted({one.reason for one in whole.fallbacks}),
        "assumed_contexts": dict(sorted(whole.assumed_contexts.items())),
    }


def _spent_by_job(account: Account) -> dict[str, Any]:
    """Return what was spent on each job, most tokens first."""
    spent = sorted(account.by_job.items(), key=lambda item: (-item[1].sent, item[0]))
    return {job: one.model_dump(mode="json") for job, one in spent if job}


def checked_counts(report: Report) -> dict[str, Any]:
    """Count what was said, what was refused, and how sure the links are."""
    # A reader can count what stands on the page: the rest has no sentence.
    landed = {row.id for row in report.ledger}
    told = [link for link in report.links if link.change in landed]
    return {
        "claims": len(report.claims),
        "kinds": kind_counts(report.claims),
        "citations": sum(len(claim.sources) for claim in report.claims),
        "dropped": dict(sorted(Counter(drop.verdict for drop in report.drops).items())),
        "links": dict(sorted(Counter(link.grade.value for link in told).items())),
    }


def cited_by(report: Report) -> frozenset[EvidenceId]:
    """Name what its claims cite, and the issues and releases that it names.

    A commit of which nothing is said rests on its subject and its line counts, which the report itself holds.
    """
    issues = {line.id(section.repo) for section in report.sections for line in section.issues}
    releases = {line.id(section.repo) for section in report.sections for line in section.releases}
    claimed = {source for claim in report.claims for source in claim.sources}
    return frozenset((*claimed, *issues, *releases))
