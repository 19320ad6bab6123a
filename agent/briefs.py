"""What a model is shown of a commit: facts first, then its author's words, then the lines that matter most."""

import re
from collections.abc import Iterator

from agent.analyst import Read
from agent.facts import Severity
from agent.naming import names_of
from agent.speech import told_lines
from agent.templates import params_of, sentence

_FACTS, _HUNKS, _MESSAGE, _NAMES = 8, 1_800, 1_200, 24
_REFERENCE = re.compile(r"(?:\w+:?\s+){0,2}(?:[\w.-]+/[\w.-]+)?#\d+\.?")
"""A line that only points elsewhere: Reverts octo/router#7."""
_CODE = re.compile(r"`([^`\n]{1,60})`")
_HUNK = re.compile(r"\n(?=@@ |--- )")


def facts_brief(read: Read) -> str:
    """List the facts in words, those that users can notice first."""
    telling = [fact for fact in read.evidence.facts if fact.severity is not Severity.INTERNAL]
    shown = telling or list(read.evidence.facts)
    lines = [f"- {fact.severity.value}: {sentence('fact', params_of(fact), 'en')}" for fact in shown[:_FACTS]]
    more = len(shown) - _FACTS
    return "\n".join([*lines, *([f"- and {more} more"] if more > 0 else [])]) or "- none"


def day_brief(read: Read) -> str:
    """Say in a few lines what a commit is: its first line, and the first thing its author and its facts say."""
    first = message_brief(read).partition("\n")[0]
    facts = facts_brief(read).splitlines()[:2]
    return "\n".join([read.evidence.change.commit.title, *(line for line in (first, *facts) if line.startswith("- "))])


def message_brief(read: Read) -> str:
    """Give what the author wrote behind the first line, a statement a line, without what bots and forms put there."""
    lines, room = list[str](), _MESSAGE
    for line in told_lines(read.evidence.change.commit.message.partition("\n")[2]):
        if _REFERENCE.fullmatch(line):
            continue
        if len(line) > room:
            return "\n".join([*lines, "(more was written)"])
        lines.append(f"- {line}")
        room -= len(line)
    return "\n".join(lines) or "(nothing)"


def names_brief(read: Read) -> str:
    """List the names that may be used of a commit: those of its facts, and what its author marks as code."""
    message = read.evidence.change.commit.message
    names = [name for fact in read.evidence.facts for name in names_of(fact)]
    marked = _CODE.findall("\n".join(told_lines(message)))
    return ", ".join(f"`{name}`" for name in list(dict.fromkeys((*marked, *names)))[:_NAMES]) or "none"


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
    """Give the hunks in the order of the facts that they prove, then the others."""
    proving = [(place.file, "\n".join(place.lines)) for fact in read.evidence.facts for place in fact.places[:1]]
    hunks = [
        (file.path, f"@@ {part}")
        for file in read.evidence.change.files
        for part in f"\n{file.patch or ''}".split("\n@@ ")[1:]
    ]
    places = {hunk: place for place, lines in reversed([*enumerate(proving)]) for hunk in hunks if _proves(hunk, lines)}
    for path, hunk in sorted(hunks, key=lambda hunk: places.get(hunk, len(proving))):
        yield f"{path}\n{hunk}"


def _proves(hunk: tuple[str, str], place: tuple[str, str]) -> bool:
    return hunk[0] == place[0] and bool(place[1]) and place[1] in hunk[1]


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
