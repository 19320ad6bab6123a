"""The analyst that needs no model: it reads what the budget allows, and says what the facts say."""

import re
from collections.abc import Iterator, Sequence

from agent.analyst import Assignment, Material, Read, ToolAnswer, ToolRequest
from agent.claims import Claim, Judgement, Quote, Role
from agent.evidence import CommitEvidence, EvidenceId
from agent.facts import Fact, FactKind, Severity
from agent.links import Link
from agent.report import Depth
from agent.settings import Language
from agent.templates import params_of, sentence

_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_LINEAGE = (FactKind.REVERT, FactKind.RELAND, FactKind.CHERRY_PICK)
_SHOWN_DEEP, _SHOWN_SKIM, _EXCERPTS = 6, 1, 2
_EXCERPT_LINES = 12


class RulesAnalyst:
    """Scores choose, facts speak, templates write."""

    name = "rules"

    async def next_calls(self, assignment: Assignment, answers: Sequence[ToolAnswer]) -> Sequence[ToolRequest]:
        """Ask for the diffs of everything that may be read in depth, at once, then for the pages that follow."""
        asked = {(one.request.arguments["sha"], one.request.arguments.get("page", 1)) for one in answers}
        wanted = [(sha, 1) for sha in assignment.allotment.deep]
        wanted += [(one.request.arguments["sha"], page) for one in answers if (page := _next_page(one.text))]
        return [ToolRequest("get_diff", {"sha": sha, "page": page}) for sha, page in wanted if (sha, page) not in asked]

    async def write(self, material: Material) -> Sequence[Claim]:
        """Say of each commit what its facts say, the most of those that were read in depth."""
        return [claim for read in material.reads for claim in _claims(read, material)]

    async def mend(self, claim: Claim, judgement: Judgement, material: Material) -> Claim | None:
        """Give up: the rules would only say the same again."""
        del claim, judgement, material
        return None


def _next_page(text: str) -> int | None:
    """Read from the head of an answer whether there is more of it."""
    found = re.match(r"page (\d+) of (\d+)\n", text)
    return int(found[1]) + 1 if found and int(found[1]) < int(found[2]) else None


def _claims(read: Read, material: Material) -> Iterator[Claim]:
    """Give the claims of one commit their numbers, in the order in which they are read."""
    for number, claim in enumerate(_unnumbered(read, material), start=1):
        sha = read.evidence.change.commit.sha
        yield claim.model_copy(update={"id": f"{material.repo}@{sha[:12]}.{number}"})


def _unnumbered(read: Read, material: Material) -> Iterator[Claim]:
    if read.depth not in (Depth.DEEP, Depth.SKIM):
        return
    yield from _lineage(read.evidence, material)
    yield from (_fixed(read.evidence, link) for link in material.links if _is_fix(read.evidence, link))
    telling = [fact for fact in read.evidence.facts if _tells(fact)]
    shown = telling[: _SHOWN_DEEP if read.depth is Depth.DEEP else _SHOWN_SKIM]
    for place, fact in enumerate(shown):
        excerpt = read.depth is Depth.DEEP and place < _EXCERPTS
        yield _statement("fact", Role.CHANGE, fact, read.evidence, quote=excerpt)
    if read.depth is Depth.DEEP:
        yield from _consequences(shown, read.evidence)


def _tells(fact: Fact) -> bool:
    return fact.severity is not Severity.INTERNAL and fact.kind not in _LINEAGE


def _consequences(facts: Sequence[Fact], evidence: CommitEvidence) -> Iterator[Claim]:
    """Say once what can go wrong and once what to do: about the gravest fact that has something to say."""
    for predicate, role in (("risk", Role.RISK), ("advice", Role.ADVICE)):
        for fact in facts:
            if fact.severity is not Severity.ADDITIVE and sentence(predicate, params_of(fact), "en"):
                yield _statement(predicate, role, fact, evidence)
                break


def _statement(predicate: str, role: Role, fact: Fact, evidence: CommitEvidence, *, quote: bool = False) -> Claim:
    params = params_of(fact)
    return Claim(
        id="",
        repo=evidence.repo,
        role=role,
        about=(evidence.id,),
        predicate=predicate,
        params=params,
        cites=(evidence.id,),
        quotes=_quotes(fact, evidence) if quote else (),
        text={lang: sentence(predicate, params, lang) or "" for lang in _LANGUAGES},
    )


def _quotes(fact: Fact, evidence: CommitEvidence) -> tuple[Quote, ...]:
    """Show the place that proves the fact best."""
    place = next((place for place in fact.places if place.lines), None)
    if place is None or len(place.lines) > _EXCERPT_LINES:
        return ()
    return (Quote(cite=evidence.id, text="\n".join(place.lines), file=place.file),)


def _lineage(evidence: CommitEvidence, material: Material) -> Iterator[Claim]:
    """Say what the commit undoes or brings back, and what became of it the same day."""
    for fact in evidence.facts:
        predicate = {FactKind.REVERT: "undoes", FactKind.RELAND: "relands"}.get(fact.kind)
        other = f"{evidence.repo}@{fact.old}" if fact.old else None
        if predicate and other and _is_known(other, material):
            yield _pair(predicate, evidence, other, material)
    if undone_by := material.reverted.get(evidence.id):
        yield _pair("undone", evidence, undone_by, material)


def _is_known(other: EvidenceId, material: Material) -> bool:
    return other in material.background or any(read.evidence.id == other for read in material.reads)


def _pair(predicate: str, evidence: CommitEvidence, other: EvidenceId, material: Material) -> Claim:
    earlier = other in material.background
    return Claim(
        id="",
        repo=evidence.repo,
        role=Role.CHANGE,
        about=(evidence.id,),
        predicate=predicate,
        cites=(evidence.id,) if earlier else (evidence.id, other),
        background=(other,) if earlier else (),
        text={lang: sentence(predicate, {}, lang) or "" for lang in _LANGUAGES},
    )


def _is_fix(evidence: CommitEvidence, link: Link) -> bool:
    return link.change == evidence.id and link.may_read_fixed


def _fixed(evidence: CommitEvidence, link: Link) -> Claim:
    return Claim(
        id="",
        repo=evidence.repo,
        role=Role.EFFECT,
        about=(evidence.id, link.issue),
        predicate="fixes",
        params={"issue": link.issue},
        cites=(evidence.id, link.issue),
        text={lang: sentence("fixes", {}, lang) or "" for lang in _LANGUAGES},
    )
