"""Small changes inside functions, told by their lines where nothing else tells them."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from agent.facts import Fact
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
PATH = "pkg/run.py"
RUN = "import lib\n\n\nclass Runner:\n    def start(self, tokens, device):\n        lib.begin()\n{}        lib.end()\n"
CPP = '#include "run.h"\n\nvoid start(Params &p, int n) {{\n  begin();\n{}  end();\n}}\n'


async def _told(
    all_facts_of: "FactsOf",
    old: str,
    new: str,
    route: str = "blobs",
    *,
    path: str = PATH,
    text: str = RUN,
    message: str = "Fix the runner",
) -> "list[Fact]":
    facts = await all_facts_of({path: text.format(old)}, {path: text.format(new)}, route, message)
    return [fact for fact in facts if fact.kind is FactKind.CODE_CHANGED]


def _body(*lines: str) -> str:
    return "".join(f"        {line}\n" for line in lines)


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("length = table.shape[1]", "length = table.shape[1] * self.page"),
        ("weights = lib.load(path)", "weights = lib.load(path, safe=safe)"),
        ("if a or b:\n            stop()", "if a and b:\n            stop()"),
    ],
)
async def test_one_line_that_does_something_else_is_told_as_it_was_and_is(
    all_facts_of: "FactsOf", old: str, new: str, route: str
) -> None:
    (fact,) = await _told(all_facts_of, _body(old), _body(new), route)
    assert (fact.name, fact.severity) == ("Runner.start", Severity.BEHAVIOUR)
    assert (fact.old, fact.new) == (old.partition("\n")[0], new.partition("\n")[0])
    assert fact.places[0].lines == (f"-        {fact.old}", f"+        {fact.new}")


@ROUTES
async def test_several_lines_are_shown_without_their_remarks(all_facts_of: "FactsOf", route: str) -> None:
    new = _body("# An empty batch has no longest one.", "if not tokens:", "    return lib.empty(device)")
    (fact,) = await _told(all_facts_of, "", new, route)
    assert (fact.old, fact.new) == (None, None)
    assert fact.places[0].lines == ("+        if not tokens:", "+            return lib.empty(device)")


@ROUTES
async def test_a_line_that_came_alone_has_no_old_one(all_facts_of: "FactsOf", route: str) -> None:
    (fact,) = await _told(all_facts_of, "", _body("tokens = tokens.contiguous()"), route)
    assert (fact.old, fact.new) == (None, "tokens = tokens.contiguous()")


async def test_a_function_of_cpp_is_named_too(all_facts_of: "FactsOf") -> None:
    (fact,) = await _told(all_facts_of, "  copy(p, n);\n", "  copy(p, n + 1);\n", path="src/run.cpp", text=CPP)
    assert (fact.name, fact.old, fact.new) == ("start", "copy(p, n);", "copy(p, n + 1);")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('logger.info("begin")', 'logger.info("we begin")'),
        ("# Begin.", "# Now begin."),
        ("x = 1", "x = 1\n        self.seen: list[int] = []"),
        ("run(tokens, device)", "run(\n            tokens, device\n        )"),
        ('raise ValueError("no tokens")', 'raise ValueError("there are no tokens")'),
    ],
)
async def test_what_does_the_same_or_is_told_otherwise_is_not_told(all_facts_of: "FactsOf", old: str, new: str) -> None:
    assert await _told(all_facts_of, _body(old), _body(new)) == []


@pytest.mark.parametrize("path", ["tests/test_run.py", "benchmarks/run.py", ".github/run.py", "docs/conf.py"])
async def test_only_what_users_run_counts(all_facts_of: "FactsOf", path: str) -> None:
    assert await _told(all_facts_of, _body("a = b(1, 2, c)"), _body("a = b(2, 1, c)"), path=path) == []


async def test_lines_that_only_moved_are_told_of_a_commit_that_does_nothing_else(all_facts_of: "FactsOf") -> None:
    before, after = _body("first(tokens)", "second(device)"), _body("second(device)", "first(tokens)")
    (fact,) = await _told(all_facts_of, before, after)
    assert (fact.name, fact.old, fact.new) == ("Runner.start", None, None)
    more = {"pkg/more.py": "LIMIT = 1\n"}
    versions = ({PATH: RUN.format(before), **more}, {PATH: RUN.format(after), "pkg/more.py": "LIMIT = 2\n"})
    assert [fact.kind for fact in await all_facts_of(*versions)] == [FactKind.CONSTANT_CHANGED]


async def test_a_method_is_named_with_its_class_however_far_above_it_begins(all_facts_of: "FactsOf") -> None:
    far = "".join(f"        step({number})\n" for number in range(9))
    text = f"class Other:\n    def run(self):\n{far}        go(1)\n\n\nclass Runner:\n    def run(self):\n{far}{{}}"
    (fact,) = await _told(all_facts_of, _body("go(2)"), _body("go(2, 3)"), text=text)
    assert fact.name == "Runner.run"


async def test_lines_that_only_follow_what_is_called_otherwise_are_not_told(all_facts_of: "FactsOf") -> None:
    text = "class Runner:\n    def __init__(self):\n        self.reason = 1\n\n\ndef {0}(x):\n    return x + 1\n\n\n"
    text += "def use(y):\n    begin()\n    first()\n    return {0}(y)\n"
    before, after = ({PATH: text.format(name)} for name in ("fold", "fold_twice"))
    assert FactKind.CODE_CHANGED not in {fact.kind for fact in await all_facts_of(before, after)}


async def test_a_kernel_is_not_named_by_its_launch_bounds(all_facts_of: "FactsOf") -> None:
    text = "__global__ void __launch_bounds__(256) scan(int* to, int n) {{\n  begin(to);\n{}  end(to);\n}}\n"
    old, new = "  copy(to, n);\n", "  copy(to, n - 1);\n"
    for route in ("blobs", "hunks"):
        (fact,) = await _told(all_facts_of, old, new, route, path="csrc/scan.cu", text=text)
        assert fact.name == "scan"


async def test_a_new_function_is_no_change_of_another(all_facts_of: "FactsOf") -> None:
    assert await _told(all_facts_of, "", "\n    def _more(self):\n        return lib.more(self)\n\n") == []


def _functions(count: int, call: str) -> str:
    """Write functions of which every third is nobody's business, each with one more step than the one before."""
    steps = {number: "".join(f"    {call}({step})\n" for step in range(number + 1)) for number in range(count)}
    return "".join(f"def {'_' * (number % 3 == 0)}f{number}(a):\n{step}\n\n" for number, step in steps.items())


