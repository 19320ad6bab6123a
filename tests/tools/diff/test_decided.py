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
        ("load(device, trust=True)", "load(device, trust=args.trust)", ("trust", "True", "args.trust")),
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


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        # Branches in place of a line.
        (
            ('args.backend = "slow"',),
            ("if device.fast:", '    args.backend = "fast"', "else:", '    args.backend = "slow"'),
            ("args.backend", '"slow"', '"fast" if device.fast else "slow"'),
        ),
        (
            ('backend = "a"',),
            ("if x:", '    backend = "b"', "elif y:", '    backend = "c"', "else:", '    backend = "a"'),
            ("backend", '"a"', '"b" or "c" or "a"'),
        ),
        # A new branch beside others.
        (
            ("if x:", '    backend = "a"', "else:", '    backend = "b"'),
            ("if x:", '    backend = "a"', "elif y:", '    backend = "c"', "else:", '    backend = "b"'),
            ("backend", None, '"c"'),
        ),
        # One value in place of another, where it occurs.
        ((), ('if one.logprob == float("-inf"):', "    one.logprob = -9.0"), ("one.logprob", 'float("-inf")', "-9.0")),
        # An option that nobody set here.
        ((), ("if device.old:", "    server_args.use_graph = False"), ("server_args.use_graph", None, "False")),
        # A statement over several lines.
        (
            ("flags = lib.flags(", "    versions=[9, 10]", ")"),
            ("flags = lib.flags(versions=[9])",),
            ("versions", "[9, 10]", "[9]"),
        ),
        (
            ("lib.run(", "    a=1,", "    strict=False,", ")"),
            ("lib.run(b=2, strict=True)",),
            ("strict", "False", "True"),
        ),
        # A value that has a name now.
        (
            ('lib.set("denormals", "flush")',),
            ('mode = "flush" if args.flush else "keep"', 'lib.set("denormals", mode)'),
            ("mode", '"flush"', '"flush" if args.flush else "keep"'),
        ),
        # A value that is asked for now.
        (('backend = "a"',), ("backend = lib.choose(device)",), ("backend", '"a"', "lib.choose(device)")),
        # A case that has a branch of its own now.
        (
            ('if backend in ("1", "2"):', "    lib.one()"),
            ('if backend == "2":', "    lib.two()", 'if backend in ("1",):', "    lib.one()"),
            ("backend", 'in ("1", "2")', 'in ("1",)'),
        ),
    ],
)
async def test_what_a_function_chooses_anew_is_told(
    facts_of: "FactsOf", old: tuple[str, ...], new: tuple[str, ...], said: tuple[str, str | None, str], route: str
) -> None:
    (fact,) = await _told(facts_of, _body(*old), _body(*new), route)
    assert (fact.detail, fact.old, fact.new) == said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # What is made here is nobody's option.
        ((), ("args = lib.make()", "args.mode = 1")),
        # What is new itself was nothing before.
        ((), ("mode = lib.ask()", 'if mode == "a":', '    mode = "b"')),
        # A bare name may have the value, and what has the type of something else has none in particular.
        (('mode = "a"',), ("mode = first",)),
        (("dtype = torch.float16",), ("dtype = x.dtype",)),
        (("use_it = True",), ("use_it = self._use_it",)),
        # The attributes of an object of its own.
        ((), ("self.use_graph = False",)),
        # Comparisons that hold for the same numbers.
        (("if args.version >= 13: lib.go()",), ("if args.version > 12: lib.go()",)),
        # The same asked the other way round.
        (
            ('if backend != "a":', "    lib.b()", "else:", "    lib.a()"),
            ('if backend == "a":', "    lib.a()", "else:", "    lib.b()"),
        ),
        (("dtype = torch.int64",), ("dtype = args.indices_dtype",)),
        # Set here and not there any more.
        (("args.mode = 1", "lib.a()", "lib.b()", "lib.c()"), ("lib.a()", "lib.b()", "lib.c()", "args.mode = 1")),
    ],
)
async def test_what_is_chosen_by_nobody_anew_is_not_told(
    facts_of: "FactsOf", old: tuple[str, ...], new: tuple[str, ...]
) -> None:
    assert await _told(facts_of, _body(*old), _body(*new)) == []


