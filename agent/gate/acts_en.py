"""English sentences read for what they say was done."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agent.gate.act import Act
from agent.gate.direction import Direction
from agent.gate.families import STAYING
from agent.gate.lists import listed
from agent.gate.prose import VALUES, Kind, Token
from agent.gate.words_en import (
    ADJECTIVES,
    BE,
    BOUNDS,
    DIRECTION_OF,
    FUNCTION,
    LIGHT,
    NEGATIONS,
    NOMINAL,
    PREPOSITIONS,
)

_D = Direction
_PASSIVE = listed("is are was were be been being gets got get")
_BETWEEN = listed("also now no longer not already then just never been being fully completely") | BE
_STOPS = frozenset(".;:!?()（）。；：—–")
_ARTICLES = listed("the a an its their this that these those our")
_TWO_WORDS = {
    ("rolled", "back"): _D.REVERT,
    ("rolls", "back"): _D.REVERT,
    ("roll", "back"): _D.REVERT,
    ("rolling", "back"): _D.REVERT,
    ("backed", "out"): _D.REVERT,
    ("backs", "out"): _D.REVERT,
    ("turned", "on"): _D.ENABLE,
    ("turns", "on"): _D.ENABLE,
    ("turn", "on"): _D.ENABLE,
    ("turned", "off"): _D.DISABLE,
    ("turns", "off"): _D.DISABLE,
    ("turn", "off"): _D.DISABLE,
    ("add", "back"): _D.RELAND,
    ("adds", "back"): _D.RELAND,
    ("added", "back"): _D.RELAND,
    ("brings", "back"): _D.RELAND,
    ("brought", "back"): _D.RELAND,
    ("takes", "out"): _D.REMOVE,
    ("taken", "out"): _D.REMOVE,
    ("took", "out"): _D.REMOVE,
    ("takes", "off"): _D.REMOVE,
    ("taken", "off"): _D.REMOVE,
    ("took", "off"): _D.REMOVE,
    ("leaves", "out"): _D.REMOVE,
    ("leave", "out"): _D.REMOVE,
    ("taken", "away"): _D.REMOVE,
    ("put", "back"): _D.RELAND,
    ("puts", "back"): _D.RELAND,
    ("switched", "on"): _D.ENABLE,
    ("switches", "on"): _D.ENABLE,
    ("switched", "off"): _D.DISABLE,
    ("switches", "off"): _D.DISABLE,
    ("rolled", "out"): _D.ENABLE,
    ("scaled", "up"): _D.RAISE,
    ("scaled", "down"): _D.LOWER,
    ("gets", "rid"): _D.REMOVE,
    ("goes", "up"): _D.RAISE,
    ("goes", "down"): _D.LOWER,
    ("went", "up"): _D.RAISE,
    ("went", "down"): _D.LOWER,
    ("comes", "back"): _D.RELAND,
    ("got", "rid"): _D.REMOVE,
}
_YIELDING = listed("give gives gave given giving make makes made")
"""Who gives way to something is replaced by it."""
_RESTORING = listed("restore restores restored restoring")
_STOPPING = listed("stop stops stopped stopping")
_STOPPED = {_D.DISABLE: _D.ENABLE, _D.ENABLE: _D.DISABLE, _D.ADD: _D.REMOVE, _D.REMOVE: _D.ADD}
"""What it means to stop doing something: who stops rejecting allows."""
_NO_VERB = ADJECTIVES | {"including", "includes", "include", "included", "address", "addresses"}
_TAKES_NEW = frozenset({_D.RENAME, _D.CHANGE, _D.RAISE, _D.LOWER, _D.MOVE, _D.REPLACE})


def acts(tokens: Sequence[Token]) -> tuple[Act, ...]:
    """Find every verb with a direction and read what stands around it."""
    verbs = [verb for verb in _verbs(tokens) if not _throws(tokens, verb[0]) and not _is_given_up(tokens, verb[0])]
    starts = [place for place, _ in verbs if not _is_attribute(tokens, place)]
    found = []
    for place, direction in verbs:
        before = max((start + 1 for start in starts if start < place), default=0)
        after = min((start for start in starts if start > place), default=len(tokens))
        found.append(_act(tokens, place, direction, before, after))
    return (*found, *_instead(tokens))


def _verbs(tokens: Sequence[Token]) -> Iterator[tuple[int, Direction]]:
    for place, token in enumerate(tokens):
        if token.kind is not Kind.WORD:
            continue
        word = token.lower
        following = tokens[place + 1].lower if place + 1 < len(tokens) else ""
        if (
            place
            and tokens[place - 1].lower in _STOPPING
            and word.endswith("ing")
            and DIRECTION_OF.get(word) in _STOPPED
        ):
            yield place, _STOPPED[DIRECTION_OF[word]]
        elif word in _STOPPING and _stops_doing(tokens, place):
            continue
        elif (word, following) in _TWO_WORDS:
            yield place, _TWO_WORDS[word, following]
        elif word in _RESTORING and place + 1 < len(tokens) and tokens[place + 1].kind is Kind.MARK:
            yield place, _D.RELAND
        elif word in _YIELDING and following == "way":
            yield place, _D.REPLACE
        elif word.startswith("re-") and DIRECTION_OF.get(word[3:]) in (_D.ADD, _D.ENABLE):
            yield place, _D.RELAND
        elif word == "no" and following == "longer":
            yield place, _D.REMOVE
        elif place > 1 and tokens[place - 1].lower == "longer" and DIRECTION_OF.get(word) in (_D.ADD, _D.ENABLE):
            continue
        elif word in DIRECTION_OF and not _is_adjective(tokens, place):
            yield place, DIRECTION_OF[word]


def _stops_doing(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether another verb says what is stopped: stops rejecting, stops x from crashing."""
    behind = [token.lower for token in tokens[place + 1 : place + 6]]
    return "from" in behind or any(word.endswith("ing") and DIRECTION_OF.get(word) in _STOPPED for word in behind[:1])


