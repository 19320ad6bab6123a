"""Claims by rules, without a model: facts of commits in the words of templates, and quotations."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.domain.base import LANGUAGES, Language
from agent.domain.claims import Anchor, Claim, Kind, Quote
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.facts import Fact
from agent.domain.ledger import Tier
from agent.domain.links import Relation
from agent.fact_sentences import params_of, sentence
from agent.facts_worth_stating import exchanged_lines, quoted_hunks, stated_facts
from agent.links.admitted_relation_links import predicate_of
from agent.shortened_values import names_of
from agent.writing.quotes_chosen_by_rules import (
    ChangedNames,
    recurring_sentences,
    sentence_about_change,
    short_change,
    shown_lines,
)

_LINEAGE = {"revert": "undoes", "reland": "relands"}
_MAX_FACTS_DEEP = 6
_MAX_FACTS_SKIMMED = 3
_MAX_FACTS_MINOR = 1
_MAX_ANCHORS = 5  # Facts of one statement that are shown by their lines


def fact_claims(material: Material) -> list[Claim]:
    """Return claims about the facts of each commit, more for those that were read in depth."""
    templates = recurring_sentences(material)
    claims: list[Claim] = []
    for read in material.reads:
        name = read.evidence.id.shortened()
        for number, claim in enumerate(_claims_of(read, material, templates), start=1):
            claims.append(claim.model_copy(update={"id": f"{name}.{number}"}))
    return claims


def _claims_of(read: Read, material: Material, templates: frozenset[str]) -> Iterator[Claim]:
    evidence = read.evidence
    if read.depth not in ("deep", "skim"):
        # Of a folded commit, only its links to issues are worth a sentence.
        asserted = [link for link in material.links if link.relation is not Relation.MENTIONS]
        yield from _linked_issues(evidence, replace(material, links=asserted))
        return
    is_deep = read.depth == "deep"
    is_telling = is_deep or read.triage.tier is not Tier.LOW
    yield from _lineage(evidence, material)
    yield from _linked_issues(evidence, material)
    facts = stated_facts(evidence.facts)
    speech = list(_speech(read, material, templates)) if is_deep or not facts else []
    if not facts:
        # What an author says comes before the bare names of functions.
        yield from speech
        if is_telling or not speech:
            facts = exchanged_lines(evidence.facts)
        speech = []
    statements = _statements(facts[: _max_facts(read)], evidence)
    yield from statements
    # Where no statement has lines to show, quote a piece of the change itself.
    if is_telling and not any(claim.anchors for claim in statements):
        yield from _shown_code(evidence)
    yield from speech


def _shown_code(evidence: CommitEvidence) -> Iterator[Claim]:
    """Yield the lines of changed code that has no sentence, with the names around it."""
    quote_count = 0
    for fact in quoted_hunks(evidence.facts):
        for anchor in _anchors(fact, evidence):
            quote = Quote(cite=anchor.cite, text=anchor.text, file=anchor.file)
            yield _quotation(evidence, quote, {"name": fact.name})
            quote_count += 1
    if quote_count:
        return
    quote_of_change = short_change(evidence)
    if quote_of_change is not None:
        yield _quotation(evidence, quote_of_change)


def _max_facts(read: Read) -> int:
    if read.depth == "deep":
        return _MAX_FACTS_DEEP
    return _MAX_FACTS_MINOR if read.triage.tier is Tier.LOW else _MAX_FACTS_SKIMMED


def _statements(facts: Sequence[Fact], evidence: CommitEvidence) -> list[Claim]:
    """State facts; the same change in two places is stated once."""
    statements: dict[str, Claim] = {}
    for fact in facts:
        claim = statement(fact, evidence)
        statements.setdefault(claim.text["en"], claim)
    return list(statements.values())


def statement(fact: Fact, evidence: CommitEvidence) -> Claim:
    """State a fact of the commit that shows it."""
    params = params_of(fact)
    return Claim(
        id="",
        repo=evidence.repo,
        role="change",
        about=(evidence.id,),
        predicate="fact",
        params=params,
        cites=(evidence.id,),
        anchors=tuple(_anchors(fact, evidence)),
        text=_in_every_language("fact", params),
    )


def _quotation(
    evidence: CommitEvidence, quote: Quote, params: dict[str, str] | None = None
) -> Claim:
    """Show changed lines of a commit without words of ours."""
    return Claim(
        id="",
        repo=evidence.repo,
        role="change",
        about=(evidence.id,),
        predicate="shows",
        params=params or {},
        cites=(evidence.id,),
        quotes=(quote,),
    )


def _in_every_language(predicate: str, params: dict[str, str]) -> dict[Language, str]:
    return {lang: sentence(predicate, params, lang) for lang in LANGUAGES}


def _anchors(fact: Fact, evidence: CommitEvidence) -> Iterator[Anchor]:
    """Yield the changed lines that show a fact: those that name it or its values, as the diff has them."""
    patches = {file.path: file.patch or "" for file in evidence.change.files}
    names = "\n".join(re.split(r"[.:]", name)[-1] for name in names_of(fact))
    values = "\n".join(filter(None, (names, fact.detail, fact.old, fact.new)))
    literals = [line.strip() for line in values.split("\n") if line.strip()]
    for location in fact.places[:_MAX_ANCHORS]:
        lines = shown_lines(location.lines, patches.get(location.file, ""), literals)
        if lines:
            yield Anchor(cite=evidence.id, text="\n".join(lines), file=location.file)


def _speech(read: Read, material: Material, templates: frozenset[str]) -> Iterator[Claim]:
    """Yield the author's sentence about the change, from the message or the pull request."""
    evidence = read.evidence
    commit = evidence.change.commit
    texts = {evidence.id: commit.body}
    pull = material.pulls.get(evidence.pull or 0)
    if pull is not None:
        texts[pull.id] = pull.body
    names = ChangedNames.of(evidence)
    for source, text in texts.items():
        words = sentence_about_change(text, commit.title, names, templates)
        if words is None:
            continue
        yield Claim(
            id="",
            repo=evidence.repo,
            role="change",
            about=(evidence.id,),
            predicate="says",
            cites=tuple(dict.fromkeys((evidence.id, source))),
            quotes=(Quote(cite=source, text=words),),
            speech=True,
            kind=Kind.QUOTATION,
        )
        return


