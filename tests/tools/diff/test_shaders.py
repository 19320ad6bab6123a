"""Kernels of Metal and OpenCL, which a program finds by their names."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
METAL = """#include <metal_stdlib>

kernel void kernel_add(
        device const float * src [[buffer(0)]],
        device       float * dst [[buffer(1)]],
        uint i [[thread_position_in_grid]]) {{
    dst[i] += src[i]; // kernel void kernel_words(
}}
{}"""
CLAMP = """
template <typename T>
kernel void kernel_clamp(device const T * src, device T * dst, uint i [[thread_position_in_grid]]) {
    dst[i] = clamp(src[i], T(0), T(1));
}

typedef decltype(kernel_clamp<float>) clamp_t;
template [[host_name("kernel_clamp_f32")]] kernel clamp_t kernel_clamp<float>;
"""


@ROUTES
async def test_a_kernel_of_metal_that_comes_is_told(route: str, facts_of: "FactsOf") -> None:
    file = "src/metal/lib.metal"
    facts = await facts_of({file: METAL.format("")}, {file: METAL.format(CLAMP)}, route)
    assert [(fact.kind, fact.severity, fact.name, fact.detail) for fact in facts] == [
        (FactKind.REGISTERED, Severity.INTERNAL, "kernel_clamp, kernel_clamp_f32", "kernels")
    ]


@ROUTES
async def test_a_kernel_of_opencl_that_goes_is_told(route: str, facts_of: "FactsOf") -> None:
    file, kept = "src/opencl/scale.cl", "kernel void scale(global float * x) {\n    x[get_global_id(0)] *= 2.0f;\n}\n"
    gone = "\n__kernel void shift(__global float * x) {\n    x[get_global_id(0)] += 1.0f;\n}\n"
    facts = await facts_of({file: kept + gone}, {file: kept}, route)
    assert [(fact.kind, fact.name) for fact in facts] == [(FactKind.UNREGISTERED, "shift")]


@ROUTES
async def test_what_a_kernel_does_is_not_told(route: str, facts_of: "FactsOf") -> None:
    file, old = "src/metal/lib.metal", METAL.format(CLAMP)
    assert await facts_of({file: old}, {file: old.replace("+= src[i]", "-= src[i]")}, route) == []


@ROUTES
async def test_a_kernel_that_a_macro_names_is_not_told(route: str, facts_of: "FactsOf") -> None:
    file, old = "src/opencl/scale.cl", "#define NAME scale\n"
    new = old + "kernel void NAME(global float * x) {\n    x[get_global_id(0)] *= 2.0f;\n}\n"
    assert await facts_of({file: old}, {file: new}, route) == []


@ROUTES
async def test_a_new_file_speaks_for_its_kernels(route: str, facts_of: "FactsOf") -> None:
    new = "kernel void shift(global float * x) {\n    x[get_global_id(0)] += 1.0f;\n}\n"
    facts = await facts_of({"README.md": "One.\n"}, {"src/opencl/shift.cl": new}, route)
    assert [(fact.kind, fact.detail) for fact in facts] == [(FactKind.FILE_ADDED, "kernel")]


@ROUTES
async def test_a_new_shader_of_glsl_is_a_kernel(route: str, facts_of: "FactsOf") -> None:
    new = "#version 450\n\nlayout(local_size_x = 64) in;\n\nvoid main() {\n    y[gl_GlobalInvocationID.x] = 0.0;\n}\n"
    facts = await facts_of({"README.md": "One.\n"}, {"src/vulkan/zero.comp": new}, route)
    assert [(fact.kind, fact.detail) for fact in facts] == [(FactKind.FILE_ADDED, "kernel")]
