"""Several runs of the same set: what the cases give on average, and how many pass every time."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from evals.figures import MEASURED, Figure, Score, Target, is_wrong, share
from evals.statistics import bootstrap, pass_hat

Figures = Mapping[str, Figure]


def over_trials(trials: Sequence[Figures]) -> dict[str, Figure]:
    """Join the figures of several trials: each case counts with its mean, and pass^k stands beside every share."""
    joined: dict[str, Figure] = {}
    for metric in dict.fromkeys(name for figures in trials for name in figures):
        figures = [one[metric] for one in trials if metric in one]
        first = figures[0]
        if not first.scores or first.scores[0].verdict == MEASURED:
            joined[metric] = first
            continue
        joined[metric] = _mean(figures)
        joined[f"{metric}, pass^{len(trials)}"] = _every_time(figures, len(trials))
    return joined


def _cases(figures: Sequence[Figure]) -> dict[str, list[tuple[Figure, Score]]]:
    cases: dict[str, list[tuple[Figure, Score]]] = defaultdict(list)
    for figure in figures:
        for place, score in enumerate(figure.scores):
            cases[score.case or f"{place:05}"].append((figure, score))
    return cases


def _mean(figures: Sequence[Figure]) -> Figure:
    first = figures[0]
    scores = []
    for case, rows in _cases(figures).items():
        worst = min((score for _, score in rows), key=lambda score: score.value or 0.0)
        value = sum(score.value or 0.0 for _, score in rows) / len(rows)
        scores.append(replace(worst, value=value, case=case))
    target = Target(first.target, "at most" if first.sense == "at most" else "at least")
    drawn = bootstrap([score.value or 0.0 for score in scores])
    return replace(share(scores, target), low=drawn.low, high=drawn.high)


def _every_time(figures: Sequence[Figure], k: int) -> Figure:
    """Give pass^k; a case that was not there in every trial did not pass in the others."""
    scores, passed = [], []
    for case, rows in _cases(figures).items():
        right = [not is_wrong(figure, score) for figure, score in rows]
        right += [False] * (k - len(right))
        passed.append(right)
        wrong = next((score.reason for figure, score in rows if is_wrong(figure, score)), "was not there every time")
        reason = "passed every time" if all(right) else wrong
        scores.append(Score(reason, float(all(right)), case))
    return replace(share(scores, Target(0.95)), value=pass_hat(passed, k))
