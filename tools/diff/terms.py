"""The terms on which Python sets an option: a condition above it that came or went with it, or asks for something else.

    if args.backend == "slow" and not args.eager:
        args.overlap = False

Nothing is parsed here: the condition has to stand in the hunk as a whole, with nothing but statements between the two.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent.domain import FileChange
from agent.facts import FactKind
from tools.diff.draft import Draft
from tools.diff.exchanged import Exchange, Span, Way
from tools.diff.grouping import Shown
from tools.diff.hunks import Hunk, Side
from tools.diff.roles import Role, role
from tools.diff.written import CLOSE, OPEN, is_value, spelled, tokens_of

OPTION = re.compile(r"(?:^|\.|_)(?:args|config|cfg|options|opts|settings)\.[a-z]\w*$")
OWN = re.compile(r"self\.[a-z]\w*$")
UNSET = ("None", "[]", "{}", "()", '""', "''")
SWITCH = re.compile(
    r"^_?(?:use|enable|disable|allow|skip|should|can|is|has|needs?|force|supports?|requires?|with|no)_"
    r"|(?:enabled?|disabled?|supported|allowed|by_default)$"
)
_SETS = re.compile(r"([A-Za-z_][\w.]*)(?:\s*:[^=]+)?\s=\s(?!=)(.+)")
_GLANCE = re.compile(r"(?:self|args|config|cfg|options|opts|settings)\.[a-z]\w* = [A-Z\"'\d(\[-]")
_IF = re.compile(r"if\b(.*):$")
_SETTINGS = re.compile(r"(?:args|config|cfg|options|opts|settings)\b[.\[]")
_SWITCHED = ("True", "False")
_MEANS_THE_SAME = frozenset(("and", "is", "not", "None", "bool", "len", ">", "0", "!="))
"""What a condition may have more of without asking for anything else: `x`, `x is not None`."""
_JOINS = frozenset(("and", "or", "not"))
_LISTED = re.compile(r"(?<= in )[(\[{][^()\[\]{}]*[)\]}]")
_NAME = re.compile(r"[A-Za-z_]\w*")
LONGEST, _MOST = 240, 14
"""Letters of a condition that can be told, and lines that it may have."""
_SIDES: tuple[Side, Side] = ("old", "new")


class _Setting(NamedTuple):
    """A line that sets something to a written-out value, and the condition right above it."""

    target: str
    value: str
    condition: str
    sign: str
    signs: frozenset[str]
    """The signs of the lines of the condition."""
    span: Span
    """From the first line of the condition to the one that sets."""


def terms(hunk: Hunk) -> Iterator[Exchange]:
    """Find the options that a hunk no longer sets, sets newly or sets on other conditions."""
    text = hunk.text
    if not hunk.old_count or " if " not in text or " = " not in text or _GLANCE.search(text) is None:
        return
    old, new = (_settings(hunk, side) for side in _SIDES)
    for at, one in old.items():
        other = new.get(at)
        if other is not None and one.condition != other.condition:
            if asks_otherwise(one.condition, other.condition, hunk):
                yield Exchange("set", one.target, _told(one), _told(other), one.span, other.span, _way(one, other))
        elif one.sign == "-" and one.signs == {"-"}:
            yield Exchange("set", one.target, _told(one), "", one.span, hunk.span("new"), _way(one))
    for other in new.values():
        # An option that is set for the first time is told by its value.
        if other.sign == "+" and other.signs == {"+"} and _is_switched(other):
            yield Exchange("set", other.target, "", _told(other), hunk.span("old"), other.span, "terms")


def without_set_elsewhere(shown: Sequence[Shown], files: Sequence[FileChange]) -> list[Shown]:
    """Leave out what only came or went under a condition, where another changed line of the commit sets the same."""
    if not any(map(_is_one_sided, shown)):
        return list(shown)
    patches = [file.patch or "" for file in files if file.path.endswith(".py") and role(file.path) is not Role.TEST]
    return [one for one in shown if not _is_one_sided(one) or not _is_set_elsewhere(one.draft, patches)]


def _is_one_sided(one: Shown) -> bool:
    draft = one.draft
    told = draft.kind is FactKind.VALUE_CHANGED and (draft.old is None or draft.new is None)
    return told and " if " in (draft.old or draft.new or "") and "." in (draft.detail or "")


def _is_set_elsewhere(draft: Draft, patches: Sequence[str]) -> bool:
    own = (draft.detail or "").rpartition(".")[2]
    sets = re.compile(
        rf"\n([-+])[^\n]*\b{re.escape(own)}[\"']?\]?\s*(?::[^=\n]*)?=(?!=)|\n([-+])[^\n]*[\"']{re.escape(own)}[\"']"
    )
    signs = [found[1] or found[2] for patch in patches if own in patch for found in sets.finditer(patch)]
    here, there = "-+" if draft.new is None else "+-"
    # Where more lines of the same sign do so, all of it came or went.
    return there in signs or signs.count(here) > 1


def _settings(hunk: Hunk, side: Side) -> dict[int, _Setting]:
    """Read what one side sets under a condition, by the place of the line in the hunk."""
    places = [at for at, line in enumerate(hunk.lines) if line[:1] not in ("\\", "+" if side == "old" else "-")]
    lines = hunk.signed(side)
    first = hunk.span(side)[0]
    found: dict[int, _Setting] = {}
    for at, line in enumerate(lines):
        told = _set(line) if " = " in line else None
        above = _above(lines, at) if told is not None else None
        condition = _condition(lines[above[0] : above[1] + 1]) if above is not None else ""
        if told is not None and above is not None and condition:
            signs = frozenset(one[:1] or " " for one in lines[above[0] : above[1] + 1])
            span = first + above[0], first + at
            found[places[at]] = _Setting(*told, condition, line[:1] or " ", signs, span)
    return found


def _set(line: str) -> tuple[str, str] | None:
    """Read which option, or attribute of an object, a line sets to which written-out value."""
    found = _SETS.match(line[1:].strip())
    if found is None or not (OPTION.search(found[1]) or OWN.match(found[1])):
        return None
    tokens = tokens_of(found[2], python=True)
    value = spelled(tokens) if is_value(tokens) else ""
    return (found[1], value) if value and value not in UNSET else None


def _above(lines: Sequence[str], at: int) -> tuple[int, int] | None:
    """Find the first and the last line of the `if` under which a line stands."""
    depth = _depth(lines[at])
    for first in range(at - 1, -1, -1):
        line = lines[first]
        text = line[1:].strip()
        if not text or text[0] in "#)]}" or _depth(line) >= depth:
            continue
        return (first, last) if text.startswith("if") and (last := _end(lines, first, at)) is not None else None
    return None


def _end(lines: Sequence[str], first: int, at: int) -> int | None:
    """Find the line that ends a condition."""
    last = closed(lines[:at], first)
    return last if last is not None and lines[last].rstrip().endswith(":") else None


def closed(lines: Sequence[str], first: int) -> int | None:
    """Find the line on which all brackets are closed that a statement opens."""
    opened = 0
    for last in range(first, min(len(lines), first + _MOST)):
        text = lines[last][1:].strip()
        opened += sum(map(text.count, OPEN)) - sum(map(text.count, CLOSE))
        if opened <= 0 and not text.endswith("\\"):
            return last
    return None


def _condition(lines: Sequence[str]) -> str:
    """Write a condition on one line; nothing where it is long."""
    found = _IF.match(joined(lines))
    condition = unwrapped(found[1].strip()) if found is not None else ""
    return condition if len(condition) <= LONGEST else ""


def joined(lines: Sequence[str]) -> str:
    """Write the lines of a statement as one, without remarks."""
    texts = [text for line in lines if (text := line[1:].strip()) and not text.startswith("#")]
    return re.sub(r"(?<=[(\[{]) | (?=[)\]}])|,(?= ?[)\]}])", "", " ".join(texts).replace(" \\ ", " "))


def unwrapped(condition: str) -> str:
    """Leave out brackets around the whole."""
    depth = 0
    for at, sign in enumerate(condition):
        depth += (sign in OPEN) - (sign in CLOSE)
        if depth == 0:
            return condition[1:-1] if condition[0] == "(" and at == len(condition) - 1 else condition
    return condition


def _way(*settings: _Setting) -> Way:
    """Say how it shows that something is an option: by its name, its class, or what it depends on."""
    if OPTION.search(settings[0].target) or all(map(_is_switched, settings)):
        return "terms"
    return "own"


def _is_switched(setting: _Setting) -> bool:
    """Tell whether an object switches something on or off by what somebody asked for."""
    own = OWN.match(setting.target) is not None and SWITCH.search(setting.target.removeprefix("self."))
    return bool(own) and setting.value in _SWITCHED and _SETTINGS.search(setting.condition) is not None


def _told(setting: _Setting) -> str:
    return f"{setting.value} if {setting.condition}"


def asks_otherwise(one: str, other: str, hunk: Hunk) -> bool:
    """Tell whether a condition has all parts of the other and more: anything else may be a rename."""
    before, after = _parts(one), _parts(other)
    short, long = sorted((before, after), key=len)
    if short == long or not _is_within(short, long):
        return False
    extra = Counter(long) - Counter(short)
    # Whether there is anything to ask, one may ask first: `x is not None and x.fast`.
    first = {part for part in extra if any(other.startswith(f"{part}.") for other in short)}
    if set(extra) <= _MEANS_THE_SAME | first:
        return False
    # What else a function is given, it may have known before; what else is in a list, it was not asked for.
    if _JOINS.isdisjoint(extra) and _LISTED.sub("", one) != _LISTED.sub("", other):
        return False
    # What another line asks for now, or asked for before, was only put elsewhere.
    sign, shorter = ("-", one) if len(before) < len(after) else ("+", other)
    words = {name for line in hunk.lines if line[:1] == sign for name in _NAME.findall(line)}
    moved = words - {*_NAME.findall(shorter)}
    return moved.isdisjoint(name.rpartition(".")[2] for name in extra if _NAME.match(name))


def _parts(condition: str) -> list[str]:
    """Take a condition apart; brackets count for nothing."""
    return [part for part in tokens_of(condition, python=True) if part not in ("(", ")")]


def _is_within(short: Sequence[str], long: Sequence[str]) -> bool:
    """Tell whether all of one stands in the other, in the same order."""
    rest = iter(long)
    return all(part in rest for part in short)


def _depth(line: str) -> int:
    return len(line) - 1 - len(line[1:].lstrip(" "))
