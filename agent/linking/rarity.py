"""How much words tell: the fewer texts have one, the more it says that two texts share it."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

# Sums are taken over sorted words: the order of a set differs from process to process, and so would the last digit.


def rarity(texts: Sequence[Iterable[str]]) -> Mapping[str, float]:
    """Weigh words by how few of the texts have them; no text names a word twice."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
    return {word: math.log((len(texts) + 1) / count) for word, count in counts.items()}


def norm(words: Iterable[str], rare: Mapping[str, float]) -> float:
    """Give the length of a text as a vector of its words."""
    return math.sqrt(sum(rare[word] ** 2 for word in words))


class Index:
    """Finds the texts that share words with another one, and how much that tells."""

    def __init__(self, texts: Sequence[Iterable[str]], rare: Mapping[str, float]) -> None:
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, text in enumerate(texts):
            for word in text:
                self._places[word].append(place)
        self._squares = {word: rare[word] ** 2 for word in self._places}

    def shared(self, words: Iterable[str]) -> tuple[dict[int, float], Counter[int]]:
        """Give for each text what the shared words weigh, and how many they are."""
        weights: dict[int, float] = defaultdict(float)
        counts: Counter[int] = Counter()
        for word in words:
            places = self._places.get(word)
            if places:
                square = self._squares[word]
                for place in places:
                    weights[place] += square
                counts.update(places)
        return weights, counts