def _is_adjective(tokens: Sequence[Token], place: int) -> bool:
    """Tell the removed flag, a fixed seed and the like from verbs."""
    word = tokens[place].lower
    previous = tokens[place - 1].lower if place else ""
    if place + 1 < len(tokens) and tokens[place + 1].lower == "than":
        return True
    if word in _NO_VERB:
        return word != "new" or previous not in _PASSIVE
    if word == "fixed" and place and previous not in _BETWEEN and tokens[place - 1].kind is Kind.WORD:
        return True
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    direct = previous in _ARTICLES and word not in NOMINAL and DIRECTION_OF[word] is not _D.FIX
    # Of a named thing it is said all the same: the removed `foo` flag was removed.
    named = any(token.named for token in tokens[place + 1 : place + 4])
    return direct and following is not None and following.kind is Kind.WORD and not named


def _is_attribute(tokens: Sequence[Token], place: int) -> bool:
    """Tell what is only said beside: switches from the deprecated `x` to `y`."""
    return place > 0 and tokens[place - 1].lower in _ARTICLES and tokens[place].lower.endswith("ed")


def _is_given_up(tokens: Sequence[Token], place: int) -> bool:
    """Tell what was done before: raises an error instead of silently setting `x` to False."""
    before = [token.lower for token in tokens[max(0, place - 4) : place]]
    marked = any(pair in (("instead", "of"), ("rather", "than")) for pair in pairwise(before))
    return marked and tokens[place].lower.endswith("ing")


def _throws(tokens: Sequence[Token], place: int) -> bool:
    """Tell raising an error from raising a limit."""
    if not tokens[place].lower.startswith("rais"):
        return False
    behind = tokens[place + 1 : place + 5]
    if behind and behind[0].lower in ("for", "on", "when", "if", "unless", "instead", "early", "at"):
        # What raises for some input throws; what is raised is named.
        return tokens[place].lower in ("raise", "raises", "raising")
    return any(re.search(r"error|exception|warning", token.lower) for token in behind)


