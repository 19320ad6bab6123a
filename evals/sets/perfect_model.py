"""A scripted perfect model: it knows the right answers of the questions, and says what it is shown evidence for.

It exists to show that nothing in our code stands in the way of a model that is right; it is no measure of any model.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evals.model_server.honest import given, judged, probed, prompt_of
from evals.model_server.talk import Asked, Saying, ToolCall

_FENCED = re.compile(r"<<([0-9a-f]{16})\n(.*?)\n\1>>", re.DOTALL)
_HEAD = re.compile(r"^\[([ctv]\d+)\] (commit|issue|pull request|release) (\S+) of (\S+?),? ")
_FACT = re.compile(r"^- [a-z-]+: (.+)$")
_ASKED = "A colleague asks"
_LONGEST = 300


class Gold(Protocol):
    """A question with its right answer."""

    @property
    def text(self) -> str:
        """What is asked."""
        ...

    @property
    def abstain(self) -> bool:
        """Whether nothing answers it."""
        ...

    @property
    def cites(self) -> Sequence[Sequence[str]]:
        """What must be cited: one of each group."""
        ...

    @property
    def says(self) -> Sequence[Sequence[str]]:
        """What must be said: one of each group."""
        ...

    @property
    def not_says(self) -> Sequence[str]:
        """What must not be said."""
        ...

    @property
    def nearest(self) -> Sequence[Sequence[str]]:
        """What is cited against a false premise."""
        ...


@dataclass(frozen=True)
class Exhibit:
    """One piece of evidence as the prompt or a tool shows it."""

    handle: str
    names: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def title(self) -> str:
        """What it calls itself."""
        return self.lines[0].partition(": ")[2]

    def is_one_of(self, names: Sequence[str]) -> bool:
        """Tell whether it is one of these artefacts."""
        # Hashes may be short; a number is one, and not the beginning of another.
        return any(name == own or ("@" in own and name.startswith(own)) for name in names for own in self.names)


class PerfectModel:
    """Answers the questions that it knows."""

    def __init__(self, questions: Sequence[Gold]) -> None:
        self._known = {_plain(one.text): one for one in questions}
        self._said: set[str] = set()

    def __call__(self, asked: Asked) -> Saying:
        """Read what is missing for the right answer, then give it."""
        if (answer := probed(asked)) is not None:
            return answer
        prompt = prompt_of(asked)
        if prompt.kind == "judge":
            line = next((line for line in prompt.evidence.splitlines() if len(line) > len("- + ")), "")
            return judged(asked, lambda words: line if words in self._said else "")
        if prompt.kind == "repair":
            return given({"sentences": []}, asked)
        turn = _turn(asked)
        parts = [found[2] for found in _FENCED.finditer(str(turn[0]["content"]))]
        question, shown = self._known[_plain(parts[0])], [*exhibits(parts[1]), *_looked_up(turn)]
        if asked.tools:
            return (
                Saying(calls=tuple(_reading(question, shown))) if len(turn) == 1 else Saying(text="I have read enough.")
            )
        answering = _answering(question, shown)
        self._said |= {" ".join(str(one[lang]).split()) for one in answering["sentences"] for lang in ("en", "zh")}
        return given(answering, asked)


def _plain(text: str) -> str:
    return "".join(text.split())


def _turn(asked: Asked) -> list[dict[str, Any]]:
    """Give the messages from the last question on."""
    messages = asked.body["messages"]
    first = max(place for place, one in enumerate(messages) if _ASKED in str(one.get("content") or ""))
    return list(messages[first:])


def exhibits(text: str) -> list[Exhibit]:
    """Read the evidence of a prompt."""
    found: list[Exhibit] = []
    for line in text.splitlines():
        if head := _HEAD.match(f"{line} "):
            sign = "@" if head[2] in ("commit", "release") else ""
            found.append(Exhibit(head[1], (f"{head[4]}{sign}{head[3]}",), (line,)))
        elif found:
            last = found.pop()
            found.append(Exhibit(last.handle, last.names, (*last.lines, line)))
    return found


def _looked_up(turn: Sequence[dict[str, Any]]) -> Iterator[Exhibit]:
    """Read what the tools showed; it is cited by its name."""
    calls = {call["id"]: call["function"] for one in turn for call in one.get("tool_calls") or ()}
    for one in turn:
        if one["role"] == "tool" and (call := calls.get(one.get("tool_call_id"))):
            given_ = json.loads(call["arguments"])
            name = given_.get("sha") or f"{given_['repo']}#{given_['number']}"
            lines = str(one["content"]).splitlines()
            if len(lines) > 1:
                # Before the message stands who wrote it, behind the title of a thread how it is.
                title, head = (lines[2], lines[1]) if "sha" in given_ else (lines[1].partition(" ")[2], lines[2])
                yield Exhibit(name, (name,), (f"{name} {head.replace(': ', ' ')}: {title}", *lines[3:]))


def _reading(question: Gold, shown: Sequence[Exhibit]) -> Iterator[ToolCall]:
    """Look up what must be cited and was not shown, and what was shown without what must be said."""
    for group in (*question.cites, *question.nearest):
        fitting = [one for one in shown if one.is_one_of(group)]
        text = "\n".join(line for one in fitting for line in one.lines).lower()
        if fitting and all(any(word.lower() in text for word in words) for words in question.says):
            continue
        for name in group[:2]:
            repo, _, number = name.partition("#")
            if number:
                yield ToolCall("get_issue", json.dumps({"number": int(number), "repo": repo}))
            elif re.search(r"@[0-9a-f]{40}$", name):
                yield ToolCall("get_diff", json.dumps({"sha": name, "repo": name.partition("@")[0]}))


def _answering(question: Gold, shown: Sequence[Exhibit]) -> dict[str, Any]:
    groups = question.nearest if question.abstain else question.cites
    chosen = [one for group in groups for one in shown if one.is_one_of(group)]
    handles = list(dict.fromkeys(one.handle for one in chosen))
    if question.abstain:
        return {"abstains": True, "nearest": handles, "sentences": []}
    # What must be cited is cited by something that it says itself.
    said = [next(_sentences(one, "", question)) for one in _each(question.cites, shown)]
    for words in question.says:
        found = (one for word in words for exhibit in (*chosen, *shown) for one in _sentences(exhibit, word, question))
        headed = ((word, one) for word in words for one in chosen if word.lower() in one.lines[0].lower())
        plain = [_plainly(word, one) for word, one in headed] or [_plainly(words[0], one) for one in chosen[:1]]
        said += list(found)[:1] or plain[:1]
    return {"abstains": False, "nearest": [], "sentences": said}


def _each(groups: Sequence[Sequence[str]], shown: Sequence[Exhibit]) -> Iterator[Exhibit]:
    for group in groups:
        yield from [one for one in shown if one.is_one_of(group)][:1]


def _sentences(exhibit: Exhibit, word: str, question: Gold) -> Iterator[dict[str, object]]:
    """Say what a line says that has a word: the title, a changed line, or words of somebody."""
    for line in (exhibit.title, *exhibit.lines[1:]):
        bare = line[1:] if line[:1] in ("+", "-") else line
        piece = next((one.strip() for one in bare.split("`") if word.lower() in one.lower() and one.strip()), "")
        harmless = not any(one.lower() in line.lower() for one in question.not_says)
        ours = _FACT.match(line) or line.startswith(("@@", "---", "Facts that", "The diff", "The first tag", "("))
        if 1 < len(piece) < _LONGEST and harmless and not ours:
            en, zh = f"It has `{piece}`.", f"其中有 `{piece}`。"
            yield {"en": en, "zh": zh, "cites": [exhibit.handle], "anchor": piece}
    if not word:
        yield {"en": "It landed.", "zh": "已合入。", "cites": [exhibit.handle], "anchor": exhibit.title}


def _plainly(word: str, exhibit: Exhibit) -> dict[str, object]:
    """Say a word that no line has, such as how something stands."""
    return {"en": f"It is so: {word}.", "zh": f"情况是：{word}。", "cites": [exhibit.handle], "anchor": exhibit.title}
