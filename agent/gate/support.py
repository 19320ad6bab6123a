"""Whether the cited evidence says what the words say."""

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.settings import Language


def support(claim: Claim, dossier: Dossier, lang: Language) -> Judgement:
    """Decide by rules whether the evidence supports the words; no rule is here yet, so none decides."""
    return Judgement(verdict=Verdict.UNDECIDED, reason="no rule decides it", check="none")
