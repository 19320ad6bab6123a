"""What the report says of one repository: its ledger, and the claims that may be published."""

import re
from collections.abc import Mapping, Sequence

from agent.analysts.account import Account
from agent.analysts.analyst import Read
from agent.analysts.tasks import Refused
from agent.domain.base import EvidenceId, Frozen, Language, commit_id
from agent.domain.claims import Anchor, Claim, Judgement, Verdict
from agent.domain.dossier import Dossier
from agent.domain.evidence import CommitEvidence, Evidence
from agent.domain.ledger import ledger_row
from agent.domain.links import Link, Related
from agent.domain.report import Depth, Drop, Failure, LedgerRow, RepoSection
from agent.domain.stories import Story
from agent.gate.check import refusals
from agent.stories.pins import Taken
from agent.triage.collected import Collected

LANGUAGES: tuple[Language, ...] = ("en", "zh")
_PULL = re.compile(r"\(#(\d{1,9})\)$")
_LONGEST_LINE = 400
"""Characters of a line that a person reads."""


class Chapter(Frozen):
    """What the report says of one repository."""

    section: RepoSection
    ledger: tuple[LedgerRow, ...]
    claims: tuple[Claim, ...] = ()
    links: tuple[Link, ...] = ()
    stories: tuple[Story, ...] = ()
    related: tuple[Related, ...] = ()
    """What a reader of both sides found about commits."""
    taken: tuple[Taken, ...] = ()
    """Dependencies that commits of the day moved."""
    drops: tuple[Drop, ...] = ()
    failures: tuple[Failure, ...] = ()


def checked_claims(
    facts: Sequence[Claim], analysis: Sequence[Claim], refused: Sequence[Refused], dossier: Dossier
) -> tuple[tuple[Claim, ...], tuple[Drop, ...]]:
    """Join analysis and facts; a fact whose citation or quotation does not stand is left out and counted."""
    claims = list(analysis)
    drops = [drop_of(one) for one in refused if not one.repaired]
    for claim in facts:
        wrong = [no for lang in LANGUAGES for no in refusals(claim, dossier, lang)]
        if wrong and claim.quotes and claim.text and wrong[0].verdict is Verdict.QUOTE:
            claim, wrong = claim.model_copy(update={"quotes": ()}), []
        if wrong:
            drops.append(_drop(claim, wrong[0]))
        else:
            passed = {"judgement": Judgement(verdict=Verdict.SUPPORTED, check="code")}
            claims.append(claim.model_copy(update=passed | {"anchors": claim.anchors or naming_lines(claim, dossier)}))
    return tuple(claims), tuple(drops)


def naming_lines(claim: Claim, dossier: Dossier) -> tuple[Anchor, ...]:
    """Find where what a claim cites names the other things that it cites: a line of a message, a title or a body."""
    found = []
    for cite in claim.sources:
        names = [name for one in claim.sources if one != cite for name in _names(one, dossier)]
        lines = (line for text in _said(dossier.found.get(cite)) for line in text.splitlines())
        line = next((line for line in lines if any(name in line for name in names)), None)
        if line and len(line) <= _LONGEST_LINE:
            found.append(Anchor(cite=cite, text=line))
    return tuple(found)


def _names(cite: EvidenceId, dossier: Dossier) -> list[str]:
    """List how people name an artefact: by number, by hash, a commit also by the pull request that brought it."""
    if "#" in cite:
        return [f"#{cite.rpartition('#')[2]}", f"/{cite.rpartition('#')[2]}"]
    evidence = dossier.found.get(cite)
    pull = _PULL.search(evidence.change.commit.title) if isinstance(evidence, CommitEvidence) else None
    return [cite.rpartition("@")[2][:7], *([f"#{pull[1]}", f"/{pull[1]}"] if pull else [])]


def _said(evidence: Evidence | None) -> tuple[str, ...]:
    if isinstance(evidence, CommitEvidence):
        return (evidence.change.commit.message,)
    return evidence.texts if evidence is not None else ()


def drop_of(one: Refused) -> Drop:
    """Count a sentence that stays refused."""
    return _drop(one.claim, one.reasons[0])


def _drop(claim: Claim, why: Judgement) -> Drop:
    return Drop(repo=claim.repo, verdict=why.verdict, check=why.check, about=claim.about, free=claim.free)


def unexplained(rows: tuple[LedgerRow, ...], account: Account) -> tuple[LedgerRow, ...]:
    """Say in the ledger which commits no model explained, and why."""
    why = {one.about: one.reason for one in account.fallbacks if one.part == "explaining"}
    noted = ((row, why.get(commit_id(row.repo, row.sha))) for row in rows)
    return tuple(
        row.model_copy(update={"reason": f"{row.reason}; not analysed: {reason}"}) if reason else row
        for row, reason in noted
    )


def ledger_of(found: Collected, reads: Mapping[EvidenceId, Read]) -> tuple[LedgerRow, ...]:
    """Give every landed commit its row."""
    late = {row.commit.sha for row in found.late}
    rows = []
    for landed in found.landed:
        sha = landed.commit.sha
        budget = found.unread.get(sha, "").startswith("subject only")
        unread = (Depth.LIST if budget else Depth.FAILED, found.unread.get(sha, ""))
        one = reads.get(landed.commit.id)
        rows.append(ledger_row(landed, one or unread, late=sha in late, pull=found.threads.pull_of.get(sha)))
    return tuple(rows)
