"""A scripted honest model: it parses a question, writes what the evidence plainly says, and judges by the same."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from evals.model_server.requests_and_answers import ModelRequest, Saying, ToolCall

_FENCED = re.compile(r"<<(?P<mark>\S+)\n(?P<text>.*?)\n(?P=mark)>>", re.DOTALL)
_KINDS = {
    "edit": "Place every one of them for colleagues",
    "minor": "readers get one sentence about each",
    "write": "Write for the report, in",
    "repair": "These sentences of yours about it were refused",
    "day": "Sum up in",
    "judge": "Somebody wrote these sentences",
    "answer": "Now answer the question in",
    "shortlist": "Choose the pairs that are worth reading closely",
    "relate": "say what the commit [c] has to do with it",
}
"""Words outside of the fences by which each kind of question is recognised."""
_NOTHING: Mapping[str, dict[str, object]] = {
    "minor": {"sentences": []},
    "repair": {"sentences": []},
    "shortlist": {"pairs": []},
    "relate": {"relations": []},
}
"""The answers where it has nothing to add, and gives up what is refused."""
_FACTS = "\n\nFacts that a program found"
_DIFF = "\n\nThe diff:\n"
_FACT = re.compile(r"^(- [a-z-]+: (.+))$", re.MULTILINE)
_FILE = re.compile(r"^(--- ([\w./-]+) \(.*)$", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")
_PUBLISHED = re.compile(r"^\[(c\d+\.\d+)\] (.+)$", re.MULTILINE)
_SENTENCE = re.compile(r"^\[(s\d+)\] (?:\(printed as the author's words\) )?(.+)$", re.MULTILINE)
_REFUSED = re.compile(r"^(\d+)\. ", re.MULTILINE)
_PIECE = re.compile(r"^\[(?=[ctv]\d+\] (?:commit|issue|pull request|release) )", re.MULTILINE)
_HANDLE = re.compile(r"^\[(c\d+)\]", re.MULTILINE)
_ROW = re.compile(r"^\[(?=c\d+\] )", re.MULTILINE)
_BREAKING_TIER = 3
_PRODUCT_TIER = 2
_BETWEEN_LANGUAGES = " / "
_MAX_OF_EACH = 2  # Facts, and files, that are written about a commit
_MAX_ANSWERED = 4  # Sentences of an answer
_MAX_SUMMED_UP = 3  # Sentences of a summary of the day
_MIN_QUOTE = 3  # A judge quotes only lines with more characters


@dataclass(frozen=True)
class Prompt:
    """A question of a run, parsed."""

    kind: str
    """One of the kinds above, `read` for a conversation with tools, or empty for any other."""
    parts: tuple[str, ...]  # The fenced parts in their order: the evidence comes first

    @property
    def evidence(self) -> str:
        """The texts of others, against which sentences are judged."""
        return self.parts[0] if self.parts else ""

    @property
    def about(self) -> str:
        """The first lines of the evidence, which name its subject however much of it is shown."""
        return "\n".join(self.evidence.splitlines()[:2])

    def sentences(self) -> dict[str, str]:
        """Return the sentences to be judged, by their names."""
        if len(self.parts) < 2:
            return {}
        return dict(_SENTENCE.findall(self.parts[1]))

    def refused(self) -> list[str]:
        """Return the numbers of the sentences that were refused."""
        if len(self.parts) < 2:
            return []
        return _REFUSED.findall(self.parts[1])


class TierChoice(NamedTuple):
    """The tier that an editor gives a commit."""

    commit: str
    tier: int


@dataclass(frozen=True)
class ShownSentence:
    """A sentence in both languages, with what supports it."""

    en: str
    zh: str
    anchor: str = ""
    cites: tuple[str, ...] = ("c",)
    proof: str = ""  # A line of the evidence, verbatim

    @property
    def forms(self) -> set[str]:
        """The ways in which a judge may be shown it."""
        en = " ".join(self.en.split())
        zh = " ".join(self.zh.split())
        english_first = f"{en}{_BETWEEN_LANGUAGES}{zh}"
        chinese_first = f"{zh}{_BETWEEN_LANGUAGES}{en}"
        return {en, zh, english_first, chinese_first}


def prompt_of(request: ModelRequest) -> Prompt:
    """Parse a question; its kind is recognised by the words outside of the fences."""
    parts = tuple(_fenced_parts(request.user))
    if "get_diff" in request.tools:
        return Prompt("read", parts)
    words = _FENCED.sub(" ", request.user)
    for kind, sign in _KINDS.items():
        if sign in words:
            return Prompt(kind, parts)
    return Prompt("", parts)


def _fenced_parts(text: str) -> list[str]:
    return [match["text"] for match in _FENCED.finditer(text)]


def answer_sentences(request: ModelRequest) -> tuple[ShownSentence, ...]:
    """Return what the evidence of a reader's question plainly says."""
    pieces = ""
    for message in request.messages:
        for part in _fenced_parts(message):
            if _PIECE.search(part):
                pieces = part  # The last ones count.
    return supported_sentences(pieces)[:_MAX_ANSWERED] if pieces else ()


