"""Where a sentence says no: the evidence must say no of the same thing, and yes where the sentence says yes."""

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.claims import Judgement
from agent.gate import words_en as en
from agent.gate import words_zh as zh
from agent.gate.act import Act
from agent.gate.closeness import said_near, share_of
from agent.gate.content import stems_of
from agent.gate.counted import ONLY
from agent.gate.direction import Direction
from agent.gate.ground import Ground, occurs
from agent.gate.holding import stand_of
from agent.gate.lists import listed
from agent.gate.prose import VALUES, Kind, Token, clauses
from agent.gate.reading import Reading, undecided, unsupported
from agent.gate.stand import Stand
from agent.gate.stems import vocabulary

_ALIKE, _VERY, _SURE = 0.5, 0.7, 0.8
_CLOSE = 5
_NO = re.compile(
    r"\b(?:not|no|never|without|neither|nor|cannot|none|nothing|unable|non|avoid\w*|prevent\w*|instead of|rather than|"
    r"stop\w*|skip\w*|disabl\w*|unsupported|un(?=[a-z]{4})|in(?=valid))\b|n['’]t\b|\bun(?=[a-z]{5})|不|没有|无|未",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:previously|would|used to|before|caus(?:ed|ing)|fix\w*|avoid\w*|prevent\w*|bug|crash\w*|fail\w*)\b|修复|之前",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"fail|crash|hang|error|leak|stall|break|overflow|corrupt|race|泄露|溢出|报错|失败|崩溃|卡|泄漏|异常|出错",
    re.IGNORECASE,
)
_NO_CODE = re.compile(
    r"\bno (?:code|functional|runtime|production|behaviou?r)|"
    r"(?:不涉及|没有|不改|未改|无)\w{0,4}(?:代码|功能|逻辑|行为)|"
    r"(?:代码|逻辑|功能|行为)[^，。]{0,4}(?:没|未|不)有?(?:变|改|动)"
)
_PLAIN_NO = re.compile(
    r"\b(?:not|no|never|without|cannot|none|nothing|unable|unsupported)\b|n['’]t\b|不|没|无|未", re.IGNORECASE
)


def check_negation(reading: Reading) -> Judgement | None:
    """Demand for a no that the evidence says no about the same thing."""
    for act in reading.acts:
        # In "must be None when x is not provided" nothing is said to have been done.
        if (
            act.negated
            and not act.soft
            and (act.objects or act.words)
            and stand_of(act, reading.ground) is Stand.AGREES
        ):
            # Everything in a diff was changed somehow.
            said = unsupported if act.objects and act.direction is not Direction.CHANGE else undecided
            return said("negation", f"the evidence shows that it was {act.direction.value}")
    for act in (_aimed(act, reading.tokens) for act in reading.acts if act.word in ("no", "不再")):
        if act.objects and stand_of(act, reading.ground) is Stand.OPPOSES:
            return undecided("negation", f"the evidence shows that {act.objects[0].text} came")
    twice = _denials(reading) > 1 and not _said_as_often(reading)
    for place, token in enumerate(reading.tokens):
        if not _negates(reading.tokens, place) or (not twice and _is_removed(reading, place)):
            continue
        if twice:
            return undecided("negation", "the sentence says no more often than the evidence does")
        if not _said_no(reading, place):
            return undecided("negation", f"nothing in the evidence says {token.text!r} of this")
    return None


def _aimed(act: Act, tokens: Sequence[Token]) -> Act:
    """Take as the object what stands right behind the verb and its preposition: no longer stops at `x`."""
    close = [token for token in tokens[act.place + 1 : act.place + _CLOSE] if token in act.near]
    return act if act.objects or not close else replace(act, objects=tuple(close[:1]))


