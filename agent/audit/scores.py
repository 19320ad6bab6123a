"""Results such as 14/14 that a message gives for one thing, and sentences that give them for another."""

import re
from collections.abc import Sequence

from agent.evidence import CommitEvidence
from agent.gate.glossary_zh import glossary
from agent.gate.stems import words_of

_SCORE = re.compile(r"(?<![\w./-])\d{1,6}/\d{1,6}(?![\w/-])(?!\.\d)")
_STOP = re.compile(r"[,;:：，；。、()（）]|\.\s|\n\s*\n|\n\s*[*-]")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_LONGEST = 4


def other_score(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say that a result belongs to something else; nothing where the message does not tell things apart by it."""
    for one in commits:
        real = _told(one.change.commit.message)
        shared = set.intersection(*real.values()) if len(real) > 1 else set()
        for score, words in _told(text).items():
            own = real.get(score, set()) - shared
            if not own or own & words:
                continue
            other = next((said for said, theirs in real.items() if said != score and (theirs - shared) & words), "")
            if other:
                return f"the message gives {other} for this, and {score} for {', '.join(sorted(own))}"
    return ""


def _told(text: str) -> dict[str, set[str]]:
    """Give the words beside each result, up to the marks around it."""
    found: dict[str, set[str]] = {}
    for score in _SCORE.finditer(text):
        start = max((mark.end() for mark in _STOP.finditer(text, 0, score.start())), default=0)
        stop = _STOP.search(text, score.end())
        around = f"{text[start : score.start()]} {text[score.end() : stop.start() if stop else len(text)]}"
        found.setdefault(score[0], set()).update(_words(around))
    return found


def _words(text: str) -> set[str]:
    """Give the stems of a text, of Chinese words those that bear them out."""
    known, found = glossary(), words_of(text)
    for run in _HAN.findall(text):
        pieces = (run[at : at + size] for at in range(len(run)) for size in range(2, _LONGEST + 1))
        found |= {stem for piece in pieces for stem in known.get(piece, ())}
    return found
