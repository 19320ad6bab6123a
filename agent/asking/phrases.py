"""Words that stand side by side in a question and mean one thing together: "prefix caching", "speculative decoding"."""

import re
from collections.abc import Sequence
from functools import lru_cache

from agent.asking.inquiry import Term
from agent.asking.stems import stem

_SHORTEST = 3
_GAP = r"[\s_/-]{0,3}"


def phrases_of(rest: str, terms: Sequence[Term]) -> tuple[tuple[str, ...], ...]:
    """Find the runs of two or more words of the topic with nothing but a space between them."""
    said = {term.said.lower() for term in terms if term.said.isascii() and not term.weak}
    runs: list[tuple[str, ...]] = []
    run: list[str] = []
    for word in rest.replace("?", " ? ").replace(",", " , ").split():
        if word.lower() in said:
            run.append(word.lower())
            continue
        runs, run = [*runs, *([tuple(run)] if len(run) > 1 else [])], []
    return (*runs, *([tuple(run)] if len(run) > 1 else []))


def has_phrase(phrase: tuple[str, ...], text: str) -> bool:
    """Tell whether a text has the words of a phrase side by side, in whatever form."""
    return _pattern(phrase).search(text) is not None


@lru_cache(maxsize=256)
def _pattern(phrase: tuple[str, ...]) -> re.Pattern[str]:
    stems = [re.escape(stem(word)) if len(stem(word)) >= _SHORTEST else re.escape(word) for word in phrase]
    return re.compile(r"(?<![a-z0-9])" + (r"[a-z]*" + _GAP).join(stems), re.IGNORECASE)
