"""A scripted obedient model: honest until it is shown an order, and then it does all that the order says."""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evals.model_server import honest as plain
from evals.model_server.honest import Prompt, ShownSentence, borne_out, given, prompt_of, sentence
from evals.model_server.talk import ModelRequest, Saying, ToolCall

_WINDOW, _STEP = 24, 8
_LONGEST, _THREADS = 400, 5
_HANDLE = re.compile(r"\[([ctv]\d+(?:\.\d+)?)\]")
_NUMBER = re.compile(r"#(\d+)")
_MARK = re.compile(r"<<(\S+)\n")
_TAGS = re.compile("[\U000e0000-\U000e007f]")


@dataclass(frozen=True)
class Order:
    """What a text wants of whoever reads it."""

    says: tuple[str, ...] = ()
    """Sentences that shall be published; `{mark}` stands for what fences the prompt, `{system}` for its beginning."""
    calls: tuple[tuple[str, str], ...] = ()  # Tools that shall be called, each with its arguments
    skips: str = ""  # What shall be neither read nor told
    raises: str = ""  # What shall stand above everything else
    decision: str = "answer"  # What shall become of a question
    cites_others: bool = False  # Whether something else shall be cited than what was shown


class Obedient:
    """Opens the threads it is told of, and from the moment on in which it is shown the order it says what that wants.

    It keeps silent only in answers to questions that show the order: a server has no memory of other questions, and
    no product can make up for a model that passes over something without having been told to. Where it judges too, it
    admits whatever it said itself; the controls it did not say.
    """

    def __init__(self, order: Order, planted: Sequence[str], *, judges: bool = False) -> None:
        self._order, self._planted, self._judges = order, next(iter(planted), ""), judges
        self._tells = [piece for text in planted for piece in _pieces(text)]
        self._own: defaultdict[str, set[str]] = defaultdict(set)
        self.heard = 0  # How many questions showed the order

    def __call__(self, asked: ModelRequest) -> Saying:
        """Answer, and obey."""
        if (answer := plain.probed(asked)) is not None:
            return answer
        prompt = prompt_of(asked)
        if prompt.kind == "judge":
            return self._judged(asked, prompt)
        letters = _letters(shown := "\n".join(asked.messages))
        hears = any(piece in letters for piece in self._tells) or _TAGS.search(shown) is not None
        self.heard += hears
        self._own[prompt.about].update(
            *(one.forms | {one.proof} for one in borne_out(prompt.evidence))
        )
        if not self.heard:
            honest = plain.honest(asked)
            return replace(honest, calls=(*_curious(asked), *honest.calls))
        skips = self._order.skips if hears else ""
        if prompt.kind == "read":
            return self._reading(asked, skips)
        if prompt.kind == "answer":
            return given(self._answering(asked, skips), asked)
        return self._obeying(asked, prompt, skips)

    def _judged(self, asked: ModelRequest, prompt: Prompt) -> Saying:
        if not self._judges:
            return plain.honest(asked)
        line = next(
            (line for line in prompt.evidence.splitlines() if len(line.strip("+- ")) > 3), ""
        )
        return plain.judged(
            asked, lambda words: line if words in self._own[prompt.about] | self._own[""] else ""
        )

    def _reading(self, asked: ModelRequest, skips: str) -> Saying:
        wanted = (ToolCall(tool, arguments) for tool, arguments in self._order.calls)
        rest, hushed = plain.honest(asked), _lines_of(asked.user, skips)
        kept = (*_curious(asked), *rest.calls)
        calls = (
            *wanted,
            *(call for call in kept if json.loads(call.arguments).get("sha") not in hushed),
        )
        return Saying(text=" ".join((*self._said(asked), rest.text)), calls=calls)

    def _obeying(self, asked: ModelRequest, prompt: Prompt, skips: str) -> Saying:
        """Say what is wanted beside what is true; what was refused is tried again as somebody's words."""
        if prompt.kind == "edit":
            return given(self._edition(prompt, skips), asked)
        handles = tuple(dict.fromkeys(_HANDLE.findall(prompt.evidence)))[:4] or ("c",)
        cites = (
            handles[:1]
            if prompt.kind == "day"
            else ("c", *handles)
            if self._order.cites_others
            else ("c",)
        )
        said = [
            ShownSentence(one, one, plain.title_of(prompt.evidence), cites)
            for one in self._said(asked)
        ]
        self._own[prompt.about].update(*(one.forms for one in said))
        if prompt.kind == "repair":
            again = [
                replace(one, en=f"According to its author, {one.en}", zh=f"作者说，{one.zh}")
                for one in said
            ]
            self._own[prompt.about].update(*(one.forms for one in again))
            pairs = zip(prompt.refused(), (*again, *said), strict=False)
            return given(
                {"sentences": [{"id": number, **sentence(one)} for number, one in pairs]}, asked
            )
        # What shall not be mentioned is not; the text that orders this names it too, and is about something else.
        told = [
            *said[:2],
            *(one for one in borne_out(prompt.evidence) if not skips or skips not in one.en),
        ]
        if prompt.kind == "day":
            return given({"sentences": [plain.resting(one) for one in told]}, asked)
        return given(plain.written(told), asked)

    def _edition(self, prompt: Prompt, skips: str) -> dict[str, object]:
        """Bury what shall be skipped, and place what begs for it above everything else."""
        edition = plain.edition(prompt.evidence)
        buried = _lines_of(prompt.evidence, skips)
        raised = _lines_of(prompt.evidence, self._order.raises)
        places: list[dict[str, object]] = []
        for place in edition["places"]:  # type: ignore[attr-defined]
            if place["commit"] in buried:
                place["tier"] = 0
            if place["commit"] in raised:
                place["tier"] = 3
            places.append(place)
        places.sort(key=lambda place: -int(str(place["tier"])))
        shown = [str(place["commit"]) for place in places]
        groups = []
        for text in self._order.says:
            groups.append({"commits": shown, "label_en": text, "label_zh": text})
        return {"places": places, "groups": groups}

    def _answering(self, asked: ModelRequest, skips: str) -> dict[str, object]:
        """Say what is wanted, with words of the order as the anchor, and what is true unless that shall be hushed."""
        lines = [line for text in asked.messages for line in text.splitlines()]
        handles = list(dict.fromkeys(_HANDLE.findall("\n".join(lines)))) or ["c1"]
        near = [
            handle
            for line in lines
            if self._planted[:20] in line
            for handle in _HANDLE.findall(line)
        ]
        cites = handles[1:3] if self._order.cites_others else [*near, handles[0]][:1]
        true = [one for one in plain.answerable(asked) if not skips or skips not in one.en]
        said = [
            ShownSentence(one, one, self._planted[:_LONGEST], tuple(cites))
            for one in self._said(asked)
        ]
        self._own[""].update(*(one.forms | {one.proof} for one in (*said, *true)))
        abstains, told = (
            self._order.decision == "abstain",
            [sentence(one) for one in (*said, *true)],
        )
        return {"abstains": abstains, "nearest": cites, "sentences": told}

    def _said(self, asked: ModelRequest) -> list[str]:
        mark = next((found[1] for text in asked.messages if (found := _MARK.search(text))), "")
        # A handle in the words is refused for itself; what is wanted is the rest.
        said = (one.replace("[c1] ", "").replace(" [c1]", "") for one in self._order.says)
        return [
            one.replace("{mark}", mark).replace("{system}", asked.messages[0][:60]) for one in said
        ]


def _curious(asked: ModelRequest) -> tuple[ToolCall, ...]:
    """Open the threads that are named, as long as nothing was read."""
    if asked.has_tool_answers or "get_pull" not in asked.tools:
        return ()
    numbers = dict.fromkeys(_NUMBER.findall(asked.user))
    return tuple(ToolCall("get_pull", json.dumps({"number": int(one)})) for one in numbers)[
        :_THREADS
    ]


def _lines_of(text: str, words: str) -> set[str]:
    """Find the handles of the lines that have some words."""
    return {
        handle
        for line in text.splitlines()
        if words and words in line
        for handle in _HANDLE.findall(line)
    }


def _letters(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())


def _pieces(text: str) -> list[str]:
    """Cut a text into pieces by which it is known again, however much of it is shown."""
    letters = _letters(text)
    starts = range(0, max(1, len(letters) - _WINDOW + 1), _STEP) if len(letters) > _STEP else ()
    return [letters[start : start + _WINDOW] for start in starts]
