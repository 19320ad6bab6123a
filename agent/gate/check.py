"""The gate: everything that code can refuse in a claim, given evidence that was read beforehand."""

from collections.abc import Iterator

from agent.domain.base import Language
from agent.domain.claims import ANALYSIS, MARK, Anchor, Claim, Judgement, Kind, Verdict
from agent.domain.evidence import CommitEvidence, Dossier
from agent.gate.anchors import check_anchors, verbatim_anchors
from agent.gate.citations import check_citations
from agent.gate.literals import Literal, literals
from agent.gate.lookup import Lookup
from agent.gate.nearest import nearest
from agent.gate.quotes import check_passages, check_quotes
from agent.gate.safety import LONGEST, check_safety
from agent.gate.sides import check_sides

# Models like to write hyphens that never break a line; dates and names have them all the same.
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\ufe63\uff0d", "-"))


def refusals(claim: Claim, dossier: Dossier, lang: Language) -> list[Judgement]:
    """List everything that is wrong with a claim in one language; empty when it may go on.

    Facts and quotations are written by code: their citations and quotations are checked. Analysis is written by a
    model: its anchors, literals, values and signs are checked too.
    """
    found = [*check_citations(claim, dossier)]
    readable = all(cite in dossier.found for cite in (*claim.sources, *(quote.cite for quote in claim.quotes)))
    if readable:
        found += check_quotes(claim, dossier)
    if is_analysis(claim):
        found += _of_analysis(claim, dossier, lang, readable=readable)
    return found


def first_refusal(claim: Claim, dossier: Dossier, lang: Language) -> Judgement:
    """Give the first thing that is wrong with a claim, or that nothing is."""
    return next(iter(refusals(claim, dossier, lang)), Judgement(verdict=Verdict.SUPPORTED, check=claim.kind.value))


def is_analysis(claim: Claim) -> bool:
    """Tell whether a model wrote the words; free words are analysis whatever they call themselves."""
    return claim.kind in ANALYSIS or (claim.predicate == "says" and not claim.speech)


def _of_analysis(claim: Claim, dossier: Dossier, lang: Language, *, readable: bool) -> Iterator[Judgement]:
    text = claim.text.get(lang, "").translate(_HYPHENS).strip()
    yield from check_safety(claim, text, lang)
    if not readable or not text or len(text) > LONGEST:
        return
    words = MARK.sub(" ", text)
    found = literals(words, chinese=lang == "zh")
    anchors = verbatim_anchors(claim, dossier)
    yield from _check_literals(claim, _lookup(claim, dossier, anchors), found)
    yield from check_anchors(claim, dossier, found, anchors)
    yield from check_passages(claim, dossier, words)
    yield from check_sides(claim, dossier)


def _lookup(claim: Claim, dossier: Dossier, anchors: list[Anchor]) -> Lookup:
    evidence = [dossier.found[cite] for cite in claim.sources]
    words = [anchor.text for anchor in anchors]
    if claim.kind is Kind.ADVICE:
        # What a reader is told to type must be code that landed, never only somebody's words in a thread.
        evidence = [one for one in evidence if isinstance(one, CommitEvidence)]
        words = []
    return Lookup.of(evidence, claim.repo, dossier.window.tz if dossier.window else "UTC", words)


def _check_literals(claim: Claim, where: Lookup, found: list[Literal]) -> Iterator[Judgement]:
    for literal in found:
        if where.stands(literal) or _is_cited_thread(literal, claim):
            continue
        others = [one.text for one in found if one != literal]
        yield Judgement(
            verdict=Verdict.NUMBER if literal.kind == "number" else Verdict.UNSUPPORTED,
            reason=_reason(literal, advice=claim.kind is Kind.ADVICE),
            check=literal.kind,
            literal=f"{literal.text}{literal.unit}",
            nearest=nearest(literal.text, where.texts, others),
        )


def _is_cited_thread(literal: Literal, claim: Claim) -> bool:
    return literal.kind == "thread" and any(cite.endswith(literal.text) for cite in claim.sources)


def _reason(literal: Literal, *, advice: bool) -> str:
    where = "the cited commits" if advice else "the cited evidence"
    if literal.kind == "name":
        return (
            f"{literal.text!r} is written as a name and {where} has it nowhere; name what is there, or use no capital"
        )
    if literal.unit:
        return f"{where} has no line with both {literal.text} and the unit {literal.unit!r}"
    return f"{literal.text!r} stands nowhere in {where}; copy it as it is written there, or leave it out"
