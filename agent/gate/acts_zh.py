"""Chinese sentences read for what they say was done."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from agent.gate.act import Act
from agent.gate.direction import Direction
from agent.gate.lists import listed
from agent.gate.prose import VALUES, Kind, Token
from agent.gate.words_zh import DIRECTION_OF, FUNCTION, NEGATIONS, TAKES_VALUE

_D = Direction
_STOPS = frozenset("，,；;：:。！？!?")
_HELPERS = listed("被 了 会 再 能 能够 可 可以 已 已经 将 要 由 所 也 都 均 还 完全 彻底 直接")
_RETREATS = listed("退回 退回到 退到")
_PLACES = listed("中 里 上 内 下 时 后 前 之中 之内")
_GIVERS = listed("将 把")
_SOURCES = listed("从 由 自")
_MEANS = listed("用 以 使用 由 采用 改用")
_NAMING = listed(
    "回退 修复 回滚 跳过 拒绝 替换 替代 迁移 升级 降级 关闭 打开 启用 禁用 删除 新增 添加 移除 注册 压缩 提取"
)
_MATTERS = listed(
    "判断 逻辑 路径 机制 策略 分支 方案 代码 流程 条件 选项 开关 接口 函数 方法 操作 请求 事件 时机 顺序 规则 方式 行为"
)
"""A word of the first kind before one of the second names a thing: the fallback check."""
_OUT = listed("移出 挪出 搬出 迁出 挪了出来 挪出来 移了出来 移出来")
_SOFT = _OUT | listed("提供 停止 允许 打开 不再 放宽 收紧 扩大")
_ONE = listed("一条 一项 一行 一段 一节 一处 一句 一个 一组")
_POINTERS = listed("该 此 这个 这些 其 上述 这一")
_USES = listed("使用 引用 调用 用法 导入 定义 声明 依赖")
"""Nouns that say of a name no more than that it stands there."""
_FUNCTION = frozenset(FUNCTION)


def acts(tokens: Sequence[Token]) -> tuple[Act, ...]:
    """Find every verb with a direction in words already cut, and read what stands around it."""
    verbs = [n for n, token in enumerate(tokens) if token.text in DIRECTION_OF and not _is_noun(tokens, n)]
    found = []
    for number, place in enumerate(verbs):
        low, high = _clause(tokens, place)
        before = max(low, verbs[number - 1] + 1 if number else 0)
        after = min(high, verbs[number + 1] if number + 1 < len(verbs) else len(tokens))
        act = _act(tokens, place, tokens[before:place], _aimless(tokens[place + 1 : after]))
        # What stands behind a fix in its clause tells of the bug: 修复关闭时的竞态.
        bug = any(DIRECTION_OF[tokens[n].text] is _D.FIX for n in verbs[:number] if n >= low)
        found.append(replace(act, soft=act.soft or bug))
    return tuple(found)


def _aimless(behind: Sequence[Token]) -> Sequence[Token]:
    """Leave out what something is done for: 禁用测试以解除阻塞 disables the tests."""
    return behind[: next((n for n, token in enumerate(behind) if token.text == "以"), len(behind))]


def _is_noun(tokens: Sequence[Token], place: int) -> bool:
    """Tell 的回退判断, a check for falling back, from a verb."""
    behind = tokens[place + 1].text if place + 1 < len(tokens) else ""
    return place > 0 and tokens[place - 1].text not in _HELPERS and behind in _MATTERS and tokens[place].text in _NAMING


def _clause(tokens: Sequence[Token], place: int) -> tuple[int, int]:
    low = next((n + 1 for n in range(place - 1, -1, -1) if _ends(tokens[n])), 0)
    high = next((n for n in range(place + 1, len(tokens)) if _ends(tokens[n])), len(tokens))
    return low, high


def _ends(token: Token) -> bool:
    return token.kind is Kind.PUNCT and token.text in _STOPS


def _act(tokens: Sequence[Token], place: int, before: Sequence[Token], after: Sequence[Token]) -> Act:
    word = tokens[place].text
    direction = DIRECTION_OF[word]
    if direction is _D.DISABLE and any(token.text == "不再" for token in tokens[max(0, place - 3) : place]):
        # Who no longer forbids allows.
        direction = _D.ENABLE
    if word in _OUT and not any(token.text in _SOURCES for token in before):
        # Who is taken out of a list is gone from it; what is taken out of a file stands elsewhere.
        direction = _D.REMOVE
    valued = word.endswith(TAKES_VALUE) or direction is _D.CHANGE
    old, new = _values(direction, before, after, valued=valued)
    if valued or (direction is _D.REPLACE and not _means(before)):
        region = _given(before)
    else:
        region = after if _has_content(after) or _is_counted(after) else _given(before)
        region = () if _points_back(region) else region
    by = next((n for n, token in enumerate(region) if token.text == "被"), None)
    if direction is _D.REPLACE and by is not None:
        new = _first(region[by:]) or new
        region = region[:by]
    objects, near, words = _phrase(region, used=direction in (_D.ADD, _D.REMOVE))
    if any(one.kind is Kind.NUMBER and two.text == "行" for one, two in pairwise(after)):
        # 减少 7 行: the lines are counted elsewhere.
        return Act(direction, word, words=("行",), negated=_negated(before), place=place)
    if region is after:
        near = (*near, *(token for token in before if token.named or token.camel))
    if direction in (_D.RENAME, _D.REPLACE) and old is None and objects:
        old = objects[0]
    if word in _RETREATS and (new is None or not any(sign.isdigit() for sign in new.text)):
        # To fall back on another way lowers nothing.
        direction, old = _D.CHANGE, None
    # 去掉了 8: a value is looked up as one.
    numbers = direction in (_D.ADD, _D.REMOVE) and any(one.kind is Kind.NUMBER for one in after)
    counted = numbers and region is not after
    soft = (direction is _D.MOVE and not objects) or counted or word in _SOFT
    return Act(direction, word, objects, near, words, old, new, _negated(before), soft, place=place)


def _values(
    direction: Direction, before: Sequence[Token], after: Sequence[Token], *, valued: bool
) -> tuple[Token | None, Token | None]:
    """Find the value before and the value after: 从 a 改为 b, 用 b 替换 a, a → b."""
    arrows = [n for n, token in enumerate(after) if token.text in ("→", "->", "=>") and 0 < n < len(after) - 1]
    if arrows:
        return _first(after[arrows[0] - 1 :]), _first(after[arrows[0] + 1 :])
    sources = [n for n, token in enumerate(before) if token.text in _SOURCES]
    old = _first(before[sources[-1] + 1 :]) if sources else None
    if valued:
        return old, _first(after)
    if direction is _D.REPLACE:
        means = _means(before)
        target = _first(after)
        if target is not None:
            return target, means or next((token for token in before if token.kind in VALUES), None)
    return (old, None) if direction in (_D.RAISE, _D.LOWER, _D.MOVE) else (None, None)


def _means(before: Sequence[Token]) -> Token | None:
    for place, token in enumerate(before):
        if token.kind is Kind.HAN and token.text in _MEANS:
            return _first(before[place + 1 :])
    return None


def _first(tokens: Sequence[Token]) -> Token | None:
    """Take the first value, or a word in Latin letters that stands for one."""
    for place, token in enumerate(tokens):
        if token.kind in VALUES or token.kind is Kind.WORD:
            owner = place + 1 < len(tokens) and tokens[place + 1].text == "的"
            return None if owner else token
    return None


def _given(before: Sequence[Token]) -> Sequence[Token]:
    """Take what stands behind 将 or 把 and before 从, else the subject."""
    start = next((n + 1 for n in range(len(before) - 1, -1, -1) if before[n].text in _GIVERS), 0)
    end = next((n for n in range(start, len(before)) if before[n].text in _SOURCES and n > start), len(before))
    return before[start:end]


def _has_content(tokens: Sequence[Token]) -> bool:
    plain = (token for token in tokens if token.kind not in (Kind.PUNCT, Kind.MARK, Kind.NUMBER))
    return any(token.kind is not Kind.HAN or token.text not in _FUNCTION for token in plain)


def _is_counted(after: Sequence[Token]) -> bool:
    """Tell whether no more is said than that there is one: 新增一条."""
    return "".join(token.text for token in after[:2]) in _ONE


def _points_back(region: Sequence[Token]) -> bool:
    """Tell whether what was named before is meant: 跳过该选项."""
    plain = [token.text for token in region if token.kind is not Kind.PUNCT]
    return len(plain) == 2 and plain[0] in _POINTERS and region[-1].kind is Kind.HAN


def _phrase(region: Sequence[Token], *, used: bool) -> tuple[tuple[Token, ...], tuple[Token, ...], tuple[str, ...]]:
    """Read a noun with its names: those behind the last 的 are meant, owners and places stand near."""
    last = max((n for n, token in enumerate(region) if token.text == "的"), default=-1)
    nouns = [token.text for token in region[last + 1 :] if token.text not in _FUNCTION or token.text in _USES]
    if used and last >= 0 and nouns and all(word in _USES for word in nouns):
        # 对 x 的使用随之删除: x is meant.
        last = -1
    objects, near, words = list[Token](), list[Token](), list[str]()
    for n, token in enumerate(region):
        following = region[n + 1].text if n + 1 < len(region) else ""
        if token.named or token.camel:
            behind = n > last and following not in _PLACES
            (objects if behind else near).append(token)
        if token.kind is Kind.HAN and token.text not in _FUNCTION:
            words.append(token.text)
        elif token.kind is Kind.WORD:
            words.append(token.lower)
    return tuple(objects), tuple(near), tuple(words)


def _negated(before: Sequence[Token]) -> bool:
    for token in reversed(before):
        if token.kind is Kind.HAN and token.text in NEGATIONS:
            return True
        if token.kind is not Kind.HAN or token.text not in _HELPERS:
            return False
    return False
