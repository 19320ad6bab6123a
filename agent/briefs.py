"""What a model is shown of a commit: facts first, then its author's words, then the lines that matter most."""

import re
from collections.abc import Iterator

from agent.analyst import Read
from agent.facts import Severity
from agent.linking.own_words import said
from agent.templates import params_of, sentence

_FACTS, _HUNKS, _MESSAGE = 12, 3_000, 1_200
_HUNK = re.compile(r"\n(?=@@ |--- )")


def facts_brief(read: Read) -> str:
    """List the facts in words, those that users can notice first."""
    telling = [fact for fact in read.evidence.facts if fact.severity is not Severity.INTERNAL]
    shown = telling or list(read.evidence.facts)
    lines = [f"- {fact.severity.value}: {sentence('fact', params_of(fact), 'en')}" for fact in shown[:_FACTS]]
    more = len(shown) - _FACTS
    return "\n".join([*lines, *([f"- and {more} more"] if more > 0 else [])]) or "- none"


def message_brief(read: Read) -> str:
    """Give what the author wrote behind the first line, without what bots and templates put there."""
    body = said(read.evidence.change.commit.message.partition("\n")[2]).strip()
    return body if len(body) <= _MESSAGE else body[:_MESSAGE].rsplit("\n", 1)[0] + "\n(more was written)"


def hunks_brief(read: Read, most: int = _HUNKS) -> str:
    """Give whole hunks, those that prove facts first, as far as the room goes; a hunk is never cut in the middle."""
    shown: list[str] = []
    room = min(_HUNKS, most)
    for hunk in _hunks(read):
        if len(hunk) <= room:
            shown.append(hunk)
            room -= len(hunk)
    return "\n".join(shown) or "(none that fits here)"


def _hunks(read: Read) -> Iterator[str]:
    first = {place.file for fact in read.evidence.facts for place in fact.places}
    for file in sorted(read.evidence.change.files, key=lambda file: file.path not in first):
        for part in f"\n{file.patch or ''}".split("\n@@ ")[1:]:
            yield f"{file.path}\n@@ {part}"


def answer_brief(text: str, most: int) -> str:
    """Give whole hunks of what a tool showed, as far as the room goes, and say how many there are beside them."""
    head, *hunks = _HUNK.split(text)
    shown = [head if len(head) <= most else head[:most].rpartition("\n")[0]]
    room = most - len(shown[0])
    for hunk in hunks:
        if len(hunk) <= room:
            shown.append(hunk)
            room -= len(hunk)
    left = len(hunks) - len(shown) + 1
    return "\n".join([*shown, *([f"({left} more hunks; they are shown when you write)"] if left else [])])
