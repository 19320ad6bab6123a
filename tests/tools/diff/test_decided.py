"""Values that functions choose, compare with or give otherwise now, and those that are nobody's business."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from agent.facts import Fact
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
RUN = "import lib\n\n\nclass Runner:\n    def start(self, args, device):\n        lib.begin()\n{}        lib.end()\n"
CPP = '#include "run.h"\n\nvoid start(Params &p, int arch) {{\n  begin();\n{}  end();\n}}\n'
GUARD = '#pragma once\n#include "run.h"\n\n#if {}\n#include "fast.h"\n#endif\n'


async def _told(
    facts_of: "FactsOf", old: str, new: str, route: str = "blobs", path: str = "pkg/run.py", text: str = RUN
) -> "list[Fact]":
    facts = await facts_of({path: text.format(old)}, {path: text.format(new)}, route)
    return [fact for fact in facts if fact.kind is FactKind.VALUE_CHANGED]


def _body(*lines: str) -> str:
    return "".join(f"        {line}\n" for line in lines)


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('args.backend = "slow"', 'args.backend = "fast"', ("args.backend", '"slow"', '"fast"')),
        ("mode = Mode.PART", "mode = Mode.FULL  # faster", ("mode", "Mode.PART", "Mode.FULL")),
        ('logprob = float("-inf")', "logprob = -9999.0", ("logprob", 'float("-inf")', "-9999.0")),
        ("use_cache = False", "use_cache = True", ("use_cache", "False", "True")),
        ("run(device, versions=[9, 10])", "run(device, versions=[9])", ("versions", "[9, 10]", "[9]")),
        ("run(device, strict=False)", "run(device, strict=True)", ("strict", "False", "True")),
        ("if args.top_k <= 8:", "if args.top_k <= 32:", ("args.top_k", "<= 8", "<= 32")),
        ("if args.top_k < 8:", "if args.top_k <= 8:", ("args.top_k", "< 8", "<= 8")),
        ('if device == "cpu":', 'if device in ("cpu", "npu"):', ("device", '== "cpu"', 'in ("cpu", "npu")')),
        ("if get_arch() >= 90:", "if get_arch() >= 80:", ("get_arch()", ">= 90", ">= 80")),
        ("return 89", "return 80", ("return", "89", "80")),
        (
            'mode = "plain"',
            'mode = "plain" if args.safe else "fast"',
            ("mode", '"plain"', '"plain" if args.safe else "fast"'),
        ),
    ],
)
async def test_what_a_function_decides_otherwise_is_told(
    facts_of: "FactsOf", old: str, new: str, said: tuple[str, str, str], route: str
) -> None:
    below = ("    lib.go()",) if old.endswith(":") else ()
    (fact,) = await _told(facts_of, _body(old, *below), _body(new, *below), route)
    assert (fact.detail, fact.old, fact.new) == said
    assert fact.name == "Runner.start"
    assert fact.severity is Severity.BEHAVIOUR
    assert fact.places[0].lines == (f"-        {old}", f"+        {new}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('lib.log("slow", mode="slow")', 'lib.log("slow", mode="fast")'),
        ('print("x", mode="slow")', 'print("x", mode="fast")'),
        ("rows = x[0]", "rows = x[1]"),
        ("size = rows + 1", "size = rows + 2"),
        ("total = 3", "total = 4"),
        ("num_stages = 2", "num_stages = 3"),
        ("max_offset = 2", "max_offset = 3"),
        ('mode = "a1b2c3d4"', 'mode = "b1b2c3d4"'),
        ('backend_url = "http://a"', 'backend_url = "http://b"'),
        ('method = "pkg.one"', 'method = "pkg.two"'),
        ("mode = Old.FULL", "mode = New.FULL"),
        ("mode = 'fast'", 'mode = "fast"'),
        ("mode = 1.0", "mode = 1."),
        ('mode = "fast"', "mode = Mode.FAST"),
        ("max_rows = None", "max_rows = []"),
        ("if args.version == 2.5: lib.go()", "if args.version == (2, 5): lib.go()"),
        ("x = lib.zeros(8, dtype=torch.int32)", "x = lib.zeros(8, dtype=torch.int64)"),
        ("mode = 1 if args.fast else 1", "mode = 1"),
        ("return None", "return []"),
        ("import a as mode", "import b as mode"),
    ],
)
async def test_what_is_no_choice_is_not_told(facts_of: "FactsOf", old: str, new: str) -> None:
    assert await _told(facts_of, _body(old), _body(new)) == []


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Under another condition nothing is as it was.
        (("if device:", '    mode = "a"'), ("if args:", '    mode = "b"')),
        # It is still set as before, elsewhere.
        (('mode = "a"',), ('mode = "b"', "if args:", '    mode = "a"')),
        # One of several cases stands where another stood.
        (
            ('if args.mode == "a":', "    lib.a()"),
            ('if args.mode == "b":', "    lib.b()", 'elif args.mode == "a":', "    lib.a()"),
        ),
        # What was set first did not count before.
        (("use_it = False", "use_it = lib.ask()"), ("use_it = True",)),
        # The words of a docstring.
        (('"""', "mode = 1", '"""'), ('"""', "mode = 2", '"""')),
    ],
)
async def test_what_is_not_in_place_of_the_other_is_not_told(
    facts_of: "FactsOf", old: tuple[str, ...], new: tuple[str, ...], route: str
) -> None:
    assert await _told(facts_of, _body(*old), _body(*new), route) == []


@ROUTES
async def test_a_new_function_decides_nothing_otherwise(facts_of: "FactsOf", route: str) -> None:
    old = 'import lib\n\n\ndef first(args):\n    mode = "a"\n    lib.run(mode)\n'
    new = 'import lib\n\n\ndef other(args, rows):\n    mode = "b"\n    lib.run(mode)\n'
    assert await _told(facts_of, old, new, route, text="{}") == []


@pytest.mark.parametrize("path", ["tests/test_run.py", "benchmarks/run.py", "examples/run.py", "docs/run.py"])
async def test_what_no_user_runs_is_not_told(facts_of: "FactsOf", path: str) -> None:
    assert await _told(facts_of, _body('mode = "a"'), _body('mode = "b"'), path=path) == []


async def test_what_another_fact_tells_is_not_told_again(facts_of: "FactsOf") -> None:
    check = '        if args.top_k > {}:\n            raise ValueError("top_k is too large")\n'
    facts = await facts_of({"pkg/run.py": RUN.format(check.format(8))}, {"pkg/run.py": RUN.format(check.format(9))})
    assert [fact.kind for fact in facts] == [FactKind.LIMIT_CHANGED]


@ROUTES
async def test_functions_of_c_and_guards_of_a_compiler_are_told(facts_of: "FactsOf", route: str) -> None:
    (fact,) = await _told(facts_of, "  p.mode = 1;\n", "  p.mode = 2;\n", route, "src/run.cpp", CPP)
    assert (fact.name, fact.detail, fact.old, fact.new) == ("start", "p.mode", "1", "2")
    (fact,) = await _told(
        facts_of, "  go(p, /* bypass */ true);\n", "  go(p, /* bypass */ false);\n", route, "src/run.cpp", CPP
    )
    assert (fact.name, fact.detail, fact.old, fact.new) == ("start", "bypass", "true", "false")
    (fact,) = await _told(
        facts_of, "(CUDA_VERSION >= 120400)", "(CUDA_VERSION < 120200)", route, "include/lib/run.h", GUARD
    )
    assert (fact.name, fact.detail, fact.old, fact.new) == ("run.h", "CUDA_VERSION", ">= 120400", "< 120200")


async def test_what_a_lambda_of_c_returns_its_function_does_not(facts_of: "FactsOf") -> None:
    body = "  wait([&]() {{\n    return {};\n  }});\n"
    old, new = (body.format(value) for value in ("false", "true"))
    assert await _told(facts_of, old, new, path="src/run.cpp", text=CPP) == []


async def test_a_sheet_has_four_of_them_behind_everything_else_that_changes(facts_of: "FactsOf") -> None:
    old = "".join(f'def run{at}(args):\n    args.mode = "a{at}"\n    return args\n\n\n' for at in range(6))
    new = old.replace('"a', '"b')
    facts = await facts_of({"pkg/run.py": f"LIMIT = 1\n\n\n{old}"}, {"pkg/run.py": f"LIMIT = 2\n\n\n{new}"})
    kinds = [fact.kind for fact in facts]
    assert kinds == [FactKind.CONSTANT_CHANGED, *[FactKind.VALUE_CHANGED] * 4]


async def test_the_same_value_in_several_functions_is_one_fact(facts_of: "FactsOf") -> None:
    old = "".join(f'def run{at}(args):\n    args.mode = "a"\n    return args\n\n\n' for at in range(3))
    (fact,) = await _told(facts_of, old, old.replace('"a"', '"b"'), text="{}")
    assert fact.name == "run0, run1, run2"
    assert len(fact.places) == 3
