"""What the report says of one repository: its ledger, and the claims that may be published."""

import re
from collections.abc import Sequence

from agent.domain.accounts import Account
from agent.domain.base import LANGUAGES, EvidenceId, Frozen, commit_id
from agent.domain.claims import Anchor, Claim, Judgement, Refused, Verdict
from agent.domain.evidence import CommitEvidence, Dossier
from agent.domain.ledger import LedgerRow
from agent.domain.links import Link, Related, Story
from agent.domain.report import Drop, Failure, RepoSection
from agent.gate.check import refusals
from agent.stories.releases import Taken

_NUMBER = re.compile(r"#(\d{1,9})\)?$")
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
        evidence = dossier.found.get(cite)
        texts = evidence.texts if evidence else ()
        lines = (
            line for text in texts[: 1 if isinstance(evidence, CommitEvidence) else None] for line in text.splitlines()
        )
        line = next((line for line in lines if any(name in line for name in names)), None)
        if line and len(line) <= _LONGEST_LINE:
            found.append(Anchor(cite=cite, text=line))
    return tuple(found)


def _names(cite: EvidenceId, dossier: Dossier) -> list[str]:
    """List how people name an artefact: by number, by hash, a commit also by the pull request that brought it."""
    evidence = dossier.found.get(cite)
    title = evidence.change.commit.title if isinstance(evidence, CommitEvidence) else cite
    number = _NUMBER.search(title)
    numbers = [f"#{number[1]}", f"/{number[1]}"] if number else []
    return numbers if "#" in cite else [cite.rpartition("@")[2][:7], *numbers]


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
