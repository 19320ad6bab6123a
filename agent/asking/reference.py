"""Words that stand for something that was spoken of before: "it", "that commit", 它, 那个提交, "the second one"."""

import re
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a word can stand for."""

    COMMIT = "commit"
    THREAD = "thread"
    NAME = "name"
    PERSON = "person"
    MANY = "many"
    NTH = "nth"
    """One of those that were shown, by its place."""
    ANY = "any"


@dataclass(frozen=True)
class Reference:
    """One such word in a question."""

    kind: Kind
    start: int
    end: int
    nth: int = 0


_THAT = r"\b(?:that|this|the same|the|said)\s+"
_ZH_THAT = "(?:上面|刚才|刚刚|前面)?的?(?:那一?个|这一?个|那次|这次|该|此|那条|这条|同一个)"
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ZH_PLACES = "一二三四五六七八九十"
_NTH = re.compile(
    rf"\b(?:the\s+)?(?P<en>{'|'.join(_PLACES)}|[1-9](?:st|nd|rd|th)|10th)\s+"
    r"(?:one|result|item|hit|entry|of (?:these|those|them))\b"
    rf"|\bthe\s+(?P<later>{'|'.join(_PLACES[1:])})\s+(?:commit|change|issue|pr|pull request)\b"
    rf"|第\s*(?P<zh>[{_ZH_PLACES}]|[1-9]|10)\s*(?:个|条|项)(?:提交|改动|commit|议题|结果|pr|issue)?",
    re.IGNORECASE,
)
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            Kind.PERSON,
            rf"{_THAT}(?:author|person|guy|developer|contributor)\b|\b(?:he|she|him|his|her)\b"
            r"|(?<=\bdid )they\b|(?<=\bhave )they\b|(?<=\bhas )they\b"
            rf"|{_ZH_THAT}(?:人|作者|开发者|贡献者)|(?<![其吉])[他她](?!们)",
        ),
        (
            Kind.COMMIT,
            rf"{_THAT}(?:commit|change|patch|fix|revert)\b|{_ZH_THAT}\s*(?:提交|改动|commit|补丁|修改|修复|变更|回退)",
        ),
        (
            Kind.THREAD,
            rf"{_THAT}(?:issue|pr|pull request|bug|ticket|thread)\b"
            rf"|{_ZH_THAT}\s*(?:议题|问题|issue|pr\b|拉取请求|合并请求|bug|工单)",
        ),
        (
            Kind.NAME,
            r"\b(?:that|this|the same|said)\s+(?:flag|option|parameter|function|method|class|variable|limit|default"
            r"|symbol|file|setting|constant)\b"
            rf"|{_ZH_THAT}\s*(?:参数|选项|函数|方法|类|变量|文件|默认值|上限|开关|配置|常量|接口)",
        ),
        (Kind.MANY, r"\b(?:them|those|these|they)\b|它们|这些|那些"),
        (
            Kind.ANY,
            r"\b(?:it|its|it's|that one|this one)\b(?!\s+(?:true|correct|possible|seems?|looks?|matters?|the case)\b)"
            r"|\b(?:that|this)(?=\s*(?:[?.!,;]|$))"
            r"|\b(?:that|this)(?=\s+(?:do|does|did|is|was|mean|means|get|got|land|landed|change|fix|break|broke|come)\b)"
            rf"|它|{_ZH_THAT}(?!月|周|星期|礼拜|季度|版本|仓库|项目|外)",
        ),
    )
)
_NO_POINTER = re.compile(
    r"\b(?:commits?|changes|prs?|issues?|ones?|anything|something|everything|what|those|say|says|said|true|so|such|after"
    r"|patch(?:es)?|pulls?|releases?|people|nothing|all)\s+$",
    re.IGNORECASE,
)
"""Behind these, "that" opens a clause and points at nothing."""


def referred(text: str, *, about: bool = False) -> Reference | None:
    """Find the word of a question that stands for something else; the most definite kind first.

    In a question that is `about` something of its own, "the commit" is the one that it describes.
    """
    if found := _NTH.search(text):
        return Reference(Kind.NTH, found.start(), found.end(), _place(found))
    for kind, pattern in _KINDS:
        for found in pattern.finditer(text):
            if not _points_nowhere(found, text, about=about):
                return Reference(kind, found.start(), found.end())
    return None


def _points_nowhere(found: re.Match[str], text: str, *, about: bool) -> bool:
    said = found[0].lower()
    if said.startswith("the ") and not said.startswith("the same"):
        return about
    return said.startswith(("that", "this")) and bool(_NO_POINTER.search(text[: found.start()]))


def _place(found: re.Match[str]) -> int:
    said = (found["en"] or found["later"] or found["zh"]).lower()
    if said in _PLACES:
        return _PLACES.index(said)
    if said in _ZH_PLACES:
        return _ZH_PLACES.index(said)
    return int(re.sub(r"\D", "", said)) - 1