def _act(tokens: Sequence[Token], place: int, direction: Direction, low: int, high: int) -> Act:
    chain = _chain(tokens, place, low)
    aux = {tokens[n].lower for n in range(chain, place)}
    head = _phrase(tokens, place + 1, high, nominal=tokens[place].lower in NOMINAL)
    passive = bool(aux & _PASSIVE) or not any(head) or tokens[place].lower in _YIELDING or _ends_clause(tokens, place)
    subject = _phrase(tokens, _subject_start(tokens, _clause_start(tokens, chain, low), chain), chain, nominal=False)
    objects, near, words = subject if passive else head
    old, new = _values(tokens, place, high, direction) if direction in _TAKES_NEW else (None, None)
    if not passive and direction in (_D.RENAME, _D.REPLACE, _D.MOVE) and old is None and objects:
        old = objects[0]
    if passive and direction in (_D.RENAME, _D.REPLACE) and old is None and objects:
        old = objects[0]
    negated = bool(aux & NEGATIONS) or any(tokens[n].lower.endswith("n't") for n in range(chain, place))
    negated = negated or (low > 1 and [tokens[low - 1].lower, tokens[low].lower] == ["no", "longer"] and chain == low)
    negated = negated or (chain > low and tokens[chain - 1].lower in {"without", "not", "doesn't", "don't", "didn't"})
    soft = tokens[place].lower.startswith(
        (
            "start",
            "resum",
            "includ",
            "provid",
            "allow",
            "accept",
            "permit",
            "extend",
            "relax",
            "widen",
            "tight",
            "clamp",
        )
    ) or (direction is _D.MOVE and not objects)
    if tokens[place].lower == "no":
        negated = False
    return Act(direction, tokens[place].lower, objects, near, words, old, new, negated, soft, place=place)