async def test_what_options_set_of_their_own_is_told(facts_of: "FactsOf") -> None:
    text = "import lib\n\n\nclass ServerArgs:\n    def check(self):\n        lib.begin()\n{}"
    (fact,) = await _told(facts_of, "", "        if lib.old():\n            self.use_graph = False\n", text=text)
    assert (fact.name, fact.detail, fact.old, fact.new) == ("ServerArgs.check", "self.use_graph", None, "False")


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "defined(__AVX512F__) || defined(BF16)",
            "defined(__AVX512F__) || \\\n    (!defined(__APPLE__) && defined(BF16))",
            (
                "#if",
                "defined(__AVX512F__) || defined(BF16)",
                "defined(__AVX512F__) || (!defined(__APPLE__) && defined(BF16))",
            ),
        ),
        (
            "(MAJOR_VER * 100 + MINOR < 1204) && FAST",
            "(MAJOR_VER * 100 + MINOR < 1202) && FAST",
            ("MAJOR_VER*100+MINOR", "< 1204", "< 1202"),
        ),
    ],
)
async def test_guards_that_ask_for_another_platform_are_told(
    facts_of: "FactsOf", old: str, new: str, said: tuple[str, str, str], route: str
) -> None:
    (fact,) = await _told(facts_of, old, new, route, "include/lib/run.h", GUARD)
    assert (fact.name, fact.detail, fact.old, fact.new) == ("run.h", *said)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("defined(__CUDA_ARCH__) && FAST", "LIB_HAS_FAST"),
        ("CUDA_VERSION > 12060", "((__CUDACC_VER_MAJOR__ > 12) || (__CUDACC_VER_MINOR__ > 6))"),
        ("defined(OLD_NAME) && __APPLE__", "defined(NEW_NAME) && __APPLE__"),
        ("(CUDA_VERSION >= 13) && FAST_VER", "CUDA_VERSION > 12 && FAST_VER"),
        ("(MAJOR_VER * 1000 + MINOR_VER * 10 >= 12080)", "(MAJOR_VER * 100 + MINOR_VER >= 1208)"),
        ("FAST && (__CUDACC_VER_MAJOR__ >= 10)", "FAST && (CUDA_VERSION >= 10000)"),
        ("defined( __APPLE__)", "defined(__APPLE__)"),
    ],
)
async def test_guards_that_may_ask_for_the_same_are_not_told(facts_of: "FactsOf", old: str, new: str) -> None:
    assert await _told(facts_of, old, new, path="include/lib/run.h", text=GUARD) == []


@ROUTES
async def test_a_guard_around_what_stays_is_told(facts_of: "FactsOf", route: str) -> None:
    text = '#pragma once\n#include "run.h"\n\n{}struct Fast;\n{}'
    old, new = text.format("", ""), text.format("#if CUDA_VERSION >= 12000\n", "#endif\n")
    (fact,) = await _told(facts_of, old, new, route, "include/lib/run.h", "{}")
    assert (fact.name, fact.detail, fact.old, fact.new) == ("run.h", "#if", None, "CUDA_VERSION >= 12000")


@ROUTES
async def test_versions_and_architectures_of_a_build_are_told(facts_of: "FactsOf", route: str) -> None:
    text = 'project(lib)\nif(CUDA_VERSION VERSION_GREATER_EQUAL 11.8)\n  go()\nendif()\narchs(FAST_ARCHS "9.0")\n'
    new = text.replace("11.8", "12.0").replace('"9.0"', '"9.0;10.0"')
    facts = await _told(facts_of, text, new, route, "CMakeLists.txt", "{}")
    assert {(fact.name, fact.detail, fact.old, fact.new) for fact in facts} == {
        ("CMakeLists.txt", "FAST_ARCHS", '"9.0"', '"9.0;10.0"'),
        ("CMakeLists.txt", "if", "CUDA_VERSION VERSION_GREATER_EQUAL 11.8", "CUDA_VERSION VERSION_GREATER_EQUAL 12.0"),
    }


