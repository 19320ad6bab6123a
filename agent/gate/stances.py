"""What a sentence claims beyond the change itself: that something is always so, is why, or will be."""

import re
from collections.abc import Sequence

from agent.claims import Judgement
from agent.gate import words_en as en
from agent.gate import words_zh as zh
from agent.gate.closeness import has_any, said_near, share_of
from agent.gate.content import stems_of
from agent.gate.counted import ONLY
from agent.gate.families import ABSOLUTES, FORECASTS, OPINIONS, STAYING, Family, family_of
from agent.gate.ground import Ground
from agent.gate.prose import Kind, Token, clauses
from agent.gate.reading import Reading, undecided
from agent.gate.stems import vocabulary, words_of

_CAUSE = re.compile(
    r"\b(?:because|therefore|thus|hence|so|due|caus\w*|lead\w*|led|result\w*|reason|since|thereby|trigger\w*|mak\w*|"
    r"otherwise|means?|which|allow\w*|owing|thanks)\b|因为|由于|导致|从而|所以|因此",
    re.IGNORECASE,
)


_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|without)|n['’]t)\b(?:\W+\w+){0,3}?\W+(?:all|every|each|any)\b", re.IGNORECASE
)
"""Not every: who says so does not say every."""


def is_denial(token: Token) -> bool:
    """Tell whether a word says no."""
    return token.lower in en.NEGATIONS or token.lower in zh.NEGATIONS or token.lower.endswith(("n't", "n’t"))


def check_absolutes(reading: Reading) -> Judgement | None:
    """Allow all, always and completely only where the evidence says so of the same thing, or code counted it."""
    for place, token in enumerate(reading.tokens):
        following = reading.tokens[place + 1].lower if place + 1 < len(reading.tokens) else ""
        word = "regardless" if token.lower == "even" and following in ("if", "when", "without") else token.lower
        family = family_of(ABSOLUTES, word) if _is_plain(token) else None
        if family is None or _is_counted(reading, family) or _is_absolute_said(reading, family, place):
            continue
        if _is_interval(reading.tokens, place) or _is_per(reading, place) or _is_guarded(reading, family, place):
            continue
        if _is_left(reading, family, place):
            continue
        return undecided("absolute", f"{token.text!r} may be more than the evidence says")
    return None


_TIME = re.compile(r"(?:second|minute|hour|day|week|month|step|iteration|epoch|time)s?")
_CASES = frozenset(("if", "when", "for", "where", "若", "当", "时", "如果", "条件"))
_ASKS = re.compile(r"(?:^|[\s}(])(?:if|elif|elseif|when|case|unless|while|assert)\b|&&|\|\||\?\s|if\(")


def _is_interval(tokens: Sequence[Token], place: int) -> bool:
    """Tell every six hours, which says how often, from every hour of all."""
    behind = tokens[place + 1 : place + 3]
    return tokens[place].lower == "every" and len(behind) == 2 and _TIME.fullmatch(behind[1].lower) is not None


def _is_per(reading: Reading, place: int) -> bool:
    """Read each of something as a rate where code has a name for it: `bytes_per_block`."""
    if reading.tokens[place].lower not in ("every", "每个", "每次", "每一"):
        return False
    noun = stems_of(reading.tokens[place + 1 : place + 2], trade=True)
    return any(f"per_{one}" in reading.ground.text.lower() for group in noun for one in group if len(one) > 2)


def _is_guarded(reading: Reading, family: Family, place: int) -> bool:
    """Tell whether only if is said of a condition that was added, with every name that stands behind it."""
    if family.name != "only":
        return False
    clause = next(one for one in clauses(reading.tokens) if reading.tokens[place] in one)
    if not any(token.lower in _CASES for token in clause):
        return False
    names = [token.lower for token in clause if token.named and token.start > reading.tokens[place].start]
    lines = [line.lower() for line in reading.ground.added.split("\n") if _ASKS.search(line)]
    return bool(names) and any(all(name in line for name in names) for line in lines)


