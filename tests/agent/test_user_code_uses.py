"""Which lines of one's own code a change concerns."""

from agent.domain.base import RepoId
from agent.domain.facts import Fact, FactKind, Severity
from agent.user_code_uses import concerns, find_uses, project_names, used_name

REPO = RepoId("acme/engine")


def fact(kind: FactKind, name: str, **given: str | None) -> Fact:
    values = {"module": "engine.core"} | given
    return Fact(kind=kind, severity=Severity.BREAKING, name=name, **values)


def uses(text: str, *facts: Fact, path: str = "app.py") -> list[tuple[str, int, str]]:
    project = project_names(REPO, facts)
    return [
        (used_name(use.fact), use.line, use.text) for use in find_uses(facts, path, text, project)
    ]


def test_a_method_is_followed_through_assignments_and_attributes_of_self() -> None:
    text = """\
import engine
from engine import core as inner


class App:
    def __init__(self):
        self.runner = engine.Runner(4)
        self.other = open("x")
        self.runner.stop()
        self.other.stop()


def main(queue):
    runner = inner.Runner(2)
    runner.stop()
    queue.stop()
"""
    removed_fact = fact("symbol-removed", "Runner.stop", path="engine.Runner.stop")
    assert uses(text, removed_fact) == [
        ("Runner.stop", 9, "self.runner.stop()"),
        ("Runner.stop", 15, "runner.stop()"),
    ]


def test_an_object_is_followed_to_its_other_names() -> None:
    text = """\
import engine

first = engine.Runner(4)
second = first
third = second
third.stop()
other = open("x")
fourth = other
fourth.stop()
fifth = first
fifth = other
fifth.stop()
"""
    removed_fact = fact("symbol-removed", "Runner.stop", path="engine.Runner.stop")
    assert uses(text, removed_fact) == [("Runner.stop", 6, "third.stop()")]


def test_choices_that_only_came_concern_nobody() -> None:
    came = fact("choices-changed", "Mode", old=None, new="'fast'", path="engine.Mode")
    went = fact("choices-changed", "Mode", old="'slow'", new="'fast'", path="engine.Mode")
    flag = fact("flag-choices-changed", "--mode", old='["a"]', new='["a", "b"]')
    assert [concerns(each) for each in (came, went, flag)] == [False, True, False]


def test_a_call_is_shown_by_the_line_with_the_argument_that_is_gone() -> None:
    text = """\
from engine import attend

attend(
    1,
    scale=2,
)
attend(1)
"""
    removed_fact = fact("parameter-removed", "attend", detail="scale", path="engine.attend")
    assert uses(text, removed_fact) == [("attend(scale)", 5, "scale=2,")]


def test_an_equal_name_of_another_package_is_no_use() -> None:
    text = "import engine\nfrom other.core import attend\n\nattend(1)\nengine.run()\n"
    assert uses(text, fact("symbol-removed", "attend", path="engine.attend")) == []


def test_flags_are_found_in_scripts_manifests_and_images_but_not_of_other_programs() -> None:
    removed_fact = fact("flag-removed", "--swap-space")
    script = "mkswap --swap-space 4\nengine serve \\\n  --swap_space 4\nARGS='--swap-space 2'\n"
    assert [line for _, line, _ in uses(script, removed_fact, path="run.sh")] == [3, 4]
    manifest = "image: acme/engine\nargs:\n  - --swap-space=4\n"
    assert uses(manifest, removed_fact, path="deploy.yaml") == [
        ("--swap-space", 3, "- --swap-space=4")
    ]
    image = 'FROM acme/engine\nCMD ["engine", "--swap-space", "4"]\nRUN mkswap --swap-space 1\n'
    assert [line for _, line, _ in uses(image, removed_fact, path="Dockerfile")] == [2]


def test_an_argument_is_found_by_its_position() -> None:
    text = """\
import engine

engine.attend(q, k, 2)
engine.attend(q, k)
engine.attend(q, k=k, scale=2)
"""
    removed = fact("parameter-removed", "attend", detail="scale", path="engine.attend")
    by_position = removed.model_copy(update={"position": 2})
    by_name = removed.model_copy(update={"kind": "parameter-keyword-only", "position": 2})
    required = removed.model_copy(update={"kind": "parameter-required", "position": 2})
    assert [line for _, line, _ in uses(text, removed)] == [5]
    assert [line for _, line, _ in uses(text, by_position)] == [3, 5]
    assert [line for _, line, _ in uses(text, by_name)] == [3]
    assert [line for _, line, _ in uses(text, required)] == [4]


def test_a_variable_that_a_program_reads_itself_is_none_that_it_sets() -> None:
    text = """\
import os
import engine

if "ENGINE_TRACE" in os.environ or os.getenv("ENGINE_TRACE"):
    print(os.environ["ENGINE_TRACE"], os.environ.get("ENGINE_TRACE"))
os.environ["ENGINE_TRACE"] = "1"
"""
    removed = fact("env-removed", "ENGINE_TRACE")
    assert [line for _, line, _ in uses(text, removed)] == [6]
    script = 'echo "engine: $ENGINE_TRACE"\nexport ENGINE_TRACE=${ENGINE_TRACE:-1}\n'
    assert [line for _, line, _ in uses(script, removed, path="run.sh")] == [2]


def test_a_default_for_what_had_to_be_passed_concerns_nobody() -> None:
    changed = fact("parameter-default-changed", "attend", detail="scale", old=None, new="1")
    assert not concerns(changed)
    assert concerns(changed.model_copy(update={"old": "2"}))
