"""The most notable hunks of a commit whose functions say nothing."""

from collections.abc import Collection, Sequence
from itertools import chain

from agent.domain.commits import FileChange
from agent.domain.facts import Fact, Severity
from agent.domain.patch import read_patch
from tools.diff.changed_code_fact import code_fact
from tools.diff.changed_lines_by_function import MAX_RUNS, NotableRun
from tools.diff.changed_runs import (
    Run,
    Weight,
    changes_code,
    is_row_with_other_numbers,
    other_commands,
    runs_of,
    weight_of,
)
from tools.diff.declaration_reader import language_of
from tools.diff.file_roles import Role, is_beside_product, is_for_users, is_product, role

_MAX_PLAIN_RUNS = 2  # Runs of a file that are shown where users notice none of them
_MAX_FILES = 2  # Files of which hunks are shown where no definition is in sight
_MAX_PLACES = 8  # Places of documents that are shown
_ORDER = (
    Role.DOCUMENT,
    Role.CONFIG,
    Role.BUILD,
    Role.SCRIPT,
    Role.EXAMPLE,
    Role.BENCHMARK,
    Role.CI,
    Role.TEST,
)


def largest_hunks(files: Sequence[FileChange], compared: Collection[str] = ()) -> list[Fact]:
    """Return the most notable hunks of the most important files, where there are no other facts.

    Of the product's files that were compared it is known that they do what they did before.
    """
    # What went as a whole is named.
    kept = [file for file in files if file.status != "removed"]
    product = [file for file in kept if is_product(file.path)]
    # Of its tests and documents nobody has to know beside it.
    kept = product or [file for file in kept if is_beside_product(file.path)]
    ordered = sorted(kept, key=_file_order)
    facts: list[Fact] = []
    for file in ordered[:_MAX_FILES]:
        runs: list[NotableRun] = []
        for hunk in read_patch(file.patch).hunks:
            for run in runs_of(hunk):
                if changes_code(run):
                    runs.append(NotableRun(run, weight_of(run)))
        if not runs:
            continue
        runs.sort(key=lambda run: run.order)
        noticed = [run.lines for run in runs if run.weight is Weight.VISIBLE]
        shown_runs = noticed[:MAX_RUNS] or [run.lines for run in runs[:_MAX_PLAIN_RUNS]]
        fact = code_fact(file.path, file.path, shown_runs)
        is_unchanged = file.path in compared and is_product(file.path)
        if is_unchanged and file.status == "modified":
            fact = fact.model_copy(update={"severity": Severity.INTERNAL})
        facts.append(fact)
    return facts


def changed_in_documents(files: Sequence[FileChange]) -> list[Fact]:
    """Return what users do otherwise after a change of documents alone.

    These are other commands than before, and rows of tables in which nothing but numbers differs:
    such tables say which versions and devices are supported.
    """
    facts: list[Fact] = []
    for file in files:
        if not is_for_users(file.path) or role(file.path) is not Role.DOCUMENT:
            continue
        runs: list[Run] = []
        for hunk in read_patch(file.patch).hunks:
            for run in runs_of(hunk):
                telling = run if is_row_with_other_numbers(run) else other_commands(run)
                if telling:
                    runs.append(telling)
        if runs:
            facts.append(code_fact(file.path, file.path, runs[:MAX_RUNS]))
    if not facts:
        return []
    places = list(chain.from_iterable(fact.places for fact in facts))
    update = {"severity": Severity.BEHAVIOUR, "places": tuple(places[:_MAX_PLACES])}
    return [facts[0].model_copy(update=update)]


def _file_order(file: FileChange) -> tuple[int, bool, int]:
    """Return what sorts files: by what they are for, programs before data, the largest first."""
    is_data = language_of(file.path) is None
    return _rank(file.path), is_data, -file.additions - file.deletions


def _rank(path: str) -> int:
    if is_product(path):
        return -1
    file_role = role(path)
    return _ORDER.index(file_role) if file_role in _ORDER else len(_ORDER)
