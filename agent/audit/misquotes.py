"""Words that a report sets in quotation marks and that nobody wrote so."""

import re
from collections import Counter
from collections.abc import Sequence

from agent.evidence import CommitEvidence
from agent.gate.quotes import is_quoted, passages

# What can be looked up; words of an author may also stand in a thread that was not read.
_WRITTEN = re.compile(
    r"\b(?:message|changelog|release notes?|docstring|log)\b|提交(?:信息|说明|日志)|更新日志|变更日志",
    re.IGNORECASE,
)
# Titles are compared elsewhere.
_TITLED = re.compile(r"(?:标题|题为|\btitled?)\W*$", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9_]+(?:[.'-][A-Za-z0-9_]+)*%?|[\u4e00-\u9fff]")
_ALIKE, _LEAST = 0.7, 3


def misquotes(text: str, commits: Sequence[CommitEvidence]) -> bool:
    """Tell whether a quotation is refuted: it is said to stand in the change, or stands there a little differently."""
    told = [passage for passage in passages(text) if not _TITLED.search(text.partition(passage)[0])]
    missing = [passage for passage in told if not any(is_quoted(passage, one) for one in commits)]
    return any(_WRITTEN.search(text.replace(one, "")) or _stands_altered(one, commits) for one in missing)


def _stands_altered(passage: str, commits: Sequence[CommitEvidence]) -> bool:
    """Find a stretch of the evidence that has most words of a passage in their places."""
    wanted = _words(passage)
    needed = max(_LEAST, _ALIKE * len(wanted))
    for text in (shown for one in commits for shown in one.texts):
        places: dict[str, list[int]] = {}
        for place, word in enumerate(_words(text)):
            places.setdefault(word, []).append(place)
        starts = Counter(at - offset for offset, word in enumerate(wanted) for at in places.get(word, ()))
        if starts and starts.most_common(1)[0][1] >= needed:
            return True
    return False


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
