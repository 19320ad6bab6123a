"""What a number counts, by the words behind it."""

import re
from typing import Literal

Noun = Literal["files", "lines", "commits", "issues", "pulls"]

_FEW = r"(?P<of>(?:\s+[A-Za-z][\w-]*){0,2}?)"
_WHICH = r"(?P<zh>[^\s，。；、0-9]{0,6}?)"
_NOUNS: dict[Noun, re.Pattern[str]] = {
    "files": re.compile(rf"{_FEW}\s+(?:files?|paths?)\b|\s*个{_WHICH}文件"),
    "lines": re.compile(
        rf"{_FEW}\s+(?:lines?|insertions?|additions?|deletions?)\b|\s+(?:added|deleted|removed)(?=\s*[.,;)]|$)|\s*行(?![为业动])"
    ),
    "commits": re.compile(rf"{_FEW}\s+commits?\b|\s*[个次条笔]{_WHICH}提交"),
    "pulls": re.compile(rf"{_FEW}\s+(?:pull requests?|PRs?)\b(?!-)|\s*个\s*(?:PR|拉取请求|合并请求)"),
    "issues": re.compile(rf"{_FEW}\s+issues?\b|\s*个\s*(?:issue|问题单|议题)"),
}


def noun_at(text: str, end: int) -> tuple[Noun | None, str]:
    """Read the noun behind a number, and the words between that narrow it down: `test` in "3 test files"."""
    for noun, form in _NOUNS.items():
        if match := form.match(text, end):
            groups = match.groupdict()
            return noun, (groups.get("of") or groups.get("zh") or "").strip()
    return None, ""
