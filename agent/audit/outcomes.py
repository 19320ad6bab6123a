"""What a message says of tests and runs, that they pass or fail, and sentences that say the opposite."""

import re
from collections.abc import Sequence

from agent.evidence import CommitEvidence

_GOOD = re.compile(r"\b(?:pass(?:es|ed|ing)?|ok(?:ay)?|fine|succeed\w*|works?|green)\b|通过|正常|成功", re.IGNORECASE)
_BAD = re.compile(
    r"\b(?:fail(?:s|ed|ing|ures?)?|broken|breaks?|crash\w*|hangs?|red)\b|失败|崩溃|不通过|报错", re.IGNORECASE
)
_NEGATED = re.compile(r"\b(?:not|no|never|without|longer|used to|n't)\b|n't\b|不|没有|未|曾", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:[,;，；。、]|\.\s|\b(?:and|but|while|whereas|yet)\b|但|而)")
_CODE = re.compile(r"`([^`]{4,80})`")


def other_outcome(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say of which name a message says the opposite outcome; nothing where it says both, or neither."""
    for clause in _CLAUSE.split(text):
        names, good, bad = _CODE.findall(clause), _GOOD.search(clause), _BAD.search(clause)
        if not names or bool(good) == bool(bad) or _NEGATED.search(clause):
            continue
        same, other = (_GOOD, _BAD) if good else (_BAD, _GOOD)
        for name in names:
            said = [one for one in _said(commits) if name in one]
            if any(other.search(one) for one in said) and not any(
                same.search(one) or _NEGATED.search(one) for one in said
            ):
                shown = next(one for one in said if other.search(one))
                return f"the message says: “{' '.join(shown.split())[:160]}”"
    return ""


def _said(commits: Sequence[CommitEvidence]) -> list[str]:
    messages = (re.sub(r"(?<=\S)\n(?=\S)", " ", one.change.commit.message) for one in commits)
    return [clause for message in messages for line in message.split("\n") for clause in _CLAUSE.split(line)]
