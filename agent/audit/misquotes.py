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
_CODE = re.compile(r"`[^`]*`")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z0-9_]+(?:[.'-][A-Za-z0-9_]+)*%?|[\u4e00-\u9fff]")
_PLACEHOLDER = re.compile(r"[{}$]|%[sd]")
_ALIKE, _LEAST = 0.7, 5


def misquotes(text: str, around: str, commits: Sequence[CommitEvidence]) -> bool:
    """Tell whether a quotation is refuted: it is said to stand in the change, or stands there a little differently.

    The sentence may lack what it refers to, so that only what the entry around it has too is a quotation.
    """
    told = [passage for passage in passages(text) if passage.replace("`", "") in around.replace("`", "")]
    said = [one for one in told if not _TITLED.search(text.partition(one)[0]) and not _is_translated(one, commits)]
    missing = [passage for passage in said if not any(is_quoted(passage, one) for one in commits)]
    return any(_is_refuted(passage, text, commits) for passage in missing)


def quotes_alike(text: str, commits: Sequence[CommitEvidence]) -> bool:
    """Tell whether a text quotes words that a change has, or has a little differently."""
    alike = (_share(passage, commits) for passage in passages(text) if len(_WORD.findall(passage)) >= _LEAST)
    return any(share >= _ALIKE for share in alike)


def _share(passage: str, commits: Sequence[CommitEvidence]) -> float:
    wanted = _WORD.findall(passage.lower())
    shared = max((_shared(wanted, shown.lower()) for one in commits for shown in one.texts), default=0)
    return shared / max(1, len(wanted))


def _is_translated(passage: str, commits: Sequence[CommitEvidence]) -> bool:
    """Tell whether words are in another language than those of the change: then they are the report's own."""
    return bool(_CHINESE.search(passage)) and not any(_CHINESE.search(one.change.commit.message) for one in commits)


def _is_refuted(passage: str, text: str, commits: Sequence[CommitEvidence]) -> bool:
    share = _share(passage, commits)
    if share >= 1:
        # Only marks and capitals differ.
        return False
    altered = len(_WORD.findall(passage)) >= _LEAST and share >= _ALIKE
    return altered or bool(_WRITTEN.search(_CODE.sub("", text.replace(passage, ""))))


def _shared(wanted: Sequence[str], text: str) -> int:
    """Count how many words of a passage the stretch of a text that is most like it has in their places."""
    words = list(_WORD.finditer(text))
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word[0], []).append(place)
    starts = Counter(at - offset for offset, word in enumerate(wanted) for at in places.get(word, ()))
    for start, count in starts.most_common(1):
        first, last = words[max(0, start)], words[min(len(words), start + len(wanted)) - 1]
        # What a program fills in is quoted as it is filled in.
        return 0 if count < len(wanted) and _PLACEHOLDER.search(text, first.start(), last.end()) else count
    return 0
