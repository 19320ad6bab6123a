"""A function whose body another one has now is told as that one, whatever sort of function it has become."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
BODY = (
    '"""Make room for the buffers before memory is measured."""',
    "count = self.args.most_at_once",
    "for module in self.model.modules():",
    "    if isinstance(module, Mixture):",
    "        self.manager.make_room(count, module)",
    "        log.info('made room for %d', count)",
    "        break",
)


def indented(depth: int, lines: tuple[str, ...] = BODY) -> str:
    return "".join(f"{' ' * depth}{line}\n" for line in lines)


RUNNER = "class Runner:\n    def start(self):\n        return 1\n"
PLAIN = tuple(line.replace("self.", "") for line in BODY)


@ROUTES
async def test_a_method_that_became_a_function_of_another_file_was_renamed(route: str, facts_of: "FactsOf") -> None:
    before = {"pkg/runner.py": f"{RUNNER}\n    def make_room(self):\n{indented(8)}", "pkg/manager.py": "x = 1\n"}
    function = f"\n\ndef make_room_for_buffers(*, args, model, manager):\n{indented(4, PLAIN)}"
    after = {"pkg/runner.py": RUNNER, "pkg/manager.py": f"x = 1\n{function}"}
    facts = await facts_of(before, after, route)
    assert [(fact.kind, fact.new) for fact in facts] == [(FactKind.SYMBOL_RENAMED, "make_room_for_buffers")]


@ROUTES
async def test_a_private_method_that_became_a_public_function_is_told_as_new_too(
    route: str, facts_of: "FactsOf"
) -> None:
    before = {"pkg/runner.py": f"{RUNNER}\n    def _make_room(self):\n{indented(8)}", "pkg/manager.py": "x = 1\n"}
    function = f"\n\ndef make_room_for_buffers(*, args, model, manager):\n{indented(4, PLAIN)}"
    facts = await facts_of(before, {"pkg/runner.py": RUNNER, "pkg/manager.py": f"x = 1\n{function}"}, route)
    assert {(fact.kind, fact.severity) for fact in facts} == {
        (FactKind.SYMBOL_RENAMED, Severity.INTERNAL),
        (FactKind.SYMBOL_ADDED, Severity.ADDITIVE),
    }


@ROUTES
async def test_a_function_that_a_new_class_has_as_its_method_was_renamed(route: str, facts_of: "FactsOf") -> None:
    before = {"pkg/a.py": f"x = 1\n\n\ndef _make_room_kernel(args, model):\n{indented(4, PLAIN)}"}
    after = {"pkg/a.py": f"class Room:\n    size = 1\n\n    def kernel(args, model):\n{indented(8, PLAIN)}\n\nx = 1\n"}
    facts = await facts_of(before, after, route)
    renamed = [(fact.old, fact.new) for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED]
    assert renamed == [("_make_room_kernel", "Room.kernel")]
    assert FactKind.SYMBOL_REMOVED not in {fact.kind for fact in facts}


@ROUTES
async def test_a_function_that_took_the_name_of_another_has_that_name_now(route: str, facts_of: "FactsOf") -> None:
    first = "def warm(runner, count):\n    prepare(runner)\n    compute(count)\n\n\n"
    old = f"{first}def warm_if_needed(worker):\n{indented(4, PLAIN)}"
    new = f"def warm(worker):\n{indented(4, PLAIN)}"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route)
    renamed = [(fact.old, fact.new) for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED]
    assert renamed == [("warm_if_needed", "warm")]
    assert FactKind.SYMBOL_REMOVED not in {fact.kind for fact in facts}


@ROUTES
async def test_a_function_of_which_half_is_elsewhere_is_gone(route: str, facts_of: "FactsOf") -> None:
    other = ("first = 1", "second = first + count", "third = second + first", "return third", *PLAIN[2:5])
    before = {"pkg/a.py": f"x = 1\n\n\ndef make_room(args, model):\n{indented(4, PLAIN)}", "pkg/b.py": "y = 1\n"}
    after = {"pkg/a.py": "x = 1\n", "pkg/b.py": f"y = 1\n\n\ndef compute(count):\n{indented(4, other)}"}
    assert {fact.kind for fact in await facts_of(before, after, route)} == {
        FactKind.SYMBOL_REMOVED,
        FactKind.SYMBOL_ADDED,
    }


@ROUTES
async def test_a_package_that_gives_on_what_was_renamed_says_nothing_more(route: str, facts_of: "FactsOf") -> None:
    function = "def {}(args, model):\n"
    body = indented(4, (*PLAIN[:5], "log.debug(count)", "break"))
    before = {
        "pkg/__init__.py": "from .a import make_room as make_room\n",
        "pkg/a.py": f"x = 1\n\n\n{function.format('make_room')}{indented(4, PLAIN)}",
        "pkg/b.py": "y = 1\n",
    }
    after = {
        "pkg/__init__.py": "from .b import compute_size as compute_size\n",
        "pkg/a.py": "x = 1\n",
        "pkg/b.py": f"y = 1\n\n\n{function.format('compute_size')}{body}",
    }
    facts = await facts_of(before, after, route)
    assert [(fact.kind, fact.old, fact.new) for fact in facts] == [
        (FactKind.SYMBOL_RENAMED, "make_room", "compute_size")
    ]
