"""Whether one value became another: old on the removed side, new on the added one, and never the other way round."""

import re
from collections.abc import Sequence

from agent.gate.act import Act
from agent.gate.direction import Direction
from agent.gate.ground import Ground, Hunk, occurs, whole
from agent.gate.named_facts import direction_of, directions_of, last_part
from agent.gate.orders import NUMBER, last_number, order
from agent.gate.prose import Kind, Token
from agent.gate.stand import Stand

_D = Direction
# Who demands less relaxes, whichever way the number goes.
_LIMITING = re.compile(r"\b(?:relax|loosen|tighten|widen|narrow)|放宽|收紧", re.IGNORECASE)
_REMARK = re.compile(r"(?<=\S)\s+(?:#|//)\s.*$")
_REPLACING = re.compile(r"\b(?:replac|chang|switch|instead|now|from|renam)", re.IGNORECASE)


def exchange_stand(act: Act, ground: Ground) -> Stand:
    """Hold the values of an act against the diff; an act without values has nothing against it."""
    old, new = _plain(act.old), _plain(act.new)
    if act.direction is _D.MOVE:
        # What moves is not where it comes from.
        return _moved("" if act.old in act.objects else old, new, ground)
    if old and new:
        way = order(old, new)
        if (act.direction is _D.RAISE and way < 0) or (act.direction is _D.LOWER and way > 0):
            if not _LIMITING.match(act.word):
                return Stand.OPPOSES
            if not _LIMITING.search(ground.spoken):
                return Stand.SILENT
        return _pair(old, new, ground, [last_part(token.text) for token in act.objects if token is not act.old])
    if (old or new) and act.direction in (_D.RAISE, _D.LOWER):
        return _half_pair(old, new, act.direction, ground)
    if new:
        return _one_side(new, ground.added, ground.removed, ground)
    if old and act.direction not in (_D.RENAME, _D.REPLACE):
        return _one_side(old, ground.removed, ground.added, ground)
    if not old:
        return Stand.AGREES
    stand = _one_side(old, ground.removed, ground.added, ground)
    # Later renamed `x` may tell the new name.
    return Stand.SILENT if stand is Stand.OPPOSES and act.direction is _D.RENAME else stand


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
    if (old and _is_on(old, ground.added, ground.removed, ground)) or (
        new and _is_on(new, ground.removed, ground.added, ground)
    ):
        return Stand.OPPOSES
    return Stand.AGREES


def _is_on(place: str, side: str, other: str, ground: Ground) -> bool:
    """Tell whether a place stands on one side of the diff alone; a file is named elsewhere."""
    return _in_any(place, side) and not any(_in_any(place, text) for text in (other, ground.around, *ground.paths))


def _half_pair(old: str, new: str, direction: Direction, ground: Ground) -> Stand:
    """Find the other value of a raised or lowered one, in a fact or in a line that differs in it alone."""
    ways: set[int] = set()
    for fact in ground.facts:
        if fact.old and fact.new and _in(old or new, fact.old if old else fact.new):
            ways.add(order(last_number(fact.old), last_number(fact.new)))
    for hunk in ground.hunks:
        ways.update(_number_ways(hunk, old or new, before=bool(old)))
    ways.discard(0)
    if len(ways) != 1:
        return Stand.SILENT
    return Stand.AGREES if (ways == {1}) is (direction is _D.RAISE) else Stand.OPPOSES


def _number_ways(hunk: Hunk, value: str, *, before: bool) -> set[int]:
    """Say which way numbers went on lines that differ in numbers alone and have this value on one side."""
    shapes = {NUMBER.sub("0", line).strip(): line for line in hunk.added}
    ways: set[int] = set()
    for line in hunk.removed:
        after = shapes.get(NUMBER.sub("0", line).strip())
        if after is not None and _in(value, line if before else after):
            ways.update(order(a, b) for a, b in zip(NUMBER.findall(line), NUMBER.findall(after), strict=True))
    return ways


def _plain(token: Token | None) -> str:
    """Give a value as code writes it."""
    if token is None:
        return ""
    text = token.text.strip().rstrip("%").strip("'\"")
    return text.replace(",", "") if token.kind is Kind.NUMBER else text


def _pair(old: str, new: str, ground: Ground, names: Sequence[str]) -> Stand:
    """Look for old on the removed and new on the added side of one place, and for the reverse."""
    facts = [
        (fact.old, fact.new)
        for fact in ground.facts
        if fact.old and fact.new and _of(names, f"{fact.name} {fact.detail} {fact.old}")
    ]
    if any(_in(old, before) and _in(new, after) and not _in(old, after) for before, after in facts):
        return Stand.AGREES
    if any(_in(new, before) and _in(old, after) and not _in(new, after) for before, after in facts):
        return Stand.OPPOSES
    hunks = [hunk for hunk in ground.hunks if _of(names, hunk.text)]
    if any(_turns(old, new, hunk) for hunk in hunks) or _told_pair(old, new, ground):
        return Stand.AGREES
    if any(_turns(new, old, hunk) for hunk in hunks) or _told_pair(new, old, ground):
        return Stand.OPPOSES
    if _told_in_turn(old, new, ground) or any(_leaves_default(name, old, new, ground) for name in names):
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


def _leaves_default(name: str, old: str, new: str, ground: Ground) -> bool:
    """Tell whether people give the old value as the default of a name to which lines that came give the new one."""
    given = any(occurs(name, line) and _in(new, line) for line in ground.added.split("\n"))
    form = re.compile(
        rf"(?<!\w){re.escape(name)}(?:'s)?\W{{1,4}}(?:\w+\W+){{0,3}}?(?:default\w*\W+(?:to|is|of|value)?\W*{re.escape(old)}"
        rf"|{re.escape(old)}\w*\W+(?:by )?default)(?!\w|\.\d)"
    )
    return given and any(form.search(line) for line in (*ground.said, *ground.remarks))


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
    removed = [line for line in map(_bare, hunk.removed) if _in(old, line)]
    added = {line for line in map(_bare, hunk.added) if _in(new, line)}
    return any(whole(old).sub(lambda _: new, line) in added for line in removed) if added else False


def _bare(line: str) -> str:
    """Leave out the remark behind a line of code."""
    return _REMARK.sub("", line).strip()


def _told_pair(old: str, new: str, ground: Ground) -> bool:
    """Tell whether people say that one became the other."""
    before, after = re.escape(old), re.escape(new)
    forms = (
        rf"from\s+\W*{before}\b.{{0,40}}?\bto\s+\W*{after}",
        rf"{before}\W{{0,3}}(?:->|→|=>)\W{{0,3}}{after}",
        rf"rename[ds]?\s+\W*{before}\W+(?:to|as|into)\s+\W*{after}",
        rf"replace[ds]?\s+\W*{before}.{{0,30}}?(?:with|by)\s+\W*{after}",
        rf"{after}\W{{0,3}}(?:instead of|rather than)\W+{before}",
        # A table of measurements has what was before what is.
        rf"\|\W*{before}\b[^|\n]{{0,12}}\|\W*{after}\b",
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
