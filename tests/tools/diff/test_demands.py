"""What new functions and files refuse."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import Fact, FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
OLD = "def run(n):\n    return n\n"
FOLD = (
    "\n\ndef fold(n, heads):\n    if n % 16:\n"
    '        raise ValueError("n must be a multiple of 16")\n'
    "    if heads != 128:\n"
    '        raise RuntimeError(f"only 128 heads are supported, not {heads}")\n'
    "    return n\n"
)


def refusals(facts: list[Fact]) -> list[tuple[str | None, str | None]]:
    """Give what facts say that new things refuse."""
    assert all(fact.severity is Severity.ADDITIVE for fact in facts if fact.kind is FactKind.ERROR_ADDED)
    return [(fact.detail, fact.new) for fact in facts if fact.kind is FactKind.ERROR_ADDED]


@ROUTES
async def test_what_a_new_function_refuses_is_one_fact_behind_the_function(route: str, facts_of: "FactsOf") -> None:
    facts = await facts_of({"pkg/run.py": OLD}, {"pkg/run.py": OLD + FOLD}, route)
    words = "n must be a multiple of 16\nonly 128 heads are supported, not {heads}"
    assert refusals(facts) == [("fold", words)]
    assert [fact.kind for fact in facts] == [FactKind.SYMBOL_ADDED, FactKind.ERROR_ADDED]
    assert facts[1].name == "ValueError, RuntimeError"
    assert [place.line for place in facts[1].places] == [7, 9]


@ROUTES
async def test_what_a_new_file_refuses_is_told_by_the_file_and_the_rest_is_counted(
    route: str, facts_of: "FactsOf"
) -> None:
    checks = "".join(
        f'    if n == {size}:\n        raise ValueError("the size {size} is taken")\n' for size in range(9)
    )
    text = f"def take(n):\n{checks}    return n\n" + "".join(f"\n\ndef f{at}(n):\n    return n\n" for at in range(200))
    facts = await facts_of({"pkg/run.py": OLD}, {"pkg/take.py": text}, route)
    ((home, words),) = refusals(facts)
    assert home == "pkg/take.py"
    assert (words or "").split("\n")[4:] == ["the size 4 is taken", "the size 5 is taken", "and 3 more"]


@ROUTES
async def test_a_launcher_of_a_kernel_refuses_too(route: str, facts_of: "FactsOf") -> None:
    old = "void run(Tensor q) {\n  launch(q);\n}\n"
    new = '\nvoid fold(Tensor q, int heads) {\n  LIB_ICHECK_EQ(heads, 128) << "heads must be 128";\n  launch(q);\n}\n'
    facts = await facts_of({"csrc/run.cu": old}, {"csrc/run.cu": old + new}, route)
    assert refusals(facts) == [("fold", "heads must be 128")]
    facts = await facts_of({"csrc/run.cu": old}, {"csrc/fold.cu": new}, route)
    assert refusals(facts) == [("csrc/fold.cu", "heads must be 128")]


@ROUTES
@pytest.mark.parametrize(
    "new",
    [
        FOLD.replace("def fold", "def _fold"),
        '\n\nclass Shape:\n    def area(self):\n        raise NotImplementedError("subclasses must implement area")\n',
        '\n\ndef fold(n):\n    if n:\n        raise AssertionError("this should never happen")\n    return n\n',
        "\n\ndef fold(n):\n    if n > 16:\n        raise ValueError\n    return n\n",
        "\n\ndef fold(n):\n    assert n.ready\n    return n\n",
    ],
)
async def test_what_no_user_meets_or_says_nothing_is_not_told(new: str, route: str, facts_of: "FactsOf") -> None:
    assert refusals(await facts_of({"pkg/run.py": OLD}, {"pkg/run.py": OLD + new}, route)) == []


@ROUTES
@pytest.mark.parametrize("path", ["tests/fold.py", "benchmarks/fold.py", "examples/fold.py", "scripts/fold.py"])
async def test_what_only_the_project_runs_refuses_nobody(path: str, route: str, facts_of: "FactsOf") -> None:
    assert refusals(await facts_of({"pkg/run.py": OLD}, {path: FOLD.lstrip()}, route)) == []


@ROUTES
async def test_a_bound_that_is_asserted_without_words_is_told(route: str, facts_of: "FactsOf") -> None:
    new = "\n\ndef fold(n):\n    assert n.heads == 128\n    return n\n"
    assert refusals(await facts_of({"pkg/run.py": OLD}, {"pkg/run.py": OLD + new}, route)) == [
        ("fold", "n.heads == 128")
    ]


@ROUTES
async def test_what_moved_or_was_renamed_refuses_nothing_new(route: str, facts_of: "FactsOf") -> None:
    old = {"pkg/run.py": OLD + FOLD, "pkg/other.py": "def other(n):\n    return n\n"}
    moved = {"pkg/run.py": OLD, "pkg/other.py": old["pkg/other.py"] + FOLD}
    assert refusals(await facts_of(old, moved, route)) == []
    renamed = {"pkg/run.py": OLD + FOLD.replace("fold", "crease")}
    assert refusals(await facts_of({"pkg/run.py": OLD + FOLD}, renamed, route)) == []
    parted = {"pkg/run.py": OLD, "pkg/folding.py": FOLD.lstrip()}
    assert refusals(await facts_of({"pkg/run.py": OLD + FOLD}, parted, route)) == []


@ROUTES
async def test_a_method_that_a_base_may_have_had_is_not_called_new(route: str, facts_of: "FactsOf") -> None:
    old = "class Own(Base):\n    size = 1\n"
    new = old + '\n    def fold(self, n):\n        if n > 8:\n            raise ValueError("n is too large")\n'
    assert refusals(await facts_of({"pkg/run.py": old}, {"pkg/run.py": new}, route)) == []


@ROUTES
async def test_private_methods_of_a_new_class_refuse_with_it(route: str, facts_of: "FactsOf") -> None:
    check = '        if n > 8:\n            raise ValueError("n is too large")\n        return n\n'
    new = f"\n\nclass Fold(Base):\n    def _apply(self, n):\n{check}"
    assert refusals(await facts_of({"pkg/run.py": OLD}, {"pkg/run.py": OLD + new}, route)) == [
        ("Fold", "n is too large")
    ]
    own = new.replace("class Fold", "class _Fold")
    assert refusals(await facts_of({"pkg/run.py": OLD}, {"pkg/run.py": OLD + own}, route)) == []


@ROUTES
@pytest.mark.parametrize(
    ("check", "told"),
    [
        ('(\n            args.policy == "first"\n        ), "policy must be first"', ["policy must be first"]),
        ('args.policy == "first"', []),
        ('len(args) == 1, "one of them only"', []),
    ],
)
async def test_what_a_new_file_asserts_in_words_of_settings_is_told(
    route: str, facts_of: "FactsOf", check: str, told: list[str]
) -> None:
    text = f"class Keeper:\n    def __init__(self, args):\n        self.args = args\n        assert {check}\n"
    facts = await facts_of({"pkg/run.py": OLD}, {"pkg/run.py": OLD, "pkg/keeper.py": text}, route)
    assert refusals(facts) == [("pkg/keeper.py", words) for words in told]
