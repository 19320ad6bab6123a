"""Checks that are made otherwise: under a further condition, in other words, or with words that others share."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
RUN = "void run(Tensor q, Tensor k, Params p) {{\n{}  launch(q, k, p);\n}}\n"


async def _errors(facts_of: "FactsOf", old: str, new: str, route: str) -> list[tuple[FactKind, str | None, str | None]]:
    facts = await facts_of({"csrc/run.cu": RUN.format(old)}, {"csrc/run.cu": RUN.format(new)}, route)
    return [(fact.kind, fact.old, fact.new) for fact in facts if fact.kind.startswith("error-")]


@ROUTES
@pytest.mark.parametrize("new", ["p.arch < 90 || !p.packed", "!p.packed && p.arch > 80"])
async def test_a_check_that_asks_for_more_or_less_in_the_same_words_has_changed(
    new: str, route: str, facts_of: "FactsOf"
) -> None:
    check = '  TORCH_CHECK({}, "This build does not support packing.");\n'
    found = await _errors(facts_of, check.format("!p.packed"), check.format(new), route)
    assert found == [(FactKind.ERROR_CHANGED, "!p.packed", new)]


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("!paged", "!(p.table && !p.fast)"),
        ("!p.packed || p.table || p.splits > 1", "!p.packed || (p.table && !p.fast) || p.splits > 1"),
        ("p.rows >= rows", "p.rows < rows"),
        ("p.rows > 8", "p.rows < 8"),
    ],
)
async def test_a_check_that_asks_for_something_else_in_the_same_words_has_changed(
    old: str, new: str, route: str, facts_of: "FactsOf"
) -> None:
    check = '#ifdef LIB_DISABLE_PAGES\n  TORCH_CHECK({}, "This build does not support pages.");\n#endif\n'
    found = await _errors(facts_of, check.format(old), check.format(new), route)
    assert found == [(FactKind.ERROR_CHANGED, old, new)]


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"), [("p.kind == kRow || p.kind == kColumn", "is_plain(p.kind)"), ("p.rows < rows", "rows > p.rows")]
)
async def test_a_check_that_says_the_same_of_the_same_things_has_not_changed(
    old: str, new: str, route: str, facts_of: "FactsOf"
) -> None:
    check = '  TORCH_CHECK({}, "This build does not support pages.");\n'
    assert await _errors(facts_of, check.format(old), check.format(new), route) == []


@ROUTES
async def test_an_assertion_of_c_is_told_where_it_asks_for_the_opposite_in_the_same_words(
    route: str, facts_of: "FactsOf"
) -> None:
    check = '  assert((p.index {} kMost) && "index exceeds the count");\n'
    found = await _errors(facts_of, check.format(">="), check.format("<"), route)
    assert found == [(FactKind.ERROR_CHANGED, "(p.index >= kMost)", "(p.index < kMost)")]
    assert await _errors(facts_of, check.format("!="), "", route) == []


@ROUTES
async def test_a_check_that_gets_at_its_values_otherwise_is_the_same(route: str, facts_of: "FactsOf") -> None:
    check = '  TORCH_CHECK({} == torch::kFloat16, "q must be float16");\n'
    assert await _errors(facts_of, check.format("q.dtype()"), check.format("q.scalar_type()"), route) == []


@ROUTES
async def test_one_of_several_checks_with_the_same_words_has_others_now(route: str, facts_of: "FactsOf") -> None:
    old = (
        '  CHECK_EQ(q.size(0), p.experts) << "q has incorrect shape.";\n  align(p);\n'
        '  CHECK_EQ(q.size(1), p.hidden) << "q has incorrect shape.";\n'
    )
    new = old.replace('p.experts) << "q has incorrect shape."', 'total) << "q has incorrect dim 0."')
    assert await _errors(facts_of, old, new, route) == [
        (FactKind.ERROR_CHANGED, "q has incorrect shape.", "q has incorrect dim 0.")
    ]


@ROUTES
async def test_a_check_that_goes_on_by_another_name_was_loosened(route: str, facts_of: "FactsOf") -> None:
    old = "  TORCH_CHECK(q.dtype() == torch::kFloat16);\n  TORCH_CHECK(k.dtype() == torch::kFloat16);\n"
    new = (
        "  auto q_dtype = q.dtype();\n  TORCH_CHECK(q_dtype == torch::kFloat16 || q_dtype == torch::kBFloat16);\n"
        "  TORCH_CHECK(k.dtype() == q_dtype);\n"
    )
    assert {(kind, was) for kind, was, _ in await _errors(facts_of, old, new, route)} == {
        (FactKind.ERROR_CHANGED, "q.dtype() == torch::kFloat16"),
        (FactKind.ERROR_CHANGED, "k.dtype() == torch::kFloat16"),
    }


@ROUTES
async def test_a_message_that_was_written_into_a_stream_is_compared_where_it_stands(
    route: str, facts_of: "FactsOf"
) -> None:
    old = (
        "  if (works > 8) {\n    fail_slowly();\n  }\n  prepare(p);\n  finish(p);\n  std::ostringstream err;\n"
        '  err << "partial rows " << n << " exceed max_rows " << rows;\n  LIB_ERROR(err.str());\n'
    )
    new = old.replace('"partial rows "', '"Number of splits "').replace(
        '" exceed max_rows "', '" is beyond the buffer "'
    )
    new = new.replace("fail_slowly();", 'LIB_ERROR("works are too many for one launch");')
    assert {*await _errors(facts_of, old, new, route)} == {
        (FactKind.ERROR_CHANGED, "partial rows exceed max_rows", "Number of splits is beyond the buffer"),
        (FactKind.ERROR_ADDED, None, "works are too many for one launch"),
    }


@ROUTES
async def test_a_macro_behind_the_last_parameter_is_no_name(route: str, facts_of: "FactsOf") -> None:
    old = "void run(Tensor q, int64_t page,\n         double scale MORE_PARAMS PROFILER_PARAMS) {\n  go(q);\n}\n"
    new = old.replace("double scale", "double scale,\n         double cap")
    facts = await facts_of({"csrc/run.cu": old}, {"csrc/run.cu": new}, route)
    assert [(fact.kind, fact.new) for fact in facts] == [(FactKind.PARAMETER_ADDED, "cap: double")]


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('TORCH_CHECK(q.dim() == 2, "q must be 2D");', 'LIB_ICHECK(q.ndim() == 2) << "q must be 2D";'),
        ("TORCH_CHECK_GE(p.n, 1);", "LIB_ICHECK_GE(p.n, 1);"),
    ],
)
async def test_the_same_check_by_another_macro_of_the_project_is_internal(
    old: str, new: str, route: str, facts_of: "FactsOf"
) -> None:
    before, after = ({"csrc/run.cu": RUN.format(f"  {check}\n")} for check in (old, new))
    (fact,) = await facts_of(before, after, route)
    assert (fact.kind, fact.severity) == (FactKind.ERROR_CHANGED, Severity.INTERNAL)


@ROUTES
async def test_a_check_that_nobody_builds_is_not_told(route: str, facts_of: "FactsOf") -> None:
    dead = (
        '#if 0\n  TORCH_CHECK(p.n > 0, "n must be positive");\n#else\n'
        '  TORCH_CHECK(p.n > 1, "n must be two or more");\n#endif\n'
    )
    assert await _errors(facts_of, "", dead, route) == [(FactKind.ERROR_ADDED, None, "n must be two or more")]


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [("CHECK_EQ(q.dim(), 3);", "CHECK_GE(q.dim(), 3);"), ("CHECK_INPUT(q);", "CHECK_LAST_DIM_CONTIGUOUS_INPUT(q);")],
)
async def test_a_macro_that_asks_for_something_else_is_another_check(
    old: str, new: str, route: str, facts_of: "FactsOf"
) -> None:
    before, after = ({"csrc/run.cu": RUN.format(f"  {check}\n")} for check in (old, new))
    facts = await facts_of(before, after, route)
    assert [fact.severity for fact in facts if fact.kind is FactKind.ERROR_CHANGED] == [Severity.BEHAVIOUR]


@ROUTES
async def test_a_list_is_compared_by_what_is_let_through(route: str, facts_of: "FactsOf") -> None:
    old = 'def run(mode):\n    assert mode in ["chat", "think"], "unknown mode"\n    return mode\n'
    refusal = 'if mode not in ["chat", "think"]:\n        raise AssertionError("unknown mode")'
    turned = f"def run(mode):\n    {refusal}\n    return mode\n"
    facts = await facts_of({"pkg/run.py": old}, {"pkg/run.py": turned}, route)
    assert [fact for fact in facts if fact.kind is FactKind.LIMIT_CHANGED] == []
    wider = turned.replace('"think"]', '"think", "plan"]')
    facts = await facts_of({"pkg/run.py": old}, {"pkg/run.py": wider}, route)
    assert [(fact.old, fact.new) for fact in facts if fact.kind is FactKind.LIMIT_CHANGED] == [
        ('in ["chat", "think"]', 'in ["chat", "think", "plan"]')
    ]


@ROUTES
async def test_what_a_program_logs_before_it_gives_up_is_an_error(route: str, facts_of: "FactsOf") -> None:
    refusal = '  if (q.empty()) {\n    LIB_LOG_ERR("%s: nothing to do\\n", __func__);\n    return false;\n  }\n'
    assert await _errors(facts_of, "", refusal, route) == [(FactKind.ERROR_ADDED, None, "%s: nothing to do\\n")]
    warning = refusal.replace("return false;", "q.fill();")
    assert await _errors(facts_of, "", warning, route) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", '  if (q.rank() != 2)\n    return emitOpError("rank must be 2");\n'),
        ("", '  if (q.rank() != 2)\n    return q->emitOpError() << "rank must be 2";\n'),
        (
            '  if (q.rank() != 2) {\n    auto diag = emitOpError("rank must be 2");\n  }\n',
            '  if (q.rank() != 2) {\n    auto diag = emitOpError("rank must be 2");\n    return diag;\n  }\n',
        ),
    ],
)
async def test_what_a_verifier_returns_as_its_error_is_one(old: str, new: str, facts_of: "FactsOf") -> None:
    assert await _errors(facts_of, old, new, "blobs") == [(FactKind.ERROR_ADDED, None, "rank must be 2")]


@ROUTES
async def test_a_condition_that_says_what_must_hold_lets_it_through(route: str, facts_of: "FactsOf") -> None:
    old, new = (RUN.format(f'  if (!(p.n >= 0 && p.n <= {n})) {{\n    throw Bad("n");\n  }}\n') for n in (3, 4))
    facts = await facts_of({"csrc/run.cu": old}, {"csrc/run.cu": new}, route)
    assert [(fact.old, fact.new, fact.severity) for fact in facts if fact.kind is FactKind.LIMIT_CHANGED] == [
        ("<= 3", "<= 4", Severity.BEHAVIOUR)
    ]


async def test_the_words_of_an_error_may_stand_in_a_constant(facts_of: "FactsOf") -> None:
    said = 'NO_POOLING = "pooling takes no processors"\n\n\ndef check(pooled):\n'
    before, after = f"{said}    return pooled\n", f"{said}    if pooled:\n        raise ValueError(NO_POOLING)\n"
    (fact,) = await facts_of({"pkg/a.py": before}, {"pkg/a.py": after})
    assert (fact.kind, fact.new) == (FactKind.ERROR_ADDED, "pooling takes no processors")
