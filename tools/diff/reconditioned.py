"""Errors of Python that are raised in the same words, and under another condition than before."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agent.facts import FactKind
from tools.diff.draft import Draft, Span, Where
from tools.diff.hunks import Patch, Side
from tools.diff.reading import Site
from tools.diff.site_heirs import ASSERTED

_LONGEST, _LONGEST_CONDITION = 120, 8
"""Letters of a condition that is told, and lines that one may have."""
_BRANCHES = ("if ", "if(", "elif ")
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*|\d[\w.]*|[<>=!]=?|[^\s\w]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"\d")
_WORDS = frozenset({"not", "and", "or", "in", "is", "None", "True", "False", "if", "else", "for", "lambda"})
_BRACKETS = ("(", ")")
_EQUAL = {"is": "=="}
_SIGNS = frozenset({"<", "<=", ">", ">=", "==", "!=", "-"})
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_JOIN = re.compile(r"[(\[{]|[)\]}]|\b(?:and|or)\b")
_COMPARED = re.compile(r" (not in|is not|in|is|[<>=!]=|[<>]) ")
_OPPOSITE = {"==": "!=", "<": ">=", ">": "<=", "in": "not in", "is": "is not"}
_OPPOSITE |= {other: one for one, other in _OPPOSITE.items()}
_CALL = re.compile(r"(?:not )?((?:\w+\.)*\w+)\(")
_BUILT_IN = frozenset(("isinstance", "issubclass", "hasattr", "len", "any", "all", "bool", "set", "callable"))
_SIDES: tuple[Side, Side] = ("old", "new")
_TOLD = (FactKind.ERROR_CHANGED, FactKind.LIMIT_CHANGED)


class _Asked(NamedTuple):
    """A condition, taken apart; of `self.config.size` only `size` counts, however code gets at it."""

    parts: frozenset[str]
    tokens: tuple[str, ...]
    names: frozenset[str]
    calls: frozenset[str]
    joins: frozenset[str]


def reconditioned(old: Iterable[Site], new: Iterable[Site], patch: Patch, told: Sequence[Draft]) -> Iterator[Draft]:
    """Tell the errors whose condition is another one now, where no other fact of these lines says so."""
    changed = patch.removed, patch.added
    if not all(changed):
        return
    pairs = list(_pairs(list(_worded(old)), list(_worded(new))))
    spans = [(draft.where.old, draft.where.new) for draft in told if draft.kind in _TOLD]
    # Hardly any patch has such errors, and then its lines need no looking at.
    texts = [_texts(patch, side) for side in _SIDES] if pairs else ()
    for one, other in pairs:
        where = Where(*(_span(site, lines) for site, lines in zip((one, other), texts, strict=True)))
        if not all(_touches(span, lines) for span, lines in zip(where, changed, strict=True)):
            continue
        if any(_overlap(where.old, mine) or _overlap(where.new, its) for mine, its in spans):
            continue
        if _differ(_refused(one), _refused(other), patch):
            words = _written(one), _written(other)
            yield Draft(FactKind.ERROR_CHANGED, other.name, one.public, where, *words, one.scope or None)


def _worded(sites: Iterable[Site]) -> Iterator[Site]:
    return (site for site in sites if site.kind == "error" and site.value and 0 < len(site.guard) <= _LONGEST)


def _pairs(old: Sequence[Site], new: Sequence[Site]) -> Iterator[tuple[Site, Site]]:
    """Pair the errors that alone in their function have these words, and stand in the same branches."""
    counts = [Counter(map(_key, sites)) for sites in (old, new)]
    after = {_key(site): site for site in new}
    for one in old:
        key = _key(one)
        other = after.get(key)
        if other is None or counts[0][key] > 1 or counts[1][key] > 1:
            continue
        if one.guard != other.guard and one.under == other.under:
            yield one, other


def _key(site: Site) -> tuple[str, str | None, str]:
    return site.name, site.value, site.scope


def _texts(patch: Patch, side: Side) -> dict[int, str]:
    """Give the lines that hunks show of one version, by their numbers."""
    return {
        number: line.strip()
        for hunk in patch.hunks
        for number, line in enumerate(hunk.side(side), start=hunk.span(side)[0])
    }


def _span(site: Site, texts: Mapping[int, str]) -> Span:
    """Give the lines of an error with those of the condition above it."""
    above = range(site.start - 1, site.start - 1 - _LONGEST_CONDITION, -1) if site.name != ASSERTED else ()
    return next((at for at in above if texts.get(at, "").startswith(_BRANCHES)), site.start), site.end


def _touches(span: Span | None, lines: Iterable[int]) -> bool:
    return span is not None and any(span[0] <= number <= span[1] for number in lines)


def _overlap(one: Span | None, other: Span | None) -> bool:
    return one is not None and other is not None and one[0] <= other[1] and other[0] <= one[1]


def _refused(site: Site) -> str:
    """Write what an error is raised for; of an assertion, what it asks for."""
    return site.guard if site.name == ASSERTED else _written(site).partition(" ")[2]


def _written(site: Site) -> str:
    """Write when an error is raised: `if n > size`."""
    guard = site.guard
    if site.name != ASSERTED:
        if guard.startswith("not (") and _closes_last(guard[4:]):
            return f"if {guard[5:-1]}"
        compared = _COMPARED.findall(guard)
        if len(compared) == 1 and not _JOIN.search(_quiet(guard)):
            return f"if {_COMPARED.sub(lambda found: f' {_OPPOSITE[found[1]]} ', guard)}"
        if guard.startswith("not ") and len(_parts(guard)) == 1:
            return f"if {guard[4:]}"
    return f"unless {guard}"


def _quiet(text: str) -> str:
    """Leave out brackets in which nothing is joined."""
    return text if re.search(r"\b(?:and|or|if|for)\b", text) else re.sub(r"[()\[\]{}]", "", text)


def _closes_last(text: str) -> bool:
    """Tell whether the bracket that opens a text is the one that ends it."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0:
            return at == len(text) - 1
    return False


