"""What a model is shown of a commit and of what it may belong to, and what becomes of the relations that it names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, Field

from agent.analyst import Material, Read
from agent.analysts.packet import commit_packet, piece_text, shown_hunks
from agent.analysts.sentences import anchored
from agent.claims import Anchor, Claim, Judgement, Kind, Role, Verdict
from agent.domain import Issue
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ThreadEvidence
from agent.gate.quotes import misquoted
from agent.gate.verbatim import normal
from agent.links import Grade, Reference, Related, Relation

_COMMIT_SHARE, _LEAST, _SHORTEST = 0.55, 120, 8
"""How much of the room the commit takes; tokens below which another side tells nothing; signs of an anchor."""
_TO_ISSUES = (Relation.FIXES, Relation.PARTLY, Relation.BECAUSE)
_SENTENCES = {
    Relation.FIXES: "{change} fixes everything that {other} reports or asks for.",
    Relation.PARTLY: "{change} fixes a part of what {other} reports or asks for.",
    Relation.BECAUSE: "{change} takes an earlier change back because of what {other} reports.",
    Relation.INTRODUCED: "{change} repairs something that came in with {other}.",
    Relation.CONTINUES: "{change} continues or completes the work of {other}.",
    Relation.SAME_WORK: "{change} and {other} of another repository are parts of the same work.",
}


class SaidRelation(BaseModel):
    """What a commit has to do with one of the others; the proof comes before the word."""

    other: str = Field(default="", description="the handle of the other, as it is shown")
    anchor: str = Field(default="", description="words or diff lines of the commit's side, copied verbatim")
    other_anchor: str = Field(default="", description="words of the other's side, copied verbatim")
    relation: Literal[
        "none",
        "fixes",
        "partly fixes",
        "reverts because of",
        "introduced by",
        "continues",
        "same work in the other repository",
    ] = "none"


class SaidRelations(BaseModel):
    """What a commit has to do with each of the others."""

    relations: list[SaidRelation] = Field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """A commit and what it may belong to: what one side names, and issues that are like it."""

    read: Read
    material: Material
    others: Sequence[Evidence]
    said: Sequence[Reference] = ()
    room: int
    """Tokens that a model can be shown."""

    @property
    def change(self) -> CommitEvidence:
        """The commit."""
        return self.read.evidence

    @property
    def found(self) -> Mapping[EvidenceId, Evidence]:
        """What anchors are looked for in: the commit, its pull request, and the others."""
        pull = self.material.pulls.get(self.change.pull or 0)
        own: dict[EvidenceId, Evidence] = {self.change.id: self.change}
        own |= {pull.id: ThreadEvidence(thread=pull)} if pull else {}
        return own | {one.id: one for one in self.shown}

    @property
    def shown(self) -> Sequence[Evidence]:
        """As many of the others as have room to say something."""
        return self.others[: max(1, int(self.room * (1 - _COMMIT_SHARE)) // _LEAST)]

    def text(self) -> str:
        """Show both sides: the commit with its pull request, then each of the others."""
        bare = replace(self.material, links=(), issues=(), threads={})
        packet = commit_packet(self.read, bare, int(self.room * _COMMIT_SHARE))
        each = int(self.room * (1 - _COMMIT_SHARE)) // max(1, len(self.shown))
        others = "\n\n".join(self._other(one, each) for one in self.shown)
        return f"[c] is {self._name(self.change)}.\n{packet.text}\n\nWhat it may belong to:\n\n{others}"

    def _other(self, one: Evidence, room: int) -> str:
        words = piece_text(self._name(one), one, room, None)
        hunks = f"\n{shown_hunks(one, room // 2, ())[0]}" if isinstance(one, CommitEvidence) else ""
        named = [ref.sentence for ref in self.said if one.id in (ref.source, ref.target)]
        return words + hunks + "".join(f"\n(One names the other: {sentence})" for sentence in dict.fromkeys(named))

    def _name(self, one: Evidence) -> str:
        """Name a side as a reader does; the repository only where it is another one."""
        name = one.id[: one.id.index("@") + 10] if "@" in one.id else one.id
        return name.removeprefix(self.change.repo).removeprefix("@")

    def claims(self, answer: SaidRelations) -> Iterator[tuple[Claim, Relation, EvidenceId]]:
        """Turn each relation into a sentence that code words, with an anchor on each side; the first of each counts."""
        by_handle = {self._name(one): one for one in self.shown}
        for number, said in enumerate(answer.relations, start=1):
            other = by_handle.pop(said.other.strip("[]` "), None)
            if other is None or said.relation == "none":
                continue
            relation = Relation(said.relation)
            mine = tuple(name for name in self.found if name not in {one.id for one in self.shown})
            anchors = (anchored(said.anchor, mine, self.found), anchored(said.other_anchor, (other.id,), self.found))
            text = _SENTENCES[relation].format(change=self._name(self.change), other=self._name(other))
            claim = Claim(
                id=f"{self.change.id[:-28]}.r{number}",
                repo=self.change.repo,
                role=Role.EFFECT,
                about=(self.change.id,),
                cites=tuple(dict.fromkeys((self.change.id, anchors[0].cite, other.id))),
                anchors=anchors,
                text={"en": text},
                kind=Kind.STATED,
            )
            yield claim, relation, other.id

    def objections(self, claim: Claim, relation: Relation, other: EvidenceId) -> tuple[Judgement, ...]:
        """Say why a relation is refused: it cannot be one of these two, or an anchor is not verbatim."""
        reasons = [_misplaced(one, self.found[one.cite]) for one in claim.anchors]
        if not self._is_possible(relation, self.found[other]):
            reasons.append(f"{relation.value!r} is no relation between a commit and {other}")
        return tuple(Judgement(verdict=Verdict.QUOTE, check="relation", reason=one) for one in reasons if one)

    def _is_possible(self, relation: Relation, other: Evidence) -> bool:
        issue = isinstance(other, ThreadEvidence) and isinstance(other.thread, Issue)
        if self.grade(other.id) is Grade.C:
            return issue and relation in (Relation.FIXES, Relation.PARTLY)
        if relation in _TO_ISSUES:
            return issue
        return relation is not Relation.SAME_WORK or other.repo != self.change.repo

    def grade(self, other: EvidenceId) -> Grade:
        """Tell whether one side names the other."""
        return Grade.B if any(other in (one.source, one.target) for one in self.said) else Grade.C

    def related(self, claim: Claim, relation: Relation, other: EvidenceId) -> Related:
        """Hand on a relation that was admitted."""
        anchors = tuple((one.cite, one.text) for one in claim.anchors)
        return Related(
            change=self.change.change.commit.id,
            other=other,
            relation=relation,
            anchors=anchors,
            grade=self.grade(other),
            judged_by=claim.judged_by,
        )


def _misplaced(anchor: Anchor, evidence: Evidence) -> str:
    if len(normal(anchor.text)) < _SHORTEST:
        return f"{anchor.text!r} is too short to show anything"
    return misquoted(anchor, evidence)
