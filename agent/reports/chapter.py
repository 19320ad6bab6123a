"""What the report says of one repository: its ledger, and the claims that may be published."""

from collections.abc import Callable, Iterable, Sequence

from agent.domain.accounts import Account
from agent.domain.base import LANGUAGES, Frozen, Language, commit_id
from agent.domain.claims import Claim, Judgement, Refused, Verdict
from agent.domain.evidence import Dossier
from agent.domain.ledger import LedgerRow
from agent.domain.links import Link, Related, Story
from agent.domain.report import Drop, Failure, RepoSection
from agent.stories.releases import Taken

Check = Callable[[Claim, Dossier, Language], Iterable[Judgement]]
"""Says why a claim is refused: the gate."""


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
    facts: Sequence[Claim], analysis: Sequence[Claim], refused: Sequence[Refused], dossier: Dossier, check: Check
) -> tuple[tuple[Claim, ...], tuple[Drop, ...]]:
    """Join analysis and facts; a fact whose citation or quotation does not stand is left out and counted."""
    claims = list(analysis)
    drops = [drop_of(one) for one in refused if not one.repaired]
    for claim in facts:
        wrong = [no for lang in LANGUAGES for no in check(claim, dossier, lang)]
        if wrong:
            drops.append(_drop(claim, wrong[0]))
        else:
            passed = Judgement(verdict=Verdict.SUPPORTED, check="code")
            claims.append(claim.model_copy(update={"judgement": passed}))
    return tuple(claims), tuple(drops)


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