@ROUTES
async def test_cases_that_are_gone_or_supported_now_are_told(facts_of: "FactsOf", route: str) -> None:
    begin, end = (
        "(int op) {{\n  switch (op) {{\n",
        "  case OP_ADD:\n    return true;\n  default:\n    go();\n  }}\n}}\n",
    )
    labels = "  case OP_MUL:\n  case OP_SUB:\n"
    (fact,) = await _told(facts_of, labels, "", route, "src/run.cpp", f"bool run{begin}{{}}{end}")
    assert (fact.name, fact.detail, fact.old, fact.new) == ("run", "case", "OP_MUL, OP_SUB", None)
    assert await _told(facts_of, "", labels, route, "src/walk.cpp", f"bool walk{begin}{{}}{end}") == []
    (fact,) = await _told(facts_of, "", labels, route, "src/ops.cpp", f"bool supports_op{begin}{{}}{end}")
    assert (fact.name, fact.detail, fact.old, fact.new) == ("supports_op", "case", None, "OP_MUL, OP_SUB")


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


OFFER = "def valid_tactics(a):\n    found = []\n{}        found.append(a)\n    return found\n"


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("for tile in [128]:", "for tile in [128, 256]:", ("tile", "[128]", "[128, 256]")),
        ("for m, n in product([1], (1, 2)):", "for m, n in product([1], (1, 4)):", ("n", "(1, 2)", "(1, 4)")),
    ],
)
async def test_what_a_function_lists_to_choose_from_is_told(
    facts_of: "FactsOf", route: str, old: str, new: str, said: tuple[str, str, str]
) -> None:
    old, new = f"    {old}\n", f"    {new}\n"
    (fact,) = await _told(facts_of, old, new, route, text=OFFER)
    assert (fact.name, fact.detail, fact.old, fact.new) == ("valid_tactics", *said)
    assert await _told(facts_of, old, new, route, text=OFFER.replace("valid_tactics", "fill")) == []


ANSWER = "def {}(a, b):\n    if a is None:\n        return False\n{}    return True\n"


@ROUTES
@pytest.mark.parametrize(
    ("name", "lines", "told"),
    [
        (
            "is_fast_supported",
            "    if b in {{\n        1,\n        2,\n    }}:\n        return False\n",
            ["b in {1, 2}"],
        ),
        ("can_fold", "    # Not yet.\n    if b:\n        # Never.\n        return False\n", ["b"]),
        ("is_fast_supported", "    if b:\n        stop()\n        return False\n", []),
        ("is_fast_supported", "    for n in b:\n        if n:\n            return False\n", []),
        ("_is_fast", "    if b:\n        return False\n", []),
        ("run", "    if b:\n        return False\n", []),
    ],
)
async def test_what_a_function_that_answers_denies_anew_is_told(
    facts_of: "FactsOf", route: str, name: str, lines: str, told: list[str]
) -> None:
    text = ANSWER.replace("{}", name, 1)
    facts = await _told(facts_of, "", lines.replace("{{", "{").replace("}}", "}"), route, text=text)
    assert [(fact.detail, fact.old, fact.new) for fact in facts] == [
        ("return", None, f"False if {condition}") for condition in told
    ]


SAID = "import lib\n\n\nclass Backend:\n    @classmethod\n    def {name}(cls, device):\n        {said}\n"


