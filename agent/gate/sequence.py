"""What stands first: names that are said to follow or to hold each other, held against the order of lines."""

import re
from collections.abc import Iterator

from agent.claims import Judgement
from agent.gate.ground import Ground, occurs
from agent.gate.named_facts import last_part
from agent.gate.reading import Reading, undecided

_NAME = r"`([\w.:]+)(?:\(\))?`"
_FIRST = re.compile(
    rf"{_NAME} (?:(?:is|are|now|also|runs?|comes?|goes|called|checked|executed|done|placed|set|made|tried) ){{1,4}}"
    rf"(?:ahead of|before|prior to) (?:the )?{_NAME}"
    rf"|{_NAME} ?(?:先于|早于|放在|排在|移到|提到) ?{_NAME} ?(?:之前|前面|前)?"
)
_LAST = re.compile(
    rf"{_NAME} (?:(?:is|are|now|also|runs?|comes?|goes|called|checked|executed|done|placed|set|made|tried) ){{1,4}}"
    rf"(?:after|behind|following) (?:the )?{_NAME}"
    rf"|{_NAME} ?(?:晚于|放在|排在|移到|挪到) ?{_NAME} ?(?:之后|后面|后)"
)


def check_sequence(reading: Reading) -> Judgement | None:
    """Doubt an order of two names that no stretch of changed lines has."""
    for first, second in _orders(reading.sentence.text):
        ways = set(_ways(first, second, reading.ground))
        if ways == {False}:
            return undecided("direction", f"{first} stands behind {second} in the evidence")
    return None


def _orders(text: str) -> Iterator[tuple[str, str]]:
    for match in _LAST.finditer(text):
        first, second = filter(None, match.groups())
        yield last_part(second), last_part(first)
    if not _LAST.search(text):
        for match in _FIRST.finditer(text):
            first, second = filter(None, match.groups())
            yield last_part(first), last_part(second)


def _ways(first: str, second: str, ground: Ground) -> Iterator[bool]:
    """Say for each stretch of a file that has both, as it is now, whether the first comes first."""
    for file in ground.files:
        for stretch in re.split(r"(?m)^@@.*$", file.patch or ""):
            lines = [line for line in stretch.split("\n") if not line.startswith("-")]
            places = [next((n for n, line in enumerate(lines) if occurs(name, line)), None) for name in (first, second)]
            if places[0] is not None and places[1] is not None and places[0] != places[1]:
                yield places[0] < places[1]


_DEFINES = r"\b(?:class|struct|def|fn|func|function|interface|enum|impl|trait)\s+"


def check_enclosed(reading: Reading) -> Judgement | None:
    """Doubt a name of which the evidence shows only that its definition begins behind all changed lines."""
    for token in reading.tokens:
        if token.named and not token.path and _begins_behind(last_part(token.text), reading.ground):
            return undecided("relation", f"{token.text} begins behind what was changed")
    return None


def _begins_behind(name: str, ground: Ground) -> bool:
    told = (ground.spoken, *(f"{fact.name} {fact.old} {fact.new} {fact.detail}" for fact in ground.facts))
    if any(occurs(name, text) for text in (*told, *ground.paths)):
        return False
    defined = re.compile(rf"{_DEFINES}{re.escape(name)}\b")
    seen = False
    for file in ground.files:
        for stretch in re.split(r"(?m)^(?=@@)", file.patch or ""):
            lines = stretch.split("\n")
            changed = max((n for n, line in enumerate(lines) if line.startswith(("+", "-"))), default=0)
            places = [n for n, line in enumerate(lines) if occurs(name, line)]
            if any(n <= changed or not defined.search(lines[n]) for n in places):
                return False
            seen = seen or bool(places)
    return seen
