"""Whether the evidence bears out what a sentence says was done."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache

from agent.gate import acts_en
from agent.gate.act import Act
from agent.gate.closeness import share_of
from agent.gate.direction import FITS, OPPOSITES, Direction
from agent.gate.glossary_zh import glossary
from agent.gate.ground import Ground, Hunk, occurs, whole
from agent.gate.lists import listed
from agent.gate.named_facts import direction_of, directions_of, last_part, names_in
from agent.gate.prose import Kind, Sentence, Token
from agent.gate.stems import Vocabulary, stem, words_of
from agent.gate.words_en import DIRECTION_OF, FUNCTION, TRADE
from agent.gate.words_zh import HEADS, IMPROVES

_D = Direction
_PREFIX = re.compile(r"^\W*(?:\[[^\]]*\]\W*)*(?:(?P<kind>[a-z]+)(?:\([^)]*\))?!?:)?\s*", re.IGNORECASE)
# Half of an object must be there, and the whole of it in a title beats the whole of it elsewhere.
_HALF, _ENOUGH, _TITLE = 0.5, 0.5, 0.3
_REPLACING = re.compile(r"\b(?:replac|chang|switch|instead|now|from|renam)", re.IGNORECASE)
_BETTER = re.compile(r"\b(?:improv|boost|better|speed ?up|faster|higher|accelerat)", re.IGNORECASE)
_COSTS = re.compile(r"\b(?:time|latency|overhead|memory|usage|cost|compil\w*|ttft|tpot)\b", re.IGNORECASE)
_NUMBER = re.compile(r"-?[0-9][0-9_,]*(?:\.[0-9]+)*")


class Stand(StrEnum):
    """How the evidence stands to what is said."""

    AGREES = "agrees"
    OPPOSES = "opposes"
    SILENT = "silent"


def stand_of(act: Act, ground: Ground) -> Stand:
    """Hold one act against the evidence."""
    if act.direction is _D.FIX:
        return Stand.AGREES
    if act.word in IMPROVES and not (act.old or act.new or act.objects):
        return Stand.AGREES if _BETTER.search(ground.spoken) else _object_stand(act, ground)
    values = _values_stand(act, ground)
    if values is Stand.OPPOSES or act.direction is _D.CHANGE:
        return values
    if values is Stand.AGREES and act.direction in (_D.RENAME, _D.REPLACE, _D.RAISE, _D.LOWER) and (act.old or act.new):
        return Stand.AGREES
    stand = _object_stand(act, ground)
    return Stand.SILENT if values is Stand.SILENT and stand is Stand.AGREES else stand


# ---------------------------------------------------------------- values


def _values_stand(act: Act, ground: Ground) -> Stand:
    old, new = _plain(act.old), _plain(act.new)
    if act.direction is _D.MOVE:
        return _moved(old, new, ground)
    if old and new:
        way = _order(old, new)
        if (act.direction is _D.RAISE and way < 0) or (act.direction is _D.LOWER and way > 0):
            return Stand.OPPOSES
        return _pair(old, new, ground, [last_part(token.text) for token in act.objects if token is not act.old])
    if (old or new) and act.direction in (_D.RAISE, _D.LOWER):
        return _half_pair(old, new, act.direction, ground)
    if new:
        return _one_side(new, ground.added, ground.removed, ground)
    if old and act.direction not in (_D.RENAME, _D.REPLACE):
        return _one_side(old, ground.removed, ground.added, ground)
    return Stand.AGREES if not old else _one_side(old, ground.removed, ground.added, ground)


def _moved(old: str, new: str, ground: Ground) -> Stand:
    """Refuse a move out of what was only just added, or into what was removed."""
    for fact in ground.facts:
        valued = direction_of(fact) is _D.MOVE and old and new and fact.old and fact.new
        if valued and _in(old, fact.new or "") and _in(new, fact.old or ""):
            return Stand.OPPOSES
    if old and directions_of(ground, old) and directions_of(ground, old) <= {_D.ADD}:
        return Stand.OPPOSES
    if new and directions_of(ground, new) and directions_of(ground, new) <= {_D.REMOVE}:
        return Stand.OPPOSES
    return Stand.AGREES


def _half_pair(old: str, new: str, direction: Direction, ground: Ground) -> Stand:
    """Find the other value of a raised or lowered one, in a fact or in a line that differs in it alone."""
    ways: set[int] = set()
    for fact in ground.facts:
        if fact.old and fact.new and _in(old or new, fact.old if old else fact.new):
            ways.add(_order(_last_number(fact.old), _last_number(fact.new)))
    for hunk in ground.hunks:
        ways.update(_number_ways(hunk, old or new, before=bool(old)))
    ways.discard(0)
    if len(ways) != 1:
        return Stand.SILENT
    return Stand.AGREES if (ways == {1}) is (direction is _D.RAISE) else Stand.OPPOSES


def _number_ways(hunk: Hunk, value: str, *, before: bool) -> set[int]:
    """Say which way numbers went on lines that differ in numbers alone and have this value on one side."""
    shapes = {_NUMBER.sub("0", line).strip(): line for line in hunk.added}
    ways: set[int] = set()
    for line in hunk.removed:
        after = shapes.get(_NUMBER.sub("0", line).strip())
        if after is not None and _in(value, line if before else after):
            ways.update(_order(a, b) for a, b in zip(_NUMBER.findall(line), _NUMBER.findall(after), strict=True))
    return ways


def _plain(token: Token | None) -> str:
    """Give a value as code writes it."""
    if token is None:
        return ""
    text = token.text.strip().rstrip("%").strip("'\"")
    return text.replace(",", "") if token.kind is Kind.NUMBER else text


def _order(old: str, new: str) -> int:
    """Compare two values as versions or numbers; 0 where they are neither."""
    pair = [re.findall(r"[0-9]+", value) for value in (old, new)]
    if not all(pair) or not all(re.match(r"v?-?[0-9]", value) for value in (old, new)):
        return 0
    try:
        before, after = float(old), float(new)
    except ValueError:
        left, right = ([int(part) for part in value] for value in pair)
        return (right > left) - (right < left)
    return (after > before) - (after < before)


def _pair(old: str, new: str, ground: Ground, names: Sequence[str]) -> Stand:
    """Look for old on the removed and new on the added side of one place, and for the reverse."""
    for fact in ground.facts:
        if fact.old and fact.new and _of(names, f"{fact.name} {fact.detail} {fact.old}"):
            if _in(old, fact.old) and _in(new, fact.new) and not _in(old, fact.new):
                return Stand.AGREES
            if _in(new, fact.old) and _in(old, fact.new) and not _in(new, fact.new):
                return Stand.OPPOSES
    hunks = [hunk for hunk in ground.hunks if _of(names, hunk.text)]
    if any(_turns(old, new, hunk) for hunk in hunks) or _told_pair(old, new, ground):
        return Stand.AGREES
    if any(_turns(new, old, hunk) for hunk in hunks) or _told_pair(new, old, ground):
        return Stand.OPPOSES
    if _told_in_turn(old, new, ground):
        return Stand.AGREES
    if any(_swapped(old, new, hunk) for hunk in hunks):
        return Stand.SILENT if any(_swapped(new, old, hunk) for hunk in hunks) else Stand.AGREES
    if _in_any(new, ground.removed) and _in_any(old, ground.added) and not _in_any(new, ground.added):
        return Stand.OPPOSES
    return Stand.SILENT


def _told_in_turn(old: str, new: str, ground: Ground) -> bool:
    """Tell whether people speak of the old value, then of the new one, and the first is gone."""
    if _in_any(old, ground.added) and _in_any(old, ground.removed):
        return False
    for number in range(len(ground.said)):
        talk = " ".join(ground.said[number : number + 3])
        first, second = whole(old).search(talk), whole(new).search(talk)
        if first and second and first.start() < second.start() and _REPLACING.search(talk):
            return _in_any(new, ground.added)
    return False


def _of(names: Sequence[str], text: str) -> bool:
    """Tell whether a text is about one of the names; about anything where none is given."""
    return not names or any(occurs(name, text) for name in names)


def _swapped(old: str, new: str, hunk: Hunk) -> bool:
    """Tell whether one left and the other came at one place."""
    removed, added = "\n".join(hunk.removed), "\n".join(hunk.added)
    leaves = _in_any(old, removed) and not _in_any(old, added) and not _in_any(old, "\n".join(hunk.around))
    return leaves and _in_any(new, added) and not _in_any(new, removed)


def _turns(old: str, new: str, hunk: Hunk) -> bool:
    """Tell whether some removed line becomes an added one when old is written as new."""
    removed = [line for line in hunk.removed if _in(old, line)]
    added = {line.strip() for line in hunk.added if _in(new, line)}
    return any(whole(old).sub(lambda _: new, line).strip() in added for line in removed) if added else False


def _told_pair(old: str, new: str, ground: Ground) -> bool:
    """Tell whether people say that one became the other."""
    before, after = re.escape(old), re.escape(new)
    forms = (
        rf"from\s+\W*{before}\b.{{0,40}}?\bto\s+\W*{after}",
        rf"{before}\W{{0,3}}(?:->|→|=>)\W{{0,3}}{after}",
        rf"rename[ds]?\s+\W*{before}\W+(?:to|as|into)\s+\W*{after}",
        rf"replace[ds]?\s+\W*{before}.{{0,30}}?(?:with|by)\s+\W*{after}",
        rf"{after}\W{{0,3}}(?:instead of|rather than)\W+{before}",
    )
    pattern = re.compile("|".join(forms), re.IGNORECASE)
    return any(pattern.search(line) for line in ground.said)


def _one_side(value: str, right: str, wrong: str, ground: Ground) -> Stand:
    """Look for a value on its side of the diff; on the other side alone it is swapped."""
    if _in_any(value, right):
        return Stand.AGREES
    if _in_any(value, wrong):
        return Stand.SILENT if _in_any(value, ground.around) else Stand.OPPOSES
    return Stand.AGREES if _in_any(value, ground.text) else Stand.SILENT


def _in(value: str, text: str) -> bool:
    return occurs(value, text) or (value[:1].isalpha() and value.islower() and occurs(value.capitalize(), text))


def _in_any(value: str, text: str) -> bool:
    return _in(value, text) or _in(last_part(value), text)


# ---------------------------------------------------------------- objects


def _object_stand(act: Act, ground: Ground) -> Stand:
    if act.direction in (_D.REVERT, _D.RELAND):
        return _lineage(act.direction, ground)
    if act.objects:
        stands = [_named(token, act.direction, ground) for token in act.objects]
        if Stand.OPPOSES in stands:
            return Stand.OPPOSES
        return Stand.SILENT if Stand.SILENT in stands else Stand.AGREES
    return _worded(act, ground)


def _lineage(direction: Direction, ground: Ground) -> Stand:
    if any(direction_of(fact) is direction for fact in ground.facts):
        return Stand.AGREES
    told = any(act.direction is direction for line in ground.said for act in said_acts(line))
    back = direction is _D.RELAND and re.search(r"\b(?:re-?land|back|again|restor)", ground.spoken, re.IGNORECASE)
    words = direction is _D.REVERT and re.search(r"\b(?:restor|back to|undo|roll)", ground.spoken, re.IGNORECASE)
    return Stand.AGREES if told or back or words else Stand.OPPOSES


def _named(token: Token, direction: Direction, ground: Ground) -> Stand:
    name = token.text.removesuffix("()").strip()
    if token.path:
        stand = _file(name, direction, ground)
        if stand is not None:
            return stand
    facts = directions_of(ground, name)
    if facts & FITS[direction] or (direction is _D.MOVE and facts >= {_D.ADD, _D.REMOVE}):
        return Stand.AGREES
    told = _spoken_of(name, direction, ground)
    if told is Stand.AGREES:
        return told
    lines = _lines_stand(name, direction, ground)
    if lines is Stand.AGREES and not facts & _against(direction):
        return lines
    if told is Stand.OPPOSES or lines is Stand.OPPOSES or facts & _against(direction):
        return Stand.OPPOSES
    return Stand.SILENT


def _against(direction: Direction) -> frozenset[Direction]:
    return OPPOSITES.get(direction, frozenset())


def _file(name: str, direction: Direction, ground: Ground) -> Stand | None:
    """Ask a file, which knows whether it was added, removed or renamed."""
    tail = name.rstrip("/")
    for file in ground.files:
        if file.path == tail or file.path.endswith("/" + tail):
            if direction is _D.ADD:
                return Stand.AGREES if file.status in ("added", "renamed", "copied") else Stand.SILENT
            if direction is _D.REMOVE:
                return {"removed": Stand.AGREES, "added": Stand.OPPOSES}.get(file.status, Stand.SILENT)
            if direction in (_D.RENAME, _D.MOVE):
                return Stand.AGREES if file.status == "renamed" else Stand.SILENT
        old = file.previous_path or ""
        if old and (old == tail or old.endswith("/" + tail)):
            return Stand.AGREES if direction in (_D.RENAME, _D.MOVE, _D.REMOVE) else Stand.OPPOSES
    return None


def _lines_stand(name: str, direction: Direction, ground: Ground) -> Stand:
    token = last_part(name)
    plus, minus, rest = (occurs(token, text) for text in (ground.added, ground.removed, ground.around))
    if direction in (_D.ADD, _D.ENABLE):
        if plus and not minus and not rest:
            return Stand.AGREES
        return Stand.OPPOSES if minus and not plus else Stand.SILENT
    if direction in (_D.REMOVE, _D.DISABLE):
        if minus and not plus:
            return Stand.AGREES
        return Stand.OPPOSES if plus and not minus and not rest else Stand.SILENT
    if direction is _D.MOVE:
        leaves = any(_only_on(token, hunk.removed, hunk.added) for hunk in ground.hunks)
        arrives = any(_only_on(token, hunk.added, hunk.removed) for hunk in ground.hunks)
        return Stand.AGREES if leaves and arrives else Stand.SILENT
    if direction in (_D.RAISE, _D.LOWER):
        return _numbers_stand(token, direction, ground)
    return Stand.SILENT


def _only_on(token: str, lines: Sequence[str], others: Sequence[str]) -> bool:
    return any(occurs(token, line) for line in lines) and not any(occurs(token, line) for line in others)


def _numbers_stand(token: str, direction: Direction, ground: Ground) -> Stand:
    """Compare the numbers beside a name before and after, where one line became the other."""
    ways: set[int] = set()
    for fact in ground.facts:
        if token in names_in(fact.name) | names_in(fact.detail) and fact.old and fact.new:
            ways.add(_order(*(_last_number(text) for text in (fact.old, fact.new))))
    for hunk in ground.hunks:
        shapes = {_NUMBER.sub("0", line).strip(): line for line in hunk.added if occurs(token, line)}
        for line in hunk.removed:
            after = shapes.get(_NUMBER.sub("0", line).strip()) if occurs(token, line) else None
            if after is not None:
                ways.update(_order(a, b) for a, b in zip(_NUMBER.findall(line), _NUMBER.findall(after), strict=True))
    ways.discard(0)
    if len(ways) != 1:
        return Stand.SILENT
    return Stand.AGREES if (ways == {1}) is (direction is _D.RAISE) else Stand.OPPOSES


def _last_number(text: str) -> str:
    found = _NUMBER.findall(text)
    return found[-1].replace(",", "").replace("_", "") if found else ""


# ---------------------------------------------------------------- words


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
    if _BETTER.search(line):
        words = tuple(token.lower for token in tokens if token.kind in (Kind.WORD, Kind.NAME))
        found = (*found, Act(_D.LOWER if _COSTS.search(line) else _D.RAISE, "improve", (), (), words))
    first = next((token for token in Sentence(line[match.end() :] if match else line).tokens), None)
    if first is not None and first.lower in ("support", "supports", "supporting", "new"):
        words = tuple(token.lower for token in tokens if token.kind is Kind.WORD)
        found = (*found, Act(_D.ADD, "support", tuple(token for token in tokens if token.named), (), words))
    return found


def _spoken_of(name: str, direction: Direction, ground: Ground) -> Stand:
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
    if ways & FITS[direction]:
        return Stand.AGREES
    return Stand.OPPOSES if ways & _against(direction) else Stand.SILENT


def _content(words: Sequence[str]) -> list[frozenset[str]]:
    """Give for each word of an object the stems that may stand for it; words of the trade only if nothing else."""
    table = {**{word: listed(stems) for word, stems in HEADS.items()}, **glossary()}
    plain = [part for word in words for part in (word.split("-") if word.isascii() else [word]) if part]
    every = [(word, table.get(word) or frozenset({stem(word)})) for word in plain if word not in FUNCTION]
    every = [(word, stems) for word, stems in every if word.isascii() or word in table]
    rare = [stems for word, stems in every if word not in TRADE and word not in DIRECTION_OF and word not in HEADS]
    return rare or [stems for _, stems in every]


def _worded(act: Act, ground: Ground) -> Stand:
    """Hold an object of plain words against what people say, then facts, then the lines."""
    if act.direction in (_D.ENABLE, _D.DISABLE) and set(act.words) <= {"默认", "default"}:
        return _default_stand(act.direction, ground)
    content = _content((*act.words, *(part for token in act.objects for part in words_of(token.text))))
    scores = _told_scores(content, ground)
    fits = max((scores.get(way, 0.0) for way in FITS[act.direction]), default=0.0)
    against = max((scores.get(way, 0.0) for way in _against(act.direction)), default=0.0)
    if fits >= _ENOUGH and fits > against:
        return Stand.AGREES
    if against >= _ENOUGH and against > fits:
        return Stand.OPPOSES
    return _lines_worded(act.direction, content, ground) if content and not fits and not against else Stand.SILENT


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
            share = share_of(Vocabulary(words_of(told)), content) if content else float(line in titles)
            score = share + (_TITLE if line in titles else 0.0) if share >= _HALF else 0.0
            scores[said.direction] = max(scores.get(said.direction, 0.0), score)
    for fact in ground.facts:
        told = " ".join(filter(None, (fact.name, fact.old, fact.new, fact.detail, fact.kind)))
        share = share_of(Vocabulary(words_of(told)), content)
        way = direction_of(fact)
        scores[way] = max(scores.get(way, 0.0), share if share >= _HALF else 0.0)
    return scores


def _about(said: Act) -> Iterator[str]:
    yield from said.words
    yield from (token.text for token in (*said.objects, *said.near))


def _lines_worded(direction: Direction, content: Sequence[frozenset[str]], ground: Ground) -> Stand:
    """Take the weakest proof: all words of the object are on one side of the diff alone."""
    plus, minus = share_of(ground.added_words, content), share_of(ground.removed_words, content)
    if direction in (_D.ADD, _D.ENABLE, _D.DISABLE) and plus == 1.0 and minus < 1.0:
        return Stand.AGREES
    if direction is _D.REMOVE and minus == 1.0 and plus < 1.0:
        return Stand.AGREES
    return Stand.SILENT
