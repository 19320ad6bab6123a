"""How scripted models read a question: which prompt it is, what is fenced in it, and what that plainly bears out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from evals.model_server.talk import Asked

_FENCED = re.compile(r"<<(?P<mark>\S+)\n(?P<text>.*?)\n(?P=mark)>>", re.DOTALL)
_KINDS = {
    "choose": "Choose the commits worth explaining",
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
_ANSWERED = 4
_BETWEEN = " / "
"""Stands between the languages of a sentence."""
_MOST = 2
"""So many facts and files are told."""


@dataclass(frozen=True)
class Prompt:
    """One question of a run, taken apart."""

    kind: str
    """`choose`, `read`, `write`, `repair`, `day`, `judge`, `answer`, or empty for any other."""
    parts: tuple[str, ...]
    """What is fenced, in its order: the evidence comes first."""
    mark: str = ""

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
class Told:
    """A sentence in both languages, with what shows it."""

    en: str
    zh: str
    anchor: str = ""
    cites: tuple[str, ...] = ("c",)
    proof: str = ""
    """A line of the evidence, verbatim."""

    @property
    def forms(self) -> set[str]:
        """Give the ways in which a judge may be shown it."""
        en, zh = " ".join(self.en.split()), " ".join(self.zh.split())
        return {en, zh, f"{en}{_BETWEEN}{zh}", f"{zh}{_BETWEEN}{en}"}


def prompt_of(asked: Asked) -> Prompt:
    """Take a question apart by what stands outside of its fences."""
    found = list(_FENCED.finditer(asked.user))
    words = _FENCED.sub(" ", asked.user)
    kind = next((kind for kind, sign in _KINDS.items() if sign in words), "")
    if "list_commits" in asked.tools:
        kind = "read"
    return Prompt(kind, tuple(one["text"] for one in found), found[0]["mark"] if found else "")


def answerable(asked: Asked) -> tuple[Told, ...]:
    """List what the evidence of a question plainly says."""
    shown = [
        found["text"] for text in asked.messages for found in _FENCED.finditer(text) if _PIECE.search(found["text"])
    ]
    return borne_out(shown[-1])[:_ANSWERED] if shown else ()


@cache
def borne_out(evidence: str) -> tuple[Told, ...]:
    """List what a packet plainly says: the first facts and files of a commit, or what was published of several."""
    if _PIECE.match(evidence):
        return tuple(one for piece in _PIECE.split(evidence)[1:] for one in _of_piece(piece))
    if published := _PUBLISHED.findall(evidence):
        return tuple(_again(handle, words) for handle, words in published)
    head, _, diff = evidence.partition(_DIFF)
    _, found, listed = head.rpartition(_FACTS)
    title = title_of(evidence)
    facts = [
        Told(text, f"涉及{'、'.join(f'`{span}`' for span in spans)}。", _changed(diff, spans[0]) or title, proof=line)
        for line, text in _FACT.findall(listed if found else "")
        if (spans := _SPAN.findall(text))
    ]
    files = [Told(f"Changes `{path}`.", f"修改了 `{path}`。", title, proof=line) for line, path in _FILE.findall(diff)]
    return (*facts[:_MOST], *files[:_MOST])


def _of_piece(piece: str) -> Iterator[Told]:
    """List what one piece of evidence of a question says."""
    handle, _, rest = piece.partition("] ")
    title = rest.partition("\n")[0].partition(": ")[2]
    for line, text in _FACT.findall(rest):
        if spans := _SPAN.findall(text):
            zh = f"涉及{'、'.join(f'`{span}`' for span in spans)}。"
            yield Told(text, zh, _changed(rest, spans[0]) or title, (handle,), line)
    for line, path in _FILE.findall(rest):
        yield Told(f"Changes `{path}`.", f"修改了 `{path}`。", title, (handle,), line)


def title_of(evidence: str) -> str:
    """Give the title of the commit that a packet is about."""
    return next(iter(evidence.splitlines()[1:2]), "")


def _again(handle: str, words: str) -> Told:
    en, _, zh = words.partition(_BETWEEN)
    return Told(en, zh or en, cites=(handle,), proof=words)


def _changed(diff: str, name: str) -> str:
    """Find a changed line that has a name; the list of facts above the diff is no part of it."""
    lines = (line for line in diff.splitlines() if line[:1] in ("+", "-") and line[:3] not in ("+++", "---"))
    lines = (line for line in lines if not _FACT.match(line))
    return next((line[1:].strip() for line in lines if name in line), "")
