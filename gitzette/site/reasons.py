"""Why a commit stands where it does and why an issue is linked to it, in words of both languages.

docs/triage.md and docs/links.md explain each reason.
"""

import re
from collections.abc import Mapping, Sequence

from agent.linking.recorded import CLOSED, LISTED
from agent.settings import Language

REASONS: Mapping[str, Mapping[Language, str]] = {
    name: {"en": english, "zh": chinese}
    for name, english, chinese in (
        ("security", "security", "安全问题"),
        ("revert", "a revert", "回退"),
        ("breaks what users set", "breaks what users set", "破坏用户的设置"),
        ("marked breaking", "marked as breaking", "标明为破坏性变更"),
        ("new version", "a new version", "新版本"),
        ("breaks exported names", "breaks exported names", "破坏对外的名称"),
        ("deprecation", "a deprecation", "弃用"),
        ("fix", "a fix", "修复"),
        ("release", "a release", "发布"),
        ("performance", "performance", "性能"),
        ("feature", "a feature", "新功能"),
        ("changes defaults", "changes defaults", "更改默认值"),
        ("changes what users call", "changes what users call", "更改用户调用的接口"),
        ("new for users", "new for users", "用户可用的新内容"),
        ("deprecates", "deprecates something", "代码中标记弃用"),
        ("undoes a change", "undoes a change", "撤销先前的改动"),
        ("lands again", "lands again", "重新合入"),
        ("says it adds", "says that it adds something", "自称新增"),
        ("new model", "a new model", "新模型"),
        ("may break names", "may break names", "可能破坏名称"),
        ("changes values", "changes values", "更改取值"),
        ("new names", "new names", "新名称"),
        ("dependencies", "dependencies", "依赖变更"),
        ("dependency", "speaks of a dependency", "提及依赖"),
        ("refactor", "refactoring", "重构"),
        ("closes issues", "closes issues", "关闭 issue"),
    )
}


def reason_words(name: str, lang: Language) -> str:
    """Say a reason; one that an older or newer Gitzette knows stays as it is."""
    return REASONS[name][lang] if name in REASONS else name


_RECORDS: Mapping[str, Mapping[Language, str]] = {
    CLOSED: {"en": "closed by it, as GitHub records", "zh": "GitHub 记录由其关闭"},
    LISTED: {"en": "its pull request closes it, as GitHub lists", "zh": "GitHub 列明其拉取请求关闭此 issue"},
}
_PULL = re.compile(r"pull request (#\d+)", re.ASCII)
_PULLS: Mapping[Language, str] = {"en": "pull request {}", "zh": "拉取请求 {}"}
# Scores and marks that are for machines.
_FIGURE = re.compile(r"patch [0-9a-f]{8,}|\w+ \d\.\d+$")


def link_words(evidence: Sequence[str], lang: Language) -> list[str]:
    """Say what a link between an issue and a change rests on: records, the author's words, or what both share."""
    told = []
    for one in evidence:
        if _FIGURE.match(one):
            continue
        if found := _PULL.fullmatch(one):
            told.append(_PULLS[lang].format(found[1]))
        else:
            told.append(_RECORDS[one][lang] if one in _RECORDS else f"“{one}”")
    return told
