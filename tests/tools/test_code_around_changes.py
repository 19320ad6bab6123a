"""A writer is shown the code around a change: whole functions, uses elsewhere, and what decides."""

from datetime import UTC, datetime

from agent.domain.base import RepoId
from agent.domain.code_around_changes import CodePassage, Surroundings
from agent.packets.code_around_changes_text import surroundings_note, use_text
from agent.packets.commit_packet import definition_text
from agent.packets.lines_supporting_claims import NO_FOCUS
from tests.made_repos import Work
from tools.code_around_changes import release_lines, surroundings_of
from tools.evidence_cache import EvidenceCache
from tools.git.source import GitSource

RUNNER = """\
from engine.devices import is_supported


class Runner:
    def before(self):
        return 1

    @property
    def graph(self):
        if is_supported(self.device):
            backend = "piecewise"
        else:
            backend = "eager"
        log(backend)
        if self.config.disable_graph:
            backend = "eager"
        return backend

    def after(self):
        return 2
"""
DEVICES = """\
def is_supported(device):
    return device.major == 10


def other():
    return 0
"""
SERVER = """\
from engine.runner import Runner

graph = Runner().graph
"""


async def surroundings(work: Work, sha: str) -> Surroundings:
    code = GitSource(RepoId("o/r"), work.path)
    (evidence,) = await EvidenceCache().study_all(code, [sha])
    return await surroundings_of(code, evidence)


def passage_of(around: Surroundings, file: str) -> CodePassage:
    (passage,) = (passage for passage in around.passages if passage.file == file)
    return passage


async def test_a_changed_field_is_shown_below_its_class_and_the_decorators_of_it(
    work: Work,
) -> None:
    fields = "".join(f"    field_{number}: int = {number}\n" for number in range(30))
    config = f"@dataclass(kw_only=True)\n@registered\nclass Config:\n{fields}"
    after = "\n\ndef other():\n    return 0\n"
    work.commit(files={"engine/config.py": config + after})
    sha = work.commit(files={"engine/config.py": f"{config}    timeout: int = 5\n{after}"})
    passage = passage_of(await surroundings(work, sha), "engine/config.py")
    assert passage.scopes == ("@dataclass(kw_only=True) @registered class Config:",)
    assert "+    timeout: int = 5" in passage.lines


async def test_the_whole_function_around_a_change_is_shown_with_what_follows(work: Work) -> None:
    work.commit(files={"engine/runner.py": RUNNER, "engine/devices.py": DEVICES})
    sha = work.commit(files={"engine/runner.py": RUNNER.replace('"piecewise"', '"full"')})
    passage = passage_of(await surroundings(work, sha), "engine/runner.py")
    assert passage.scopes == ("class Runner:",)
    assert passage.lines[0] == "     @property"
    assert '-            backend = "piecewise"' in passage.lines
    assert '+            backend = "full"' in passage.lines
    # The override below the hunk decides, and is there.
    assert "         if self.config.disable_graph:" in passage.lines
    assert passage.lines[-1] == "         return backend"
    assert (passage.first, passage.last) == (8, 17)


async def test_uses_elsewhere_and_the_definition_of_what_decides_are_shown(work: Work) -> None:
    files = {
        "engine/runner.py": RUNNER,
        "engine/devices.py": DEVICES,
        "engine/server.py": SERVER,
        "tests/test_runner.py": SERVER,
    }
    work.commit(files=files)
    sha = work.commit(files={"engine/runner.py": RUNNER.replace('"piecewise"', '"full"')})
    around = await surroundings(work, sha)
    (uses,) = (uses for uses in around.uses if uses.name == "graph")
    assert [(use.file, use.line, use.in_tests) for use in uses.uses] == [
        ("engine/server.py", 3, False),
        ("tests/test_runner.py", 3, True),
    ]
    (definition,) = around.definitions
    assert definition.name == "is_supported"
    assert definition.passage.lines == (
        " def is_supported(device):",
        "     return device.major == 10",
    )


async def test_a_condition_that_uses_a_changed_name_is_shown_with_what_it_decides(
    work: Work,
) -> None:
    kernel = """\
int pick(Plan plan) {
    if (plan.few_tokens) {

        return launch_small(plan);
    }
    return launch_large(plan);
}
"""
    server = "def serve(plan):\n    small = plan.few_tokens\n    return small\n"
    limits = "class Plan:\n    few_tokens = 16\n"
    work.commit(files={"kernel.cpp": kernel, "plan.py": limits, "server.py": server})
    sha = work.commit(files={"plan.py": limits.replace("16", "32")})
    around = await surroundings(work, sha)
    (uses,) = (uses for uses in around.uses if uses.name == "few_tokens")
    followed = {use.file: use.following for use in uses.uses}
    assert followed == {
        "kernel.cpp": ("    return launch_small(plan);", "}", "return launch_large(plan);"),
        "server.py": (),
    }
    shown = """\
kernel.cpp:2: if (plan.few_tokens) {
    return launch_small(plan);
}
return launch_large(plan);"""
    # It may be copied as an anchor as well.
    assert shown in surroundings_note(around)


async def test_of_two_definitions_of_a_name_the_imported_one_is_shown(work: Work) -> None:
    files = {
        "engine/runner.py": RUNNER.replace("engine.devices", "engine.gpu.devices"),
        "engine/gpu/devices.py": DEVICES,
        "engine/legacy.py": "def is_supported(device):\n    return True\n",
    }
    work.commit(files=files)
    changed = files["engine/runner.py"].replace('"piecewise"', '"full"')
    sha = work.commit(files={"engine/runner.py": changed})
    (definition,) = (await surroundings(work, sha)).definitions
    assert definition.passage.file == "engine/gpu/devices.py"


