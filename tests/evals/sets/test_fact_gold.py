"""The gold of facts says what git shows."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.domain.facts import FactKind
from evals.worlds.facts import described, gold_facts
from evals.worlds.model import World
from evals.worlds.worlds import build

Git = Callable[..., str]
WHOLE = ("only-", "revert", "reland", "cherry-pick", "generated", "vendored", "file-")


@pytest.fixture(scope="module")
def diffs(facts_world: World, git: Git) -> dict[str, tuple[str, str, set[str]]]:
    """What git says each commit removed, added and touched."""
    out = git(facts_world.repos[0].git_dir, "log", "-U0", "--no-renames", "--format=%x01%H", "-p", "main")
    found = {}
    for text in out.split("\x01")[1:]:
        sha, _, patch = text.partition("\n")
        lines = [line for line in patch.split("\n") if not line.startswith(("---", "+++"))]
        removed, added = ("\n".join(line[1:] for line in lines if line.startswith(sign)) for sign in "-+")
        files = set(re.findall(r"^diff --git a/(.+) b/\1$", patch, re.MULTILINE))
        found[sha] = removed, added, files
    return found


def last(name: str) -> str:
    return name if "/" in name else re.split(r"\.", name.removeprefix("--"))[-1]


GONE = {"value-changed", "warning-added", "folder-renamed"}


def test_every_kind_of_fact_has_a_commit(facts_world: World) -> None:
    assert set(FactKind) - {fact.kind for fact in gold_facts(facts_world)} <= GONE


def test_every_second_commit_is_described(facts_world: World) -> None:
    room = [row for row in facts_world.landed if not row.edits]
    assert len(described(facts_world)) == len(facts_world.landed) - len(room) > 500


def test_old_values_are_in_removed_lines_and_new_ones_in_added_lines(
    facts_world: World, diffs: dict[str, tuple[str, str, set[str]]]
) -> None:
    for fact in gold_facts(facts_world):
        removed, added, _ = diffs[fact.sha]
        if fact.kind.startswith(WHOLE) or fact.kind == "symbol-moved":
            continue
        for value, lines in ((fact.old, removed), (fact.new, added)):
            for word in re.findall(r"[\w.]+", value or ""):
                assert word in lines, fact


def test_what_came_is_in_added_lines_and_what_went_in_removed_ones(
    facts_world: World, diffs: dict[str, tuple[str, str, set[str]]]
) -> None:
    for fact in gold_facts(facts_world):
        removed, added, _ = diffs[fact.sha]
        name = last(fact.detail or fact.name).replace("-", "[-_]")
        if fact.kind.startswith(WHOLE) or fact.kind == "symbol-moved":
            continue
        if fact.kind.endswith("-added"):
            assert re.search(name, added), fact
            assert not fact.kind.startswith("symbol") or not re.search(rf"\b{name}\b", removed), fact
        if fact.kind.endswith("-removed"):
            assert re.search(name, removed), fact


def test_the_files_are_those_that_git_names(facts_world: World, diffs: dict[str, tuple[str, str, set[str]]]) -> None:
    for fact in gold_facts(facts_world):
        assert not fact.file or fact.file in diffs[fact.sha][2], fact


def test_moved_files_are_renames_for_git(facts_world: World, git: Git) -> None:
    moved = [fact for fact in gold_facts(facts_world) if fact.kind == "file-renamed"]
    for fact in moved:
        assert fact.old is not None
        out = git(facts_world.repos[0].git_dir, "show", "-M", "--name-status", "--format=", fact.sha)
        assert f"R100\t{fact.old}\t{fact.name}" in out.splitlines()


def test_a_revert_undoes_what_the_commit_it_names_did(tmp_path: Path) -> None:
    world = build("demo", 1, tmp_path)
    facts = gold_facts(world)
    revert = next(fact for fact in facts if fact.kind == "revert" and not fact.optional)
    there = {(fact.kind, fact.name) for fact in facts if fact.sha == revert.name}
    back = {(fact.kind, fact.name) for fact in facts if fact.sha == revert.sha}
    assert ("symbol-added", "allreduce_rms_norm") in there
    assert ("symbol-removed", "allreduce_rms_norm") in back
