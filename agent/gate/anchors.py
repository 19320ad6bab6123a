"""Check the anchors of a sentence: each verbatim in the evidence it cites, and one that proves something."""

import re
from collections.abc import Iterator, Sequence

from agent.domain.claims import Anchor, Claim, Judgement, Verdict
from agent.domain.evidence import CommitEvidence, Dossier, Evidence, ReleaseEvidence
from agent.gate.evidence_text import SearchText, text_of, without_signs
from agent.gate.literals import Literal
from agent.gate.lookup import Lookup
from agent.gate.nearest import nearest
from agent.gate.quotes import misquoted, short
from agent.gate.verbatim import normal
from agent.triage.areas import Area, area

_LONGEST = 4000
_END = re.compile(r"[.!?;:](?=\s|$)|[。！？；：]|\n")
_BULLET = re.compile(r"^[\s>]*(?:[-*+•]|\d{1,3}[.)])\s+|^[\s>#]+")
_NUMBER = re.compile(r"\s*\(#\d+\)\s*$")
_EMPHASIS = re.compile(r"[*_]{2,3}|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")


def check_anchors(
    claim: Claim, dossier: Dossier, found: Sequence[Literal], good: Sequence[Anchor]
) -> Iterator[Judgement]:
    """Say what is wrong with the anchors, given the literals of the sentence and the anchors that are verbatim."""
    if not claim.anchors:
        yield _wrong("the sentence has no anchor; copy words or changed lines that show it from the evidence it cites")
        return
    texts = [text_of(dossier.found[cite]) for cite in claim.sources]
    for anchor in claim.anchors:
        if anchor not in good and anchor.cite in claim.sources:
            reason = _not_verbatim(anchor, dossier)
            yield _wrong(f"the anchor must be copied as it stands: {reason}", anchor, nearest(anchor.text, texts))
    if good and not any(_proves(anchor, dossier.found[anchor.cite], found) for anchor in good):
        yield _wrong(
            "no anchor proves the sentence: one must hold a name, number or code of it, "
            "or be a whole sentence of the message or of the thread",
            good[0],
            nearest(" ".join(one.text for one in found), texts),
        )


def verbatim_anchors(claim: Claim, dossier: Dossier) -> list[Anchor]:
    """List the anchors that stand in the evidence they cite."""
    return [one for one in claim.anchors if one.cite in claim.sources and not _not_verbatim(one, dossier)]


def _not_verbatim(anchor: Anchor, dossier: Dossier) -> str:
    if len(anchor.text) > _LONGEST:
        return f"it has {len(anchor.text)} characters; a few lines are enough"
    return misquoted(anchor, dossier.found[anchor.cite])


def _wrong(reason: str, anchor: Anchor | None = None, near: str = "") -> Judgement:
    about, literal = (anchor.cite, short(anchor.text)) if anchor else (None, "")
    return Judgement(verdict=Verdict.QUOTE, reason=reason, check="anchor", about=about, literal=literal, nearest=near)


def _proves(anchor: Anchor, evidence: Evidence, found: Sequence[Literal]) -> bool:
    """Tell whether an anchor holds a literal of the sentence or is a whole sentence of what people wrote."""
    held = Lookup(evidence=(), texts=(SearchText(anchor.text),), known=frozenset(), tz="UTC")
    if any(held.stands(literal) for literal in found if literal.kind != "pair"):
        return True
    return any(_is_sentence(anchor.text, text) for text in _written(evidence))


def _written(evidence: Evidence) -> tuple[str, ...]:
    """List what people wrote: a message with its title, documents, a thread with its comments, notes of a release."""
    if isinstance(evidence, CommitEvidence):
        commit = evidence.change.commit
        documents = (file.patch or "" for file in evidence.change.files if area(file.path) is Area.DOCS)
        return (commit.message, commit.title, _NUMBER.sub("", commit.title), *map(without_signs, documents))
    if isinstance(evidence, ReleaseEvidence):
        return (evidence.release.name, evidence.release.body)
    said = tuple(comment.body for comment in evidence.comments)
    return (evidence.thread.title, evidence.thread.body, *said)


def _is_sentence(anchor: str, text: str) -> bool:
    """Tell whether an anchor begins and ends where sentences or lines of a text do."""
    wanted, _, _ = _sentences(anchor)
    flat, starts, ends = _sentences(text)
    if not wanted or wanted not in flat:
        return False
    return any(start + len(wanted) in ends and flat.startswith(wanted, start) for start in starts)


def _sentences(text: str) -> tuple[str, set[int], set[int]]:
    """Join the sentences of a text without bullets and emphasis, with the places where they begin and end."""
    parts: list[str] = []
    starts, ends, length = set[int](), set[int](), 0
    for piece in _END.split(text):
        if words := normal(_EMPHASIS.sub("", _BULLET.sub("", piece))):
            starts.add(length)
            ends.add(length + len(words))
            length += len(words) + 1
            parts.append(words)
    return " ".join(parts), starts, ends
