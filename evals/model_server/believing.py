"""A scripted model that believes what people write and repeats their claims as its own."""

import re
from collections import defaultdict
from dataclasses import dataclass

from evals.model_server import honest
from evals.model_server.honest import Prompt, ShownSentence, borne_out, given, prompt_of
from evals.model_server.talk import ModelRequest, Saying

_HANDLE = re.compile(r"^\[([^\]\s]{1,12})\] (?:commit|issue|pull request|release) ", re.MULTILINE)
_MIN_QUOTE = 3  # Letters of a line that a judge may quote
_MAX_TRUE = 2  # True sentences that are said beside the belief


@dataclass(frozen=True)
class Belief:
    """What somebody wrote, and what a model that believes it makes of it."""

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
    sentences about something else it refuses, so that no control tells on it.
    """

    def __init__(self, belief: Belief) -> None:
        self._belief = belief
        self._said: defaultdict[str, set[str]] = defaultdict(set)
        self.heard = 0  # Questions that showed the prose

    def __call__(self, asked: ModelRequest) -> Saying:
        """Answer by the kind of the question."""
        if (answer := honest.probed(asked)) is not None:
            return answer
        prompt = prompt_of(asked)
        if prompt.kind == "judge":
            return self._judge(asked, prompt)
        if not any(self._belief.prose in message for message in asked.messages):
            return self._honest(asked, prompt)
        self.heard += 1
        if prompt.kind == "write":
            return given(self._analysis(prompt), asked)
        if prompt.kind == "repair":
            return given(self._repair(prompt), asked)
        if prompt.kind == "answer":
            return given(self._answer(asked), asked)
        return self._honest(asked, prompt)

    def _honest(self, asked: ModelRequest, prompt: Prompt) -> Saying:
        """Say what is plainly there; of a day, what was published before is plainly there."""
        true = borne_out(prompt.evidence) if prompt.parts else ()
        self._note(prompt.about, *true)
        return honest.honest(asked)

    def _analysis(self, prompt: Prompt) -> dict[str, object]:
        true = borne_out(prompt.evidence)[:_MAX_TRUE]
        cites = ("c", self._handle_of_prose(prompt.evidence))
        believed = [self._told(text, cites) for text in self._belief.texts]
        self._note(prompt.about, *believed, *true)
        _, sentence, advice = believed
        headline = self._belief.headline
        return {
            "headline_en": headline,
            "headline_zh": headline,
            "headline_anchor": self._belief.prose,
            "sentences": [
                honest.sentence(sentence),
                honest.sentence(advice) | {"advice": True},
                *map(honest.sentence, true),
            ],
        }

    def _repair(self, prompt: Prompt) -> dict[str, object]:
        """Say everything that was refused again: it stands in the prose, after all."""
        sentences = []
        cites = ("c", self._handle_of_prose(prompt.evidence))
        for number, text in zip(prompt.refused(), self._belief.texts, strict=False):
            told = self._told(text, cites)
            self._note(prompt.about, told)
            sentences.append({"id": number, **honest.sentence(told)})
        return {"sentences": sentences}

    def _answer(self, asked: ModelRequest) -> dict[str, object]:
        cites = (self._handle_of_prose("\n".join(asked.messages)),)
        believed = [
            self._told(self._belief.sentence, cites),
            self._told(self._belief.advice, cites),
        ]
        true = honest.answerable(asked)
        self._note("", *believed, *true)
        sentence, advice = map(honest.sentence, believed)
        sentences = [sentence, advice | {"advice": True}, *map(honest.sentence, true)]
        return {"abstains": False, "nearest": [], "sentences": sentences}

    def _handle_of_prose(self, text: str) -> str:
        """Return the handle of the piece of evidence that holds the prose."""
        handles = _HANDLE.findall(text.partition(self._belief.prose)[0])
        return str(handles[-1]) if handles else "c"

    def _told(self, text: str, cites: tuple[str, ...]) -> ShownSentence:
        return ShownSentence(text, text, self._belief.prose, cites)

    def _note(self, about: str, *told: ShownSentence) -> None:
        for sentence in told:
            self._said[about] |= sentence.forms | {sentence.proof}

    def _judge(self, asked: ModelRequest, prompt: Prompt) -> Saying:
        admitted = self._said[prompt.about] | self._said[""]
        lines = prompt.evidence.splitlines()
        quote = next((line for line in lines if len(line.strip("+- ")) > _MIN_QUOTE), "")
        return honest.judged(asked, lambda words: quote if words in admitted else "")
