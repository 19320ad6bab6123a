"""A commit that only lays code out anew, or words it anew in comments, is told as such, with what stands beside it."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
KERNEL = "{}\n\nint run(int a) {{\n  {}\n}}\n"
FORMATTED = {
    "csrc/run.cu": KERNEL.format('#include <a.h>\n#include "b.h"', "return a+1;"),
    "pkg/a.py": "import os\nimport ast\n\ndef run(x):\n    return f(key=lambda y: y if y else 1)\n",
    "benchmarks/bench.py": "@perf_report(Bench(sizes=[1,2], args={'n': 4096//32}))\ndef bench(n):\n    return n\n",
}
ANEW = {
    "csrc/run.cu": KERNEL.format('#include "b.h"\n#include <a.h>', "return a + 1;"),
    "pkg/a.py": "import ast\nimport os\n\n\ndef run(x):\n    return f(key=lambda y: (y if y else 1))\n",
    "benchmarks/bench.py": (
        '@perf_report(\n    Bench(\n        sizes=[1, 2],\n        args={"n": 4096 // 32},\n    )\n)\n'
        "def bench(n):\n    return n\n"
    ),
}


@ROUTES
async def test_code_laid_out_anew_beside_a_new_workflow_is_upkeep(route: str, facts_of: "FactsOf") -> None:
    facts = await facts_of(FORMATTED, {**ANEW, ".github/workflows/format.yml": "on: push\n"}, route)
    assert {(fact.kind, fact.detail) for fact in facts} == {
        (FactKind.ONLY_UPKEEP, "CI, benchmarks, formatting"),
        (FactKind.FILE_ADDED, "ci"),
    }


@ROUTES
async def test_code_laid_out_anew_with_sorted_includes_is_only_formatting(route: str, facts_of: "FactsOf") -> None:
    facts = await facts_of(FORMATTED, ANEW, route)
    assert [fact.kind for fact in facts] == [FactKind.ONLY_FORMATTING]


@ROUTES
async def test_code_that_does_more_beside_a_new_workflow_is_no_upkeep(route: str, facts_of: "FactsOf") -> None:
    after = {
        **ANEW,
        "csrc/run.cu": KERNEL.format("#include <a.h>", "return a + 2;"),
        ".github/workflows/format.yml": "on: push\n",
    }
    assert [fact.kind for fact in await facts_of(FORMATTED, after, route)] == [FactKind.FILE_ADDED]


@ROUTES
async def test_an_import_that_leaves_its_function_is_no_formatting(route: str, facts_of: "FactsOf") -> None:
    old = "def run(x):\n    import slow\n    return slow.go(x)\n"
    new = "import slow\ndef run(x):\n    return slow.go(x)\n"
    assert await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}, route) == []


DOCUMENTED = '''def run(x):
    """Run.

    one of the many lines that stand here
    two of the many lines that stand here
    three of the many lines that stand here
    {}
    four of the many lines that stand here
    five of the many lines that stand here
    six of the many lines that stand here
    """
    return x
'''


async def test_other_words_in_the_middle_of_a_docstring_are_only_comments(facts_of: "FactsOf") -> None:
    old, new = (DOCUMENTED.format(f"and it takes (x): {what} of the users") for what in ("none", "all"))
    assert [fact.kind for fact in await facts_of({"pkg/a.py": old}, {"pkg/a.py": new})] == [FactKind.ONLY_COMMENTS]


async def test_other_words_in_the_middle_of_a_prompt_are_no_comment(facts_of: "FactsOf") -> None:
    text = DOCUMENTED.replace('    """Run.', '    text = """Run.')
    old, new = (text.format(f"and it takes (x): {what} of the users") for what in ("none", "all"))
    assert await facts_of({"pkg/a.py": old}, {"pkg/a.py": new}) == []


async def test_words_of_comments_in_another_order_are_only_comments(facts_of: "FactsOf") -> None:
    old, new = (
        f"int run(int x) {{\n  // {words}\n  return x;\n}}\n" for words in ("rows by columns", "columns by rows")
    )
    assert [fact.kind for fact in await facts_of({"src/a.cpp": old}, {"src/a.cpp": new})] == [FactKind.ONLY_COMMENTS]


@pytest.mark.parametrize(
    ("now", "told"), [('None, description="By hand"', False), ('"x", description="By mouth"', True)]
)
async def test_what_a_field_says_of_itself_is_not_what_it_holds(now: str, told: bool, facts_of: "FactsOf") -> None:
    text = "class Request(BaseModel):\n    key: str | None = Field(default={})\n"
    old = text.format('None, description="By mouth"')
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": text.format(now)})
    assert [fact.kind for fact in facts] == ([FactKind.FIELD_CHANGED] if told else [])
