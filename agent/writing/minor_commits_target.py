"""The target of a batch of minor commits, which get one sentence each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from agent.domain.account import Part
from agent.domain.claims import Claim, Judgement
from agent.judging.rulings import Control, Text
from agent.packets.token_budgets import HANDLE_TOKENS, MINOR_PACKET
from agent.prompt_sizes import EvidencePrompt
from agent.writing.model_sentences import Sentence, asked_languages, minor_shape
from agent.writing.targets import Check, CommitTarget, WritingTarget
from agent.writing.tasks import Draft, Task


@dataclass(frozen=True, kw_only=True)
class MinorCommitsTarget(WritingTarget):
    """Commits that get one sentence each, in one question."""

    task: Task
    commits: Mapping[str, CommitTarget]  # By their handles
    part: ClassVar[Part] = "telling in short"

    def evidence(self, claims: Sequence[Claim], budget: int, quotes: Sequence[str] = ()) -> str:
        """Return a small packet for each commit that some sentences are about."""
        targets: dict[str, CommitTarget] = {}
        for handle, target in self.commits.items():
            if not claims or _claims_about(target, claims):
                targets[handle] = target
        share = budget // max(1, len(targets)) - HANDLE_TOKENS
        packets = []
        for handle, target in targets.items():
            commit_claims = _claims_about(target, claims)
            packet = target.evidence(commit_claims, min(MINOR_PACKET, share), quotes)
            packets.append(f"[{handle}] {packet}")
        return "\n\n".join(packets)

    def write_prompt(self) -> EvidencePrompt:
        """Ask for one sentence about each commit."""
        values = {"languages": asked_languages(self.languages)}
        return EvidencePrompt(name="minor", values=values, shape=minor_shape(self.languages))

    def claims(self, answer: Any) -> list[Claim]:
        """Turn an answer into claims, the first sentence about each commit."""
        claims: dict[str, Claim] = {}
        for sentence in answer.sentences:
            handle = sentence.commit.strip("[]`. ")
            target = self.commits.get(handle)
            if target is None or handle in claims:
                continue
            name = f"{target.read.evidence.id.shortened()}.m1"
            if claim := target.claim(name, _about_commit(sentence)):
                claims[handle] = claim
        return list(claims.values())

    def again(self, old: Claim, sentence: Any) -> Claim | None:
        """Turn a new wording into a claim about the same commit."""
        for target in self.commits.values():
            if target.about in old.about:
                return target.claim(old.id, _about_commit(sentence))
        return None

    def objections(self, claim: Claim, check: Check) -> tuple[Judgement, ...]:
        """Return the objections to a sentence, by the evidence of its own commit."""
        for target in self.commits.values():
            if target.about in claim.about:
                return target.objections(claim, check)
        return super().objections(claim, check)

    def elsewhere(self, passed: Sequence[Draft]) -> Iterable[Text]:
        """Return sentences about other commits."""
        others = [draft.claim.text for draft in passed if draft.task != self.task.key]
        return [*others, *self.task.controls]

    def twins(self, claims: Sequence[Claim]) -> Iterable[Control]:
        """Return sentences about the same commits that are surely false."""
        for target in self.commits.values():
            commit_claims = _claims_about(target, claims)
            if commit_claims:
                yield from target.twins(commit_claims)


def _claims_about(target: CommitTarget, claims: Iterable[Claim]) -> list[Claim]:
    return [claim for claim in claims if target.about in claim.about]


def _about_commit(sentence: Sentence) -> Sentence:
    """Return a sentence that cites its commit alone: within a batch, `c` is no handle."""
    return sentence.model_copy(update={"cites": []})
