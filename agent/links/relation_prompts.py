"""Prompts about a commit and its candidates, and the relations that a model names."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from agent.domain.claims import Claim, Judgement, Kind
from agent.domain.commits import Commit, Headline
from agent.domain.evidence import CommitEvidence, Evidence, Material, Read, ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Grade, Mention, OtherKind, Related, Relation
from agent.domain.threads import Issue, PullRequest
from agent.gate.quotes import misquoted
from agent.gate.searchable_evidence_text import normal
from agent.judging.rulings import Text
from agent.links.lines_shared_by_two_changes import shared_lines
from agent.packets.boilerplate_in_messages import recurring_lines, without_boilerplate
from agent.packets.commit_packet import commit_packet, cut_text, piece_text
from agent.packets.diff_text import shown_diff
from agent.packets.lines_supporting_claims import Focus, Passage, focus_on
from agent.packets.token_budgets import (
    MIN_OTHER_TOKENS,
    OTHER_MESSAGE_SHARE,
    OTHER_PULL_SHARE,
    RELATED_COMMIT_SHARE,
    RELATIONS_JUDGED_TOKENS,
    RELATIONS_READ_TOKENS,
)
from agent.token_estimates import tokens_of
from agent.writing.model_sentences import anchored

_PULL_HEADING = "Its pull request says:"
_MIN_ANCHOR = 8  # Characters
_LATE = timedelta(hours=1)
_TO_ISSUES = (Relation.FIXES, Relation.PARTLY, Relation.BECAUSE)
_TO_LANDED = (Relation.INTRODUCED, Relation.UNDOES, Relation.RELANDS)
_WITHIN_REPO = (Relation.UNDOES, Relation.RELANDS)
_OTHER_REPO = (Relation.NEEDS,)
_TAKEN_BACK = "(It was taken back on {revert.at:%Y-%m-%d} by {revert.sha:.12}: {revert.title})"
_SENTENCES = {
    Relation.FIXES: "{} fixes everything that {} reports or asks for.",
    Relation.PARTLY: "{} fixes a part of what {} reports or asks for.",
    Relation.BECAUSE: "{} takes an earlier change back because of what {} reports.",
    Relation.INTRODUCED: "{} repairs something that was wrong or missing in {} already when that landed.",
    Relation.CONTINUES: "{} continues or completes the work of {}.",
    Relation.STEP: "{} does one step of the plan or list of tasks that {} keeps.",
    Relation.UNDOES: "{} takes back what {} brought.",
    Relation.RELANDS: "{} brings back what {} had brought and another change took back.",
    Relation.NEEDS: "{} needs, ports or adopts what {} of another repository brings.",
    Relation.INDEPENDENT: "{} and {} make the same change independently of each other.",
}
NamedRelation = Literal[
    "none",
    "fixes",
    "partly fixes",
    "reverts because of",
    "introduced by",
    "continues",
    "step of",
    "reverts",
    "lands again",
    "needs or ports",
    "same change made independently",
]


class SaidRelation(BaseModel):
    """What a commit has to do with one of the others; the proof comes before the word."""

    other: str = Field(default="", description="the handle of the other, as it is shown")
    anchor: str = Field(
        default="", description="words or diff lines of the commit's side, copied verbatim"
    )
    other_anchor: str = Field(default="", description="words of the other's side, copied verbatim")
    relation: NamedRelation = "none"


class SaidRelations(BaseModel):
    """What a commit has to do with each of the others."""

    relations: list[SaidRelation] = Field(default_factory=list)


class RelationDraft(NamedTuple):
    """A relation that a model named, and the sentence in which code words it."""

    claim: Claim
    relation: Relation
    other: EvidenceId


class _Side(NamedTuple):
    id: EvidenceId
    kind: OtherKind
    title: str
    author: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """A commit and what it may belong to.

    The others are named by one side, have lines that the commit changes, or are similar issues.
    """

    read: Read
    material: Material
    others: Sequence[Evidence]
    pulls: Mapping[EvidenceId, ThreadEvidence] = field(default_factory=dict)
    """The pull requests of those of the others that are commits, by the ids of the commits."""
    mentions: Sequence[Mention] = ()  # By which one side names the other
    named: frozenset[EvidenceId] = frozenset()  # Those of the others that one side names
    inferable: frozenset[EvidenceId] = frozenset()
    """Those of the others that nobody names but that share enough to be called related."""
    taken_back: Mapping[EvidenceId, Headline] = field(default_factory=dict)
    """By which commit each of the others was taken back."""
    token_budget: int  # Tokens that a model can be shown

    def limited(self, tokens: int) -> "Pairing":
        """Return the same pairs with at most so many tokens to show them."""
        return replace(self, token_budget=min(tokens, self.token_budget))

    @property
    def change(self) -> CommitEvidence:
        """The commit."""
        return self.read.evidence

    @property
    def _commit_side(self) -> dict[EvidenceId, Evidence]:
        """The commit and its pull request, by their ids."""
        side: dict[EvidenceId, Evidence] = {self.change.id: self.change}
        pull = self.material.pulls.get(self.change.pull or 0)
        if pull:
            side[pull.id] = ThreadEvidence(thread=pull)
        return side

    @property
    def _other_side(self) -> dict[EvidenceId, Evidence]:
        """The others by their ids, as many as can be shown."""
        tokens = int(self.token_budget * (1 - RELATED_COMMIT_SHARE))
        max_others = max(1, tokens // MIN_OTHER_TOKENS)
        return {other.id: other for other in self.others[:max_others]}

    def text(self, claims: Sequence[Claim], budget: int) -> str:
        """Return both sides: the commit with its pull request, then each of the others.

        What the claims rest on comes first; then the lines in which the changes of both sides meet,
        and the other changes before the rest of each side.
        """
        limit = RELATIONS_JUDGED_TOKENS if claims else RELATIONS_READ_TOKENS
        budget = min(budget, self.token_budget, limit)
        # Issues are shown among the others, if at all.
        material = replace(self.material, links=(), issues=(), threads={})
        focus = focus_on(claims)
        others = self._other_side.values()
        shared_lines: dict[str, None] = {}
        for other in others:
            shared_lines.update(dict.fromkeys(self._shared_lines(other)))
        commit_focus = replace(focus, names=(*focus.names, *shared_lines))
        commit_budget = int(budget * RELATED_COMMIT_SHARE)
        packet = commit_packet(self.read, material, commit_budget, commit_focus)
        other_budget = int(budget * (1 - RELATED_COMMIT_SHARE)) // len(others)
        texts = "\n\n".join(self._other(other, other_budget, focus.passages) for other in others)
        return f"[c] is {self._name(self.change)}.\n{packet}\n\nWhat it may belong to:\n\n{texts}"

    def _other(self, other: Evidence, budget: int, passages: tuple[Passage, ...]) -> str:
        """Return the words of another side, and of a commit the lines that this commit touches."""
        focus = Focus(passages, self._shared_lines(other))
        if isinstance(other, CommitEvidence):
            text = piece_text(
                self._name(other), other, int(budget * OTHER_MESSAGE_SHARE), None, focus
            )
            pull = self.pulls.get(other.id)
            if pull is not None:
                words = without_boilerplate(pull.thread.body, self._recurring_lines)
                text += (
                    f"\n{_PULL_HEADING}\n{cut_text(words, int(budget * OTHER_PULL_SHARE), focus)}"
                )
            revert = self.taken_back.get(other.id)
            if revert is not None and revert.sha != self.change.change.commit.sha:
                text += f"\n{_TAKEN_BACK.format(revert=revert)}"
            text += f"\n{shown_diff(other, max(0, budget - tokens_of(text)), focus)}"
        else:
            text = piece_text(self._name(other), other, budget, None, focus)
        sentences: dict[str, None] = {}
        for mention in self.mentions:
            if mention.sentence and other.id in (mention.source, mention.target):
                sentences[mention.sentence] = None
        return text + "".join(f"\n(One names the other: {words})" for words in sentences)

    @cached_property
    def _recurring_lines(self) -> frozenset[str]:
        """The lines of forms, which say nothing of a change."""
        return recurring_lines(self.material)

    def _shared_lines(self, other: Evidence) -> tuple[str, ...]:
        """Return the lines in which the changes of both sides meet."""
        if not isinstance(other, CommitEvidence):
            return ()
        return tuple(shared_lines(self.change.change, other.change))

    def _name(self, evidence: Evidence) -> str:
        """Return the short name of a side, with the repository only if it is another one."""
        name = evidence.id.shortened(9)
        return name.removeprefix(self.change.repo).removeprefix("@")

    def drafts(self, answer: SaidRelations) -> Iterator[RelationDraft]:
        """Yield the first relation with each of the others, with an anchor on both sides."""
        commit_side = self._commit_side
        other_side = self._other_side
        by_handle = {self._name(other): other for other in other_side.values()}
        for answered in answer.relations:
            other = by_handle.pop(answered.other.strip("[]` "), None)
            if other is None or answered.relation == "none":
                continue
            relation = Relation(answered.relation)
            anchor = anchored(answered.anchor, list(commit_side), commit_side)
            pull = self.pulls.get(other.id)
            sources: dict[EvidenceId, Evidence] = {other.id: other}
            if pull is not None:
                sources[pull.id] = pull
            other_anchor = anchored(answered.other_anchor, list(sources), sources)
            sentence = self._sentence(relation, self._name(other))
            claim = Claim(
                id=f"{self.change.id.shortened()}.r {other.id}",
                repo=self.change.repo,
                role="effect",
                about=(self.change.id, other.id),
                cites=tuple(dict.fromkeys((self.change.id, anchor.cite, other.id))),
                anchors=(anchor, other_anchor),
                text={"en": sentence},
                kind=Kind.STATED,
            )
            yield RelationDraft(claim, relation, other.id)

    def controls(self, drafts: Sequence[RelationDraft], evidence: str) -> list[Text]:
        """Return false sentences for the judge to refuse, the harder ones first.

        They say of an other with which the reader found no relation that the commit fixes or
        takes back all of it. If there is none, an issue is named that is not shown.
        """
        related = {draft.other for draft in drafts}
        sentences: list[Text] = []
        for other in self._other_side.values():
            if other.id in related:
                continue
            is_commit = isinstance(other, CommitEvidence)
            relation = Relation.UNDOES if is_commit else Relation.FIXES
            sentences.append({"en": self._sentence(relation, self._name(other))})
        number = self.change.pull or 1
        while f"#{number}" in evidence:
            number += 1
        sentences.append({"en": self._sentence(Relation.FIXES, f"#{number}")})
        return sentences

    def _sentence(self, relation: Relation, other_name: str) -> str:
        return _SENTENCES[relation].format(self._name(self.change), other_name)

    def objections(self, draft: RelationDraft) -> tuple[Judgement, ...]:
        """Return why a relation is refused: it is impossible, or an anchor is not verbatim."""
        other_side = self._other_side
        both_sides = self._commit_side | other_side
        both_sides |= {pull.id: pull for pull in self.pulls.values()}
        objections = []
        for anchor in draft.claim.anchors:
            if len(normal(anchor.text)) < _MIN_ANCHOR:
                reason = f"{anchor.text!r} is too short to show anything"
                objections.append(Judgement(verdict="quote", check="relation", reason=reason))
        for anchor in draft.claim.anchors:
            reason = misquoted(anchor, both_sides[anchor.cite])
            if reason:
                objections.append(Judgement(verdict="quote", check="relation", reason=reason))
        if not self._is_possible(draft.relation, other_side[draft.other]):
            reason = f"{draft.relation.value!r} is no relation between a commit and {draft.other}"
            impossible = Judgement(
                verdict="quote", check="relation", reason=reason, is_quoting=False
            )
            objections.append(impossible)
        if self._grade(draft.other) is Grade.C and draft.other not in self.inferable:
            reason = (
                f"nobody names {draft.other}, and it shares no rare name and no title with"
                " the commit, or the two name different models, devices or versions"
            )
            unfounded = Judgement(
                verdict="unsupported", check="relation", reason=reason, is_quoting=False
            )
            objections.append(unfounded)
        return tuple(objections)

    def _is_possible(self, relation: Relation, other: Evidence) -> bool:
        """Return True if a commit can have this relation with the other, by what and when it is."""
        is_other_repo = other.repo != self.change.repo
        thread = other.thread if isinstance(other, ThreadEvidence) else None
        if relation in _TO_ISSUES and not isinstance(thread, Issue):
            return False
        if relation in _TO_LANDED and _landed_at(other) is None:
            return False
        if relation in _WITHIN_REPO and is_other_repo:
            return False
        if relation in _OTHER_REPO:
            return is_other_repo  # Either side may be the first
        if relation is Relation.STEP and thread is None:
            return False
        if relation is Relation.INDEPENDENT:
            return True
        started_at = thread.created_at if thread else other.at
        if relation in _TO_LANDED:
            started_at = _landed_at(other) or started_at
        return started_at <= self.change.at + _LATE

    def _grade(self, other: EvidenceId) -> Grade:
        if other in self.named:
            return Grade.B
        for mention in self.mentions:
            for mentioned in (mention.source, mention.target):
                # A commit may have been named by the beginning of its hash.
                is_abbreviated = mentioned.may_abbreviate_hash and other.startswith(mentioned)
                if mentioned == other or is_abbreviated:
                    return Grade.B
        return Grade.C

    def other(self, draft: RelationDraft) -> Evidence:
        """Return what a draft relates the commit with."""
        return self._other_side[draft.other]

    def related(self, draft: RelationDraft, judge: str, landed_as: Commit | None = None) -> Related:
        """Return a relation that was admitted, with what is known of the other side.

        A pull request that landed earlier is replaced by the commit that it became.
        """
        if landed_as is not None and landed_as.committed_at > self.change.at + _LATE:
            landed_as = None
        side = _side_of(self.other(draft), landed_as)
        return Related(
            change=self.change.id,
            other=side.id,
            relation=draft.relation,
            anchors=tuple((anchor.cite, anchor.text) for anchor in draft.claim.anchors),
            grade=self._grade(draft.other),
            judged_by=judge,
            kind=side.kind,
            title=side.title,
            author=side.author,
            at=side.at,
        )


def _side_of(other: Evidence, landed_as: Commit | None) -> _Side:
    commit = landed_as or (other.change.commit if isinstance(other, CommitEvidence) else None)
    if commit is not None:
        return _Side(commit.id, "commit", commit.title, commit.author.name, commit.committed_at)
    assert isinstance(other, ThreadEvidence), "no commit is read beside a release"
    thread = other.thread
    kind: OtherKind = "issue" if isinstance(thread, Issue) else "pull request"
    return _Side(other.id, kind, thread.title, thread.author or "", thread.created_at)


def _landed_at(other: Evidence) -> datetime | None:
    """Return when a change landed; None for an issue and for a pull request that is not merged."""
    if isinstance(other, ThreadEvidence):
        return other.thread.merged_at if isinstance(other.thread, PullRequest) else None
    return other.at
