"""The sizes of prompts, counted from the real text of their parts, and what is left for evidence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from agent.json_answers import shape_text
from agent.model_errors import ContextExceeded
from agent.prompt_templates import fenced, prompt
from agent.token_estimates import message_tokens, tokens_of

T = TypeVar("T")
ShowEvidence = Callable[[int], str]
"""Returns evidence of about so many tokens, the most important part of it."""
_MIN_EVIDENCE = 60  # Tokens below which evidence shows nothing
_MAX_ATTEMPTS = 6  # How often evidence is made shorter until it fits
_MARGIN = 0.98  # Less than what would be just enough, so that few attempts are needed
_SHRINK = 0.7  # How much of the evidence is kept where a server counts more tokens than we do
MAX_SHRINKS = 2


@dataclass(frozen=True, kw_only=True)
class EvidencePrompt:
    """A prompt with everything filled in but its evidence."""

    name: str  # The file in agent/prompts
    values: Mapping[str, str]  # All values but the evidence, as they are sent
    shape: type[BaseModel]  # What the answer is validated as
    slot: str = "evidence"  # The value that the evidence is filled in for

    def filled(self, evidence: str) -> str:
        """Return the text of the prompt."""
        return prompt(self.name, {**self.values, self.slot: evidence})


@dataclass(frozen=True, kw_only=True)
class QuestionLimit:
    """The limits that the questions to one model must fit into."""

    tokens: int  # That a question may have
    answer_tokens: int  # That are left for the answer
    system: str  # The system prompt, which every question begins with
    mark: str  # What fences the evidence

    def evidence_tokens(self, form: EvidencePrompt) -> int:
        """Return the tokens that everything else in a question leaves for its fenced evidence."""
        texts = (self.system, form.filled(""), shape_text(form.shape))
        return max(0, self.tokens - message_tokens(texts))

    def fit(self, show: ShowEvidence, budget: int) -> str:
        """Return evidence that takes at most `budget` tokens when it is fenced.

        What is shown may take more than it was asked to, because tabs are expanded and lists
        of what is missing are added: then less is asked for.
        """
        if budget < _MIN_EVIDENCE:
            raise ContextExceeded(
                f"the prompt leaves {budget} of {self.tokens} tokens for evidence"
            )
        frame = tokens_of(fenced("", self.mark))
        allowed = budget - frame
        for _ in range(_MAX_ATTEMPTS):
            evidence = show(allowed)
            tokens = self.fenced_tokens(evidence)
            if tokens <= budget:
                return evidence
            allowed = int(allowed * budget / tokens * _MARGIN)
        raise ContextExceeded(f"the evidence cannot be shortened to {budget} tokens")

    def fenced_tokens(self, evidence: str) -> int:
        """Return the tokens of evidence as it is sent."""
        return tokens_of(fenced(evidence, self.mark))


def shrunk(budget: int, evidence_tokens: int) -> int:
    """Return a smaller budget for evidence that was too long for the server."""
    return int(min(budget, evidence_tokens) * _SHRINK)


def divided(items: Sequence[T], fits: Callable[[Sequence[T]], bool]) -> list[Sequence[T]]:
    """Halve the items until each part fits; a single item is not divided."""
    if len(items) <= 1 or fits(items):
        return [items]
    middle = (len(items) + 1) // 2
    return [*divided(items[:middle], fits), *divided(items[middle:], fits)]