@cache
def supported_sentences(
    evidence: str, limit: int | None = _MAX_OF_EACH
) -> tuple[ShownSentence, ...]:
    """Return what a packet plainly says.

    Of a commit these are its first facts and files, up to a limit of each; of several commits, what
    was published about them.
    """
    if _PIECE.match(evidence):
        return tuple(_of_pieces(evidence))
    published = _PUBLISHED.findall(evidence)
    if published:
        return tuple(_of_published(handle, words) for handle, words in published)
    before_diff, _, diff = evidence.partition(_DIFF)
    _, separator, facts = before_diff.rpartition(_FACTS)
    return _of_commit(facts if separator else "", diff, title_of(evidence), "c", limit)


def _of_pieces(evidence: str) -> Iterator[ShownSentence]:
    """Yield what the pieces of evidence say, each of which begins with its handle."""
    for piece in _PIECE.split(evidence)[1:]:
        handle, _, text = piece.partition("] ")
        first_line = text.partition("\n")[0]
        title = first_line.partition(": ")[2]
        yield from _of_commit(text, text, title, handle)


def _of_published(handle: str, words: str) -> ShownSentence:
    en, _, zh = words.partition(_BETWEEN_LANGUAGES)
    return ShownSentence(en, zh or en, cites=(handle,), proof=words)


def _of_commit(
    facts: str, diff: str, title: str, cite: str, limit: int | None = None
) -> tuple[ShownSentence, ...]:
    """Return a sentence for each fact that names something, and one for each file."""
    about_facts = []
    for line, text in _FACT.findall(facts):
        names = _SPAN.findall(text)
        if not names:
            continue
        zh = f"涉及`{'`、`'.join(names)}`。"
        anchor = _changed_line(diff, names[0]) or title
        about_facts.append(ShownSentence(text, zh, anchor, (cite,), line))
    about_files = []
    for line, path in _FILE.findall(diff):
        en = f"Changes `{path}`."
        zh = f"修改了 `{path}`。"
        about_files.append(ShownSentence(en, zh, title, (cite,), line))
    return (*about_facts[:limit], *about_files[:limit])


def title_of(evidence: str) -> str:
    """Return the title of the commit that a packet is about."""
    return next(iter(evidence.splitlines()[1:2]), "")


def _changed_line(diff: str, name: str) -> str:
    """Return the first changed line with a name, or an empty string.

    The list of facts, which may precede the diff, is no part of it.
    """
    for line in diff.splitlines():
        if line[:1] not in ("+", "-") or line[:3] in ("+++", "---"):
            continue
        if name in line and not _FACT.match(line):
            return line[1:].strip()
    return ""


def honest(request: ModelRequest) -> Saying:
    """Answer whatever Gitzette asks, truthfully and briefly."""
    probe_answer = probed(request)
    if probe_answer is not None:
        return probe_answer
    prompt = prompt_of(request)
    match prompt.kind:
        case "edit":
            return answer_with(edition_json(tier_choices(prompt.evidence)), request)
        case "read":
            return _first_diff(request, prompt)
        case "write":
            return answer_with(analysis_json(supported_sentences(prompt.evidence)), request)
        case "day":
            sentences = supported_sentences(prompt.evidence)[:_MAX_SUMMED_UP]
            return answer_with({"sentences": [summary_json(each) for each in sentences]}, request)
        case "judge":
            return _honest_rulings(request, prompt)
        case "answer":
            return _honest_answer(request)
        case _:
            return answer_with(_NOTHING.get(prompt.kind, {}), request)


