"""Temporary."""

from agent.claims import Claim, Judgement
from agent.dossier import Dossier
from agent.gate.judge import judge
from agent.settings import Language


def refusals(claim: Claim, dossier: Dossier, lang: Language) -> list[Judgement]:
    if claim.free:
        return []
    j = judge(claim, dossier, lang)
    return [] if j.passed else [j]
