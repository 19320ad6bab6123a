"""Sizes, times and shares of which the change itself says another figure, and abilities that it denies."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from agent.evidence import CommitEvidence
from agent.gate.units import Unit, unit_at

_NUMBER = re.compile(r"(?<![\w.#-])(\d{1,7}(?:\.\d{1,4})?)(?=[\s-]?[A-Za-zµμ%％毫微秒分小字])")
_PLAIN = re.compile(r"the|and|for|are|was|with|that|this|from|when|which|more|than|has|not|but|can|may|new|now")
_DIMENSIONS = ("size", "time", "ratio")
_BREAK = re.compile(r"[，。；：,;:（）()|]")
_FILE = re.compile(r"[\w./-]*/[\w./-]+|\w+\.(?:py|cu|cuh|h|cpp|md|json|toml|yaml|yml)\b")
_CLAUSE = re.compile(r"[，。；,;]")
_ABOUT = re.compile(r"(?:约|近|~|≈|about|around|roughly|nearly|almost)\s?$", re.IGNORECASE)
_MARK = re.compile(r"[\"“”]")
_AROUND, _SHARED, _ABLE = 200, 2, 3
_SUPPORTED = re.compile(r"已经?支持|现已支持|支持了|\b(?:now|already) supports?\b", re.IGNORECASE)
_UNSUPPORTED = re.compile(
    r"\b(?:does not|doesn't|do not|don't|is not|are not|not yet|cannot|isn't|aren't)(?: yet)? support(?:ed)?\b",
    re.IGNORECASE,
)
_BOUND = re.compile(r"`(?P<name>[A-Za-z_][\w.]*) ?(?P<sign><=|>=|<|>|==) ?(?P<value>\d[\d_.]*)`")
_DENIED = re.compile(r"不支持|尚未|暂不|未支持|\bnot\b|n't\b", re.IGNORECASE)


def overstated(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say which figure or refusal of a change a sentence has otherwise; nothing where none is told of the same."""
    texts = [shown for one in commits for shown in one.texts]
    return _other_figure(text, texts) or _denied(text, texts) or _other_bound(text, commits)


def _other_figure(text: str, texts: Sequence[str]) -> str:
    stated = list(_figures(text))
    known = [(figure, shown) for shown in texts for figure in _figures(shown)]
    amounts = {(unit.dimension, value * unit.size) for (_, _, value, unit), _ in known}
    said = {(unit.dimension, value * unit.size) for _, _, value, unit in stated}
    for start, end, value, unit in stated:
        amount = (unit.dimension, value * unit.size)
        # What stands in quotation marks is compared letter by letter.
        quoted = len(_MARK.findall(text, 0, start)) % 2 == 1
        roughly = _ABOUT.search(text, 0, start) and (quoted or any(_is_near(amount, one) for one in amounts))
        if amount in amounts or roughly:
            continue
        meant = _words(_clause_at(text, start, end))
        for (at, to, other, one), shown in known:
            told = (one.dimension, other * one.size)
            around = _words(shown[max(0, at - _AROUND) : to + _AROUND])
            if one == unit and told not in said and len(meant & around) >= _SHARED:
                return f"the change says {shown[at:to]}, not {text[start:end]}"
    return ""


def _clause_at(text: str, start: int, end: int) -> str:
    """Give the words that a figure stands with; who names a file speaks of its size, not of what it says."""
    first = max((mark.end() for mark in _BREAK.finditer(text, 0, start)), default=0)
    last = _BREAK.search(text, end)
    return _FILE.sub(" ", text[first : last.start() if last else len(text)])


def _is_near(stated: tuple[str, Decimal], real: tuple[str, Decimal]) -> bool:
    """Tell whether a rounded figure may stand for another one."""
    return stated[0] == real[0] and abs(stated[1] - real[1]) * 4 <= abs(real[1])


def _figures(text: str) -> Iterator[tuple[int, int, Decimal, Unit]]:
    """Find numbers with a unit of size, of time or of share."""
    for found in _NUMBER.finditer(text):
        unit, end = unit_at(text, found.end())
        # A single letter is a name as often as a unit.
        lettered = re.fullmatch(r"[\s-]?[sh]", text[found.end() : end])
        if unit is not None and unit.dimension in _DIMENSIONS and not lettered:
            yield found.start(), end, Decimal(found[1]), unit


def _denied(text: str, texts: Sequence[str]) -> str:
    """Find a line that says of the same things that they are not supported, and none that says they are."""
    for clause in _CLAUSE.split(text):
        if not _SUPPORTED.search(clause) or _DENIED.search(clause):
            continue
        meant = {_stem(word) for word in _words(clause, 2)}
        for line in (line for shown in texts for line in shown.split("\n") if line[:1] != "-"):
            if _UNSUPPORTED.search(line) and len(meant & {_stem(word) for word in _words(line, 2)}) >= _ABLE:
                return f"the change says that it is not: “{line.strip('+ ')[:160]}”"
    return ""


def _other_bound(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Find a comparison that nobody writes, where the lines behind the change have it with another number."""
    for found in _BOUND.finditer(text):
        left = rf"(?<![\w.]){re.escape(found['name'])}\s*{re.escape(found['sign'])}\s*"
        stated = re.compile(rf"{left}{re.escape(found['value'])}(?![\w.])")
        if any(stated.search(shown) for one in commits for shown in one.texts):
            continue
        other = re.compile(rf"{left}\d[\d_.]*(?![\w.])")
        lines = (line for one in commits for file in one.change.files for line in (file.patch or "").split("\n"))
        if real := next((shown for line in lines if line[:1] in "+ " and (shown := other.search(line))), None):
            return f"the change has {real[0]}, not {found[0].strip('`')}"
    return ""


def _words(text: str, least: int = 3) -> set[str]:
    found = (word.lower() for word in re.findall(rf"[A-Za-z]\w{{{least - 1},60}}", text))
    return {word for word in found if not _PLAIN.fullmatch(word)}


def _stem(word: str) -> str:
    return word.removesuffix("s")