def tier_choices(evidence: str) -> list[TierChoice]:
    """Place commits: what breaks first, and what does not touch the product last."""
    placed = []
    for row in _ROW.split(evidence)[1:]:
        tier = 0
        if "\n  breaks: " in row:
            tier = _BREAKING_TIER
        elif "\n  product " in row:
            tier = _PRODUCT_TIER
        placed.append(TierChoice(row.partition("]")[0], tier))
    return in_order(placed)


def in_order(placed: Sequence[TierChoice]) -> list[TierChoice]:
    """Sort placements by tier, the highest first."""
    return sorted(placed, key=lambda placement: -placement.tier)


def edition_json(
    placed: Sequence[TierChoice], groups: Sequence[dict[str, object]] = ()
) -> dict[str, object]:
    """Return placements and groups in the shape of an edition."""
    places = []
    for placement in placed:
        places.append({"commit": placement.commit, "tier": placement.tier})
    return {"places": places, "groups": list(groups)}


def _first_diff(request: ModelRequest, prompt: Prompt) -> Saying:
    """Read the diff of the first commit, and nothing after that."""
    handles = _HANDLE.findall(prompt.evidence)
    if request.has_tool_answers or not handles:
        return Saying(text="Nothing is open.")
    call = ToolCall("get_diff", json.dumps({"sha": handles[0]}))
    return Saying(calls=(call,))


def _honest_rulings(request: ModelRequest, prompt: Prompt) -> Saying:
    proofs: dict[str, str] = {}
    for sentence in supported_sentences(prompt.evidence, None):
        for form in (*sentence.forms, sentence.proof):
            proofs[form] = sentence.proof
    return rulings_by(request, lambda words: proofs.get(words, ""))


def _honest_answer(request: ModelRequest) -> Saying:
    sentences = answer_sentences(request)
    answer: dict[str, object] = {
        "abstains": not sentences,
        "nearest": [],
        "sentences": [sentence_json(sentence) for sentence in sentences],
    }
    return answer_with(answer, request)


def probed(request: ModelRequest) -> Saying | None:
    """Answer the questions that probe a server, as a capable model does; None to any other."""
    if request.tools == ["look_up"]:
        colours = ("red", "green")
        calls = [ToolCall("look_up", json.dumps({"colour": colour})) for colour in colours]
        return Saying(calls=tuple(calls))
    if "Which colour is a leaf" in request.user:
        return answer_with({"colour": "green"}, request)
    return None


def answer_with(answer: dict[str, object], request: ModelRequest) -> Saying:
    """Answer with data: by a call of the tool that is offered, else as text."""
    text = json.dumps(answer, ensure_ascii=False)
    if request.tools:
        return Saying(calls=(ToolCall(request.tools[0], text),))
    return Saying(text=text)


def analysis_json(sentences: Sequence[ShownSentence]) -> dict[str, object]:
    """Return sentences about a commit in the shape of an analysis: the first is the headline."""
    if not sentences:
        return {"sentences": []}
    headline, *others = sentences
    return {
        "headline_en": headline.en,
        "headline_zh": headline.zh,
        "sentences": [sentence_json(sentence) for sentence in others],
    }


def sentence_json(sentence: ShownSentence) -> dict[str, object]:
    """Return a sentence in the shape that an analysis and an answer have."""
    return {
        "en": sentence.en,
        "zh": sentence.zh,
        "cites": list(sentence.cites),
        "anchor": sentence.anchor,
    }


def summary_json(sentence: ShownSentence) -> dict[str, object]:
    """Return a sentence in the shape that a summary of the day has."""
    return {"en": sentence.en, "zh": sentence.zh, "rests_on": list(sentence.cites)}


def rulings_by(request: ModelRequest, proof: Callable[[str], str], needs: str = "") -> Saying:
    """Rule on each sentence: stated where there is a proof, else unsupported.

    `needs` is what the judge would have to see.
    """
    rulings = []
    for name, words in prompt_of(request).sentences().items():
        quote = proof(words)
        verdict = "stated" if quote else "unsupported"
        ruling = {"id": name, "quote": quote, "covers": words, "verdict": verdict}
        if needs:
            ruling["needs"] = needs
        rulings.append(ruling)
    return answer_with({"rulings": rulings}, request)


def quotable_line(lines: Sequence[str]) -> str:
    """Return the first line that a dishonest judge can quote for anything."""
    for line in lines:
        if len(line.strip("+- ")) > _MIN_QUOTE:
            return line
    return ""
