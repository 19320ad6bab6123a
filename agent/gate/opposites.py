"""Words that have an opposite: where the evidence has the opposite of the same thing, the word is not borne out."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from agent.claims import Judgement
from agent.gate import words_en as en
from agent.gate import words_zh as zh
from agent.gate.closeness import said_near, share_of
from agent.gate.content import stems_of
from agent.gate.direction import Direction
from agent.gate.families import OPPOSITES, STAYING, Family
from agent.gate.ground import Ground, occurs
from agent.gate.lists import listed
from agent.gate.named_facts import last_part
from agent.gate.prose import VALUES, Kind, Token, clauses
from agent.gate.reading import Reading, undecided
from agent.gate.stems import vocabulary

_DIRECTIONS = {**en.DIRECTION_OF, **zh.DIRECTION_OF}
_TURNED = listed(
    "instead rather than used previously before old called named goes known spelled became becomes "
    "原来 而不是 原先 此前 "
    "叫 叫做 名为 称为"
)
_NEGATIVE = en.NEGATIONS | zh.NEGATIONS | _TURNED
_NOW = frozenset({"now", "现在", "如今", "从此"})
_GOING = frozenset(set(Direction) - {Direction.ADD, Direction.ENABLE, Direction.RELAND})
_NO = re.compile(r"\b(?:not|no|never|without|cannot|unable|unsupported)\b|n['’]t\b|不|没|未", re.IGNORECASE)
_LEAST, _ALIKE, _NEAR, _WORDY = 3, 0.8, 5, 25
_WITH = re.compile(r"\b(?P<no>with(?:out)?) (?:an? |the |any )?(?P<what>[a-z]{3,} [a-z]{3,}|[a-z]{3,})")
_WHO, _VERB, _WHAT = r"([\w.-]+)", r"(is|are|was|were|be|must|can|does|do|will|should)", r"([a-z]{3,})"
_FORM = re.compile(rf"{_WHO}[`\"']* {_VERB} {_WHAT}")
_NOT = re.compile(rf"{_WHO} {_VERB} (?:not|never) {_WHAT}")
_HAPPENING = re.compile(r"fail|crash|rais|abort|error|block|break|requir")
_KEEPING = listed("keep keeps keeping retains retain preserves preserve 保留 沿用")
_SIGNS = re.compile(r"[`\"'*#/]|^[+-]", re.MULTILINE)


def check_opposites(reading: Reading) -> Judgement | None:
    """Look for the opposite of each word near the same things, where the word itself is not said of them."""
    lines = (*reading.ground.said, *reading.ground.remarks)
    for place, token in enumerate(reading.tokens):
        pair = _pair(token)
        if pair is None or (token.lower == "longer" and place and reading.tokens[place - 1].lower == "no"):
            continue
        around = stems_of((*reading.tokens[max(0, place - _NEAR) : place], *reading.tokens[place + 1 : place + _NEAR]))
        if _best(lines, pair[1].said, around) >= max(1, _best(lines, pair[0].said, around) * 2):
            return undecided("opposite", f"of what is called {token.text!r} the evidence says the opposite")
    return None


def _best(lines: Iterable[str], said: re.Pattern[str], stems: Sequence[frozenset[str]]) -> int:
    """Count the words that stand close to where one of the lines says it, at its best."""
    return max((sum(said_near([line], said, [one]) for one in stems) for line in lines if said.search(line)), default=0)


def _pair(token: Token) -> tuple[Family, Family] | None:
    if token.kind not in (Kind.WORD, Kind.HAN):
        return None
    return _pairs().get(token.lower)


@cache
def _pairs() -> Mapping[str, tuple[Family, Family]]:
    """Give for each word its own family and the opposite one."""
    pairs = [pair for one, two in OPPOSITES for pair in ((one, two), (two, one))]
    return {word: pair for pair in reversed(pairs) for word in pair[0].words}


def check_staying(reading: Reading) -> Judgement | None:
    """Refuse that something stays of which the diff shows only that it came or went."""
    lines = (*reading.ground.said, *reading.ground.remarks)
    for clause in clauses(reading.tokens):
        plain = [token.lower for token in clause if token.kind in (Kind.WORD, Kind.HAN)]
        if "不再" in plain or ("no", "longer") in pairwise(plain):
            meant = stems_of(clause, trade=True)
            kept = _kept(clause)
            if any(STAYING.said.search(line) and share_of(vocabulary(line), meant) >= _ALIKE for line in lines) or (
                kept and said_near(lines, STAYING.said, kept)
            ):
                return undecided("opposite", "of what is said to be no longer so the evidence says that it stays")
        if not any(word in STAYING.words for word in plain):
            continue
        if said_near(lines, STAYING.said, stems_of(clause, trade=True)):
            continue
        gone = {token for act in reading.acts if act.direction is Direction.REMOVE for token in act.objects}
        for token in _staying(clause):
            if token in gone:
                continue
            if token.kind in VALUES and not token.path and _is_passing(last_part(token.text), reading.ground):
                return undecided("opposite", f"nothing shows that {token.text} stays as it was")
    return None


def _staying(clause: Sequence[Token]) -> Sequence[Token]:
    """Give the part of a clause that says what stays: behind who keeps something, nothing where it is kept from it."""
    at = next((n for n, token in enumerate(clause) if token.lower in _KEEPING), None)
    if at is None:
        return clause
    if any(token.lower == "from" for token in clause[at + 1 : at + 5]):
        return ()
    return clause[at:] if at and clause[at - 1].lower in ("and", "but", "并") else clause


def _kept(clause: Sequence[Token]) -> list[frozenset[str]]:
    """Give the words for what is said to be kept no longer."""
    for place, token in enumerate(clause):
        before = {one.lower for one in clause[max(0, place - 2) : place]}
        if token.lower in STAYING.words and before & {"longer", "不再"}:
            return stems_of(clause[place + 1 : place + 4], trade=True)
    return []


def check_present(reading: Reading) -> Judgement | None:
    """Refuse that something is so now of which the diff shows only that it went."""
    for clause in clauses(reading.tokens):
        plain = [token.lower for token in clause if token.kind in (Kind.WORD, Kind.HAN)]
        gone = any(word in _NEGATIVE or _DIRECTIONS.get(word) in _GOING for word in plain)
        if gone or not _NOW & set(plain):
            continue
        for token in clause:
            name = last_part(token.text)
            if (
                token.named
                and not token.path
                and occurs(name, reading.ground.removed)
                and _is_passing(name, reading.ground)
            ):
                return undecided("opposite", f"{token.text} is told as so now, and the diff shows that it went")
    return None


def _is_passing(name: str, ground: Ground) -> bool:
    """Tell whether a name stands on one side of the diff alone."""
    return occurs(name, ground.added) is not occurs(name, ground.removed) and not occurs(name, ground.around)


def check_denied(reading: Reading) -> Judgement | None:
    """Refuse to say of something what the evidence says with a no."""
    denied = _denied(reading.ground)
    lacked = _lacked(reading.ground)
    for found in _WITH.finditer(reading.sentence.text.lower()):
        if found["no"] == "with" and found["what"] in lacked:
            return undecided("negation", f"the evidence says without {found['what']}, and never with it")
    for found in _FORM.finditer(_SIGNS.sub("", reading.sentence.text).lower()):
        if found.groups() in denied:
            return undecided("negation", f"the evidence says no where the sentence says {found[0]!r}")
    for clause in clauses(reading.tokens):
        meant = stems_of(clause, trade=True)
        text = " ".join(token.text for token in clause)
        if len(meant) < _LEAST or _NO.search(text):
            continue
        if word := _only_denied(clause, reading.ground):
            return undecided("negation", f"the evidence has {word!r} with a no alone")
        if _is_denied(meant, reading.ground.said):
            return undecided("negation", "the evidence says no of this where the sentence does not")
    return None


def _only_denied(clause: Sequence[Token], ground: Ground) -> str:
    """Find a word for what may happen that people only ever deny: `don't fail if the secret is missing`."""
    for token in clause:
        if token.kind is not Kind.WORD or not (stem := _HAPPENING.match(token.lower)):
            continue
        lines = (*ground.said, *ground.remarks)
        told = [
            found for line in lines for found in re.finditer(rf"(?:[\w'’]+\W+){{0,3}}\b{stem[0]}", line, re.IGNORECASE)
        ]
        if told and all(_NO.search(found[0]) for found in told):
            return token.text
    return ""


def _is_denied(meant: Sequence[frozenset[str]], lines: Iterable[str]) -> bool:
    """Tell whether what fits a clause best says no of its words, and nothing that fits as well says yes."""
    # A long sentence has every word somewhere.
    alike = [(share_of(vocabulary(line), meant), line) for line in lines if len(line.split()) < _WORDY]
    best = max((share for share, _ in alike), default=0.0)
    if best < 1.0:
        return False
    return all(said_near([line], _NO, meant, before=0, after=3) for share, line in alike if share == best)


@lru_cache(maxsize=128)
def _denied(ground: Ground) -> frozenset[tuple[str, ...]]:
    """List what the evidence denies of what: subject, verb and word; not what it also affirms."""
    text = " ".join(_SIGNS.sub("", f"{ground.spoken}\n{ground.added}").lower().split())
    denied = {found.groups() for found in _NOT.finditer(text)}
    return frozenset(told for told in denied if " ".join(told) not in text)


@lru_cache(maxsize=128)
def _lacked(ground: Ground) -> frozenset[str]:
    """List what the evidence says without, and never with."""
    text = " ".join(f"{ground.spoken}\n{ground.added}".lower().split())
    found = [(match["no"], match["what"]) for match in _WITH.finditer(text)]
    return frozenset(what for no, what in found if no == "without" and ("with", what) not in found)
