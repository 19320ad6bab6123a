"""A scripted perfect model: it knows the right answers of the questions, and says what it is shown evidence for.

It exists to show that nothing in our code stands in the way of a model that is right; it is no measure of any model.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evals.model_server.honest import given, judged
from evals.model_server.probes import probed
from evals.model_server.prompts import prompt_of
from evals.model_server.talk import Asked, Saying, ToolCall

_FENCED = re.compile(r"<<([0-9a-f]{16})\n(.*?)\n\1>>", re.DOTALL)
_WORDS = re.compile(r"^  (\S+ )?> (.+)$")
"""Words of whoever wrote a message, a thread or a comment."""
_HEAD = re.compile(r"^\[([ctv]\d+)\] (commit|issue|pull request|release) (\S+) of (\S+?),? ")


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
    """One piece of evidence as the prompt shows it."""

    handle: str
    kind: str
    name: str
    repo: str
    lines: tuple[str, ...]

    @property
    def title(self) -> str:
        """What it calls itself."""
        return self.lines[0].partition(": ")[2]

    def is_one_of(self, names: Sequence[str]) -> bool:
        """Tell whether it is one of these artefacts."""
        if self.kind == "commit":
            return any(name.startswith(f"{self.repo}@{self.name}") for name in names)
        return (f"{self.repo}@{self.name}" if self.kind == "release" else f"{self.repo}{self.name}") in names


class PerfectModel:
    """Answers the questions that it knows."""

    def __init__(self, questions: Sequence[Gold]) -> None:
        self._known = {_plain(one.text): one for one in questions}
        self._said: set[str] = set()

    def __call__(self, asked: Asked) -> Saying:
        """Read what is missing for the right answer, then give it."""
        if (answer := probed(asked)) is not None:
            return answer
        parts = [found[2] for found in _FENCED.finditer(asked.user)]
        if prompt_of(asked).kind == "judge":
            line = next((line for line in parts[0].splitlines() if len(line) > len("- + ")), "")
            return judged(asked, lambda words: line if words in self._said else "")
        question = self._known[_plain(parts[0])]
        if "What your tools showed so far" in asked.user:
            first = "(nothing yet)" in asked.user
            return Saying(calls=tuple(_reading(question, exhibits(parts[2]), first=first)))
        if "What the program would answer" in asked.user:
            answering = _answering(question, parts[1], exhibits(parts[2]))
            self._said |= {str(one["text"]) for one in answering["statements"]}
            return given(answering, asked)
        return given({"decision": "answer", "shows": [], "statements": []}, asked)


def _plain(text: str) -> str:
    return "".join(text.split())


def exhibits(text: str) -> list[Exhibit]:
    """Read the evidence of a prompt."""
    found: list[Exhibit] = []
    for line in text.splitlines():
        if head := _HEAD.match(f"{line} "):
            found.append(Exhibit(head[1], head[2], head[3], head[4], (line,)))
        elif found:
            last = found.pop()
            found.append(Exhibit(last.handle, last.kind, last.name, last.repo, (*last.lines, line)))
    return found


def _reading(question: Gold, shown: Sequence[Exhibit], *, first: bool) -> list[ToolCall]:
    groups = [*question.cites, *question.nearest]
    missing = [group for group in groups if not any(one.is_one_of(group) for one in shown)]
    chosen = [one for group in question.cites for one in shown if one.is_one_of(group)]
    calls = []
    if first and not question.abstain and _statements(question, chosen)[1]:
        # What is not in a thread may be said below it.
        threads = [one for one in chosen if one.kind in ("issue", "pull request")]
        calls = [ToolCall("get_thread", json.dumps({"number": int(one.name[1:]), "repo": one.repo})) for one in threads]
    for group in missing:
        name = group[0]
        if "#" in name:
            repo, _, number = name.partition("#")
            calls.append(ToolCall("get_thread", json.dumps({"number": int(number), "repo": repo})))
        elif re.search(r"@[0-9a-f]{40}$", name):
            calls.append(ToolCall("get_commit", json.dumps({"commit": name.partition("@")[2]})))
    return calls


def _answering(question: Gold, rules: str, shown: Sequence[Exhibit]) -> dict[str, Any]:
    groups = question.nearest if question.abstain else question.cites
    chosen = [one for group in groups for one in shown if one.is_one_of(group)]
    shows = list(dict.fromkeys(one.handle for one in chosen))
    if question.abstain:
        return {"decision": "abstain", "shows": shows, "statements": []}
    statements, missing = _statements(question, chosen)
    if not shows or (missing and _is_right(question, rules)):
        return {"decision": "confirm", "shows": shows, "statements": statements}
    return {"decision": "answer", "shows": shows, "statements": statements}


def _is_right(question: Gold, rules: str) -> bool:
    text = rules.lower()
    says = all(any(one.lower() in text for one in group) for group in question.says)
    return says and not any(one.lower() in text for one in question.not_says)


def _statements(question: Gold, chosen: Sequence[Exhibit]) -> tuple[list[dict[str, object]], int]:
    """Say what must be said and is not printed anyway; tell how much of it no evidence has."""
    said = " ".join(one.lines[0].lower() for one in chosen)
    said += " ".join(line.lower() for one in chosen for line in one.lines if line.startswith("  files: "))
    statements: list[dict[str, object]] = []
    missing = 0
    lines = [(one.handle, line) for one in chosen for line in one.lines[1:]]
    for group in question.says:
        words = [word.lower() for word in group]
        fitting = [(handle, line) for handle, line in lines if any(word in line.lower() for word in words)]
        fitting = [one for one in fitting if not any(word.lower() in one[1].lower() for word in question.not_says)]
        facts = [one for one in fitting if one[1].startswith("  - ")]
        quotes = [(handle, found[2]) for handle, line in fitting if (found := _WORDS.match(line))]
        if any(word in said for word in words):
            continue
        if facts:
            title = next(one.title for one in chosen if one.handle == facts[0][0])
            statements.append({"text": facts[0][1][4:], "cites": [facts[0][0]], "quote": title})
        elif quotes:
            statements.append({"text": "", "cites": [quotes[0][0]], "quote": quotes[0][1]})
        else:
            missing += 1
            continue
        said += str(statements[-1]["text"]).lower() + str(statements[-1]["quote"]).lower()
    return statements or _any_fact(chosen, question), missing


def _any_fact(chosen: Sequence[Exhibit], question: Gold) -> list[dict[str, object]]:
    """Say one thing at least of what is cited: a fact, else words of its author, else what it calls itself."""
    for start in ("  - ", "  > ", "["):
        for one in chosen:
            for line in one.lines:
                harmless = not any(word.lower() in line.lower() for word in question.not_says)
                if not line.startswith(start) or not harmless or line.startswith(("  - undone by", "  > (more")):
                    continue
                if start == "  - ":
                    return [{"text": line[4:], "cites": [one.handle], "quote": one.title}]
                words = line[4:] if start == "  > " else line.partition(": ")[2]
                return [{"text": "", "cites": [one.handle], "quote": words}]
    return []
