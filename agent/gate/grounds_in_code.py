"""The grounds of a sentence: in code (a diff, a fact, a note that code wrote), or in prose alone.

Anybody can write anything into a commit message or a thread. What rests on such prose alone is
printed as what its author says, and is never a headline or advice.
"""

from agent.domain.claims import Claim, LiteralKind
from agent.domain.evidence import CommitEvidence, EvidenceSet
from agent.gate.literal_lookup import Lookup
from agent.gate.literals import Literal, literals
from agent.gate.quotes import is_in_code
from agent.gate.searchable_evidence_text import SearchText, code_of, plain_marks

_NAMES: frozenset[LiteralKind] = frozenset(
    ("code", "snake", "qualified", "path", "flag", "version", "number")
)
"""What a diff can show: who landed a commit when, and for which issue, it does not."""
_MIN_DIGITS = 2  # A single digit stands in every diff


def has_code_anchor(claim: Claim, evidence_set: EvidenceSet) -> bool:
    """Return True if an anchor of a claim stands in a diff, a fact or a note."""
    for anchor in claim.anchors:
        evidence = evidence_set.by_id.get(anchor.cite)
        if evidence is None:
            continue
        if is_in_code(anchor.text, evidence, evidence_set.notes.get(anchor.cite, "")):
            return True
    return False


def is_grounded(claim: Claim, evidence_set: EvidenceSet) -> bool:
    """Return True if a claim has a line, a name or a value of a diff, a fact or a note."""
    return has_code_anchor(claim, evidence_set) or _has_code_name(claim, evidence_set)


def _has_code_name(claim: Claim, evidence_set: EvidenceSet) -> bool:
    texts: list[SearchText] = []
    for cite in claim.sources:
        if cite in evidence_set.by_id:
            texts.append(code_of(evidence_set.by_id[cite]))
        if cite in evidence_set.notes:
            texts.append(SearchText(evidence_set.notes[cite]))
    lookup = Lookup(tuple(texts))
    for text in claim.text.values():
        for literal in literals(plain_marks(text)):
            if _can_ground(literal) and lookup.has_literal(literal):
                return True
    return False


def _can_ground(literal: Literal) -> bool:
    if literal.kind not in _NAMES:
        return False
    if literal.kind != "number":
        return True
    return sum(sign.isdigit() for sign in literal.text) >= _MIN_DIGITS


def has_readable_diff(claim: Claim, evidence_set: EvidenceSet) -> bool:
    """Return True if a cited commit changes lines or moves files; binary files show neither."""
    for cite in claim.sources:
        evidence = evidence_set.by_id.get(cite)
        if not isinstance(evidence, CommitEvidence):
            continue
        if evidence.facts:
            return True
        for file in evidence.change.files:
            if file.patch or file.status in ("renamed", "copied"):
                return True
    return False
