"""Whether the evidence bears out what a sentence says was done."""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from agent.gate import acts_en
from agent.gate.act import Act
from agent.gate.direction import FITS, OPPOSITES, Direction
from agent.gate.glossary_zh import glossary
from agent.gate.ground import Ground, Hunk, occurs, whole
from agent.gate.named_facts import direction_of, directions_of, last_part, names_in
from agent.gate.prose import Kind, Sentence, Token
from agent.gate.stems import Vocabulary, stem, words_of
from agent.gate.words_en import DIRECTION_OF, FUNCTION, TRADE

_D = Direction
_PREFIX = re.compile(r"^\W*(?:\[[^\]]*\]\W*)*(?:(?P<kind>[a-z]+)(?:\([^)]*\))?!?:)?\s*", re.IGNORECASE)
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
    stands = [_values_stand(act, ground)]
    if act.direction is not _D.CHANGE and Stand.OPPOSES not in stands:
        stands.append(_object_stand(act, ground))
    if Stand.OPPOSES in stands:
        return Stand.OPPOSES
    valued = act.old is not None or act.new is not None
    if valued and stands[0] is Stand.AGREES and act.direction in (_D.RENAME, _D.REPLACE, _D.RAISE, _D.LOWER, _D.MOVE):
        return Stand.AGREES
    return Stand.SILENT if Stand.SILENT in stands else Stand.AGREES


# ---------------------------------------------------------------- values


def _values_stand(act: Act, ground: Ground) -> Stand:
    old, new = _plain(act.old), _plain(act.new)
    if old and new:
        way = _order(old, new)
        if (act.direction is _D.RAISE and way < 0) or (act.direction is _D.LOWER and way > 0):
            return Stand.OPPOSES
        return _pair(old, new, act, ground)
    if new and act.direction is not _D.MOVE:
        return _one_side(new, ground.added, ground.removed, ground)
    if old and act.direction not in (_D.MOVE,):
        return _one_side(old, ground.removed, ground.added, ground)
    return Stand.AGREES


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


def _pair(old: str, new: str, act: Act, ground: Ground) -> Stand:
    """Look for old on the removed and new on the added side of one place, and for the reverse."""
    for fact in ground.facts:
        if fact.old and fact.new and _in(old, fact.old) and _in(new, fact.new) and not _in(old, fact.new):
            return Stand.AGREES
        if fact.old and fact.new and _in(new, fact.old) and _in(old, fact.new) and not _in(new, fact.new):
            return Stand.OPPOSES
    if any(_turns(old, new, hunk) for hunk in ground.hunks) or _told_pair(old, new, ground):
        return Stand.AGREES
    if any(_turns(new, old, hunk) for hunk in ground.hunks) or _told_pair(new, old, ground):
        return Stand.OPPOSES
    if _in_any(old, ground.removed) and _in_any(new, ground.added):
        exclusive = not _in_any(old, ground.added) or not _in_any(new, ground.removed)
        return Stand.AGREES if exclusive else Stand.SILENT
    if _in_any(new, ground.removed) and _in_any(old, ground.added):
        return Stand.OPPOSES
    return Stand.SILENT


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
    if _in_any(value, right) or _in_any(value, ground.spoken):
        swapped = _in_any(value, wrong) and not _in_any(value, right)
        return Stand.OPPOSES if swapped else Stand.AGREES
    return Stand.OPPOSES if _in_any(value, wrong) else Stand.SILENT


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
        if Stand.SILENT not in stands:
            return Stand.AGREES
        return _worded(act, ground) if act.words else Stand.SILENT
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
    if "/" in name or token.kind is Kind.PATH:
        stand = _file(name, direction, ground)
        if stand is not None:
            return stand
    facts = directions_of(ground, name)
    if facts & FITS[direction]:
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
        return Stand.AGREES if plus and minus else Stand.SILENT
    if direction in (_D.RAISE, _D.LOWER):
        return _numbers_stand(token, direction, ground)
    return Stand.SILENT


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
    tokens = Sentence(line).tokens
    found = acts_en.acts(tokens)
    if kind in ("feat", "feature") and not found:
        words = tuple(token.lower for token in tokens if token.kind is Kind.WORD)
        found = (Act(_D.ADD, kind, tuple(token for token in tokens if token.named), (), words),)
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
    table = glossary()
    every = [(word, table.get(word) or frozenset({stem(word)})) for word in words if word not in FUNCTION]
    every = [(word, stems) for word, stems in every if word.isascii() or word in table]
    rare = [stems for word, stems in every if word not in TRADE and word not in DIRECTION_OF]
    return rare or [stems for _, stems in every]


def _shares(content: Sequence[frozenset[str]], vocabulary: Vocabulary) -> float:
    hits = sum(any(vocabulary.has_stem(one) for one in stems) for stems in content)
    return hits / len(content) if content else 0.0


def _worded(act: Act, ground: Ground) -> Stand:
    """Hold an object of plain words against what people say, then facts, then the lines."""
    content = _content((*act.words, *(part for token in act.objects for part in words_of(token.text))))
    if not content:
        return Stand.SILENT
    ways: set[Direction] = set()
    for line in (*ground.said, *ground.remarks):
        for said in said_acts(line):
            told = Vocabulary(words_of(" ".join((*said.words, *(token.text for token in (*said.objects, *said.near))))))
            if _shares(content, told) >= 0.5:
                ways.add(said.direction)
    for fact in ground.facts:
        told = Vocabulary(words_of(" ".join(filter(None, (fact.name, fact.old, fact.new, fact.detail, fact.kind)))))
        if _shares(content, told) >= 0.5:
            ways.add(direction_of(fact))
    if ways & FITS[act.direction]:
        return Stand.AGREES
    if ways & _against(act.direction):
        return Stand.OPPOSES
    return _lines_worded(act.direction, content, ground)


def _lines_worded(direction: Direction, content: Sequence[frozenset[str]], ground: Ground) -> Stand:
    """Take the weakest proof: all words of the object are on one side of the diff alone."""
    plus, minus = _shares(content, ground.added_words), _shares(content, ground.removed_words)
    if direction in (_D.ADD, _D.ENABLE, _D.DISABLE) and plus == 1.0 and minus < 1.0:
        return Stand.AGREES
    if direction is _D.REMOVE and minus == 1.0 and plus < 1.0:
        return Stand.AGREES
    return Stand.SILENT
