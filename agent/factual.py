"""Which sentences state something that can be true or false about a repository."""

import re

_END = re.compile(r"(?<=[。！？；])|(?<=[.!?;])\s+|\n+")
_LINK = re.compile(r"\[(?P<label>[^\[\]]*)\]\([^()\s]*\)")
_IDENTIFIER = re.compile(
    r"`[^`]+`"  # code
    r"|(?<!\w)#\d+|\b[0-9a-f]{7,40}\b"  # a thread, a commit
    r"|\b\w+(?:[._/]\w+)*_\w+|\b[a-z]+[A-Z]\w*|\b[\w-]+/[\w./-]+\.\w+|(?<!\w)--[a-z][\w-]+",  # a symbol, a path, a flag
    re.ASCII,
)
_FIGURE = re.compile(r"\d")
_CHANGE_EN = re.compile(
    r"\b(?:add|remov|delet|renam|fix|chang|introduc|rais|lower|increas|decreas|replac|revert|mov|deprecat|drop|bump|"
    r"upgrad|downgrad|updat|merg|support|enabl|disabl|improv|optimi[sz]|refactor|rewr|land|clos|open|releas|implement|"
    r"reduc|speed|broke|break|switch|migrat|rework|restor|extend|limit)(?:s|es|ed|d|ped|led|ting|ing|ote|itten|te|n|up)?\b",
    re.IGNORECASE,
)
_PAST_EN = re.compile(r"(?:ed|ped|led|ote|itten|broke|sped|s)\b", re.IGNORECASE)
_CHANGE_ZH = re.compile(
    r"新增|增加|添加|加入|移除|删除|去掉|重命名|更名|修复|修正|更改|改为|引入|提高|提升|降低|减少|替换|回退|撤销|移动|弃用|升级|降级|"
    r"更新|合并|合入|支持|启用|禁用|优化|重构|重写|关闭|发布|实现|加速|迁移|恢复|扩展|限制|改进"
)


def sentences(text: str) -> list[str]:
    """Cut text into sentences, in either language; a line ends one too."""
    return [piece for part in _END.split(text) if (piece := part.strip(" \t|*>#-·"))]


def is_factual(sentence: str) -> bool:
    """Tell whether a sentence names something or tells of a change.

    That is an identifier, a figure or a date anywhere, or a verb of change beside other words: a heading of one or two
    words ("Fixed", "新增") is a label.
    """
    bare = _LINK.sub(lambda found: found["label"], sentence)
    if _IDENTIFIER.search(bare) or _FIGURE.search(bare):
        return True
    words = re.findall(r"[A-Za-z]+", bare)
    if len(words) > 3 and any(_PAST_EN.search(verb[0]) for verb in _CHANGE_EN.finditer(bare)):
        return True
    return len(re.findall(r"[\u4e00-\u9fff]", bare)) > 6 and _CHANGE_ZH.search(bare) is not None
