"""What people say was done, and whether an object of plain words has it said of."""

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache

from agent.gate import acts_en
from agent.gate.act import Act
from agent.gate.closeness import has_any, share_of
from agent.gate.content import is_free
from agent.gate.direction import FITS, Direction
from agent.gate.glossary_zh import glossary
from agent.gate.ground import Ground
from agent.gate.lists import listed
from agent.gate.named_facts import direction_of, last_part
from agent.gate.prose import Kind, Sentence
from agent.gate.stand import Stand, against
from agent.gate.stems import stem, vocabulary, words_of
from agent.gate.words_en import DIRECTION_OF, FUNCTION, TRADE
from agent.gate.words_zh import HEADS

_D = Direction
_PREFIX = re.compile(r"^\W*(?:\[[^\]]*\]\W*)*(?:(?P<kind>[a-z]+)(?:\([^)]*\))?!?:)?\s*", re.IGNORECASE)
# Half of an object must be there, and the whole of it in a title beats the whole of it elsewhere.
_HALF, _ENOUGH, _TITLE = 0.5, 0.5, 0.3
BETTER = re.compile(r"\b(?:improv|boost|better|speed ?up|faster|higher|accelerat)", re.IGNORECASE)
"""How people say that something got better."""
_COSTS = re.compile(r"\b(?:time|latency|overhead|memory|usage|cost|compil\w*|ttft|tpot)\b", re.IGNORECASE)


@lru_cache(maxsize=8192)
def said_acts(line: str) -> tuple[Act, ...]:
    """Read a line of the evidence for what it says was done; its conventional prefix counts as a verb."""
    match = _PREFIX.match(line)
    kind = (match["kind"] or "").lower() if match else ""
    tokens = Sentence(line.replace('"', " ").replace("“", " ").replace("”", " ")).tokens
    found = acts_en.acts(tokens)
    if kind in ("feat", "feature") and not found:
        words = tuple(token.lower for token in tokens if token.kind is Kind.WORD)
        found = (Act(_D.ADD, kind, tuple(token for token in tokens if token.named), (), words),)
    if kind in ("fix", "bugfix") or any(act.direction is _D.FIX for act in found):
        # Fix x dropping y: the gerund tells of the bug, not of the change.
        found = tuple(act for act in found if not act.word.endswith("ing"))
    if BETTER.search(line):
        words = tuple(token.lower for token in tokens if token.kind in (Kind.WORD, Kind.NAME))
        found = (*found, Act(_D.LOWER if _COSTS.search(line) else _D.RAISE, "improve", (), (), words))
    first = next((token for token in Sentence(line[match.end() :] if match else line).tokens), None)
    if first is not None and first.lower in ("support", "supports", "supporting", "new"):
        words = tuple(token.lower for token in tokens if token.kind is Kind.WORD)
        found = (*found, Act(_D.ADD, "support", tuple(token for token in tokens if token.named), (), words))
    return found


def spoken_of(name: str, direction: Direction, ground: Ground) -> Stand:
    """Find what people say was done to a name."""
    wanted = last_part(name).lower().strip("-")
    ways: set[Direction] = set()
    for line in ground.said:
        if wanted not in line.lower():
            continue
        for act in said_acts(line):
            about = {last_part(token.text).lower().strip("-") for token in act.objects} | set(act.words)
            if wanted in about:
                ways.add(act.direction)
    return _held(direction, ways)


def _held(direction: Direction, ways: Set[Direction]) -> Stand:
    """Hold one direction against all that were found."""
    if ways & FITS[direction]:
        return Stand.AGREES
    return Stand.OPPOSES if ways & against(direction) else Stand.SILENT


def _content(words: Sequence[str]) -> list[frozenset[str]]:
    """Give for each word of an object the stems that may stand for it; words of the trade only if nothing else."""
    table = {**{word: listed(stems) for word, stems in HEADS.items()}, **glossary()}
    plain = [part for word in words for part in (word.split("-") if word.isascii() else [word]) if part]
    every = [(word, table.get(word) or frozenset({stem(word)})) for word in plain if word not in FUNCTION]
    every = [(word, stems) for word, stems in every if word.isascii() or word in table]
    rare = [stems for word, stems in every if word not in TRADE and word not in DIRECTION_OF and word not in HEADS]
    return rare or [stems for _, stems in every]


def worded_stand(act: Act, ground: Ground) -> Stand:
    """Hold an object of plain words against what people say, then facts, then the lines."""
    if act.direction in (_D.ENABLE, _D.DISABLE) and set(act.words) <= {"默认", "default"}:
        return _default_stand(act.direction, ground)
    if act.direction in (_D.ADD, _D.REMOVE) and _is_condition(act):
        return _condition_stand(act.direction, ground)
    content = _content((*act.words, *(part for token in act.objects for part in words_of(token.text))))
    scores = _told_scores(content, ground)
    fits = max((scores.get(way, 0.0) for way in FITS[act.direction]), default=0.0)
    opposed = max((scores.get(way, 0.0) for way in against(act.direction)), default=0.0)
    if act.word.endswith("ing") and content and (ways := _circumstances(content, ground)):
        return _held(act.direction, ways)
    if fits >= _ENOUGH and fits > opposed:
        return Stand.AGREES
    if opposed >= _ENOUGH and opposed > fits:
        return Stand.OPPOSES
    if _is_plain(act.words) and not act.objects and _bulk(ground) in _BULK.get(act.direction, ()):
        return Stand.AGREES
    return _lines_worded(act.direction, content, ground) if content and not fits and not opposed else Stand.SILENT


