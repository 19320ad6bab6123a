"""Scripted honest models: how they take a question apart, a writer that says what stands there, a judge of the same."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from evals.model_server.talk import ModelRequest, Saying, ToolCall

_FENCED = re.compile(r"<<(?P<mark>\S+)\n(?P<text>.*?)\n(?P=mark)>>", re.DOTALL)
_KINDS = {
    "edit": "Place every one of them for colleagues",
    "minor": "readers get one sentence about each",
    "write": "Write for the report, in",
    "repair": "These sentences of yours about it were refused",
    "day": "Sum up in",
    "judge": "Somebody wrote these sentences",
    "answer": "Now answer the question in",
}
_FACTS, _DIFF = "\n\nFacts that a program found", "\n\nThe diff:\n"
_FACT = re.compile(r"^(- [a-z-]+: (.+))$", re.MULTILINE)
_FILE = re.compile(r"^(--- ([\w./-]+) \(.*)$", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")
_PUBLISHED = re.compile(r"^\[(c\d+\.\d+)\] (.+)$", re.MULTILINE)
_SENTENCE = re.compile(r"^\[(s\d+)\] (.+)$", re.MULTILINE)
_REFUSED = re.compile(r"^(\d+)\. ", re.MULTILINE)
_PIECE = re.compile(r"^\[(?=[ctv]\d+\] (?:commit|issue|pull request|release) )", re.MULTILINE)
_HANDLE = re.compile(r"^\[(c\d+)\]", re.MULTILINE)
_ROW = re.compile(r"^\[(?=c\d+\] )", re.MULTILINE)
_BETWEEN = " / "  # Stands between the languages of a sentence
_TOLD, _ANSWERED = 2, 4  # So many facts and files are told of a commit, and so much in an answer


@dataclass(frozen=True)
class Prompt:
    """One question of a run, taken apart."""

    kind: str  # `edit`, `minor`, `read`, `write`, `repair`, `day`, `judge`, `answer`, or empty for any other
    parts: tuple[str, ...]  # What is fenced, in its order: the evidence comes first

    @property
    def evidence(self) -> str:
        """What others wrote, and what sentences are held to."""
        return self.parts[0] if self.parts else ""

    @property
    def about(self) -> str:
        """What the evidence is about, however much of it is shown: its first lines."""
        return "\n".join(self.evidence.splitlines()[:2])

    def sentences(self) -> dict[str, str]:
        """Give the sentences that shall be judged, by their names."""
        return dict(_SENTENCE.findall(self.parts[1])) if len(self.parts) > 1 else {}

    def refused(self) -> list[str]:
        """Give the numbers of the sentences that were refused."""
        return _REFUSED.findall(self.parts[1]) if len(self.parts) > 1 else []


@dataclass(frozen=True)
class ShownSentence:
    """A sentence in both languages, with what shows it."""

    en: str
    zh: str
    anchor: str = ""
    cites: tuple[str, ...] = ("c",)
    proof: str = ""  # A line of the evidence, verbatim

    @property
    def forms(self) -> set[str]:
        """Give the ways in which a judge may be shown it."""
        en, zh = " ".join(self.en.split()), " ".join(self.zh.split())
        return {en, zh, f"{en}{_BETWEEN}{zh}", f"{zh}{_BETWEEN}{en}"}


def prompt_of(asked: ModelRequest) -> Prompt:
    """Take a question apart by what stands outside of its fences."""
    words = _FENCED.sub(" ", asked.user)
    kind = next((kind for kind, sign in _KINDS.items() if sign in words), "")
    parts = tuple(found["text"] for found in _FENCED.finditer(asked.user))
    return Prompt("read" if "get_diff" in asked.tools else kind, parts)


def answerable(asked: ModelRequest) -> tuple[ShownSentence, ...]:
    """List what the evidence of a question plainly says."""
    fenced = [found["text"] for text in asked.messages for found in _FENCED.finditer(text)]
    shown = [text for text in fenced if _PIECE.search(text)]
    return borne_out(shown[-1])[:_ANSWERED] if shown else ()


@cache
def borne_out(evidence: str, most: int | None = _TOLD) -> tuple[ShownSentence, ...]:
    """List what a packet plainly says: the first facts and files of a commit, or what was published of several."""
    if _PIECE.match(evidence):
        pieces = (piece.partition("] ") for piece in _PIECE.split(evidence)[1:])
        shown = (
            (handle, rest, rest.partition("\n")[0].partition(": ")[2]) for handle, _, rest in pieces
        )
        return tuple(
            one for handle, rest, title in shown for one in _told(rest, rest, title, handle)
        )
    if published := _PUBLISHED.findall(evidence):
        both = ((handle, words, *words.partition(_BETWEEN)) for handle, words in published)
        return tuple(
            ShownSentence(en, zh or en, cites=(handle,), proof=words)
            for handle, words, en, _, zh in both
        )
    head, _, diff = evidence.partition(_DIFF)
    _, found, listed = head.rpartition(_FACTS)
    return _told(listed if found else "", diff, title_of(evidence), "c", most)


def _told(
    listed: str, diff: str, title: str, cite: str, most: int | None = None
) -> tuple[ShownSentence, ...]:
    facts = [
        ShownSentence(
            text, f"涉及`{'`、`'.join(spans)}`。", _changed(diff, spans[0]) or title, (cite,), line
        )
        for line, text in _FACT.findall(listed)
        if (spans := _SPAN.findall(text))
    ]
    paths = _FILE.findall(diff)
    files = [
        ShownSentence(f"Changes `{path}`.", f"修改了 `{path}`。", title, (cite,), line)
        for line, path in paths
    ]
    return (*facts[:most], *files[:most])


def title_of(evidence: str) -> str:
    """Give the title of the commit that a packet is about."""
    return next(iter(evidence.splitlines()[1:2]), "")


def _changed(diff: str, name: str) -> str:
    """Find a changed line that has a name; the list of facts above the diff is no part of it."""
    lines = (
        line
        for line in diff.splitlines()
        if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")
    )
    return next((line[1:].strip() for line in lines if name in line and not _FACT.match(line)), "")


def honest(asked: ModelRequest) -> Saying:
    """Answer whatever Gitzette asks, truly and shortly."""
    if (answer := probed(asked)) is not None:
        return answer
    prompt = prompt_of(asked)
    handles = _HANDLE.findall(prompt.evidence)
    if prompt.kind == "edit":
        return given(edition(prompt.evidence), asked)
    if prompt.kind == "minor":
        return given({"sentences": []}, asked)
    if prompt.kind == "read":
        look = (ToolCall("get_diff", json.dumps({"sha": handle})) for handle in handles[:1])
        return (
            Saying(text="Nothing is open.")
            if asked.has_tool_answers or not handles
            else Saying(calls=tuple(look))
        )
    if prompt.kind == "write":
        return given(written(borne_out(prompt.evidence)), asked)
    if prompt.kind == "day":
        return given({"sentences": [resting(one) for one in borne_out(prompt.evidence)[:3]]}, asked)
    if prompt.kind == "judge":
        proofs = {
            form: one.proof
            for one in borne_out(prompt.evidence, None)
            for form in (*one.forms, one.proof)
        }
        return judged(asked, lambda words: proofs.get(words, ""))
    if prompt.kind == "answer":
        told = answerable(asked)
        return given(
            {"abstains": not told, "nearest": [], "sentences": [sentence(one) for one in told]},
            asked,
        )
    # It said nothing but what it was shown; what is refused it gives up.
    return given({"sentences": []} if prompt.kind == "repair" else {}, asked)


def edition(evidence: str) -> dict[str, object]:
    """Place commits as they are shown: what breaks first, and what does not touch the product last."""
    places = []
    for row in _ROW.split(evidence)[1:]:
        tier = 2 if "\n  product " in row else 0
        tier = 3 if "\n  breaks: " in row else tier
        places.append({"commit": row.partition("]")[0], "tier": tier, "reason": ""})
    places.sort(key=lambda place: -int(str(place["tier"])))
    return {"places": places, "groups": []}


def probed(asked: ModelRequest) -> Saying | None:
    """Answer the questions by which a server is tried, as a capable model does; None to any other."""
    if asked.tools == ["look_up"]:
        return Saying(
            calls=tuple(
                ToolCall("look_up", json.dumps({"colour": one})) for one in ("red", "green")
            )
        )
    return given({"colour": "green"}, asked) if "Which colour is a leaf" in asked.user else None


def given(answer: dict[str, object], asked: ModelRequest) -> Saying:
    """Answer with data, in the way that was asked for."""
    text = json.dumps(answer, ensure_ascii=False)
    return Saying(calls=(ToolCall(asked.tools[0], text),)) if asked.tools else Saying(text=text)


def written(told: Sequence[ShownSentence]) -> dict[str, object]:
    """Put sentences about a commit into the shape of an analysis: the first one is the headline."""
    head = {"headline_en": told[0].en, "headline_zh": told[0].zh} if told else {}
    return {**head, "sentences": [sentence(one) for one in told[1:]]}


def sentence(one: ShownSentence) -> dict[str, object]:
    """Put one sentence into its shape."""
    return {"en": one.en, "zh": one.zh, "cites": list(one.cites), "anchor": one.anchor}


def resting(one: ShownSentence) -> dict[str, object]:
    """Put one sentence of a summary into its shape."""
    return {"en": one.en, "zh": one.zh, "rests_on": list(one.cites)}


def judged(asked: ModelRequest, proof: Callable[[str], str]) -> Saying:
    """Rule on each sentence: stated where there is a proof, else unsupported."""
    rulings = [
        {"id": name, "quote": line, "covers": words, "verdict": "stated" if line else "unsupported"}
        for name, words in prompt_of(asked).sentences().items()
        for line in (proof(words),)
    ]
    return given({"rulings": rulings}, asked)
