"""What a sentence claims beyond the change itself: that something is not so, is always so, is why, or will be."""

from collections.abc import Callable, Iterable, Sequence

from agent.claims import Judgement
from agent.facts import FactKind
from agent.gate import words_en as en
from agent.gate import words_zh as zh
from agent.gate.content import stems_of
from agent.gate.direction import Direction
from agent.gate.ground import Ground
from agent.gate.holding import Stand, stand_of
from agent.gate.lists import listed
from agent.gate.prose import Kind, Token
from agent.gate.reading import Reading, undecided, unsupported
from agent.gate.stems import Vocabulary, words_of

_ONLY = (FactKind.ONLY_TESTS, FactKind.ONLY_DOCS, FactKind.ONLY_CI, FactKind.ONLY_FORMATTING, FactKind.ONLY_COMMENTS)
_ABSOLUTE_SAID = listed("所有 全部 完全 任何 始终 仅 只 一律") | en.ABSOLUTE_STEMS
_OPINION_STEMS = {
    "显著": "significant substantial great dramatic notabl marked larg",
    "大幅": "significant substantial great dramatic larg massiv drastic",
    "极大": "significant great dramatic huge massiv",
    "明显": "significant obvious clear notabl",
    "重大": "major signific critical",
    "巨大": "huge massiv larg",
    "重要": "import critical major",
    "关键": "critical key crucial",
    "核心": "core key",
    "严重": "severe serious critical",
    "大量": "many massiv larg lot",
    "非常": "very",
    "十分": "very",
    "完善": "complet improv full",
    "全新": "new brand",
    "强大": "power",
}
_FORECAST_STEMS = listed(
    "will shall likel probab expect futur should would plan soon upcom eventual potential next later todo follow"
)


def check_negation(reading: Reading) -> Judgement | None:
    """Demand for a no that the evidence says no about the same thing."""
    for act in reading.acts:
        if act.negated and act.direction is not Direction.FIX:
            stand = stand_of(act, reading.ground)
            if stand is Stand.AGREES and (act.objects or act.words):
                return unsupported("negation", f"the evidence shows that it was {act.direction.value}")
            if stand is Stand.SILENT and act.objects:
                continue
    for place, token in enumerate(reading.tokens):
        if _negates(reading.tokens, place) and not _said_no(reading, place):
            return undecided("negation", f"nothing in the evidence says {token.text!r} of this")
    return None