def _is_left(reading: Reading, family: Family, place: int) -> bool:
    """Tell whether only this stays is said of a line that lost something and kept the name."""
    names = [token.text for token in reading.tokens[place + 1 : place + 3] if token.named]
    stays = any(token.lower in STAYING.words for token in reading.tokens[max(0, place - 2) : place])
    if family.name != "only" or not stays or not names:
        return False
    for hunk in reading.ground.hunks:
        before = [words_of(line) for line in hunk.removed if names[0] in line]
        after = [words_of(line) for line in hunk.added if names[0] in line]
        if any(less < more for less in after for more in before):
            return True
    return False


def _is_plain(token: Token) -> bool:
    """Tell words from values: None is what code has, not nobody."""
    return token.kind in (Kind.WORD, Kind.HAN) and token.text != "None"


def _is_absolute_said(reading: Reading, family: Family, place: int) -> bool:
    """Look for the same word before the same noun, or around the same verb."""
    lines = (*reading.ground.said, *reading.ground.remarks)
    if family.name in ("all", "any"):
        noun = stems_of(reading.tokens[place + 1 : place + 5], trade=True)[:2]
        if not any(map(is_denial, reading.tokens[:place])):
            lines = tuple(line for line in lines if not _DENIED.search(line))
        return said_near(lines, family.said, noun, before=0, after=4)
    around = stems_of((*reading.tokens[max(0, place - 6) : place], *reading.tokens[place + 1 : place + 6]))
    return said_near(lines, family.said, around, before=5, after=5)


def _is_counted(reading: Reading, family: Family) -> bool:
    """Know by counting that a commit touches nothing but tests, documents or the like."""
    kinds = {fact.kind for fact in reading.ground.facts}
    text = reading.sentence.text
    if family.name != "only":
        return False
    return _names_every_file(reading) or any(kind in kinds and form.search(text) for kind, form in ONLY.items())


def _names_every_file(reading: Reading) -> bool:
    """Tell whether the sentence names every file that was touched."""
    named = [token.text.strip("/") for token in reading.tokens if token.path]
    files = reading.ground.files
    return bool(named and files) and all(any(f"/{file.path}".endswith(f"/{name}") for name in named) for file in files)


def check_causes(reading: Reading) -> Judgement | None:
    """Allow a why only where the evidence connects the same two things."""
    for place, token in enumerate(reading.tokens):
        named = token.lower in en.CAUSES and not _is_outcome(reading.tokens, place)
        causal = token.kind is Kind.WORD and (named or _makes(reading.tokens, place))
        if not causal and not (token.kind is Kind.HAN and token.text in zh.CAUSES):
            continue
        before, after = stems_of(reading.tokens[:place]), stems_of(reading.tokens[place + 1 :])
        if not _connected(reading.ground, before, after):
            return undecided("cause", f"the evidence does not connect what {token.text!r} connects")
    return None


def _is_outcome(tokens: Sequence[Token], place: int) -> bool:
    """Tell the results of a test from what results in something or from something."""
    following = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    return tokens[place].lower == "results" and following not in ("in", "from")


def _makes(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether a clause says what comes of the one before: which makes, which avoids."""
    following = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    return tokens[place].lower == "which" and following in en.EFFECTS


def _connected(ground: Ground, before: Sequence[frozenset[str]], after: Sequence[frozenset[str]]) -> bool:
    """Find a line with both sides in it, or a line that gives causes amid lines with both."""
    if not after:
        return False
    lines = (*ground.said, *ground.remarks)
    for number, line in enumerate(lines):
        words = vocabulary(line)
        if before and len(after) > 1 and share_of(words, before) >= 0.8 and share_of(words, after) == 1.0:
            return True
        if not _CAUSE.search(line) or not has_any(words, after) or (before and not has_any(words, before)):
            continue
        amid = vocabulary(" ".join(lines[max(0, number - 1) : number + 2]))
        if share_of(amid, after) == 1.0:
            return True
    return False


def check_forecasts(reading: Reading) -> Judgement | None:
    """Allow what will be and how good it is only in the evidence's own words."""
    lines = (*reading.ground.said, *reading.ground.remarks)
    for place, token in enumerate(reading.tokens):
        family = family_of((*FORECASTS, *OPINIONS), token.lower) if _is_plain(token) else None
        if family is None:
            continue
        around = stems_of((*reading.tokens[max(0, place - 6) : place], *reading.tokens[place + 1 : place + 6]))
        if said_near(lines, family.said, around):
            continue
        return undecided("forecast", f"{token.text!r} may say more than the evidence")
    return None
