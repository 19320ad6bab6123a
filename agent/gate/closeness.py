"""Whether a line of the evidence says a strong word close to the same things as the claim."""

import re
from collections.abc import Iterable, Sequence

from agent.gate.stems import Vocabulary, vocabulary

_WORD = re.compile(r"[A-Za-z0-9_'’\-]+|[一-鿿]")


def said_near(
    lines: Iterable[str], said: re.Pattern[str], stems: Sequence[frozenset[str]], *, before: int = 6, after: int = 6
) -> bool:
    """Tell whether some line matches with one of the stems within a few words of the match."""
    for line in lines:
        for match in said.finditer(line):
            left = _WORD.findall(line[: match.start()])[-before:] if before else []
            right = _WORD.findall(line[match.end() :])[:after]
            if has_any(vocabulary(" ".join((*left, *right))), stems):
                return True
    return False


def has_any(words: Vocabulary, stems: Sequence[frozenset[str]]) -> bool:
    """Tell whether one of the words occurs."""
    return any(words.has_stem(one) for group in stems for one in group)


def share_of(words: Vocabulary, stems: Sequence[frozenset[str]]) -> float:
    """Give the share of the words that occur; nothing to look for counts as none."""
    return sum(any(words.has_stem(one) for one in group) for group in stems) / len(stems) if stems else 0.0
