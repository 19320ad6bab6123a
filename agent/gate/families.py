"""Families of strong words in both languages: and how evidence says the same."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agent.gate.lists import listed


@dataclass(frozen=True)
class Family:
    """Words that claim the same thing more strongly than a plain statement does."""

    name: str
    words: frozenset[str]
    """As a claim has them, in either language."""
    said: re.Pattern[str]
    """How evidence says the same."""


def _family(name: str, words: str, said: str) -> Family:
    return Family(name, listed(words), re.compile(said, re.IGNORECASE))


ABSOLUTES = (
    _family(
        "all",
        "all every everywhere everything everyone universally anywhere 所有 全部 任何 一切 每个 每一 每次 "
        "全平台 全都 无一例外 "
        "任意 每种 各种 全体 均已 arbitrary whatever whichever",
        r"\b(?:all|every|each|any|arbitrar\w*|everywhere|everything|both|whole|entire|per)\b|所有|全部|任何|每",
    ),
    _family(
        "always",
        "always invariably unconditionally 始终 永远 总是 一律 无条件 必然 必定",
        r"\b(?:always|unconditional\w*|invariabl\w*|every time)\b|始终|总是|一律|一直",
    ),
    _family(
        "lasting",
        "一直 持续",
        r"\b(?:always|remain\w*|keep\w*|kept|retain\w*|stay\w*|still|continu\w*|consistent\w*|persist\w*|constantly|"
        r"entire|whole|stuck|pending|until)\b|一直",
    ),
    _family(
        "complete",
        "completely entirely fully wholly totally absolutely perfectly thoroughly 完全 彻底 全面 绝对 完美 "
        "百分之百 根本 根除",
        r"\b(?:completely|entirely|fully|wholly|totally|thoroughly)\b|完全|彻底|全面",
    ),
    _family(
        "never",
        "never nobody nothing none 从不 绝不 决不 从未 毫无",
        r"\b(?:never|no|none|nothing|not)\b|从不|没有|无|不",
    ),
    _family(
        "guarantee",
        "guarantee guarantees guaranteed guaranteeing 保证 万无一失",
        r"\b(?:guarante\w*|ensur\w*|must)\b|保证|确保",
    ),
    _family(
        "only",
        "only solely exclusively 仅仅 仅 只有 只是 只能 只会 只对 只在 只需 只 唯一 仅限 只限 仅在 仅对 仅仅是",
        r"\b(?:only|sole\w*|exclusiv\w*|just|merely|restrict\w*|limit\w*|single)\b|仅|只|唯一",
    ),
    _family(
        "except",
        "except excluding excepting 以外 除外",
        r"\b(?:except|exclud\w*|other than|apart from|but not|unless|outside)\b|!=|除",
    ),
    _family(
        "regardless",
        "regardless irrespective 即使 即便 哪怕 无论 不论 不管",
        r"\b(?:regardless|irrespective|even|no matter|whether|always|independent\w*)\b|无论|即使",
    ),
    _family("any", "any anything entire whole 整个", r"\b(?:any\w*|all|every|entire|whole)\b|任何|整个"),
)
FORECASTS = (
    _family(
        "will",
        "will shall upcoming soon eventually going 将会 将要 即将 必将 未来 后续将 今后 将在 将于 将使 将能 "
        "将可 将被 将有 日后 势必",
        r"\b(?:will|shall|upcoming|soon|future|eventually|next|later|todo|follow-?up|going to|planned)\b|将|"
        r"未来|后续",
    ),
    _family(
        "expected",
        "likely probably presumably expected should would potentially perhaps hopefully promises planned "
        "plans 有望 预计 预期 "
        "可能会 很可能 应该会 应会 或将 料将 大概 也许 或许 恐怕 计划 打算",
        r"\b(?:likely|probabl\w*|presumabl\w*|expect\w*|should|would|potential\w*|perhaps|plan\w*|may|might|"
        r"maybe|could|intend\w*)\b|预计|预期|应该|计划|可能|也许|打算",
    ),
)
OPINIONS = (
    _family(
        "greatly",
        "greatly significantly dramatically substantially hugely massively drastically considerably vastly "
        "huge massive dramatic "
        "significant substantial tremendous tremendously remarkably remarkable 显著 大幅 极大 巨大 惊人 大大 "
        "明显 大幅度 极大地 明显地",
        r"\b(?:great\w*|significant\w*|dramatic\w*|substantial\w*|huge\w*|massive\w*|drastic\w*|"
        r"considerabl\w*|vast\w*|large|"
        r"tremendous\w*|remarkabl\w*|notabl\w*)\b|显著|大幅|明显|极大",
    ),
    _family(
        "praise",
        "revolutionary impressive excellent amazing elegant elegantly groundbreaking superior seamlessly "
        "seamless robustly "
        "unprecedented extremely highly best 革命性 优秀 出色 卓越 优雅 极其 强大 史无前例 突破性 里程碑 深远 稳健",
        r"\b(?:revolution\w*|impressive|excellent|elegant\w*|superior|seamless\w*|robust\w*|extreme\w*|"
        r"high\w*|best)\b|优雅|稳健",
    ),
    _family(
        "weight",
        "critical crucial important major notable notably robust 重大 重要 关键 至关重要 核心 非常 十分 大量 "
        "严重 值得关注 值得注意",
        r"\b(?:critical|crucial|important|major|notabl\w*|key|core|severe|serious|robust\w*|very|many|"
        r"large)\b|重要|关键|严重|核心",
    ),
)


STAYING = _family(
    "stays",
    "keeps kept keep keeping stays stay stayed remains remain remained still unchanged retains retained preserves "
    "preserved 仍 仍然 保留 保持 依旧 依然 继续 不变 沿用",
    r"\b(?:keep\w*|kept|stay\w*|remain\w*|still|unchanged|retain\w*|preserv\w*|continu\w*|as before|same)\b|"
    r"仍|保留|不变",
)
"""Words that say that nothing happened to a thing."""


def _pair(one: str, said: str, two: str, opposite: str) -> tuple[Family, Family]:
    return _family(one.split()[0], one, said), _family(two.split()[0], two, opposite)


OPPOSITES = (
    _pair(
        "larger greater bigger more exceeds exceed exceeding above higher 大于 超过 高于 多于 更大 更多 更长 更高",
        r"\b(?:larger|greater|bigger|more|exceed\w*|above|over|longer|higher|at least|or more)\b|>",
        "smaller less fewer below under shorter 小于 低于 少于 更小 更少 更短 更低",
        r"\b(?:smaller|less|fewer|below|under|shorter|lower|at most|or less|up to|within)\b|<",
    ),
    _pair(
        "long longer lengthy 过长 太长 长于",
        r"(?<!no )\b(?:long|longer|lengthy|over|exceed\w*)\b|too long",
        "short shorter brief 过短 太短 短于",
        r"\b(?:short|shorter|brief\w*|under)\b",
    ),
    _pair("odd 奇数", r"\bodd\b", "偶数", r"\beven\b(?! if| when| though| with)"),
    _pair(
        "before 之前", r"\b(?:before|prior|until|pre-?\w*)\b", "after 之后", r"\b(?:after|once|post-?\w*|following)\b"
    ),
    _pair(
        "required mandatory must compulsory 必填 必须 必选 必需",
        r"\b(?:requir\w*|mandatory|must|need\w*)\b",
        "optional optionally 可选 可不填",
        r"\b(?:optional\w*|may|can)\b",
    ),
    _pair(
        "ascending 升序", r"\bascend\w*|increas\w*", "descending reversed 降序 倒序 逆序", r"\b(?:descend\w*|revers\w*)"
    ),
    _pair(
        "maximum 最大 最大值",
        r"\b(?:max\w*|largest|upper)\b",
        "minimum 最小 最小值",
        r"\b(?:min|minim\w*|smallest|lower)\b",
    ),
    _pair(
        "pause pauses paused pausing 暂停",
        r"\bpaus\w*",
        "resume resumes resumed 恢复 继续",
        r"\b(?:resum\w*|continu\w*|restor\w*)\b",
    ),
    _pair("explicit explicitly 显式", r"\bexplicit\w*", "implicit implicitly 隐式", r"\bimplicit\w*"),
    _pair("public 公开", r"\bpublic\w*", "private internal 私有 内部", r"\b(?:private|internal\w*)\b"),
    _pair("automatic automatically 自动", r"\bauto\w*", "manual manually 手动", r"\bmanual\w*"),
    _pair(
        "temporary temporarily 临时 暂时",
        r"\b(?:temp\w*|tentativ\w*|for now)\b",
        "permanent permanently 永久",
        r"\bpermanent\w*",
    ),
)
"""Words that need no proof by themselves, each beside its opposite, and how evidence says either."""


def family_of(families: Iterable[Family], word: str) -> Family | None:
    """Find the family that a word of a claim belongs to."""
    return next((family for family in families if word in family.words), None)
