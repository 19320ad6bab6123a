"""Batches of a case: its sentences, divided into questions that fit into the judge's context."""

from collections.abc import Mapping, Sequence
from typing import get_args

from agent.domain.claims import Claim
from agent.judging.rulings import Batch, Case, ControlKind, Rulings, Text, is_shown
from agent.model_errors import ContextExceeded
from agent.packets.token_budgets import BUDGET
from agent.prompt_sizes import EvidencePrompt, QuestionLimit, divided
from agent.prompt_templates import fenced
from agent.token_estimates import tokens_of

_MAX_SENTENCE_SHARE = 1 / 3
"""How much of what evidence and sentences share the sentences may take where not all of both fits."""
_RULING_TOKENS = 200  # What a judge writes about one sentence
_CONTROLS_PER_PASS = len(get_args(ControlKind))


def judge_prompt(name: str, sentences: Mapping[str, str], mark: str) -> EvidencePrompt:
    """Return the question about sentences, each under a short name."""
    lines = [f"[{handle}] {sentence}" for handle, sentence in sentences.items()]
    values = {"sentences": fenced("\n".join(lines), mark)}
    return EvidencePrompt(name=name, values=values, shape=Rulings)


class BatchPlanner:
    """Divides a case into batches that fit.

    A batch fits if its evidence has every passage that its sentences rest on, if the sentences
    leave enough of the question to the evidence, and if the rulings fit into an answer.
    """

    def __init__(self, case: Case, limit: QuestionLimit, share: float = 1.0) -> None:
        """Plan for a judge with this limit; `share` is how much of the evidence's tokens are used."""
        self._case = case
        self._limit = limit
        self._share = share
        # Which controls are asked depends on the evidence: leave room for the longest.
        texts = [control.text for control in case.controls("")]
        self._longest_control = max(texts, key=_length, default=None)

    def parts(self) -> list[Sequence[Claim]]:
        """Return the claims of each batch."""
        return divided(self._case.claims, self.fits)

    def batch(self, claims: Sequence[Claim]) -> Batch:
        """Return one question with as much evidence as fits; ContextExceeded where nothing does."""
        evidence = self._limit.fit(lambda budget: self._show(claims, budget), self._budget(claims))
        return Batch(
            account=self._case.account,
            evidence=evidence,
            claims=claims,
            controls=self._case.controls(evidence),
            prompt=self._case.prompt,
        )

    def fits(self, claims: Sequence[Claim]) -> bool:
        """Return True if the claims can be judged in one question."""
        if (len(claims) + _CONTROLS_PER_PASS) * _RULING_TOKENS > self._limit.answer_tokens:
            return False
        budget = self._budget(claims)
        full_evidence = self._show(claims, BUDGET)
        if self._limit.fenced_tokens(full_evidence) <= budget:
            return True
        sentences = sum(_length(claim.text) for claim in claims)
        if sentences > _MAX_SENTENCE_SHARE * (budget + sentences):
            return False
        try:
            evidence = self._limit.fit(lambda tokens: self._show(claims, tokens), budget)
        except ContextExceeded:
            return False
        return not any(self._is_better_alone(claim, evidence) for claim in claims)

    def _is_better_alone(self, claim: Claim, evidence: str) -> bool:
        """Return True if a claim lacks a passage that a question of its own would show."""
        missing = [
            passage for passage in self._case.required(claim) if not is_shown(passage, evidence)
        ]
        if not missing:
            return False
        own_evidence = self._show([claim], self._budget([claim]))
        return any(is_shown(passage, own_evidence) for passage in missing)

    def _show(self, claims: Sequence[Claim], budget: int) -> str:
        return self._case.show(claims, min(budget, BUDGET))

    def _budget(self, claims: Sequence[Claim]) -> int:
        """Return the tokens that are left for evidence beside these sentences and the controls."""
        sentences: dict[str, str] = {}
        for number, claim in enumerate(claims, start=1):
            sentences[f"s{number}"] = " / ".join(claim.text.values())
        if self._longest_control is not None:
            for number in range(1, _CONTROLS_PER_PASS + 1):
                control = " / ".join(self._longest_control.values())
                sentences[f"s{len(claims) + number}"] = control
        form = judge_prompt(self._case.prompt, sentences, self._limit.mark)
        return int(self._limit.evidence_tokens(form) * self._share)


def _length(text: Text) -> int:
    return sum(map(tokens_of, text.values()))
