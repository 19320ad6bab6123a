"""Names of other packages that a change begins to use, and the change that brought one."""

from datetime import UTC, datetime

import pytest
from agent.weaving.uses import Use, brings, home_of, uses

from agent.domain import Change, Commit, FileChange, Person
from agent.ids import RepoId

WHO = Person(name="Mira", email="mira@example.org")
AT = datetime(2026, 2, 3, tzinfo=UTC)
REPOS = [RepoId("acme/kernels"), RepoId("deep/DeepGEMM"), RepoId("dao/flash-attention"), RepoId("acme/server")]


def change(path: str, *lines: str) -> Change:
    commit = Commit(
        repo=REPOS[3],
        sha="1" * 40,
        parents=("0" * 40,),
        author=WHO,
        authored_at=AT,
        committer=WHO,
        committed_at=AT,
        message="a title",
    )
    patch = "\n".join(("@@ -1 +1 @@", *lines))
    return Change(
        commit=commit, files=(FileChange(path=path, status="modified", additions=1, deletions=1, patch=patch),)
    )


@pytest.mark.parametrize(
    "lines",
    [
        ["+from kernels.moe import fused_route"],
        ["+        from kernels import other_one, fused_route as route  # noqa"],
        [" from kernels.moe import (", "     old_name,", "+    fused_route,", " )"],
        ["+out = kernels.moe.fused_route(x)"],
        ['+route = _lazy("kernels.moe", "fused_route")'],
    ],
)
def test_a_name_is_used_where_new_lines_import_or_call_it_of_a_package(lines: list[str]) -> None:
    assert Use("kernels", "fused_route") in uses(change("server/layer.py", *lines))


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("server/layer.py", ["-from kernels.moe import fused_route"]),
        ("server/layer.py", [" from kernels.moe import fused_route"]),
        ("server/layer.py", ["+# kernels.moe.fused_route would do"]),
        ("server/layer.py", ['+name = "kernels.moe.fused_route"']),
        ("server/layer.py", ["+from .moe import fused_route"]),
        ("tests/test_layer.py", ["+from kernels.moe import fused_route"]),
        ("server/layer.py", ["+from kernels.moe import route, _fused_route"]),
        ("kernels/layer.py", ["+from kernels.moe import fused_route"]),
    ],
)
def test_what_goes_stands_is_said_or_tested_is_no_use(path: str, lines: list[str]) -> None:
    assert uses(change(path, *lines)) == ()


def test_scopes_of_native_code_and_variables_of_the_environment_count_too() -> None:
    assert uses(change("csrc/a.cu", "+  deep_gemm::jit::LaunchPlan plan;")) == (Use("deep_gemm", "LaunchPlan"),)
    assert uses(change("server/a.py", '+os.environ["KERNELS_PACK_4OVER6"] = "1"')) == (
        Use("kernels", "KERNELS_PACK_4OVER6"),
    )


@pytest.mark.parametrize(
    ("package", "home"),
    [
        ("kernels", REPOS[0]),
        ("deep_gemm", REPOS[1]),
        ("flash_attn", REPOS[2]),
        ("server", None),
        ("torch", None),
        ("server_flash_attn", None),
    ],
)
def test_a_package_is_of_the_repository_of_its_name_run_together_or_shortened(
    package: str, home: RepoId | None
) -> None:
    assert home_of(package, REPOS, REPOS[3]) == home


@pytest.mark.parametrize(
    ("path", "line", "does"),
    [
        ("kernels/moe.py", "+def fused_route(x):", True),
        ("kernels/__init__.py", "+from .moe import fused_route as fused_route", True),
        ("include/kernels/moe.cuh", "+template <int N> struct fused_route {", True),
        ("kernels/moe.py", "+    return fused_route(x)", False),
        ("other/moe.py", "+def fused_route(x):", False),
        ("tests/kernels/test_moe.py", "+def fused_route(x):", False),
        ("kernels/moe.py", "-def fused_route(x):", False),
    ],
)
def test_who_defines_or_exports_a_name_in_the_package_brings_it(path: str, line: str, does: bool) -> None:
    assert brings(change(path, line), Use("kernels", "fused_route")) is does
