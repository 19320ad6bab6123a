"""What Python callers give to functions that C++ binds for them."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
MODULE = """#include <pybind11/pybind11.h>

static void register_apis(pybind11::module_& m) {{
    m.def("product", &product,
          py::arg("left"), {});
}}
"""


async def _told(facts_of: "FactsOf", route: str, old: str, new: str) -> list[tuple[object, ...]]:
    file = "csrc/apis/product.hpp"
    facts = await facts_of({file: MODULE.format(old)}, {file: MODULE.format(new)}, route)
    return [(fact.kind, fact.severity, fact.name, fact.detail, fact.old, fact.new) for fact in facts]


@ROUTES
async def test_a_new_argument_of_a_bound_function_is_told(route: str, facts_of: "FactsOf") -> None:
    old, new = 'py::arg("bias") = std::nullopt', 'py::arg("bias") = std::nullopt,\n          py::arg("fast") = false'
    assert await _told(facts_of, route, old, new) == [
        (FactKind.PARAMETER_ADDED, Severity.ADDITIVE, "product", "fast", None, "fast = False")
    ]


@ROUTES
async def test_an_argument_that_goes_or_has_another_name_breaks_callers(route: str, facts_of: "FactsOf") -> None:
    old, new = 'py::arg("right"), py::arg("fast") = false', 'py::arg("right")'
    assert await _told(facts_of, route, old, new) == [
        (FactKind.PARAMETER_REMOVED, Severity.BREAKING, "product", "fast", "fast = False", None)
    ]
    old, new = 'py::arg("max_len")', 'py::arg("max_length")'
    assert await _told(facts_of, route, old, new) == [
        (FactKind.PARAMETER_RENAMED, Severity.BREAKING, "product", "max_length", "max_len", "max_length")
    ]


@ROUTES
async def test_another_default_is_told_and_another_way_to_write_it_is_not(route: str, facts_of: "FactsOf") -> None:
    assert await _told(facts_of, route, 'py::arg("size") = 8', '"size"_a = 16') == [
        (FactKind.PARAMETER_DEFAULT, Severity.BEHAVIOUR, "product", "size", "8", "16")
    ]
    assert await _told(facts_of, route, 'py::arg("bias") = std::nullopt', 'py::arg("bias") = py::none()') == []


CLASS = """#include <pybind11/pybind11.h>

void init(py::module &&m) {{
  py::enum_<Mode>(m, "MODE", py::module_local())
      .value("FAST", Mode::FAST){}
      .export_values();

  py::class_<Builder> binding =
      py::class_<Builder>(m, "builder", py::dynamic_attr());
  binding
      .def(py::init<Context *>())
      // Constants.
      .def("get_int", [](Builder &self, int v) -> Value {{
             return self.create<Op>(v);
           }}){};
}}
"""


async def _members(facts_of: "FactsOf", old: tuple[str, str], new: tuple[str, str]) -> list[object]:
    file = "python/src/ir.cc"
    facts = await facts_of({file: CLASS.format(*old)}, {file: CLASS.format(*new)})
    return [(fact.kind, fact.severity, fact.name) for fact in facts]


async def test_what_is_bound_to_a_class_is_told_with_the_class(facts_of: "FactsOf") -> None:
    value = '\n      .value("SLOW", Mode::SLOW)'
    method = '\n      .def("get_bool", [](Builder &self, bool v) { return self.create<Op>(v, v); })'
    assert await _members(facts_of, ("", ""), (value, method)) == [
        (FactKind.REGISTERED, Severity.INTERNAL, "MODE.SLOW"),
        (FactKind.REGISTERED, Severity.INTERNAL, "builder.get_bool"),
    ]


async def test_what_is_no_longer_bound_to_a_class_is_told(facts_of: "FactsOf") -> None:
    field = '\n      .def_readwrite("depth", &Builder::depth)'
    assert await _members(facts_of, ("", field), ("", "")) == [
        (FactKind.UNREGISTERED, Severity.INTERNAL, "builder.depth")
    ]