def _negates(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.kind is Kind.HAN:
        return token.text in zh.NEGATIONS
    return token.kind is Kind.WORD and (token.lower in en.NEGATIONS or token.lower.endswith(("n't", "n’t")))


def _said_no(reading: Reading, place: int) -> bool:
    """Look for a line that says no and shares a word with what is denied."""
    denied = stems_of(reading.tokens[place + 1 : place + 7]) or stems_of(reading.tokens[max(0, place - 6) : place])
    return _near(reading.ground, denied, en.NEGATIVE | {"不", "没", "无", "未"}, code=True)


def _near(ground: Ground, stems: Sequence[frozenset[str]], wanted: frozenset[str], *, code: bool = False) -> bool:
    """Tell whether some line has one of the wanted words and one of the stems."""
    lines: Iterable[str] = (*ground.said, *ground.remarks)
    if code:
        told = (" ".join(filter(None, (fact.kind.value, fact.name, fact.new, fact.old))) for fact in ground.facts)
        lines = (*lines, *told)
    for line in lines:
        words = Vocabulary(words_of(line.replace("n't", " not")))
        if not any(words.has_stem(one) or (not one.isascii() and one in line) for one in wanted):
            continue
        if not stems or any(words.has_stem(one) for group in stems for one in group):
            return True
    return False


def check_absolutes(reading: Reading) -> Judgement | None:
    """All, always, completely: only where the evidence says so of the same thing, or code counted it."""
    doubtful: Judgement | None = None
    for place, token in enumerate(reading.tokens):
        if token.kind not in (Kind.WORD, Kind.HAN):
            continue
        hard = token.lower in en.ABSOLUTES or token.text in zh.ABSOLUTES
        soft = token.lower in en.SOFT_ABSOLUTES or token.text in zh.SOFT_ABSOLUTES
        if not (hard or soft) or _is_counted(reading):
            continue
        around = stems_of(reading.tokens[max(0, place - 4) : place] + reading.tokens[place + 1 : place + 5])
        if _near(reading.ground, around, _family(token)):
            continue
        if hard:
            return unsupported("absolute", f"{token.text!r} is more than the evidence says")
        doubtful = doubtful or undecided("absolute", f"{token.text!r} may be more than the evidence says")
    return doubtful


def _family(token: Token) -> frozenset[str]:
    """Which words of the evidence may stand behind an absolute."""
    only = listed("only sole exclus just mere singl restrict limit")
    if token.lower in ("only", "solely", "exclusively") or token.text in zh.SOFT_ABSOLUTES:
        return only | listed("entir whole uniqu") | listed("仅 只 整个 唯一")
    never = listed("never no not none cannot")
    return never if token.lower in ("never", "none", "nothing", "nobody") else _ABSOLUTE_SAID - never - only


def _is_counted(reading: Reading) -> bool:
    """Code knows of some commits that they touch nothing but tests, documents or the like."""
    return any(fact.kind in _ONLY for fact in reading.ground.facts)


def check_causes(reading: Reading) -> Judgement | None:
    """Why something happened is said only where the evidence connects the same two things."""
    for place, token in enumerate(reading.tokens):
        causal = token.kind is Kind.WORD and token.lower in en.CAUSES
        if not causal and not (token.kind is Kind.HAN and token.text in zh.CAUSES):
            continue
        before, after = stems_of(reading.tokens[:place]), stems_of(reading.tokens[place + 1 :])
        if not _connected(reading.ground, before, after):
            return undecided("cause", f"the evidence does not connect what {token.text!r} connects")
    return None


def _connected(ground: Ground, before: Sequence[frozenset[str]], after: Sequence[frozenset[str]]) -> bool:
    lines = (*ground.said, *ground.remarks)
    for number, line in enumerate(lines):
        words = Vocabulary(words_of(line))
        if not any(words.has_stem(one) for one in en.CAUSE_STEMS):
            continue
        both = Vocabulary(words_of(" ".join(lines[max(0, number - 1) : number + 2])))
        if _most(after, both) and (not before or _some(before, both)):
            return True
    return False


def _some(stems: Sequence[frozenset[str]], words: Vocabulary) -> bool:
    return any(words.has_stem(one) for group in stems for one in group)


def _most(stems: Sequence[frozenset[str]], words: Vocabulary) -> bool:
    hits = sum(any(words.has_stem(one) for one in group) for group in stems)
    return bool(stems) and hits * 2 >= len(stems)


def check_forecasts(reading: Reading) -> Judgement | None:
    """Allow what will be and how good it is only in the evidence's own words."""
    doubtful: Judgement | None = None
    spoken = Vocabulary(words_of(" ".join((*reading.ground.said, *reading.ground.remarks))))
    literal = reading.ground.text
    for token in reading.tokens:
        if token.kind not in (Kind.WORD, Kind.HAN):
            continue
        word = token.lower
        if word in en.FORECASTS or word in zh.FORECASTS:
            if not any(spoken.has_stem(one) for one in _FORECAST_STEMS) and word not in literal:
                return unsupported("forecast", f"{token.text!r} tells what is not in the evidence")
        elif word in en.OPINIONS and not spoken.has(word):
            return unsupported("opinion", f"{token.text!r} is an opinion that is not in the evidence")
        elif word in zh.OPINIONS and word not in literal:
            stems = _OPINION_STEMS.get(word, "").split()
            if not any(spoken.has_stem(one) for one in stems):
                soft = word in zh.SOFT_OPINIONS
                verdict: Callable[[str, str], Judgement] = undecided if soft else unsupported
                doubtful = doubtful or verdict("opinion", f"{token.text!r} is an opinion that is not in the evidence")
        elif (word in en.HEDGES or word in zh.HEDGES) and not _hedged(spoken):
            doubtful = doubtful or undecided("forecast", f"{token.text!r}: the evidence does not say so")
    return doubtful


def _hedged(spoken: Vocabulary) -> bool:
    return any(
        spoken.has_stem(one) for one in ("may", "might", "could", "can", "possibl", "potential", "would", "risk")
    )