def _circumstances(content: Sequence[frozenset[str]], ground: Ground) -> frozenset[Direction]:
    """Find what somebody says of an object in passing (after adding x), whatever the change does to it."""
    return frozenset(
        said.direction
        for line in dict.fromkeys((*ground.said, *ground.remarks))
        for said in said_acts(line)
        if said.word.endswith("ing") and share_of(vocabulary(" ".join(_about(said))), content) == 1.0
    )


_BULK = {_D.ADD: (_D.ADD,), _D.RAISE: (_D.ADD,), _D.REMOVE: (_D.REMOVE,), _D.LOWER: (_D.REMOVE,)}


def _bulk(ground: Ground) -> Direction | None:
    """Say which way a diff goes: at some place more came than went, or altogether more went."""
    if any(len(hunk.added) > len(hunk.removed) for hunk in ground.hunks):
        return _D.ADD
    return _D.REMOVE if any(file.deletions > file.additions for file in ground.files) else None


def _is_plain(words: Sequence[str]) -> bool:
    """Tell whether an object says no more than that there is something: a line, an entry, 一条."""
    return all(is_free(part) for word in words for part in word.split("-"))


_CONDITIONS = listed("判断 条件 条件判断 分支 check condition guard conditional branch extra additional early")
_ASKING = re.compile(r"^\W*(?:else\s+)?(?:if|elif|elseif|when|case|assert|unless|while)\b|\bif\s*\(|&&|\|\|")


def _is_condition(act: Act) -> bool:
    """Tell whether nothing but a check is spoken of: 一道判断, an extra check."""
    words = {word for word in act.words if not word.startswith(("一", "两"))}
    return bool(words) and words <= _CONDITIONS and not act.objects


def _condition_stand(direction: Direction, ground: Ground) -> Stand:
    """Count the conditions that came and went, place by place: a check is told by the code that asks."""
    ways = {
        _D.ADD if came > 0 else _D.REMOVE
        for hunk in ground.hunks
        if (came := _asked(hunk.added) - _asked(hunk.removed))
    }
    if direction in ways:
        return Stand.AGREES
    return Stand.OPPOSES if ways else Stand.SILENT


def _asked(lines: Sequence[str]) -> int:
    return sum(_ASKING.search(line) is not None for line in lines)


def _default_stand(direction: Direction, ground: Ground) -> Stand:
    """Read whether something is on or off by default, where all that was added says the same."""
    on, off = (re.search(rf"=\s*(?:{form})\b", ground.added) is not None for form in ("True|true", "False|false"))
    if on is off:
        return Stand.SILENT
    return Stand.AGREES if on is (direction is _D.ENABLE) else Stand.OPPOSES


def _told_scores(content: Sequence[frozenset[str]], ground: Ground) -> dict[Direction, float]:
    """Say for each direction how well something of that direction fits the object; titles weigh most."""
    scores: dict[Direction, float] = {}
    titles = set(ground.titles)
    for line in dict.fromkeys((*ground.titles, *ground.said, *ground.remarks)):
        found = said_acts(line)
        alone = len({one.direction for one in found}) == 1
        for said in found:
            told = line if alone and line in titles else " ".join(_about(said))
            share = share_of(vocabulary(told), content) if content else float(line in titles)
            score = share + (_TITLE if line in titles else 0.0) if share >= _HALF else 0.0
            scores[said.direction] = max(scores.get(said.direction, 0.0), score)
    for fact in ground.facts:
        told = " ".join(filter(None, (fact.name, fact.old, fact.new, fact.detail, fact.kind)))
        share = share_of(vocabulary(told), content)
        way = direction_of(fact)
        scores[way] = max(scores.get(way, 0.0), share if share >= _HALF else 0.0)
    return scores


def _about(said: Act) -> Iterator[str]:
    yield from said.words
    yield from (token.text for token in (*said.objects, *said.near))


def _has(ground: Ground, stems: frozenset[str]) -> bool:
    return any(words.has_stem(one) for words in (ground.added_words, ground.removed_words) for one in stems)


_OFF = re.compile(
    r"disab|skip|reject|forbid|false|\boff\b|\bno|!(?!=)|none|null|exclu|ignor|unsupport|rais|error|return",
    re.IGNORECASE,
)


def _is_off(content: Sequence[frozenset[str]], ground: Ground) -> bool:
    """Tell whether lines were added with these words and with one that turns something off or away."""
    places = (hunk for hunk in ground.hunks if has_any(hunk.added_words, content))
    return any(_OFF.search(line) for hunk in places for line in hunk.added)


def _lines_worded(direction: Direction, content: Sequence[frozenset[str]], ground: Ground) -> Stand:
    """Take the weakest proof: all words of the object are on one side of the diff alone."""
    plus, minus = share_of(ground.added_words, content), share_of(ground.removed_words, content)
    if direction is _D.REPLACE and all(_has(ground, one) for one in content):
        return Stand.AGREES
    for hunk in ground.hunks:
        came = len(hunk.added) - len(hunk.removed)
        side = hunk.added_words if came > 0 else hunk.removed_words
        if came and direction is (_D.ADD if came > 0 else _D.REMOVE) and share_of(side, content) == 1.0:
            # What also came elsewhere is not gone.
            return Stand.AGREES if came > 0 or plus < 1.0 else Stand.SILENT
    if direction in (_D.ADD, _D.ENABLE, _D.DISABLE) and plus == 1.0 and minus < 1.0:
        # Lines that have the words may as well be what is done when it is on.
        off = direction is not _D.DISABLE or _is_off(content, ground)
        return Stand.AGREES if off else Stand.SILENT
    if direction is _D.REMOVE and minus == 1.0 and plus < 1.0:
        return Stand.AGREES
    return Stand.SILENT
