"""Numbers behind two words, such as "linear step 256", which the change has behind the same words."""

import re
from collections.abc import Sequence

from agent.evidence import CommitEvidence

_WORD = r"[A-Za-z][A-Za-z-]{2,30}"
_STATED = re.compile(
    rf"(?<![\w`.-])(?P<first>{_WORD})`?,?\s+`?(?P<second>{_WORD})`?\s*(?:\b(?:of|is|at)\b|[:=为是])?\s*"
    r"`?(?P<number>\d{1,7}(?:\.\d+)?)`?(?![\w.%]*\w|%|\s*(?:/|×|x\d))"
)
# Words that say nothing of what is counted.
_LOOSE = re.compile(
    r"(?:the|and|for|from|with|about|only|least|most|than|over|under|all|now|into|than|until|after|before|between|just"
    r"|nearly|roughly|around|exactly|line|lines|file|files|issue|pull|request|version|adds|added|has|have|uses|takes"
    r"|commit|commits|was|were|are|its|this|that|these|which|above|below|per|not|but|when|where|up|down|on|in|to)",
    re.IGNORECASE,
)


def numbered_otherwise(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say which number the change has behind the words of a sentence; nothing where this one may be of them too."""
    texts = [shown for one in commits for shown in one.texts]
    for found in _STATED.finditer(text):
        first, second, number = found["first"], found["second"], found["number"]
        if _LOOSE.fullmatch(first) or _LOOSE.fullmatch(second):
            continue
        real = re.compile(
            rf"(?<!\w){re.escape(first)}\W{{1,3}}{re.escape(second)}\W{{1,4}}(\d{{1,7}}(?:\.\d+)?)(?![\w.%]*\w|%)", re.I
        )
        known = dict.fromkeys(shown for one in texts for shown in real.findall(one))
        if known and number not in known and not _stands_with(number, (first, second), texts):
            return f"the change says {first} {second} {' or '.join([*known][:3])}, not {number}"
    return ""


def _stands_with(number: str, words: Sequence[str], texts: Sequence[str]) -> bool:
    """Tell whether some line has a number with one of the words, or a message has it at all."""
    figure = re.compile(rf"(?<![\w.]){re.escape(number)}(?![\w.]*\w)")
    lines = (line.lower() for shown in texts for line in shown.split("\n") if figure.search(line))
    return any(word.lower() in line for line in lines for word in words)