def _differ(old: str, new: str, patch: Patch) -> bool:
    """Tell whether two conditions ask for something else, as far as the lines shown can tell."""
    one, other = _asked(old), _asked(new)
    if one.tokens == other.tokens or one.tokens == _turned(other.tokens):
        return False
    if (asked := _asks_one_thing(old)) and asked == _asks_one_thing(new):
        # Whatever a function of the project is handed now, it answers the same question.
        return False
    if one.parts < other.parts or other.parts < one.parts:
        return not _is_asked_elsewhere(one, other, patch)
    if one.calls != other.calls or one.joins != other.joins:
        return False
    gone, come = one.names - other.names, other.names - one.names
    if len(gone) == len(come) == 1:
        return not _is_renamed((min(gone), old), (min(come), new), patch)
    went, came = Counter(one.tokens) - Counter(other.tokens), Counter(other.tokens) - Counter(one.tokens)
    # A name may stand for the word or number in whose place it is.
    if (gone and (come or _is_literal(came))) or (come and _is_literal(went)):
        return False
    # Other numbers are limits, which are told by themselves where they let something else through.
    return any(token not in _SIGNS and not _NUMBER.match(token) for token in went | came)


def _asks_one_thing(condition: str) -> str:
    """Name the function, none of Python's own, whose answer is all of a condition."""
    found = _CALL.match(condition)
    if found is None or found[1] in _BUILT_IN or not _closes_last(condition[found.end() - 1 :]):
        return ""
    return found[0]


def _is_literal(tokens: Iterable[str]) -> bool:
    return any(token[0] in "\"'0123456789" for token in tokens)


def _asked(condition: str) -> _Asked:
    tokens = [
        re.sub(r"\s", "", token).rpartition(".")[2] if _NAME.match(token) else token.replace("'", '"')
        for token in _TOKEN.findall(condition)
    ]
    shown = tuple(_EQUAL.get(token, token) for token in tokens if token not in _BRACKETS)
    named = [at for at, token in enumerate(tokens) if _NAME.match(token) and token not in _WORDS]
    calls = {tokens[at] for at in named if tokens[at + 1 : at + 2] == ["("]}
    names = {tokens[at] for at in named} - calls
    joins = {token for token in tokens if token in ("and", "or")}
    return _Asked(_parts(condition), shown, frozenset(names), frozenset(calls), frozenset(joins))


def _parts(condition: str) -> frozenset[str]:
    """Split a condition where it is joined outside of brackets."""
    depth, last, parts = 0, 0, list[str]()
    for sign in _JOIN.finditer(condition):
        if sign[0] in "([{":
            depth += 1
        elif sign[0] in ")]}":
            depth -= 1
        elif depth == 0 and sign[0] in ("and", "or"):
            parts.append(condition[last : sign.start()].strip())
            last = sign.end()
    return frozenset(part.replace("self.", "") for part in (*parts, condition[last:].strip()))


def _turned(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Write a comparison from its other side: `a > b`, `b < a`."""
    signs = [at for at, token in enumerate(tokens) if token in _SIGNS - {"-"}]
    if len(signs) != 1:
        return tokens
    at = signs[0]
    return (*tokens[at + 1 :], _FLIPPED.get(tokens[at], tokens[at]), *tokens[:at])


def _is_asked_elsewhere(one: _Asked, other: _Asked, patch: Patch) -> bool:
    """Tell whether the part that came or went has its names on other changed lines: an early return may ask for it."""
    sides = (one.parts - other.parts, patch.added), (other.parts - one.parts, patch.removed)
    for parts, lines in sides:
        names = {name for part in parts for name in _asked(part).names | _asked(part).calls}
        words = {word for line in lines.values() for word in _NAME.findall(line)}
        if names & words:
            return True
    return False


def _is_renamed(gone: tuple[str, str], come: tuple[str, str], patch: Patch) -> bool:
    """Tell whether a name in place of another may well stand for the same thing; each comes with its condition."""
    texts = [list(_texts(patch, side).values()) for side in _SIDES]
    changed = [
        sum(name in _NAME.findall(line) for line in lines.values())
        for name, lines in ((gone[0], patch.removed), (come[0], patch.added))
    ]
    if min(changed) > 1 or not any(gone[0] in _NAME.findall(line) for line in texts[1]):
        return True
    return _holds(come, gone[1], texts[1]) or _holds(gone, come[1], texts[0])


def _holds(named: tuple[str, str], other: str, lines: Iterable[str]) -> bool:
    """Tell whether a name holds what the other condition asks about: `size = len(items)`."""
    name, condition = named
    held = re.compile(rf"(?:self\.)?{name}(?:\s*:[^=]*)?\s*=\s*([^=].*)")
    place = re.compile(rf"(?:\w+\.)*\b{name}\b")
    values = [found[1] for line in lines if (found := held.match(line))]
    asked = _asked(other).tokens
    return any(_asked(value.join(place.split(condition))).tokens == asked for value in values)
