"""What a model is shown for a question, and how its sentences become claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from agent.analysts.packet import piece_text, shown_hunks
from agent.analysts.sentences import MOST_ANSWERED, Found, Sentence, focus_of, sentence_claim
from agent.analysts.subjects import Subject
from agent.analysts.tasks import is_foreign
from agent.domain.base import EvidenceId, Language
from agent.domain.claims import Claim, Judgement
from agent.domain.evidence import CommitEvidence, ReleaseEvidence, ThreadEvidence
from agent.models import tokens_of
from agent.telling.sentences import fact_sentence

_LEAST = 500
"""Tokens below which a diff is not shown."""
_COMPACT = 0.6
"""How much of the room the pieces share; the rest is for the diffs of the best ones."""
_LETTERS: dict[type, str] = {CommitEvidence: "c", ThreadEvidence: "t", ReleaseEvidence: "v"}


def handles_of(names: Sequence[EvidenceId], found: Found) -> dict[str, EvidenceId]:
    """Give each piece of evidence a short name: c1 a commit, t1 a thread, v1 a release."""
    handles: dict[str, EvidenceId] = {}
    for name in dict.fromkeys(name for name in names if name in found):
        letter = _LETTERS[type(found[name])]
        handles[f"{letter}{1 + sum(handle[0] == letter for handle in handles)}"] = name
    return handles


def cited(text: str, handles: Mapping[str, EvidenceId], found: Found) -> EvidenceId:
    """Find what a model cites: by its handle, its name, its number or the beginning of its hash."""
    text = text.strip("[]` ")
    if text in handles or text in found:
        return handles.get(text, text)
    ends = [name for name in found if name.endswith((f"#{text.lstrip('#')}", f"@{text}"))]
    begun = [name for name in found if len(text) > 6 and name.partition("@")[2].startswith(text.rpartition("@")[2])]
    return next(iter((*ends, *begun)), text)


@dataclass(frozen=True, kw_only=True)
class AnswerSubject(Subject):
    """What an answer is about: the pieces of evidence under their handles."""

    handles: Mapping[str, EvidenceId]
    notes: Mapping[EvidenceId, str] = field(default_factory=dict)
    """What code knows of pieces of evidence beside their text."""

    def evidence(self, claims: Sequence[Claim] = (), focus: Sequence[str] = ()) -> str:
        """Show what some sentences cite, or everything: all pieces shortly, and diffs of the first ones."""
        found, wanted = self.dossier.found, {cite for claim in claims for cite in claim.cites}
        pieces = {handle: found[name] for handle, name in self.handles.items() if not claims or name in wanted}
        each = int(self.room * _COMPACT) // max(1, len(pieces))
        texts = {handle: piece_text(handle, one, each, self.dossier.window) for handle, one in pieces.items()}
        texts |= {
            handle: f"{texts[handle]}\n{self.notes[one.id]}" for handle, one in pieces.items() if one.id in self.notes
        }
        room = self.room - sum(map(tokens_of, texts.values()))
        for handle, one in pieces.items():
            if isinstance(one, CommitEvidence) and room >= _LEAST:
                most = room if len(pieces) == 1 else max(_LEAST, room // 3)
                hunks, left_out = shown_hunks(one, most, focus or focus_of(claims))
                more = f"\nNot shown, for lack of room:\n{chr(10).join(left_out[:10])}" if left_out else ""
                texts[handle] += f"\nThe diff:\n{hunks}{more}"
                room -= tokens_of(hunks)
        return "\n\n".join(texts.values())

    def claims(self, answer: BaseModel) -> list[Claim]:
        """Turn the sentences of an answer into claims, each under its number."""
        said: Sequence[Sentence] = getattr(answer, "sentences", ())[:MOST_ANSWERED]
        return [claim for place, one in enumerate(said, start=1) if (claim := self._claim(f"a{place}", one))]

    def again(self, old: Claim, said: Sentence) -> Claim | None:
        """Turn a sentence that was said anew into a claim."""
        return self._claim(old.id, said)

    def objections(self, claim: Claim) -> tuple[Judgement, ...]:
        """Let a number pass that tells how many pieces a sentence cites: a count stands in none of them."""
        count = str(len(claim.cites)) if len(claim.cites) > 1 else " "
        wrong = super().objections(claim)
        return tuple(no for no in wrong if no.check != "number" or not no.literal.startswith(count))

    def controls(self, evidence: str, passed: Sequence[tuple[str, Claim]]) -> Sequence[Mapping[Language, str]]:
        """Choose facts of pieces that no sentence cites."""
        (lang,), known = self.languages, {cite for _, claim in passed for cite in claim.cites}
        facts = [fact for name in self.handles.values() if name not in known for fact in self.dossier.found[name].facts]
        told = [{lang: fact_sentence(fact, lang)} for fact in facts]
        return [text for text in told if is_foreign(text, evidence)][:2]

    def _claim(self, name: str, said: Sentence) -> Claim | None:
        """Turn one sentence into a claim; what it cites and was never shown stays, for the gate to refuse."""
        found = self.dossier.found
        cites = [cited(one, self.handles, found) for one in said.cites if one.strip()]
        return sentence_claim(name, said, cites, found, self.languages)
