"""The one verifier: what a claim is worth, given everything that was read beforehand."""

from collections.abc import Callable

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.gate.metadata import metadata
from agent.gate.numbers import numbers
from agent.gate.predicates import prose
from agent.gate.quotes import quotes
from agent.gate.references import references
from agent.gate.statements import statements
from agent.gate.support import support
from agent.settings import Language

_CHECKS: tuple[Callable[[Claim, Dossier, Language], Judgement | None], ...] = (
    references,
    metadata,
    quotes,
    numbers,
    statements,
)
"""In the order of `Verdict`; each says what is wrong, or nothing."""


def judge(claim: Claim, dossier: Dossier, lang: Language) -> Judgement:
    """Judge a claim in one language.

    A claim that is nothing but a predicate with its values stands when they hold. Words are always read too, whatever
    the predicate: what is printed is what must be true.
    """
    for check in _CHECKS:
        if (failure := check(claim, dossier, lang)) is not None:
            return failure
    if claim.speech or not prose(claim, lang):
        return Judgement(verdict=Verdict.SUPPORTED, check="speech" if claim.speech else claim.predicate)
    return support(claim, dossier, lang)
