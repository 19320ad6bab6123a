"""What a model adds to the answer of the rules: read on, said, held to the gate, repaired once, or left out."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.analyst import ToolAnswer, ToolRequest
from agent.asking.draft import Draft, Item
from agent.asking.findings import Findings
from agent.asking.model_answer import Answering, Brief, ModelAnswerer, Said, claim_of, failure, speech_of
from agent.asking.names import plain
from agent.asking.telling import whole_day
from agent.claims import Claim, Judgement
from agent.dossier import Dossier
from agent.evidence import Evidence, EvidenceId, ThreadEvidence
from agent.gate.check import first_refusal
from agent.model import ModelError
from graphs.asking_tools import QuestionTools
from graphs.investigation import look_around, tool_specs

_STATEMENTS = 8
_SHOWS = 12
_NEAREST = 3
_PLACES = 3
_JUDGED = 40_000
"""Characters of evidence that a judge of answers is shown."""


@dataclass(frozen=True)
class Told:
    """An answer, and how many sentences of the model the gate refused."""

    draft: Draft
    dropped: int = 0


async def read_on(answerer: ModelAnswerer, brief: Brief, tools: QuestionTools, turns: int) -> None:
    """Let the model look up what the rules did not find; what it is shown becomes part of the brief's evidence."""
    specs = tool_specs(tools)

    async def decide(answers: Sequence[ToolAnswer]) -> Sequence[ToolRequest]:
        return await answerer.next_calls(brief, answers, specs)

    await look_around(decide, tools, turns)


async def explain(answerer: ModelAnswerer, brief: Brief, rules: Draft) -> Told:
    """Put the model's answer in the place of the rules' where it stands, and say so where it does not."""
    try:
        answering = await answerer.write(brief)
    except ModelError as error:
        return Told(_with_note(rules, "model failed", {"why": failure(error)}))
    claims, dropped = await _checked(answerer, brief, answering)
    draft = _settled(answering, claims, brief, rules)
    return Told(draft, dropped)


def _settled(answering: Answering, claims: Sequence[Claim], brief: Brief, rules: Draft) -> Draft:
    shows = [name for one in answering.shows[:_SHOWS] if (name := brief.sheaf.resolve(one))]
    if answering.decision == "confirm":
        return _joined(rules, claims) if not rules.abstained else rules
    if answering.decision == "abstain":
        return _doubted(shows, brief, rules)
    cited = [*shows, *(name for claim in claims for name in claim.sources)]
    told = bool(claims) or (bool(cited) and not rules.abstained)
    if not told or not _bears_on(cited, brief):
        return _with_note(rules, "model refused", {})
    # Words that passed may stand in the place of the rules' answer. What a model only points at stands beside it, and
    # so do words about something else entirely: they are no better answer, only a further one.
    found, spoken = {item.cite for item in rules.items}, {name for claim in claims for name in claim.sources}
    if not rules.abstained and (all(claim.speech for claim in claims) or (found and not found & spoken)):
        return _joined(_beside(rules, shows, brief), claims)
    draft = Draft(head="by model", items=tuple(_item(name, brief) for name in shows if not _is_release(name, brief)))
    notes = tuple(_release_note(name, brief) for name in dict.fromkeys(cited) if _is_release(name, brief))
    return _joined(draft.model_copy(update={"cites": tuple(dict.fromkeys(cited)), "notes": notes}), claims)


def _doubted(shows: Sequence[EvidenceId], brief: Brief, rules: Draft) -> Draft:
    """Say that a model sees no answer; what the rules found stays, because nobody may talk a model out of it."""
    if not rules.abstained:
        doubted = _beside(rules, shows, brief).model_copy(update={"abstained": True})
        return _with_note(doubted, "model doubts", {})
    # Where the rules see themselves that nothing answers, they say why.
    items = tuple(_item(name, brief) for name in shows if not _is_release(name, brief)) or rules.items[:_NEAREST]
    cites = tuple(shows) or rules.cites[:_NEAREST]
    return rules.model_copy(update={"items": items, "cites": tuple(dict.fromkeys((*rules.cites, *cites)))})


def _beside(rules: Draft, shows: Sequence[EvidenceId], brief: Brief) -> Draft:
    """Put what a model points at behind what the rules found."""
    known = {item.cite for item in rules.items}
    more = [_item(name, brief) for name in shows if name not in known and not _is_release(name, brief)]
    cites = tuple(dict.fromkeys((*rules.cites, *shows)))
    return rules.model_copy(update={"items": (*rules.items, *more), "cites": cites})


