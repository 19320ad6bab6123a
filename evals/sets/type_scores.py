"""What kind of change the ledger says a commit is, beside what the generator did: macro-F1 over merged types."""

from collections.abc import Iterable, Sequence

from agent.domain.report import LedgerRow
from agent.triage.conventions import Purpose
from evals.figures import Figure, Score, Target, share
from evals.worlds.model import LandedGold

_MERGED = {
    Purpose.FIX: "fix",
    Purpose.FEATURE: "feature",
    Purpose.REFACTOR: "refactoring",
    Purpose.DOCS: "documents",
    Purpose.DEPENDENCY: "upkeep",
    Purpose.RELEASE: "upkeep",
    Purpose.CI: "upkeep",
    Purpose.CHORE: "upkeep",
    Purpose.TESTS: "upkeep",
    Purpose.REVERT: "revert",
}
_BY_EDIT = {
    "fix_bug": "fix",
    "add_function": "feature",
    "add_flag": "feature",
    "add_env": "feature",
    "rename_function": "refactoring",
    "reword_doc": "documents",
    "bump_dependency": "upkeep",
    "bump_image": "upkeep",
    "bump_version": "upkeep",
    "revert": "revert",
}
"""Edits that are of one type whatever the author calls them; a default may change for any reason."""


def typed(rows: Iterable[LedgerRow], gold: Iterable[LandedGold]) -> list[tuple[str, str]]:
    """Pair what a commit is with what the ledger calls it, for commits that do one thing of a clear type."""
    done = {(row.repo, row.sha): {edit.kind for edit in row.edits} for row in gold}
    pairs = []
    for row in rows:
        kinds = done.get((row.repo, row.sha), set())
        if len(kinds) == 1 and (true := _BY_EDIT.get(next(iter(kinds)))):
            pairs.append((true, _MERGED.get(row.purpose, "other") if row.purpose else "none"))
    return pairs


def macro_f1(pairs: Sequence[tuple[str, str]]) -> Figure:
    """Average F1 over the types that there are, however rare each is."""
    scores = []
    for name in sorted({true for true, _ in pairs}):
        hits = sum(one == (name, name) for one in pairs)
        told, there = sum(said == name for _, said in pairs), sum(true == name for true, _ in pairs)
        value = 2 * hits / (told + there)
        scores.append(Score(f"{name}: {hits} of {there} found, {told} called so", value, name))
    return share(scores, Target(0.88))
