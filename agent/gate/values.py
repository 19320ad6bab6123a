"""Whether a number belongs to the words around it: the line that fits them best must have it, and not another one."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, takewhile

from agent.claims import Judgement
from agent.gate.content import stems_of
from agent.gate.ground import Ground
from agent.gate.lists import listed
from agent.gate.named_facts import last_part, names_in
from agent.gate.nearness import values_of
from agent.gate.prose import Kind, Token
from agent.gate.reading import Reading, undecided
from agent.gate.settled import settled
from agent.gate.stems import vocabulary

Wanted = str | frozenset[str]
"""A name as it stands in a line, or the stems that may stand for a word."""
_NUMBER = re.compile(r"(?<![A-Za-z_.\d])\d[\d_,]*(?:\.\d+)*(?:e[+-]?\d+)?", re.ASCII)
_BEFORE, _AFTER = 4, 2
_STOPS, _COMMAS = frozenset("；;。：:"), frozenset("，,（）()")
_MEASURED = re.compile(r"(\d+(?:\.\d+)?)[A-Za-z]{1,3}$")
_COUNTED = ("line", "lines", "file", "files", "commit", "commits", "行")
_TIMES = ("两倍", "三倍", "四倍", "五倍", "六倍", "七倍", "八倍")
_LINES, _LONGEST, _SHORT = 8000, 400, 30


def check_values(reading: Reading) -> Judgement | None:
    """Look for each number where its words are; numbers of another place do not count."""
    for rate in _RATE.finditer(reading.sentence.text):
        unit = _RATED[(rate["en"] or rate["zh"]).lower()]
        several = re.search(rf"(?:\bper|/)\s?(\d+|[a-z]+)[\s-]?{unit}", reading.ground.text, re.IGNORECASE)
        if several and not re.search(rf"(?:\bper|/|\beach|\ban?)\s?{unit}", reading.ground.text, re.IGNORECASE):
            return undecided("value", f"the evidence counts {several[0]!r}, not {rate[0]!r}")
    defaults = re.search(r"default|默认|缺省", reading.sentence.text, re.IGNORECASE) is not None
    names = [last_part(token.text) for token in reading.tokens if token.named] if defaults else []
    proved = settled(reading)
    for place, token in enumerate(reading.tokens):
        number = _value(token)
        if number is None or token in proved or _is_count(reading.tokens, place) or _is_fact(number, reading):
            continue
        real = _compared(reading.tokens, place, reading.ground)
        if real and _signed(token) not in real:
            return undecided(
                "value", f"{token.text} is said of a name that has {' or '.join(real[:3])} in the evidence"
            )
        if real:
            continue
        wanted = _nearest(reading.tokens, place)
        if wanted and not (_belongs(number, wanted, reading.ground) and _is_default(number, names, reading.ground)):
            return undecided("value", f"{token.text} stands in the evidence, but beside other words")
    return None


_RATED = {
    **dict.fromkeys(("second", "秒"), "s(?:ec|econd)?s?\\b"),
    **dict.fromkeys(("minute", "分钟"), "min(?:ute)?s?\\b"),
    **dict.fromkeys(("hour", "小时"), "h(?:ou)?rs?\\b"),
    **dict.fromkeys(("day", "天"), "days?\\b"),
}
_RATE = re.compile(r"\b(?:per|an?|each) (?P<en>second|minute|hour|day)\b|每(?P<zh>秒|分钟|小时|天)", re.IGNORECASE)
"""So many in a unit of time: `200 pulls per hour` is not `200 pulls/6hr`."""
_COMPARING = listed(
    "is are was equals exceeds exceed reaches above below over under at least most greater larger more less smaller "
    "fewer than to set when gives give gave yields yield yielded returns return returned becomes become "
    "大于 小于 超过 达到 等于 不超过 不小于 不大于 至少 至多 设为 为 高于 低于 = == > < >= <= ≥ ≤"
)


_BECOMES, _FAR = ("to", "为", "设为", "到"), 8


def _compared(tokens: Sequence[Token], place: int, ground: Ground) -> list[str]:
    """Give the values that the evidence has for the name that a number is said of: `x` exceeds 1, is reset to 0."""
    before = place - 1
    while before > 0 and tokens[before].lower in _COMPARING:
        before -= 1
    if before == place - 1:
        return []
    if tokens[before].named:
        return values_of(last_part(tokens[before].text), ground.text)
    # `room` entry is reset to 0: what stands between says what it is.
    named = [one for one in tokens[max(0, place - _FAR) : place] if one.named or one.kind is Kind.PUNCT]
    if tokens[place - 1].lower not in _BECOMES or not named or not named[-1].named:
        return []
    return values_of(last_part(named[-1].text), ground.added)


def _signed(token: Token) -> str:
    return token.text.replace("−", "-").strip("+~% f").replace(",", "")


def _is_fact(number: str, reading: Reading) -> bool:
    """Tell whether a fact gives that value to a name of the sentence."""
    names = {last_part(token.text) for token in reading.tokens if token.named or token.kind is Kind.WORD}
    facts = (fact for fact in reading.ground.facts if names_in(f"{fact.name} {fact.detail}") & names)
    values = (value for fact in facts for value in (fact.old, fact.new) if value and len(value) < _SHORT)
    return any(number in map(_plain, _NUMBER.findall(value)) for value in values)


def _is_count(tokens: Sequence[Token], place: int) -> bool:
    """Tell numbers of lines and files, which code counts."""
    behind = [token.lower for token in tokens[place + 1 : place + 4]]
    beside = (one for one in (*tokens[max(0, place - 2) : place], *tokens[place + 1 : place + 3]) if _is_signed(one))
    signed = _is_signed(tokens[place]) and (tokens[place].text[0] == "+" or any(beside))
    return signed or any(word in _COUNTED for word in behind[:2]) or "文件" in behind


def _is_signed(token: Token) -> bool:
    return token.kind is Kind.NUMBER and token.text[0] in "+-−"


def _value(token: Token) -> str | None:
    if token.kind is Kind.NUMBER or (token.kind is Kind.CODE and _NUMBER.fullmatch(token.text)):
        return _plain(token.text)
    if token.kind is Kind.WORD and (measured := _MEASURED.match(token.text)):
        return measured[1]
    if token.kind is Kind.HAN and token.text in _TIMES:
        return str(_TIMES.index(token.text) + 2)
    return None


def _plain(number: str) -> str:
    return number.strip("+-−~% f").replace(",", "").replace("_", "").removesuffix(".")


def _nearest(tokens: Sequence[Token], place: int) -> list[Wanted]:
    """Take the words and names that stand closest, of the clause first, never across a full stop."""
    for stops in (_COMMAS | _STOPS, _STOPS):
        before = _until(reversed(tokens[:place]), stops)
        after = _until(iter(tokens[place + 1 :]), stops)
        wanted = [*_wanted(before)[:_BEFORE], *_wanted(after)[:_AFTER]]
        if wanted:
            return wanted
    return []


def _wanted(tokens: Sequence[Token]) -> list[Wanted]:
    """Give names whole and words by their stems."""
    found: list[Wanted] = []
    for token in tokens:
        found += [last_part(token.text).lower()] if token.named else stems_of([token], trade=True)
    return found


def _until(tokens: Iterator[Token], stops: frozenset[str]) -> list[Token]:
    found = takewhile(lambda token: token.kind is not Kind.PUNCT or token.text not in stops, tokens)
    return [token for token in found if _value(token) is None]


def _belongs(number: str, wanted: Sequence[Wanted], ground: Ground) -> bool:
    """Compare the lines with numbers by how many of the words they have; the best must have this number."""
    best, own, written = 0, 0, False
    for numbers, line, changed in _numbered(ground):
        hits = sum(_weight(one, line) for one in wanted)
        # Of lines that fit alike, those that were changed are meant.
        score = 2 * hits + changed if hits else 0
        best = max(best, score)
        if number in numbers:
            written, own = True, max(own, score)
    # What is nowhere was counted by code, or is another check's.
    return not written or (own >= best and own > 0)


def _is_default(number: str, names: Sequence[str], ground: Ground) -> bool:
    """Tell whether one of the names is given that value, where it is given any; facts know best."""
    facts = [fact for fact in ground.facts if names_in(f"{fact.name} {fact.detail}") & set(names)]
    # The default of a parameter, not those of its function's other ones.
    facts = [fact for fact in facts if fact.detail in names] or facts
    given = {_plain(value) for fact in facts for value in _NUMBER.findall(f"{fact.old} {fact.new}")}
    for name in names if not given else ():
        typed = rf"(?<![\w$]){re.escape(name)}\b(?:\s*:[^=\n,()]{{0,40}})?"
        form = re.compile(rf"{typed}\s*[=:]\s*[\"']?(\d[\d_.]*)", re.ASCII)
        given |= {_plain(value) for value in form.findall(ground.text)}
    return not given or number in given


def _weight(wanted: Wanted, line: str) -> int:
    """Let a name count for more than a word."""
    if isinstance(wanted, str):
        return 2 * (wanted in line)
    words = vocabulary(line)
    return int(any(words.has_stem(one) for one in wanted))


@lru_cache(maxsize=128)
def _numbered(ground: Ground) -> tuple[tuple[frozenset[str], str, bool], ...]:
    """List the lines with numbers: of facts, of what people wrote, of the diff; and whether they were changed."""
    found = []
    for line, changed in islice(_lines(ground), _LINES):
        numbers = frozenset(_plain(number) for number in _NUMBER.findall(line))
        if numbers:
            found.append((numbers, line.lower(), changed))
    return tuple(found)


def _lines(ground: Ground) -> Iterator[tuple[str, bool]]:
    for fact in ground.facts:
        yield " ".join(filter(None, (fact.kind, fact.name, fact.old, fact.new, fact.detail))), True
    yield from ((line, True) for line in ground.said)
    for hunk in ground.hunks:
        yield from ((line[:_LONGEST], True) for line in (*hunk.added, *hunk.removed))
        yield from ((line[:_LONGEST], False) for line in (hunk.head, *hunk.around))
    yield from ((path, False) for path in ground.paths)