async def test_of_many_functions_those_are_told_that_users_call_and_that_changed_most(all_facts_of: "FactsOf") -> None:
    facts = await _told(all_facts_of, _functions(20, "do"), _functions(20, "run"), text="{}")
    assert {fact.name for fact in facts} == {f"f{number}" for number in (19, 17, 16, 14, 13, 11, 10, 8)}


async def test_of_a_commit_that_rewrites_everything_no_function_is_told(all_facts_of: "FactsOf") -> None:
    assert await _told(all_facts_of, _functions(40, "do"), _functions(40, "run"), text="{}") == []


@pytest.mark.parametrize("message", ["[Refactor] Simplify the runner", "chore: tidy up", "[CI] Make it run"])
async def test_who_says_that_nobody_notices_is_believed(all_facts_of: "FactsOf", message: str) -> None:
    (fact,) = await _told(all_facts_of, _body("run(a, b)"), _body("run(b, a)"), message=message)
    assert fact.severity is Severity.INTERNAL


async def test_a_function_whose_own_line_changed_too_is_named_by_it(all_facts_of: "FactsOf") -> None:
    before = {PATH: "def _is_fast():\n    return FAST\n\n\ndef run():\n    return go()\n"}
    after = {PATH: "def _is_fast(batch):\n    return FAST and batch.plain\n\n\ndef run():\n    return go()\n"}
    facts = await all_facts_of(before, after, message="Fix it")
    assert [fact.name for fact in facts if fact.kind is FactKind.CODE_CHANGED] == ["_is_fast"]


@ROUTES
@pytest.mark.parametrize(
    "docstring",
    ['        """Begin.\n\n        More.\n        """\n', '        """Begin.\n\n        In both cases."""\n'],
    ids=["quotes alone", "behind words"],
)
async def test_what_stands_below_the_end_of_a_docstring_is_code(
    all_facts_of: "FactsOf", route: str, docstring: str
) -> None:
    far = "".join(f"        Line {number} of it.\n" for number in range(9))
    text = RUN.replace("        lib.begin()\n", docstring.replace("\n\n", f"\n\n{far}", 1))
    (fact,) = await _told(
        all_facts_of, _body("if a:", "    stop(a)"), _body("if a and b:", "    stop(b)"), route, text=text
    )
    assert fact.name.rpartition(".")[2] in ("start", "Runner")


@ROUTES
async def test_what_stands_in_a_text_is_no_code(all_facts_of: "FactsOf", route: str) -> None:
    text = RUN.replace("        lib.begin()\n", '        show(f"""\n        begin\n').replace("lib.end()", '""")')
    assert await _told(all_facts_of, _body("if a: stop"), _body("if a and b: stop"), route, text=text) == []


