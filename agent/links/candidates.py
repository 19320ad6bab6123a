"""The issues that a change is most like, for a model to read: BM25 over the words of issues."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from agent.domain.base import ThreadId
from agent.domain.evidence import CommitEvidence, Read
from agent.domain.ledger import Depth
from agent.links.digest import Digest, terms

NEAREST, COMMITS = 10, 20
"""Issues that a commit is compared with, and commits of a day that are."""
_K1, _B = 1.2, 0.75
_QUERY, _LINES = 400, 20_000
_EARLY = timedelta(minutes=10)


class IssueIndex:
    """Finds the issues that share rare words with a text; the cost of a search is that of its words' entries."""

    def __init__(self, issues: Iterable[Digest]) -> None:
        self._issues = list(issues)
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, issue in enumerate(self._issues):
            for term in issue.terms:
                self._places[term].append(place)
        lengths = [len(one.terms) for one in self._issues]
        mean = sum(lengths) / max(1, len(lengths)) or 1.0
        self._fit = [(_K1 + 1) / (1 + _K1 * (1 - _B + _B * length / mean)) for length in lengths]

    def nearest(self, query: Sequence[str], landed: datetime, most: int = NEAREST) -> list[Digest]:
        """Rank the issues that were there and not closed when a change landed."""
        scores: dict[int, float] = defaultdict(float)
        count = len(self._issues)
        for term in query:
            places = self._places.get(term, ())
            rarity = math.log(1 + (count - len(places) + 0.5) / (len(places) + 0.5))
            # Words of every second issue tell nothing and cost the most.
            if len(places) * 2 <= count or count < 4:
                for place in places:
                    scores[place] += rarity * self._fit[place]
        ranked = sorted(scores, key=lambda place: (-scores[place], self._issues[place].number))
        return [one for place in ranked if _in_time(one := self._issues[place], landed)][:most]


def _in_time(issue: Digest, landed: datetime) -> bool:
    """Tell whether a change can have fixed an issue: reported before it landed, and not closed before."""
    return issue.created_at <= landed and (issue.closed_at is None or issue.closed_at >= landed - _EARLY)


def words_of(evidence: CommitEvidence) -> tuple[str, ...]:
    """Give the words of a change: its message, its facts, its files, then its changed lines."""
    facts = " ".join(f"{fact.name} {fact.old or ''} {fact.new or ''}" for fact in evidence.facts[:60])
    lines = [line for file in evidence.change.files for line in (file.patch or "").splitlines() if line[:1] in "+-"]
    text = "\n".join((evidence.change.commit.message, facts, "\n".join(evidence.paths[:60]), "\n".join(lines)[:_LINES]))
    return terms(text)[:_QUERY]


def candidates(reads: Sequence[Read], issues: Iterable[Digest], linked: Iterable[str]) -> dict[str, list[ThreadId]]:
    """Name the nearest issues of each commit that was read and is linked with nothing, the heaviest commits first."""
    index, taken = IssueIndex(issues), set(linked)
    chosen = [one.evidence for one in reads if one.depth in (Depth.DEEP, Depth.SKIM) and one.evidence.id not in taken]
    found = {one.id: [issue.id for issue in index.nearest(words_of(one), one.at)] for one in chosen[:COMMITS]}
    return {name: near for name, near in found.items() if near}