def check_reported(reading: Reading) -> Judgement | None:
    """Hold what a message is said to say to it: where it says no of these words, so must the sentence."""
    reported = _REPORTED.search(reading.sentence.text)
    if reported is None or _denials(reading):
        return None
    told = stems_of([token for token in reading.tokens if token.start >= reported.end()], trade=True)
    for line in reading.ground.said:
        if len(told) > 1 and line not in reading.ground.titles and _alike(line, told, _VERY) and _PLAIN_NO.search(line):
            return undecided("negation", "the message says no where the sentence does not")
    return None


_REPORTED = re.compile(
    r"\b(?:message|description|author|body|comment)\s+(?:says|said|states|stated|calls|notes|explains|claims|reads)|"
    r"\baccording to\b|(?:说明|描述|正文|信息|注释|标题)(?:中|里|上)?(?:写明|写道|写着|称|提到|指出|表示|说)|"
    r"据(?:说明|描述|称)|按(?:提交)?说明",
    re.IGNORECASE,
)


def _negates(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.kind is Kind.HAN:
        return token.text in zh.NEGATIONS or token.text == "不再"
    if token.kind is not Kind.WORD or token.text == "None":
        return False
    if not (token.lower in en.NEGATIONS or token.lower.endswith(("n't", "n’t"))):
        return False
    # No more than eight is a limit, and if none is given a case: neither denies anything.
    return not any(after.lower in _NO_DENIAL for after in tokens[place + 1 : place + 2])


_NO_DENIAL = listed(
    "more less fewer later earlier set given specified provided passed present defined found configured supplied only "
    "just"
)


def _is_removed(reading: Reading, place: int) -> bool:
    """Read `no longer` as a removal; what used to fail is gone where people tell of the failure."""
    for act in reading.acts:
        if act.direction is Direction.REMOVE and act.place == place:
            behind = reading.tokens[place + 1 : place + 9]
            failing = stems_of(behind, trade=True)
            fails = any(_FAILURE.search(token.text) for token in behind)
            lines = [line for line in reading.ground.said if _BEFORE.search(line) and _alike(line, failing, _VERY)]
            told = fails or any(_doing(line, failing[:3]) for line in lines)
            return (bool(lines) and told) or stand_of(act, reading.ground) is Stand.AGREES
    return False


def _doing(line: str, stems: Sequence[frozenset[str]]) -> bool:
    """Tell whether a line names what went on, as bugs are named: dropping, leaking, caused it to skip."""
    doing = [word.lower() for word in re.findall(r"\b[A-Za-z]+ing\b|(?<=\bto )[A-Za-z]+", line)]
    return any(word.startswith(one) for word in doing for group in stems for one in group if len(one) > 2)


def _said_no(reading: Reading, place: int) -> bool:
    """Look for a no close to what is denied: the words right behind it, or before it at the end."""
    ground = reading.ground
    behind, ahead = _meant(reading.tokens[place + 1 : place + 8]), _meant(reading.tokens[max(0, place - 6) : place])
    denied = behind[:1] or ahead[-1:]
    if _NO_CODE.search(reading.sentence.text) and any(fact.kind in ONLY for fact in ground.facts):
        return True
    if _is_untouched(reading, place) or _is_case(reading, place) or _is_lacked(reading, place):
        return True
    said = [line for line in (*ground.said, *ground.remarks) if _alike(line, (*ahead, *behind), _ALIKE)]
    if any(line in ground.titles and not _PLAIN_NO.search(line) for line in said):
        return False
    if _said_yes(ground, (*ahead, *behind)):
        return False
    hunks = [hunk for hunk in ground.hunks if share_of(hunk.words, (*ahead, *behind)) >= _VERY]
    shown = [line for hunk in hunks for line in hunk.added if '"' in line or "'" in line]
    if denied and said_near((*said, *shown), _NO, denied, before=0, after=3):
        return True
    alike = [line for line in said if _alike(line, (*ahead, *behind), _VERY)]
    return any(len(_NO.findall(line)) >= _denials(reading) for line in alike)


def _said_yes(ground: Ground, meant: Sequence[frozenset[str]]) -> bool:
    """Tell whether the sentence of the message that has most of the words says them without any no."""
    alike = [(share_of(vocabulary(line), meant), line) for line in ground.said]
    best = max((share for share, _ in alike), default=0.0)
    return best >= _SURE and not any(_NO.search(line) for share, line in alike if share == best)


def _is_untouched(reading: Reading, place: int) -> bool:
    """Tell whether what is said not to have changed is shown, and shown as unchanged."""
    clause = _clause(reading.tokens, place)
    if not any(token.text in _CHANGED_ZH or token.lower in _CHANGED_EN for token in clause):
        return False
    ground = reading.ground
    things = [token.text for token in clause if token.kind in VALUES]
    kept = (occurs(one, ground.around) and not occurs(one, f"{ground.added}\n{ground.removed}") for one in things)
    return bool(things) and all(kept)


def _is_lacked(reading: Reading, place: int) -> bool:
    """Tell whether the evidence says without, of the same two words."""
    words = [token.lower for token in reading.tokens[place : place + 3]]
    return words[0] == "without" and len(words) > 2 and " ".join(words) in " ".join(reading.ground.text.lower().split())


def _is_case(reading: Reading, place: int) -> bool:
    """Tell whether a no belongs to a case, and code with the words of that case asks for one."""
    clause = _clause(reading.tokens, place)
    if not any(token.lower in _CASES for token in clause):
        return False
    meant = stems_of(clause, trade=True)
    hunks = [hunk for hunk in reading.ground.hunks if share_of(hunk.words, meant) >= _ALIKE]
    plain = {token.lower for token in clause if token.kind is Kind.WORD}
    twice = any(word.startswith("non-") for word in plain)
    wanted = sum(_negates(clause, n) for n in range(len(clause))) + twice
    # Non-empty says no as well as `!x.empty()` does, and empty alone says it of what is not there.
    asked = (
        [sign for sign in _ASKS.findall(line) if not twice or sign == "!"] for hunk in hunks for line in hunk.added
    )
    return bool(meant) and any(len(signs) >= wanted for signs in asked)


_CHANGED_ZH = listed("变化 变 改 改动 变更 修改 变动 改变 动 动过")
_CHANGED_EN = listed("change changes changed touch touched modify modified alter altered edit edited")
_CASES = listed("if when unless where whenever once 若 如果 当 时 倘若 假如 一旦 要是 若是 时候")
_ASKS = re.compile(
    r"\bnot\b|!|\bNone\b|\bnull|\belse\b|\bmissing|\bempty|ok_or|unwrap_or|is_none|== ?0\b|-z |\bwithout\b|\bno\b"
)


def _clause(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    stops = [n for n, token in enumerate(tokens) if token.kind is Kind.PUNCT and token.text in "，,；;：:。"]
    low = max((n + 1 for n in stops if n < place), default=0)
    return tokens[low : min((n for n in stops if n > place), default=len(tokens))]


def _alike(line: str, stems: Sequence[frozenset[str]], least: float) -> bool:
    return share_of(vocabulary(line), stems) >= least


def _denials(reading: Reading) -> int:
    """Count how often the sentence says no: once more than the evidence turns it round."""
    return sum(_negates(reading.tokens, place) for place in range(len(reading.tokens)))


def _said_as_often(reading: Reading) -> bool:
    denying = [part for part in clauses(reading.tokens) if any(_negates(part, place) for place in range(len(part)))]
    wholes = (stems_of(reading.tokens), stems_of([token for part in denying for token in part]))
    lines = (line for line in reading.ground.said if any(_alike(line, meant, _ALIKE) for meant in wholes))
    return any(len(_PLAIN_NO.findall(line)) >= _denials(reading) for line in lines)


def _meant(tokens: Sequence[Token]) -> list[frozenset[str]]:
    """Give stems of words, those of the trade included: what is denied may be a plain verb."""
    return stems_of(tokens, trade=True)