async def test_a_long_docstring_does_not_take_the_room_of_the_definition(work: Work) -> None:
    docstring = "".join(f"    Remark {number} about devices.\n" for number in range(90))
    devices = DEVICES.replace(
        "    return device.major", f'    """Tell.\n\n{docstring}    """\n    return device.major'
    )
    work.commit(files={"engine/runner.py": RUNNER, "engine/devices.py": devices})
    sha = work.commit(files={"engine/runner.py": RUNNER.replace('"piecewise"', '"full"')})
    (definition,) = (await surroundings(work, sha)).definitions
    definition_lines = definition_text(definition, 200, NO_FOCUS)
    assert "    return device.major == 10" in definition_lines
    assert "(91 lines left out)" in definition_lines


async def test_a_name_that_nothing_uses_and_one_that_only_tests_use_are_told_apart(
    work: Work,
) -> None:
    module = "def lonely():\n    return 1\n\n\ndef tested():\n    return 2\n"
    work.commit(files={"a.py": module, "tests/test_a.py": "from a import tested\n"})
    sha = work.commit(files={"a.py": module.replace("1", "10").replace("2", "20")})
    uses = {uses.name: uses for uses in (await surroundings(work, sha)).uses}
    assert uses["lonely"].uses == ()
    assert uses["tested"].only_in_tests


async def test_the_condition_of_the_preprocessor_around_a_change_is_named(work: Work) -> None:
    kernel = (
        "#ifdef USE_ROCM\nvoid launch(int n) {\n  int block = 64;\n  run(n, block);\n}\n#endif\n"
    )
    work.commit(files={"csrc/kernel.cu": kernel})
    sha = work.commit(files={"csrc/kernel.cu": kernel.replace("64", "128")})
    passage = passage_of(await surroundings(work, sha), "csrc/kernel.cu")
    assert passage.scopes == ("#ifdef USE_ROCM",)
    assert passage.lines[0] == " void launch(int n) {"
    assert passage.lines[-1] == " }"


async def test_other_implementations_of_a_base_class_or_registry_are_named_with_their_lines(
    work: Work,
) -> None:
    fast = '@register_backend("fast")\nclass Fast(Backend):\n    def run(self):\n        return 1\n'
    files = {
        "engine/base.py": "class Backend:\n    pass\n",
        "engine/fast.py": fast,
        "engine/slow.py": '@register_backend("slow")\nclass Slow(Backend):\n    pass\n',
        "tests/test_base.py": "class Fake(Backend):\n    pass\n",
    }
    work.commit(files=files)
    sha = work.commit(files={"engine/fast.py": fast.replace("1", "2")})
    lines: dict[str, list[str]] = {}
    for uses in (await surroundings(work, sha)).uses:
        if uses.are_siblings:
            lines[uses.name] = [use_text(use) for use in uses.uses]
    assert lines == {
        "Backend": ["engine/slow.py:2: class Slow(Backend):"],
        "register_backend": ['engine/slow.py:1: @register_backend("slow")'],
    }


async def test_a_common_word_floods_nothing(work: Work) -> None:
    common = "".join(f"value = {number}\n" for number in range(300))
    work.commit(files={"a.py": "def value():\n    return 1\n", "data.py": common})
    sha = work.commit(files={"a.py": "def value():\n    return 2\n"})
    around = await surroundings(work, sha)
    assert around.searched
    assert not around.uses


async def test_the_first_release_before_a_moment_is_named_or_that_there_is_none(
    work: Work,
) -> None:
    code = GitSource(RepoId("o/r"), work.path)
    old = work.commit(files={"a.py": "A = 1\n"}, at=datetime(2026, 2, 1, tzinfo=UTC))
    new = work.commit(files={"a.py": "A = 2\n"}, at=datetime(2026, 2, 4, tzinfo=UTC))
    commits = {"c": await code.resolve(new), "p1": await code.resolve(old)}
    until = datetime(2026, 2, 5, tzinfo=UTC)
    # A repository without releases has nothing to say about them.
    assert await release_lines(code, commits, until) == ()
    work.git("tag", "v1.0", old)
    code = GitSource(RepoId("o/r"), work.path)
    assert await release_lines(code, commits, until) == (
        "[c] is in no release so far, candidates included",
        "[p1] the first release with it is v1.0 (2026-02-01)",
    )
    work.git("tag", "v1.1rc1", new)
    code = GitSource(RepoId("o/r"), work.path)
    assert (await release_lines(code, commits, until))[0] == (
        "[c] is in no final release so far; the first candidate with it is v1.1rc1 (2026-02-04)"
    )


async def test_lines_that_went_at_the_end_of_a_file_are_shown(work: Work) -> None:
    work.commit(files={"notes.txt": "one\ntwo\nthree\n"})
    sha = work.commit(files={"notes.txt": "one\n"})
    passage = passage_of(await surroundings(work, sha), "notes.txt")
    assert [line for line in passage.lines if line.startswith("-")] == ["-two", "-three"]


async def test_a_function_of_very_many_empty_lines_is_read(work: Work) -> None:
    body = "def long(x):\n" + "\n" * 200_000 + "    if ready(x):\n        return {}\n"
    work.commit(files={"a.py": body.format(1)})
    sha = work.commit(files={"a.py": body.format(2)})
    around = await surroundings(work, sha)
    assert around.passages[0].lines[-1] == "+        return 2"