def _joined(draft: Draft, claims: Sequence[Claim]) -> Draft:
    """Put each claim to the artefact that it is about."""
    items = {item.cite: item for item in draft.items}
    for claim in claims:
        place = claim.sources[0]
        item = items.get(place, Item(cite=place))
        known = {tuple(sorted(one.text.items())) for one in item.claims if one.text}
        if not claim.text or tuple(sorted(claim.text.items())) not in known:
            items[place] = item.model_copy(update={"claims": (*item.claims, claim)})
    return draft.model_copy(update={"items": tuple(items.values())})


def _item(name: EvidenceId, brief: Brief) -> Item:
    """Show an artefact with what code knows of it."""
    card = brief.sheaf.found.cards.get(name)
    return Item(cite=name, places=card.paths[:_PLACES] if card else ())


def _is_release(name: EvidenceId, brief: Brief) -> bool:
    return name in brief.sheaf.releases


def _release_note(name: EvidenceId, brief: Brief) -> tuple[str, dict[str, str]]:
    release = brief.sheaf.releases[name].release
    day = whole_day(release.published_at, brief.sheaf.found.window.tz)
    return "release day", {"repo": release.repo, "tag": release.tag, "day": day}


def _with_note(rules: Draft, name: str, values: dict[str, str]) -> Draft:
    return rules.model_copy(update={"notes": (*rules.notes, (name, values))})


def _bears_on(cited: Sequence[EvidenceId], brief: Brief) -> bool:
    """Tell whether what is cited speaks of what was asked: of one of its names at least, where it has any."""
    names = [plain(name) for name in brief.sheaf.found.inquiry.names]
    evidence = evidence_of(brief)
    texts = [plain("\n".join(evidence[name].texts)) for name in cited if name in evidence]
    return bool(texts) and (not names or any(name in text for name in names for text in texts))


async def _checked(answerer: ModelAnswerer, brief: Brief, answering: Answering) -> tuple[list[Claim], int]:
    """Hold every sentence to its evidence; one that fails is said anew once, then quoted, then left out."""
    dossier = dossier_of(brief)
    told = [
        (f"model.{number}", said)
        for number, said in enumerate(answering.statements[:_STATEMENTS], start=1)
        if said.text.strip() or said.quote.strip()
    ]
    found = await asyncio.gather(*(_stands(answerer, brief, dossier, said, name) for name, said in told))
    kept = [claim for claim in found if claim is not None]
    return kept, len(told) - len(kept)


async def _stands(answerer: ModelAnswerer, brief: Brief, dossier: Dossier, said: Said, name: str) -> Claim | None:
    claim = claim_of(said, name, brief)
    judgement = first_refusal(claim, dossier, brief.lang) if claim is not None else None
    if judgement is not None and not judgement.passed:
        try:
            again = await answerer.mend(said, judgement, brief)
        except ModelError:
            again = None
        claim = claim_of(again, name, brief) if again is not None else None
        judgement = first_refusal(claim, dossier, brief.lang) if claim is not None else None
    if claim is not None and judgement is not None and judgement.passed:
        try:
            judged = await answerer.judged(claim, _shown_of(claim, dossier), brief)
        except ModelError:
            judged = None
        if judged is not None:
            return judged
    speech = speech_of(said, name, brief)
    judgement = first_refusal(speech, dossier, brief.lang) if speech is not None else None
    return _with(speech, judgement) if speech is not None and judgement is not None and judgement.passed else None


def _shown_of(claim: Claim, dossier: Dossier) -> str:
    """Lay out the cited evidence for the judge, the lines around the anchors first where it is long."""
    texts = [text for cite in claim.sources for text in dossier.found[cite].texts]
    near = sorted(texts, key=lambda text: not any(anchor.text in text for anchor in claim.anchors))
    return "\n\n".join(near)[:_JUDGED]


def _with(claim: Claim, judgement: Judgement) -> Claim:
    return claim.model_copy(update={"judgement": judgement})


def evidence_of(brief: Brief) -> dict[EvidenceId, Evidence]:
    """Lay out everything that the model was shown."""
    found = brief.sheaf.found
    evidence: dict[EvidenceId, Evidence] = dict(found.evidence)
    evidence |= {
        name: ThreadEvidence(thread=thread, comments=found.comments.get(name, ()))
        for name, thread in found.threads.items()
    }
    return evidence | dict(brief.sheaf.releases)


def dossier_of(brief: Brief) -> Dossier:
    """Give the gate what was shown and nothing else."""
    evidence = evidence_of(brief)
    found = brief.sheaf.found
    return Dossier(found=evidence, seen=frozenset(evidence), links=found.links, reverted=found.undone)


def grown(found: Findings, brief: Brief) -> Findings:
    """Give the findings with everything that tools have added."""
    more = brief.sheaf.found
    return replace(found, evidence=more.evidence, cards=more.cards, threads=more.threads, comments=more.comments)