def _ends_clause(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether another subject follows at once: the guard retires and `x` takes over."""
    behind = tokens[place + 1 : place + 3]
    return len(behind) == 2 and behind[0].lower == "and" and (behind[1].named or behind[1].lower in _ARTICLES)


def _chain(tokens: Sequence[Token], place: int, low: int) -> int:
    """Go back over auxiliary verbs and adverbs to where the verb's group begins."""
    start = place
    while start > low:
        if tokens[start - 1].kind is not Kind.WORD:
            break
        word = tokens[start - 1].lower
        helper = (
            word in _BETWEEN
            or word in NEGATIONS
            or word in _STOPPING
            or word in {"do", "does", "did", "can", "will", "to"}
        )
        if not (helper or word.endswith("n't") or (word.endswith("ly") and len(word) > 4)):
            break
        start -= 1
    return start


def _clause_start(tokens: Sequence[Token], end: int, low: int) -> int:
    """Go back to where the subject begins; commas between names do not end a list."""
    start = end
    while start > low:
        token = tokens[start - 1]
        listed = token.text in ",、" and start < end and tokens[start].kind in VALUES
        if token.kind is Kind.PUNCT and (token.text in _STOPS or (token.text in ",，" and not listed)):
            break
        if token.kind is Kind.WORD and token.lower in BOUNDS:
            break
        start -= 1
    return start


def _subject_start(tokens: Sequence[Token], start: int, end: int) -> int:
    """Skip a place in front of the subject: in `f` the parameter x was renamed."""
    if start >= end or tokens[start].lower not in PREPOSITIONS:
        return start
    named = next((n for n in range(start, end) if tokens[n].kind in VALUES), end)
    return next((n for n in range(named, end) if tokens[n].lower in _ARTICLES), start)


def _phrase(
    tokens: Sequence[Token], start: int, end: int, *, nominal: bool
) -> tuple[tuple[Token, ...], tuple[Token, ...], tuple[str, ...]]:
    """Read a noun with its names: what stands before the first preposition is meant, the rest stands near."""
    objects, near, words = list[Token](), list[Token](), list[str]()
    direct, light = True, False
    for place in range(start, end):
        token = tokens[place]
        if token.kind is Kind.MARK:
            continue
        if token.kind is Kind.PUNCT:
            following = tokens[place + 1] if place + 1 < end else None
            if token.text in _STOPS and token.text not in "()（）":
                break
            if token.text in ",，" and not (following and (following.kind in VALUES or following.lower == "and")):
                break
            continue
        word = token.lower
        if token.kind is Kind.WORD and (word in BOUNDS or _is_other(tokens, place)):
            break
        if token.kind is Kind.WORD and word in PREPOSITIONS:
            if nominal and word in ("of", "for") and not objects and not words:
                continue
            light = bool(words) and words[-1] in LIGHT and word in ("for", "of", "to", "on", "in")
            direct = False
            if not light and (objects or words) and word in ("from", "to", "by", "with", "as", "into", "because"):
                near.extend(one for one in tokens[place:end] if one.named)
                break
            continue
        if token.named or token.camel:
            (objects if direct else near).append(token)
        if token.kind in (Kind.WORD, Kind.NAME) and word not in FUNCTION and (direct or light or len(words) < 2):
            words.append(word)
    return tuple(objects), tuple(near), tuple(words)


def _is_other(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether another verb begins here that says what stays: loses a and keeps b."""
    return tokens[place].lower in STAYING.words and place > 0 and tokens[place - 1].lower in ("and", "but")


def _values(tokens: Sequence[Token], place: int, high: int, direction: Direction) -> tuple[Token | None, Token | None]:
    """Find the value before and the value after: from a to b, a -> b, to b, by b."""
    old: Token | None = None
    new: Token | None = None
    for n in range(place + 1, high - 1):
        word, token = tokens[n].lower, _value(tokens, n + 1, high)
        if tokens[n].kind is Kind.PUNCT and word in _STOPS and word not in "()（）":
            break
        if word in BOUNDS and tokens[n].kind is Kind.WORD:
            break
        if (word == "from" or (word == "of" and tokens[n - 1].lower == "out")) and old is None:
            old = token
        elif word in ("->", "=>", "→") and n and tokens[n - 1].kind in VALUES:
            old, new = tokens[n - 1], token
        elif (
            (word == "to" and new is None)
            or (word in ("with", "by", "for") and direction is _D.REPLACE and new is None)
            or (word in ("as", "into") and direction in (_D.RENAME, _D.MOVE) and new is None)
        ):
            new = token
    return old, new


def _value(tokens: Sequence[Token], place: int, high: int) -> Token | None:
    """Take the value that stands here, behind an article and a word or two of what it is."""
    for token in tokens[place : min(place + 4, high)]:
        if token.kind in VALUES or token.camel:
            return token
        if token.kind is not Kind.WORD or token.lower in PREPOSITIONS:
            return None
        if token.lower in _LITERALS:
            return token
    return None


def _instead(tokens: Sequence[Token]) -> Iterator[Act]:
    """Read `b instead of a` and `b rather than a`, which need no verb of change."""
    for place in range(len(tokens) - 2):
        pair = (tokens[place].lower, tokens[place + 1].lower)
        if pair not in (("instead", "of"), ("rather", "than")):
            continue
        old = _value(tokens, place + 2, len(tokens))
        if place == 0:
            yield from _ahead(tokens, place)
            continue
        new = next((one for one in reversed(tokens[max(0, place - 4) : place]) if one.kind in VALUES), None)
        if old is not None and new is not None and old.kind in VALUES:
            yield Act(_D.CHANGE, "instead", old=old, new=new, place=place)


def _ahead(tokens: Sequence[Token], place: int) -> Iterator[Act]:
    """Read `Rather than a, x is set to b`: the old value comes first, the new one behind the comma."""
    comma = next((n for n in range(place, len(tokens)) if tokens[n].text in (",", "，")), None)
    if comma is None:
        return
    words = [one for one in tokens[place + 2 : comma] if one.kind in VALUES or one.lower not in FUNCTION]
    news = [one for one in tokens[comma:] if one.kind in (Kind.NUMBER, Kind.VERSION, Kind.CODE, Kind.QUOTED)]
    news = news or [one for one in tokens[comma:] if one.lower in _LITERALS]
    if len(words) in (1, 2) and news:
        yield Act(_D.CHANGE, "instead", old=words[-1], new=news[-1], place=place)


_LITERALS = ("true", "false", "none", "null", "auto", "zero")