async def test_a_shader_goes_by_its_file(all_facts_of: "FactsOf") -> None:
    text = "#version 450\n\nvoid main() {{\n    begin();\n{}    end();\n}}\n"
    old, new = "    x = a * 2.0;\n", "    x = float(a) * b;\n"
    (fact,) = await _told(all_facts_of, old, new, path="csrc/shaders/attn.comp", text=text)
    assert (fact.name, fact.new) == ("attn.comp", "x = float(a) * b;")


@ROUTES
async def test_where_another_line_only_moved_no_line_is_told_to_have_become_the_other(
    all_facts_of: "FactsOf", route: str
) -> None:
    old = _body("size = a.size", "size *= self.ranks", "room = b.room")
    new = _body("size *= self.ranks", "size = c.size", "room = b.room")
    (fact,) = await _told(all_facts_of, old, new, route)
    assert (fact.old, fact.new) == (None, None)
    assert fact.places[0].lines == ("-        size = a.size", "+        size = c.size")


RUST = """use lib::begin;

pub fn start(tokens: &[u32]) -> Result<u32, Error> {{
    begin(tokens);
{}    end(tokens)
}}

fn helper_one() {{
    begin(1);
    begin(2);
    begin(3);
    begin(4);
}}

#[cfg(test)]
mod tests {{
    use super::*;

    #[test]
    fn starts() {{
{}{}        end(9);
    }}
}}
"""


@pytest.mark.parametrize(("route", "above"), [("blobs", 9), ("hunks", 0)])
async def test_tests_at_the_end_of_a_rust_file_are_nobodys_news(
    all_facts_of: "FactsOf", route: str, above: int
) -> None:
    # A hunk tells it where it shows the mark of the test; further down nothing but the whole file does.
    path, before = "src/run.rs", "        begin(5);\n" * above
    versions = [
        RUST.format(f"    let n = {call};\n", before, f"        check({call});\n") for call in ("len(a)", "len(b)")
    ]
    facts = await all_facts_of({path: versions[0]}, {path: versions[1]}, route, "Fix the runner")
    told = [fact for fact in facts if fact.kind is FactKind.CODE_CHANGED]
    assert [(fact.name, fact.old, fact.new) for fact in told] == [("start", "let n = len(a);", "let n = len(b);")]


@ROUTES
async def test_tests_above_or_below_in_a_rust_file_hide_nothing(all_facts_of: "FactsOf", route: str) -> None:
    text = "#[cfg(test)]\nmod checks;\n\npub fn start(tokens: &[u32]) {{\n    begin({});\n}}\n\n"
    text += "#[cfg(test)]\nmod tests {{\n    use super::*;\n}}\n"
    told = await _told(all_facts_of, "tokens", "tokens.len()", route, path="src/run.rs", text=text)
    assert [(fact.name, fact.new) for fact in told] == [("start", "begin(tokens.len());")]


@ROUTES
async def test_who_may_see_a_rust_function_is_no_name_of_it(all_facts_of: "FactsOf", route: str) -> None:
    text = "pub(super) fn start(\n    tokens: &[u32],\n) {{\n" + "    begin(tokens);\n" * 6 + "    end({});\n}}\n"
    told = await _told(all_facts_of, "tokens", "tokens.len()", route, path="src/run.rs", text=text)
    assert [fact.name for fact in told] == ["start"]


@ROUTES
async def test_a_line_of_nothing_but_signs_says_nothing(all_facts_of: "FactsOf", route: str) -> None:
    path, text = "src/run.rs", "pub fn start(tokens: &[u32]) {{\n    Some(begin(\n        tokens,\n    {}\n}}\n"
    facts = await all_facts_of({path: text.format("))")}, {path: text.format(")?)")}, route, "Fix the runner")
    assert not [fact for fact in facts if fact.kind is FactKind.CODE_CHANGED]


@ROUTES
@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("static Layout packed(Coord const &extent) {", "packed"),
        ("explicit Layout(Coord extent) noexcept {", "Layout"),
        ("if (extent.wide()) {", "Layout"),
        ("ACME_DISPATCH(extent, kind) {", "Layout"),
        ("run([&](Coord extent) {", "Layout"),
    ],
)
async def test_a_function_on_the_lines_of_its_class_is_named_by_the_line_above_or_by_its_class(
    all_facts_of: "FactsOf", head: str, name: str, route: str
) -> None:
    text = "class Layout {{\npublic:\n" + "  int stride;\n" * 5 + f"  {head}\n".replace("{", "{{")
    text += "    return Layout({});\n  }}\n\n  int other;\n}};\n"
    path = "include/acme/layout.h"
    told = await _told(all_facts_of, "1, extent.row()", "extent.column(), 1", route, path=path, text=text)
    assert [fact.name.rpartition(".")[2] for fact in told] == [name]


