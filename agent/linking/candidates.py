"""Which issues a landed change may have fixed without anybody saying so, and what speaks for it."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from agent.domain import Closing
from agent.ids import ThreadId
from agent.linking.digest import Digest

_ASKING = re.compile(
    r"^\W*(?:question|usage|rfc|roadmap|tracker|tracking|discussion|proposal|umbrella|meta|announcement|survey)\b"
    r"|\b(?:roadmap|tracking issue)\b|^\W*(?:how (?:to|do|can|should)|what is|why (?:does|is)|is there|can i)\b"
    r"|请问|请教|求助|怎么|有没有|吗[？?]?$",
    re.IGNORECASE,
)
_NOT_FIXABLE = re.compile(
    r"\b(?:question|duplicate|wontfix|invalid|usage|rfc|roadmap|discussion|tracking|stale)\b", re.IGNORECASE
)
_NO_MENDING = re.compile(
    r"^\W*(?:\[[^\]]{1,40}\]\s*)*(?:\w+(?:\([^)]*\))?:\s*)?(?:skip|disable|xfail|mute|quarantine|debug|log|"
    r"add (?:\w+ )?(?:logs?|logging|debug|repro\w*|tests?|regression tests?)|temporarily)\b",
    re.IGNORECASE,
)
_TESTING = re.compile(r"\btests?\b|\bci\b|flak[ey]|\bdocs?\b|documentation|readme|测试|文档", re.IGNORECASE)
_UNFIXED = ("not_planned", "duplicate")
_SOON = ((0.05, 1.0), (0.5, 0.6), (6, 0.35), (36, 0.15))
"""Hours within which an issue is closed by hand after a landing, and what that is worth: much lands in a day."""
_BEFORE, _EARLY = timedelta(hours=1), timedelta(minutes=10)


class Sort(StrEnum):
    """What an issue asks for, or a change brings."""

    BUG = "bug"
    DOCS = "docs"
    FEATURE = "feature"
    OTHER = "other"


_ISSUE_SORTS = (
    (Sort.DOCS, re.compile(r"\bdoc(?:s|umentation)?\b|文档", re.IGNORECASE)),
    (
        Sort.BUG,
        re.compile(
            r"\bbug\b|crash|hang|wrong|regression|segfault|nan\b|leak|illegal|报错|卡死|乱码|错误|失败", re.IGNORECASE
        ),
    ),
    (Sort.FEATURE, re.compile(r"\bfeature|\bsupport\b|enhancement|希望支持", re.IGNORECASE)),
)
_CHANGE_SORTS = (
    (Sort.BUG, re.compile(r"\b(?:bug|hot)?fix(?:es|ed)?\b|修复|修正", re.IGNORECASE)),
    (Sort.DOCS, re.compile(r"^\W*docs?\b|documentation|\breadme\b|文档", re.IGNORECASE)),
    (Sort.FEATURE, re.compile(r"^\W*(?:feat|feature)\b|\bsupport\b|^\W*add\b|支持|新增", re.IGNORECASE)),
)


def issue_sort(issue: Digest) -> Sort:
    """Tell what an issue asks for, by its labels first."""
    for text in (" ".join(issue.labels), issue.title):
        for sort, pattern in _ISSUE_SORTS:
            if pattern.search(text):
                return sort
    return Sort.OTHER


def change_sort(title: str) -> Sort:
    """Tell what a change brings, by what it calls itself."""
    return next((sort for sort, pattern in _CHANGE_SORTS if pattern.search(title)), Sort.OTHER)


def mends(title: str) -> bool:
    """Tell whether a change may fix something: switching off a test or adding a log does not."""
    return _NO_MENDING.match(title) is None


def about_tests(issue: Digest) -> bool:
    """Tell whether an issue is about what stands beside the code: tests, documents, workflows."""
    return _TESTING.search(f"{issue.title} {' '.join(issue.labels)}") is not None


def candidates(issues: Iterable[Digest], closings: Iterable[Closing], explained: set[ThreadId]) -> list[Digest]:
    """List the issues that something may have fixed: no questions, nothing given up, nothing that is explained."""
    # GitHub may know what closed an issue: nothing is left to be inferred then.
    known = {one.issue for one in closings if one.by_commit is not None or one.by_pull is not None}
    return [issue for issue in issues if issue.id not in explained and issue.id not in known and _fixable(issue)]


def _fixable(issue: Digest) -> bool:
    if issue.state_reason in _UNFIXED or _ASKING.search(issue.title):
        return False
    return _NOT_FIXABLE.search(" ".join(issue.labels)) is None


def in_time(issue: Digest, landed: datetime) -> bool:
    """Tell whether a change can have fixed an issue: reported before it landed, and not closed before."""
    return issue.created_at <= landed + _BEFORE and (issue.closed_at is None or issue.closed_at >= landed - _EARLY)


def closed_after(issue: Digest, landed: datetime) -> float:
    """Weigh how soon after the landing the issue was closed: 1 within minutes, nothing after days."""
    if issue.closed_at is None:
        return 0.0
    hours = max(0.0, (issue.closed_at - landed).total_seconds() / 3600)
    return next((weight for limit, weight in _SOON if hours <= limit), 0.0)
