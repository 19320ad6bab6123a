"""How much each word of a question says about its topic: much if few commits have it, little if everybody says it."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from agent.asking.inquiry import Term
from agent.asking.ordinary import is_english

Weights = Mapping[str, float]
"""By the word as it was said."""
_UNHEARD = 7.0
"""Of a name that no commit has: as much as of one in a thousand."""
_PLAIN = 0.7
"""Of a plain word: who wrote the commit may have chosen another, which is less likely of a name, a number, a format."""
_WEAK = 0.12
_VERBAL = re.compile(r"^[a-z]{3,}(?:ed|ing)$")
"""What was done is said in other words more often than to what."""


def weights(terms: Sequence[Term], rarity: Callable[[Sequence[str]], float]) -> dict[str, float]:
    """Weigh the words of a topic by how rare they are; everyday words that nobody wrote say nothing."""
    rare = {term.said: rarity(term.forms) for term in terms}
    heard = [one for one in rare.values() if not math.isinf(one)]
    # A word that nobody wrote is as good as the others: it may be the topic, or another word for what was written.
    middle = sum(heard) / len(heard) if heard else _UNHEARD
    return {term.said: _weight(term, rare[term.said], middle) for term in terms}


def _weight(term: Term, rare: float, middle: float) -> float:
    if math.isinf(rare):
        if term.weak:
            return 0.0
        if _VERBAL.search(term.said):
            return middle * _PLAIN / 2
        return middle * _PLAIN if is_english(term.said) else max(middle, _UNHEARD)
    if not term.said.isascii():
        # What has no English sense cannot be in an English title.
        return rare * _PLAIN / 2 if term.weak else rare
    return rare * (_WEAK if term.weak else _PLAIN if is_english(term.said) else 1.0)
