"""Whether the evidence bears out what a sentence says was done."""

import re
from collections.abc import Sequence

from agent.gate.act import Act
from agent.gate.direction import FITS, Direction
from agent.gate.exchanges import exchange_stand
from agent.gate.ground import Ground, occurs
from agent.gate.named_facts import direction_of, directions_of, last_part, names_in
from agent.gate.orders import NUMBER, last_number, order
from agent.gate.prose import Token
from agent.gate.stand import Stand, against
from agent.gate.talk import BETTER, said_acts, spoken_of, worded_stand
from agent.gate.words_zh import IMPROVES

_D = Direction


def stand_of(act: Act, ground: Ground) -> Stand:
    """Hold one act against the evidence."""
    if act.direction is _D.FIX:
        return Stand.AGREES
    if act.word in IMPROVES and not (act.old or act.new or act.objects):
        return Stand.AGREES if BETTER.search(ground.spoken) else _object_stand(act, ground)
    values = exchange_stand(act, ground)
    if values is Stand.OPPOSES or act.direction is _D.CHANGE:
        return values
    if values is Stand.AGREES and act.direction in (_D.RENAME, _D.REPLACE, _D.RAISE, _D.LOWER) and (act.old or act.new):
        return Stand.AGREES
    stand = _object_stand(act, ground)
    return Stand.SILENT if values is Stand.SILENT and stand is Stand.AGREES else stand


def _is_turned(act: Act, ground: Ground) -> bool:
    """Tell whether something is said to leave the file it came into, or to come into the one it left."""
    names = [last_part(token.text) for token in act.objects]
    for token, left in ((act.old, True), (act.new, False)):
        tail = f"/{token.text.strip('/')}" if token is not None and token.path else None
        for hunk in ground.hunks if tail else ():
            if tail is not None and f"/{hunk.file}".endswith(tail):
                right, wrong = (hunk.removed, hunk.added) if left else (hunk.added, hunk.removed)
                if any(_only_on(name, wrong, right) for name in names):
                    return True
    return False


def _object_stand(act: Act, ground: Ground) -> Stand:
    if act.direction is _D.MOVE and _is_turned(act, ground):
        return Stand.OPPOSES
    if act.direction in (_D.REVERT, _D.RELAND):
        return _lineage(act, ground)
    if act.objects:
        stands = [_named(token, act.direction, ground) for token in act.objects]
        if Stand.OPPOSES in stands:
            return Stand.OPPOSES
        return Stand.SILENT if Stand.SILENT in stands else Stand.AGREES
    stand = worded_stand(act, ground)
    if stand is Stand.SILENT and act.near and act.direction in (_D.ADD, _D.REMOVE):
        # Tests for `x`: where x itself came, so did they.
        beside = {_lines_stand(token.text, act.direction, ground) for token in act.near}
        return Stand.AGREES if beside == {Stand.AGREES} else stand
    return stand


def _lineage(act: Act, ground: Ground) -> Stand:
    direction, ways = act.direction, {direction_of(fact) for fact in ground.facts}
    if direction in ways:
        return Stand.AGREES
    if direction is _D.RELAND and _D.REVERT in ways and not act.objects and not act.words:
        # A revert brings back what it names, not the commit that it undoes.
        return Stand.OPPOSES
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
    told = spoken_of(name, direction, ground)
    if told is Stand.AGREES:
        return told
    if direction in (_D.ENABLE, _D.DISABLE) and (switch := _switched(last_part(name), ground)) is not None:
        return Stand.AGREES if switch is direction else Stand.OPPOSES
    lines = _lines_stand(name, direction, ground)
    if lines is Stand.AGREES and told is Stand.OPPOSES and direction in (_D.ENABLE, _D.DISABLE):
        # A name comes into a list: people say whether of what is on or of what is off.
        return Stand.SILENT
    if lines is Stand.AGREES and not facts & against(direction):
        return lines
    # What people say against it may be meant of another part of the change.
    return Stand.OPPOSES if lines is Stand.OPPOSES or facts & against(direction) else Stand.SILENT


_ON, _OFF = frozenset({"true", "1", "on", "yes"}), frozenset({"false", "0", "off", "no"})


def _switched(name: str, ground: Ground) -> Direction | None:
    """Say whether the added lines set a name to something that is on or off, and all to the same."""
    given = re.compile(
        rf"(?<!\w){re.escape(name)}\b[\"'\]]*\s*(?:=|:(?!=)|\.set\(|,|:\s*bool\s*=)\s*[\"']?(True|False|on|off|yes|no|0|1)\b",
        re.IGNORECASE,
    )
    values = {value.lower() for value in given.findall(ground.added)}
    if values and values <= _ON:
        return _D.ENABLE
    return _D.DISABLE if values and values <= _OFF else None


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
            gone = direction in (_D.RENAME, _D.MOVE, _D.REMOVE, _D.REPLACE)
            return Stand.AGREES if gone else Stand.OPPOSES if direction is _D.ADD else Stand.SILENT
    return None


def _lines_stand(name: str, direction: Direction, ground: Ground) -> Stand:
    token = last_part(name)
    plus, minus, rest = (occurs(token, text) for text in (ground.added, ground.removed, ground.around))
    if direction in (_D.ADD, _D.ENABLE):
        if plus and not minus and not rest:
            return Stand.AGREES
        # A guard that goes may be what enables something.
        return Stand.OPPOSES if minus and not plus and direction is _D.ADD else Stand.SILENT
    if direction in (_D.REMOVE, _D.DISABLE):
        if minus and not plus:
            return Stand.AGREES
        return Stand.OPPOSES if plus and not minus and not rest and direction is _D.REMOVE else Stand.SILENT
    if direction is _D.MOVE:
        leaves = any(_only_on(token, hunk.removed, hunk.added) for hunk in ground.hunks)
        arrives = any(_only_on(token, hunk.added, hunk.removed) for hunk in ground.hunks)
        return Stand.AGREES if leaves and arrives else Stand.SILENT
    if direction in (_D.RAISE, _D.LOWER):
        return _numbers_stand(token, direction, ground)
    if direction is _D.DEPRECATE and _is_deprecated(token, ground):
        return Stand.AGREES
    return Stand.SILENT


_DEPRECATES = re.compile(r"deprecat|弃用|废弃", re.IGNORECASE)


def _is_deprecated(token: str, ground: Ground) -> bool:
    lines = (*ground.said, *ground.added.split("\n"))
    return any(_DEPRECATES.search(line) and occurs(token, line) for line in lines)


def _only_on(token: str, lines: Sequence[str], others: Sequence[str]) -> bool:
    return any(occurs(token, line) for line in lines) and not any(occurs(token, line) for line in others)


def _numbers_stand(token: str, direction: Direction, ground: Ground) -> Stand:
    """Compare the numbers beside a name before and after, where one line became the other."""
    ways: set[int] = set()
    for fact in ground.facts:
        if token in names_in(fact.name) | names_in(fact.detail) and fact.old and fact.new:
            ways.add(order(*(last_number(text) for text in (fact.old, fact.new))))
    for hunk in ground.hunks:
        shapes = {NUMBER.sub("0", line).strip(): line for line in hunk.added if occurs(token, line)}
        for line in hunk.removed:
            after = shapes.get(NUMBER.sub("0", line).strip()) if occurs(token, line) else None
            if after is not None:
                ways.update(order(a, b) for a, b in zip(NUMBER.findall(line), NUMBER.findall(after), strict=True))
    ways.discard(0)
    # Without values the sentence may speak of something else than the number that went the other way.
    return Stand.AGREES if ways == {1 if direction is _D.RAISE else -1} else Stand.SILENT
