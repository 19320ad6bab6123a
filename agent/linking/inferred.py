"""Links that nobody wrote down: of what may belong together, what is likely and stands out."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from agent.domain import Commit, Threads
from agent.ids import RepoId
from agent.linking.digest import Digest
from agent.linking.guesser import WEIGHTS, Guess, Guesser
from agent.linking.reasons import reasons
from agent.linking.sketch import Sketch
from agent.links import Grade, Link, Relation

ASSERTED = 0.75
"""Nothing below this is told."""
MARGIN = 0.15
_SOLID = {"title": 0.5, "names": 0.6, "error": 1.0, "closed": 0.6, "reporter": 1.0, "named": 1.0}
"""What makes a guess solid, and from which value on."""
_ALIKE = 0.7
"""Two changes whose titles both say what the issue's does are steps of one work, not rivals."""


def inferred_links(
    repo: RepoId,
    commits: Sequence[Commit],
    threads: Threads,
    sketches: Mapping[str, Sketch],
    explicit: Sequence[Link] = (),
    known: Sequence[Digest] = (),
) -> tuple[Link, ...]:
    """Assert what is likely and stands out; an issue that somebody linked needs no guess.

    `known` are open issues of earlier days that today's threads do not have.
    """
    guesser = Guesser(repo, commits, threads, sketches, explicit, known)
    return tuple(
        Link(
            issue=one.issue,
            change=one.change(repo),
            relation=Relation.FIXES,
            grade=Grade.C,
            evidence=(f"score {one.score:.2f}", *reasons(guesser, one), *_figures(one)),
        )
        for one in asserted(guesser.guesses())
    )


def _figures(guess: Guess) -> tuple[str, ...]:
    parts = sorted(guess.features.items(), key=lambda item: (-WEIGHTS[item[0]] * item[1], item[0]))
    return tuple(f"{name} {value:.2f}" for name, value in parts if value > 0)


def asserted(guesses: Sequence[Guess]) -> list[Guess]:
    """Keep the guesses that are likely, and clearly likelier than any other for the same issue or change."""
    by_issue: dict[str, list[Guess]] = defaultdict(list)
    by_change: dict[str, list[Guess]] = defaultdict(list)
    for guess in sorted(guesses, key=lambda one: (-one.score, one.issue, one.sha)):
        by_issue[guess.issue].append(guess)
        by_change[guess.sha].append(guess)
    return [
        one
        for rivals in by_issue.values()
        for one in rivals
        if one.score >= ASSERTED
        and _is_solid(one)
        and _stands_out(one, rivals)
        and _stands_out(one, by_change[one.sha])
    ]


def _is_solid(one: Guess) -> bool:
    """Tell whether something speaks for a guess beside words that are alike here and there."""
    return any(one.features[name] >= enough for name, enough in _SOLID.items())


def _stands_out(one: Guess, rivals: Sequence[Guess]) -> bool:
    others = (other for other in rivals if other is not one and not _same_work(one, other))
    return all(one.score - other.score >= MARGIN for other in others)


def _same_work(one: Guess, other: Guess) -> bool:
    return one.issue == other.issue and min(one.features["title"], other.features["title"]) >= _ALIKE
