"""The one verifier: what a claim is worth, given everything that was read beforehand."""

from collections.abc import Callable

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.gate.citing import citing
from agent.gate.metadata import metadata
from agent.gate.numbers import numbers
from agent.gate.predicates import REQUIRED, prose
from agent.gate.quotes import quotes
from agent.gate.references import references
from agent.gate.statements import statements
from agent.gate.support import support
from agent.settings import Language
from agent.templates import has_template, sentence

_CHECKS: tuple[Callable[[Claim, Dossier, Language], Judgement | None], ...] = (
    metadata,
    quotes,
    numbers,
    statements,
    citing,
)
"""In the order of `Verdict`, behind that of references; each says what is wrong, or nothing."""


def judge(claim: Claim, dossier: Dossier, lang: Language) -> Judgement:
    """Judge a claim in one language.

    A claim that is nothing but a predicate with its values stands when they hold. Words are always held to it too,
    because what is printed is what must be true: those of a template by being the template's, all others by reading.
    """
    if _is_template(claim, lang):
        claim = claim.model_copy(update={"text": {}})
    # Nothing can be asked of evidence that is not there.
    if (failure := references(claim, dossier, lang)) is not None:
        return failure
    doubt: Judgement | None = None
    for check in _CHECKS:
        failure = check(claim, dossier, lang)
        if failure is not None and failure.verdict is not Verdict.UNDECIDED:
            return failure
        doubt = doubt or failure
    if claim.speech or not prose(claim, lang):
        return doubt or Judgement(verdict=Verdict.SUPPORTED, check="speech" if claim.speech else claim.predicate)
    words = support(claim, dossier, lang)
    return doubt if doubt is not None and words.verdict is not Verdict.UNSUPPORTED else words


def _is_template(claim: Claim, lang: Language) -> bool:
    """Tell whether the words are exactly those that code writes for these values; then the values are what counts."""
    if not has_template(claim.predicate) or set(claim.params) < set(REQUIRED[claim.predicate]):
        return False
    try:
        return claim.text.get(lang) == sentence(claim.predicate, claim.params, lang)
    except ValueError:
        # A kind of fact that there is not; the check of statements says so.
        return False
