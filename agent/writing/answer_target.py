"""The target of an answer: the pieces of evidence that it cites."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from agent.domain.claims import Claim, Judgement, Number
from agent.domain.evidence import Citable, CommitEvidence, FileEvidence, PublishedEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import is_changed_default
from agent.evidence_headings import fact_line
from agent.fact_sentences import fact_sentence
from agent.gate.literal_lookup import Lookup
from agent.gate.literals import Literal
from agent.gate.quotes import MAX_ANCHOR, is_in_code
from agent.gate.searchable_evidence_text import SearchText
from agent.judging.rulings import Text
from agent.packets.commit_packet import piece_text
from agent.packets.diff_text import shown_diff
from agent.packets.lines_supporting_claims import NO_FOCUS, Focus, focus_on
from agent.packets.token_budgets import (
    ANSWER_EVIDENCE_TOKENS,
    ANSWER_PIECES_SHARE,
    MIN_ANSWER_DIFF,
    OVERVIEW_TITLE_TOKENS,
    OVERVIEW_TOKENS,
)
from agent.token_estimates import fitting, tokens_of
from agent.writing.model_sentences import MOST_ANSWERED, Sentence
from agent.writing.targets import Check, WritingTarget, cited_by
from agent.writing.tasks import Draft

_MAX_DEFAULTS = 3  # Changed defaults of a commit that is shown by its title alone
_PIECES_IN_SHORT = 10  # That an overview shows with their first lines and facts; then come titles


@dataclass(frozen=True, kw_only=True)
class AnswerTarget(WritingTarget):
    """The target of an answer: the pieces of evidence under their handles."""

    notes: Mapping[EvidenceId, str] = field(default_factory=dict)
    """What code knows of pieces of evidence beside their text."""
    question: str = ""
    denies: bool = False  # Whether the writer abstains or corrects what the question says

    def overview(self, budget: int) -> str:
        """Return the first pieces in short and the others by their titles, without diffs."""
        budget = min(budget, OVERVIEW_TOKENS)
        pieces = list(self.citable.items())
        first_pieces = pieces[:_PIECES_IN_SHORT]
        titles: list[str] = []
        for handle, piece in pieces[_PIECES_IN_SHORT:]:
            titles.append(self._piece_text(handle, piece, OVERVIEW_TITLE_TOKENS, NO_FOCUS))
        share = (budget - sum(map(tokens_of, titles))) // max(1, len(first_pieces))
        texts: list[str] = []
        for handle, piece in first_pieces:
            texts.append(
                self._piece_text(handle, piece, max(share, OVERVIEW_TITLE_TOKENS), NO_FOCUS)
            )
        return "\n\n".join(fitting([*texts, *titles], budget))

    def evidence(self, claims: Sequence[Claim], budget: int, quotes: Sequence[str] = ()) -> str:
        """Return the pieces that some sentences cite, commits with their diffs."""
        cites = cited_by(claims)
        pieces = {handle: piece for handle, piece in self.citable.items() if piece.id in cites}
        focus = focus_on(claims, quotes)
        budget = min(budget, ANSWER_EVIDENCE_TOKENS)
        each = int(budget * ANSWER_PIECES_SHARE) // max(1, len(pieces))
        texts: dict[str, str] = {}
        for handle, piece in pieces.items():
            texts[handle] = self._piece_text(handle, piece, each, focus)
        tokens_left = budget - sum(map(tokens_of, texts.values()))
        for handle, piece in pieces.items():
            if not isinstance(piece, CommitEvidence) or tokens_left < MIN_ANSWER_DIFF:
                continue
            share = tokens_left if len(pieces) == 1 else max(MIN_ANSWER_DIFF, tokens_left // 3)
            diff = shown_diff(piece, share, focus)
            texts[handle] += f"\nThe diff:\n{diff}"
            tokens_left -= tokens_of(diff)
        return "\n\n".join(texts.values())

    def _piece_text(self, handle: str, piece: Citable, budget: int, focus: Focus) -> str:
        """Return a piece in short under its handle, with what code knows of it."""
        if isinstance(piece, FileEvidence):
            text = f"[{handle}] lines of a file, {piece.id}\n{piece.text}"
        else:
            assert not isinstance(piece, PublishedEvidence), "answers rest on what was read"
            text = piece_text(handle, piece, budget, self.evidence_set.window, focus)
        for line in _default_lines(piece):
            if line not in text:
                text += f"\n{line}"
        note = self.notes.get(piece.id)
        return f"{text}\n{note}" if note else text

    def claim(self, name: str, sentence: Sentence) -> Claim | None:
        """Turn one sentence into a claim; lines of a file that hold its anchor are cited with it."""
        cites = [handle.strip("[]` ") for handle in sentence.cites]
        pieces = [self.citable[handle] for handle in cites if handle in self.citable]
        is_usable = 0 < len(sentence.anchor.strip()) <= MAX_ANCHOR
        if is_usable and not any(is_in_code(sentence.anchor, piece) for piece in pieces):
            for handle, piece in self.citable.items():
                if isinstance(piece, FileEvidence) and is_in_code(sentence.anchor, piece):
                    sentence = sentence.model_copy(update={"cites": [*sentence.cites, handle]})
                    break
        return super().claim(name, sentence)

    def claims(self, answer: Any) -> list[Claim]:
        """Turn the sentences of an answer into claims, each under its number."""
        claims = []
        for number, sentence in enumerate(answer.sentences[:MOST_ANSWERED], start=1):
            if claim := self.claim(f"a{number}", sentence):
                claims.append(claim)
        return claims

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Return the objections to a sentence, except to its count of citations and the question's words.

        No piece of evidence states how many pieces are cited, and an abstention or a correction
        may repeat names from the question.
        """
        objections = super().objections(claim, check)
        if len(claim.cites) >= 2:
            count = Number(value=Decimal(len(claim.cites)))
            objections = tuple(objection for objection in objections if objection.number != count)
        if self.denies:
            question = Lookup((SearchText(self.question),))
            own_objections: list[Judgement] = []
            for objection in objections:
                if not _is_asked(objection, question):
                    own_objections.append(objection)
            objections = tuple(own_objections)
        return objections

    def elsewhere(self, passed: Sequence[Draft]) -> Iterable[Text]:
        """Return facts of pieces that no sentence cites."""
        (lang,) = self.languages
        cites = cited_by([draft.claim for draft in passed])
        for piece in self.citable.values():
            if piece.id in cites or not isinstance(piece, CommitEvidence):
                continue
            for fact in piece.facts:
                yield {lang: fact_sentence(fact, lang)}


def _default_lines(piece: Citable) -> list[str]:
    """Return the first defaults that a commit changes; these are shown however short a piece is."""
    if not isinstance(piece, CommitEvidence):
        return []
    defaults = list(filter(is_changed_default, piece.facts))
    return [fact_line(fact) for fact in defaults[:_MAX_DEFAULTS]]


def _is_asked(objection: Judgement, question: Lookup) -> bool:
    """Return True if an objection is to a literal that the question has."""
    if objection.literal_kind is None or not objection.literal:
        return False
    literal = Literal(objection.literal_kind, objection.literal, number=objection.number)
    return question.has_literal(literal)
