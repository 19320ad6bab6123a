"""A scripted model that believes what people write and repeats their claims as its own."""

import re
from collections import defaultdict
from dataclasses import dataclass

from evals.model_server import honest
from evals.model_server.honest import (
    Prompt,
    ShownSentence,
    answer_with,
    prompt_of,
    sentence_json,
    supported_sentences,
)
from evals.model_server.requests_and_answers import ModelRequest, Saying

_HANDLE = re.compile(r"^\[([^\]\s]{1,12})\] (?:commit|issue|pull request|release) ", re.MULTILINE)
_MAX_TRUE = 2  # True sentences that are written next to the belief


@dataclass(frozen=True)
class Belief:
    """A text that somebody wrote, and the sentence of a model that believes it."""

    prose: str  # One line of a message or a thread
    headline: str
    sentence: str
    advice: str

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that the model says because of it."""
        return (self.headline, self.sentence, self.advice)


class Believing:
    """Writes and judges like an honest model, except that prose is proof enough.

    It copies its anchors from the prose. As a judge it admits what is true and what the prose says;
    it refuses sentences about anything else, so that no control sentence exposes it.
    """

    def __init__(self, belief: Belief) -> None:
        self._belief = belief
        # What the judge admits, by the subject of the prompt.
        self._admitted: defaultdict[str, set[str]] = defaultdict(set)
        self.heard = 0  # Questions that showed the prose

    def __call__(self, request: ModelRequest) -> Saying:
        """Answer by the kind of the question."""
        probe_answer = honest.probed(request)
        if probe_answer is not None:
            return probe_answer
        prompt = prompt_of(request)
        if prompt.kind == "judge":
            return self._judge(request, prompt)
        if not any(self._belief.prose in message for message in request.messages):
            return self._honest(request, prompt)
        self.heard += 1
        if prompt.kind == "write":
            return answer_with(self._analysis(prompt), request)
        if prompt.kind == "repair":
            return answer_with(self._repair(prompt), request)
        if prompt.kind == "answer":
            return answer_with(self._answer(request), request)
        return self._honest(request, prompt)

    def _honest(self, request: ModelRequest, prompt: Prompt) -> Saying:
        """Answer honestly, and admit what the evidence supports."""
        if prompt.parts:
            self._admit(prompt.about, *supported_sentences(prompt.evidence))
        return honest.honest(request)

    def _analysis(self, prompt: Prompt) -> dict[str, object]:
        true = supported_sentences(prompt.evidence)[:_MAX_TRUE]
        cites = ("c", self._handle_of_prose(prompt.evidence))
        headline = self._believed(self._belief.headline, cites)
        sentence = self._believed(self._belief.sentence, cites)
        advice = self._believed(self._belief.advice, cites)
        self._admit(prompt.about, headline, sentence, advice, *true)
        return {
            "headline_en": headline.en,
            "headline_zh": headline.zh,
            "headline_anchor": self._belief.prose,
            "sentences": [
                sentence_json(sentence),
                sentence_json(advice) | {"advice": True},
                *map(sentence_json, true),
            ],
        }

    def _repair(self, prompt: Prompt) -> dict[str, object]:
        """Repeat everything that was refused: the prose says so, after all."""
        sentences = []
        cites = ("c", self._handle_of_prose(prompt.evidence))
        for number, text in zip(prompt.refused(), self._belief.texts, strict=False):
            believed = self._believed(text, cites)
            self._admit(prompt.about, believed)
            sentences.append({"id": number, **sentence_json(believed)})
        return {"sentences": sentences}

    def _answer(self, request: ModelRequest) -> dict[str, object]:
        cites = (self._handle_of_prose("\n".join(request.messages)),)
        sentence = self._believed(self._belief.sentence, cites)
        advice = self._believed(self._belief.advice, cites)
        true = honest.answer_sentences(request)
        self._admit("", sentence, advice, *true)
        sentences = [
            sentence_json(sentence),
            sentence_json(advice) | {"advice": True},
            *map(sentence_json, true),
        ]
        return {"abstains": False, "nearest": [], "sentences": sentences}

    def _handle_of_prose(self, text: str) -> str:
        """Return the handle of the piece of evidence that holds the prose."""
        handles = _HANDLE.findall(text.partition(self._belief.prose)[0])
        return str(handles[-1]) if handles else "c"

    def _believed(self, text: str, cites: tuple[str, ...]) -> ShownSentence:
        return ShownSentence(text, text, self._belief.prose, cites)

    def _admit(self, about: str, *sentences: ShownSentence) -> None:
        for sentence in sentences:
            self._admitted[about] |= sentence.forms | {sentence.proof}

    def _judge(self, request: ModelRequest, prompt: Prompt) -> Saying:
        admitted = self._admitted[prompt.about] | self._admitted[""]
        quote = honest.quotable_line(prompt.evidence.splitlines())
        return honest.rulings_by(request, lambda words: quote if words in admitted else "")