@pytest.mark.parametrize(("route", "name"), [("blobs", "TopKKernel"), ("hunks", "topk.cuh")])
async def test_a_kernel_whose_name_stands_below_its_bounds_is_named(
    all_facts_of: "FactsOf", route: str, name: str
) -> None:
    head = (
        "template <typename T>\n__global__ void __launch_bounds__(THREADS)\n    TopKKernel(const T* input, int n) {{\n"
    )
    text = (
        head
        + "  init(input);\n" * 6
        + "#pragma unroll 2\n  for (int i = 0; i < {}; ++i) {{\n    load(i);\n  }}\n  end(n);\n}}\n"
    )
    told = await _told(all_facts_of, "n", "n - 1", route, path="include/topk.cuh", text=text)
    assert [fact.name for fact in told] == [name]


WORK = ["rows = lib.rows(tokens, device)", "for row in rows:", "    lib.fold(row, 3)", "lib.flush(rows, device)"]


@ROUTES
@pytest.mark.parametrize(
    ("helped", "told"),
    [
        (WORK, False),
        (
            [line.replace("rows(tokens, device)", "rows(\n        tokens, device, pinned\n    )") for line in WORK],
            False,
        ),
        ([line.replace("device", "where") for line in WORK], False),
        ([line.replace("rows", "lines") for line in WORK], True),
        ([line.replace("3", "4") for line in WORK], True),
        (WORK[:2] + WORK[3:], True),
    ],
)
async def test_lines_that_a_new_function_has_which_is_called_instead_do_what_they_did(
    all_facts_of: "FactsOf", helped: list[str], told: bool, route: str
) -> None:
    helper = "".join(f"    {line}\n" for line in ["pinned = lib.pinned()", *helped])
    new = {
        PATH: RUN.format(_body("_fold(tokens, device)")),
        "pkg/fold.py": f"import lib\n\n\ndef _fold(tokens, device):\n{helper}",
    }
    facts = await all_facts_of({PATH: RUN.format(_body(*WORK))}, new, route)
    assert any(fact.kind is FactKind.CODE_CHANGED for fact in facts) is told


@ROUTES
async def test_what_takes_the_place_of_a_call_is_told_though_another_function_is_new(
    all_facts_of: "FactsOf", route: str
) -> None:
    new = {
        PATH: RUN.format(_body("tokens = lib.sort(tokens)")),
        "pkg/fold.py": "import lib\n\n\ndef _fold(tokens, device):\n" + "".join(f"    {line}\n" for line in WORK),
    }
    facts = await all_facts_of({PATH: RUN.format(_body(*WORK))}, new, route)
    assert any(fact.kind is FactKind.CODE_CHANGED for fact in facts)


@ROUTES
async def test_lines_that_went_to_a_new_overload_are_not_told(all_facts_of: "FactsOf", route: str) -> None:
    text = (
        '#include "run.h"\n\nint emit(Loc loc, {}, int most) {{\n  auto shape = type_of(loc);\n{}'
        "  return ll + most;\n}}\n{}"
    )
    line = "  LinearLayout ll = toLinearLayout({}, layout);\n"
    call = f"{line.format('shape_of(loc)')}  return emit(loc, ll, most);\n"
    more = f"\nint emit(Loc loc, Attr layout, int most) {{\n{call}}}\n"
    path = "lib/run.cpp"
    facts = await all_facts_of(
        {path: text.format("Attr layout", line.format("shape"), "")},
        {path: text.format("LinearLayout ll", "", more)},
        route,
    )
    assert not [fact for fact in facts if fact.kind is FactKind.CODE_CHANGED]


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lib.fold(\n        tokens,\n        3,\n    )", "lib.fold(tokens, 3)"),
        ("# if all is sended, end\n    end()", "# if all is sent, end\n    end()"),
    ],
)
async def test_what_is_only_laid_out_or_remarked_otherwise_is_not_told(
    all_facts_of: "FactsOf", old: str, new: str, route: str
) -> None:
    assert not await _told(all_facts_of, _body(old), _body(new), route)


@pytest.mark.parametrize(("depth", "name"), [(8, "Rewrite"), (4, None)])
async def test_what_lies_deep_in_a_class_out_of_sight_is_told_of_the_class(
    all_facts_of: "FactsOf", depth: int, name: str | None
) -> None:
    inner = " " * depth
    lines = "".join(f"{inner}step({at});\n" for at in range(5))
    text = f"class Rewrite : public Pattern<Op> {{{{\n{lines}{inner}check(small && {{}});\n{lines}}}}};\n"
    told = await _told(all_facts_of, "k % 4 == 0", "k % 8 == 0", "hunks", path="lib/rewrite.cpp", text=text)
    assert [fact.name for fact in told] == ([name] if name else [])
