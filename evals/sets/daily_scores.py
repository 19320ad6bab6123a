"""What a day's report is worth beside the gold: everything accounted for, the important told, and told first."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from agent.domain.base import commit_id
from agent.domain.claims import Claim, Role
from agent.domain.ledger import Depth, LedgerRow, Tier
from agent.domain.report import Report
from evals.figures import Score

Grades = Mapping[tuple[str, str], int]
"""How much each commit matters, by repository and hash."""

_TOP = (Tier.HIGH, Tier.MID)
_FIRST = 10


def accounted(report: Report, landed: Iterable[tuple[str, str]], where: str) -> list[Score]:
    """Score each commit that landed, and each row that should not be there."""
    counts = Counter((str(row.repo), row.sha) for row in report.ledger)
    gold = set(landed)
    scores = [
        Score(f"{where}: {repo}@{sha} has {counts[repo, sha]} rows", _yes(counts[repo, sha] == 1))
        for repo, sha in sorted(gold)
    ]
    return scores + [Score(f"{where}: {repo}@{sha} did not land then", 0.0) for repo, sha in counts.keys() - gold]


def told(report: Report, grades: Grades, where: str) -> list[Score]:
    """Score each commit that must be mentioned: on top with something said of it, or among the highlights."""
    spoken = {name for claim in report.claims for name in claim.about}
    highlighted = {name for claim in report.claims if _is_highlight(claim) for name in claim.sources}
    scores = []
    for row in report.ledger:
        if grades[row.repo, row.sha] == 3:
            name = commit_id(row.repo, row.sha)
            good = (row.tier in _TOP and name in spoken) or name in highlighted
            said = "spoken of" if name in spoken else "nothing said"
            scores.append(Score(f"{where}: {_named(row)}, {said}", _yes(good)))
    return scores


def covered(report: Report, grades: Grades, where: str) -> list[Score]:
    """Score each commit that users can notice: with an item of its own, not folded."""
    rows = [row for row in report.ledger if grades[row.repo, row.sha] >= 2]
    return [Score(f"{where}: {_named(row)}", _yes(_is_item(row))) for row in rows]


def quiet(report: Report, grades: Grades, where: str) -> list[Score]:
    """Score each item on top: 1 unless it is noise."""
    rows = [row for row in report.ledger if row.tier in _TOP]
    return [Score(f"{where}: {_named(row)}", _yes(grades[row.repo, row.sha] > 0)) for row in rows]


def ordered(report: Report) -> list[LedgerRow]:
    """List the items in the order in which a reader meets them: by tier, then by weight."""
    items = [row for row in report.ledger if _is_item(row)]
    return sorted(items, key=lambda row: (list(Tier).index(row.tier or Tier.LOW), row.noise is not None, -row.weight))


def gain_in_order(rows: Sequence[LedgerRow], landed: Sequence[LedgerRow], grades: Grades) -> float | None:
    """Give the nDCG of the first ten items; None where every order is as good as any other."""
    have = [grades[row.repo, row.sha] for row in rows]
    ideal = sorted((grades[row.repo, row.sha] for row in landed), reverse=True)
    if len(set(ideal)) < 2:
        return None
    return _gain(have) / _gain(ideal)


def in_both_languages(english: Report, chinese: Report, where: str) -> list[Score]:
    """Score each claim of either report: in both, and in words of both languages."""
    one, other = ({claim.id: claim for claim in report.claims} for report in (english, chinese))
    scores = []
    for name in sorted(one.keys() | other.keys()):
        pair = (one.get(name), other.get(name))
        same = pair[0] is not None and pair[0] == pair[1] and _in_words(pair[0])
        scores.append(Score(f"{where}: {name}", _yes(same)))
    return scores


def _in_words(claim: Claim) -> bool:
    """Tell whether a claim can be read in both languages; speech and code are quoted as they are in either."""
    quoted = claim.speech or (bool(claim.quotes) and not any(claim.text.values()))
    return quoted or all(claim.text.get(lang) for lang in ("en", "zh"))


def _gain(grades: Sequence[int]) -> float:
    return math.fsum((2**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades[:_FIRST], start=1))


def _is_item(row: LedgerRow) -> bool:
    return row.tier is not None and row.noise is None and row.depth in (Depth.DEEP, Depth.SKIM)


def _is_highlight(claim: Claim) -> bool:
    return claim.repo is None or claim.role is Role.SUMMARY


def _named(row: LedgerRow) -> str:
    tier = row.tier.value if row.tier else "not read"
    return f"{row.repo}@{row.sha[:10]} {tier} {row.weight:g} ({', '.join(row.marks)}) {row.title[:70]}"


def _yes(good: bool) -> float:
    return float(good)
