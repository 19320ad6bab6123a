"""How much the commits of a world matter, by what was done in them."""

from collections import Counter

from evals.worlds.importance import importance
from evals.worlds.model import World


def grade(world: World, work: str) -> int:
    repo, _, sha = world.notes[work].partition("@")
    return importance(world)[repo, sha]


def test_every_landed_commit_has_a_grade(full: World) -> None:
    grades = importance(full)
    assert grades.keys() == {(row.repo, row.sha) for row in full.landed}
    assert set(grades.values()) == {0, 1, 2, 3}


def test_what_must_be_mentioned_is_graded_three(demo: World, full: World) -> None:
    forge, serve = "lumen-ai/tensorforge: ", "lumen-ai/swiftserve: "
    named = ["unfuse-norm", "release", "rename-plan", "fix-pool", "fix-mask"]
    assert {grade(demo, forge + work) for work in named} == {3}
    assert {grade(demo, serve + work) for work in ("fix-hang", "chunk-default", "fix-utf8")} == {3}
    assert {grade(full, serve + work) for work in ("flag-changed", "flag-removed", "fix-hang")} == {3}


def test_what_users_can_notice_is_graded_two(demo: World, full: World) -> None:
    assert grade(demo, "lumen-ai/tensorforge: topk-limit") == 2
    assert grade(demo, "lumen-ai/swiftserve: fix-router") == 2
    assert grade(demo, "lumen-ai/swiftserve: forge") == 2
    assert grade(full, "lumen-ai/tensorforge: refuse") == 2
    assert grade(full, "lumen-ai/tensorforge: pick") == 2


def test_bots_are_minor_and_documents_workflows_and_benchmarks_noise(demo: World, full: World) -> None:
    assert grade(demo, "lumen-ai/swiftserve: torch") == 1
    assert {grade(demo, f"lumen-ai/tensorforge: {work}") for work in ("docs-zh", "ci-runner")} == {0}
    assert {grade(full, f"lumen-ai/swiftserve: {work}") for work in ("octopus", "nested", "long-lived")} == {0}
    assert grade(full, "lumen-ai/oddments: generated change") == 0
    assert grade(full, "lumen-ai/oddments: orders") == 0


def test_the_grades_do_not_hang_on_what_messages_say(full: World) -> None:
    hostile = Counter(importance(full)[row.repo, row.sha] for row in full.landed if "hostile" in row.tags)
    assert set(hostile) == {0}
