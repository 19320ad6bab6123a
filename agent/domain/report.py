"""A report as data: every landed commit, the claims about them, and what is missing."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, get_args

from agent.domain.account import Account, longest_chain
from agent.domain.base import Frozen, RepoId
from agent.domain.claims import Claim, Kind, Verdict
from agent.domain.commits import Notice
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Depth, LedgerRow, OwnUse
from agent.domain.links import Link, Standing, Story
from agent.domain.placement import CommitGroup
from agent.domain.release_notes import ReleaseNotes
from agent.domain.threads import Coverage
from agent.domain.window import Window


class ThreadLine(Frozen):
    """An event of one issue inside the window."""

    number: int
    title: str
    author: str | None
    event: Literal["opened", "closed", "not planned", "active", "linked"]
    """`linked`: nothing but that a change addresses it."""
    at: datetime
    labels: tuple[str, ...]
    standing: Standing | None = None  # How it stands at the end of the window

    def id(self, repo: RepoId) -> EvidenceId:
        """Return the id by which claims cite the issue."""
        return EvidenceId.listed(repo, number=self.number)


class ReleaseLine(Frozen):
    """A release published inside the window."""

    tag: str
    name: str
    published_at: datetime
    prerelease: bool
    notes: ReleaseNotes | None = None
    """What is new since the release before; None where no clone shows it, or for the first one."""

    def id(self, repo: RepoId) -> EvidenceId:
        """Return the id by which claims cite the release."""
        return EvidenceId.listed(repo, revision=self.tag)


class RepoSection(Frozen):
    """The report on one repository, beside its rows in the ledger."""

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
    | Literal["relations", "model", "analysis", "connections", "brief"]
)
"""What is missing. `code` is a whole repository, `relations` how its commits go back to others and
to issues, and `connections` what ties several repositories together. The
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
        """Return the rows of one repository's commits."""
        return tuple(row for row in self.ledger if row.repo == repo)


def failed_share(report: Report) -> float:
    """Return the share of repositories whose commits, or all of whose diffs, could not be read."""
    failed = set(report.repos) - {section.repo for section in report.sections}
    for repo in report.repos:
        rows = report.rows(repo)
        if rows and all(row.depth == "failed" for row in rows):
            failed.add(repo)
    return len(failed) / len(report.repos) if report.repos else 0.0


def sound(report: Report, max_failed: float) -> bool:
    """Return True if the window is over and enough of it could be read."""
    return not report.window.partial and failed_share(report) <= max_failed


def footer_counts(report: Report) -> dict[str, int]:
    """Count the landed commits by the depth to which they were read."""
    depths = Counter(row.depth for row in report.ledger)
    return {
        "landed": len(report.ledger),
        "late": sum(row.late for row in report.ledger),
        **{depth: depths[depth] for depth in get_args(Depth)},
        "unreadable_files": sum(row.unreadable for row in report.ledger),
    }


def kind_counts(claims: Iterable[Claim]) -> dict[str, int]:
    """Count claims by the kind of their text; headlines, which are not sentences, separately."""
    counts = {kind.value: 0 for kind in Kind}
    counts["headlines"] = 0
    for claim in claims:
        counts["headlines" if claim.role == "headline" else claim.kind.value] += 1
    return counts


def model_counts(report: Report) -> dict[str, Any]:
    """Count the model's statements, its judge's verdicts, its cost, and the fallbacks to rules."""
    account = sum((section.account for section in report.sections), report.account)
    fallback_counts = Counter(fallback.part for fallback in account.fallbacks)
    return {
        "statements": sum(claim.free for claim in report.claims),
        "dropped": sum(drop.free for drop in report.drops),
        "judges": sorted({claim.judged_by for claim in report.claims if claim.judged_by}),
        "controls": {
            "hidden": account.judging.controls,
            "refused": account.judging.caught,
            "twins": {"hidden": account.judging.twins, "refused": account.judging.caught_twins},
            "reach": {"hidden": account.judging.moved, "refused": account.judging.caught_moved},
            "judged_again": account.judging.judged_again,
            "void": account.judging.void,
        },
        "edited": {
            "could_look": account.editing.could_look,
            "look_ups": account.editing.look_ups,
        },
        "judged": {
            "standing": account.judging.standing,
            "narrowed": account.judging.narrowed,
            "refuted": account.judging.refuted,
            "could_look": account.judging.could_look,
            "look_ups": account.judging.look_ups,
        },
        "spent": account.spent.model_dump(mode="json"),
        "by_job": _spent_by_job(account),
        "longest_chain": longest_chain(account.chains.values()),
        "kept": {"commits": len(account.kept), "summaries": account.kept_summaries},
        "fallbacks": dict(sorted(fallback_counts.items())),
        "reasons": sorted({fallback.reason for fallback in account.fallbacks}),
        "assumed_contexts": dict(sorted(account.assumed_contexts.items())),
    }


def _spent_by_job(account: Account) -> dict[str, Any]:
    """Return the tokens and cost of each job, most tokens first."""
    by_tokens = sorted(account.by_job.items(), key=lambda item: (-item[1].sent, item[0]))
    return {job: spent.model_dump(mode="json") for job, spent in by_tokens if job}


def checked_counts(report: Report) -> dict[str, Any]:
    """Count published claims, refused claims, and links by grade."""
    # Only links of landed commits have a sentence on the page, so only these can be counted there.
    landed = {row.id for row in report.ledger}
    grades = Counter(link.grade.value for link in report.links if link.change in landed)
    verdicts = Counter(drop.verdict for drop in report.drops)
    return {
        "claims": len(report.claims),
        "kinds": kind_counts(report.claims),
        "citations": sum(len(claim.sources) for claim in report.claims),
        "dropped": dict(sorted(verdicts.items())),
        "links": dict(sorted(grades.items())),
    }


def cited_by(report: Report) -> frozenset[EvidenceId]:
    """Return the ids that the claims cite, and those of the listed issues and releases.

    A commit that no claim is about rests on its subject and line counts, which the report has.
    """
    cited: set[EvidenceId] = set()
    for claim in report.claims:
        cited.update(claim.sources)
    for section in report.sections:
        cited.update(issue.id(section.repo) for issue in section.issues)
        cited.update(release.id(section.repo) for release in section.releases)
    return frozenset(cited)
