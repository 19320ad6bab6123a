"""Whether the cited evidence says what a claim's words say: the semantic part of the gate."""

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.gate.checks import CHECKS
from agent.gate.ground import ground_of
from agent.gate.prose import sentences
from agent.gate.reading import Reading
from agent.gate.said import without_metadata
from agent.settings import Language


def support(claim: Claim, dossier: Dossier, lang: Language) -> Judgement:
    """Judge the words of a claim; each sentence by what it cites, the worst decides."""
    found = [dossier.found.get(source) for source in claim.sources]
    text = without_metadata(_ours(claim, lang), [one for one in found if one is not None])
    about = [dossier.found.get(source) for source in claim.about]
    undecided: Judgement | None = None
    for sentence in sentences(text):
        marked = [found[mark - 1] for mark in sentence.marks if mark <= len(found)]
        cited = list(dict.fromkeys(map(id, [*about, *marked]))) if marked else None
        ground = ground_of(one for one in found if one is not None and (cited is None or id(one) in cited))
        reading = Reading(claim, dossier, lang, sentence, ground)
        for check in CHECKS:
            judgement = check(reading)
            if judgement is None:
                continue
            if judgement.verdict is Verdict.UNSUPPORTED:
                return judgement
            undecided = undecided or judgement
    return undecided or Judgement(verdict=Verdict.SUPPORTED, check="words")


def _ours(claim: Claim, lang: Language) -> str:
    """Give the words that are ours: of attributed speech only the frame around what was quoted."""
    text = claim.text.get(lang, "")
    if claim.speech:
        for quote in claim.quotes:
            text = text.replace(quote.text, " ")
    return text
