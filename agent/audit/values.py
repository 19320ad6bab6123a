"""One small claim of a report, held to its evidence: citations, quotations, and the values of its predicate."""

from agent.audit.metadata import metadata
from agent.audit.predicates import statements
from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.gate.check import refusals
from agent.settings import Language


def judge(claim: Claim, dossier: Dossier, lang: Language) -> Judgement:
    """Give the first thing that is wrong with a structured claim, or that nothing is."""
    if refused := refusals(claim, dossier, lang):
        return refused[0]
    wrong = metadata(claim, dossier) or statements(claim, dossier)
    return wrong or Judgement(verdict=Verdict.SUPPORTED, check=claim.predicate)