def _lineage(evidence: CommitEvidence, material: Material) -> Iterator[Claim]:
    """Yield claims on the commits that this one undoes or brings back, and on its own revert."""
    others = []
    for fact in evidence.facts:
        if fact.kind not in _LINEAGE or not is_full_hash(fact.old or ""):
            continue
        other = EvidenceId.commit(evidence.repo, fact.old or "")
        if _can_be_read(other, material):
            others.append((_LINEAGE[fact.kind], other))
    if evidence.id in material.reverted:
        others.append(("undone", material.reverted[evidence.id]))
    for predicate, other in others:
        is_background = other in material.background
        yield Claim(
            id="",
            repo=evidence.repo,
            role="change",
            about=(evidence.id,),
            predicate=predicate,
            cites=(evidence.id,) if is_background else (evidence.id, other),
            background=(other,) if is_background else (),
            text=_in_every_language(predicate, {}),
        )


def _can_be_read(commit: EvidenceId, material: Material) -> bool:
    if commit in material.background:
        return True
    return any(read.evidence.id == commit for read in material.reads)


def _linked_issues(evidence: CommitEvidence, material: Material) -> Iterator[Claim]:
    """Yield claims on a commit's issues, from links that GitHub records or a judge admitted."""
    states = {issue.id: issue.state for issue in material.issues}
    for link in material.links:
        if link.change != evidence.id or link.issue not in states:
            continue
        is_fix = link.relation in (Relation.FIXES, Relation.PARTLY)
        if is_fix and evidence.id in material.reverted:
            continue
        predicate = predicate_of(link, states[link.issue])
        if predicate:
            both = (evidence.id, link.issue)
            params = {"issue": str(link.issue)}
            yield Claim(
                id="",
                repo=evidence.repo,
                role="effect",
                about=both,
                predicate=predicate,
                params=params,
                cites=both,
                text=_in_every_language(predicate, params),
                judged_by=link.judged_by,
            )