@ROUTES
@pytest.mark.parametrize("name", ["supports_device", "_supports_device", "is_fast", "device_supported"])
async def test_what_a_function_says_yes_to_besides_is_told(facts_of: "FactsOf", name: str, route: str) -> None:
    old, new = "device.is_old()", "device.is_old() or device.is_new()"
    facts = await facts_of(
        {"pkg/run.py": SAID.format(name=name, said=f"return {old}")},
        {
            "pkg/run.py": SAID.format(
                name=name, said=f"return (\n            {new.replace(' or', chr(10) + '            or')}\n        )"
            )
        },
        route,
    )
    assert [(fact.name, fact.detail, fact.old, fact.new) for fact in facts] == [(f"Backend.{name}", "return", old, new)]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("is_fast", "device.old()", "other.old() or device.new()"),
        ("is_fast", "cls.lib.fast", "cls.lib is not None and cls.lib.fast"),
        ("run", "device.old()", "device.old() or device.new()"),
        ("_is_fast", "device.old()", "device.old() or device.new()"),
        ("is_fast", "device.old()", "device.old() if device else None"),
        ("is_fast", "cls.a and old(device)", "cls.a and old(device, cls)"),
    ],
)
async def test_what_may_be_the_same_answer_is_not_told(facts_of: "FactsOf", name: str, old: str, new: str) -> None:
    versions = [{"pkg/run.py": SAID.format(name=name, said=f"return {said}")} for said in (old, new)]
    assert await facts_of(versions[0], versions[1]) == []


async def test_what_a_helper_supports_is_not_told(facts_of: "FactsOf") -> None:
    source = "import lib\n\n\ndef _supports_folding(device):\n    return {}\n"
    old, new = ({"pkg/run.py": source.format(said)} for said in ("device.old()", "device.old() or device.new()"))
    assert await facts_of(old, new) == []


REASON = "import lib\n\n\ndef check_request(request):\n{}    lib.note(request)\n    return None\n"
LACKS = '    if request.folds and not request.table:\n        return "Folding requires a table."\n'
SPREAD = (
    "    if request.folds:\n        return (\n"
    '            "Folding is not supported "\n            f"on {request.device}."\n        )\n'
)


@ROUTES
@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (LACKS, '"Folding requires a table." if request.folds and not request.table'),
        (SPREAD, '"Folding is not supported on {request.device}." if request.folds'),
    ],
)
@pytest.mark.parametrize("came", [True, False])
async def test_reasons_for_which_a_function_refuses_in_words_are_told(
    facts_of: "FactsOf", lines: str, said: str, came: bool, route: str
) -> None:
    texts = ("", lines) if came else (lines, "")
    old, new = ({"pkg/run.py": REASON.format(text)} for text in texts)
    (fact,) = await facts_of(old, new, route)
    assert (fact.kind, fact.name, fact.detail) == (FactKind.VALUE_CHANGED, "check_request", "return")
    assert (fact.old, fact.new) == ((None, said) if came else (said, None))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", LACKS.replace("requires a table", "is done")),
        (LACKS, LACKS.replace("table:", "rows:")),
        (LACKS, "    if bare(request):\n        return refused('Folding requires a table.')\n"),
        ("", '    return "Folding requires a table."\n'),
    ],
)
async def test_words_that_refuse_nothing_new_are_no_reasons(facts_of: "FactsOf", old: str, new: str) -> None:
    assert await facts_of({"pkg/run.py": REASON.format(old)}, {"pkg/run.py": REASON.format(new)}) == []


async def test_what_several_lines_set_and_one_asks_for_now_is_not_told(facts_of: "FactsOf") -> None:
    far = "".join(f"        lib.step{number}()\n" for number in range(12))
    old = _body("self.max_steps = 0") + far + _body("if args.fast:", "    self.max_steps = args.steps")
    new = _body("self.max_steps = args.max_steps") + far
    assert await _told(facts_of, old, new) == []


@ROUTES
async def test_an_answer_that_is_also_given_further_down_is_not_told(facts_of: "FactsOf", route: str) -> None:
    text = (
        "import lib\n\n\nclass Hook:\n    def matches_kernel_name(self, name):\n{}"
        "        if self.include is not None and self.include.match(name) is None:\n            return False\n"
        "        if self.exclude is not None and self.exclude.match(name):\n            return False\n"
        "        return True\n"
    )
    assert await _told(facts_of, "", _body("if name is None:", "    return True"), route, text=text) == []
