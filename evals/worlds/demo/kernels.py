"""The demo's kernel library: a fix for a crash, a lowered limit, a revert, a release."""

from datetime import timedelta
from pathlib import Path

from evals.worlds import people, questions
from evals.worlds.demo.day import DAY, EARLY, EVE, MORROW, OWNER
from evals.worlds.drafts import bump, edited, fix, text, version
from evals.worlds.edits import Done, add_constant, add_function, change_constant, rename_function
from evals.worlds.plan import filler, pull
from evals.worlds.projects import TENSORFORGE
from evals.worlds.pulls import Ref, Work
from evals.worlds.script import Ask, Made, Step, at, finish, perform, report, start
from evals.worlds.source import Constant, Function, Param, Unit
from evals.worlds.team import Team

_MIRA, _ZHANG, _CHIDI, _SAANVI = people.MAINTAINERS
_HEX, _YIFAN, _TOVE, _JOSE, _CHENXI, _PAT, _AN = people.CONTRIBUTORS
_COMM = "tensorforge/comm.py"
_ROUTING = "include/forge/moe/routing.cuh"


def make(seed: int, folder: Path) -> Made:
    """Make the repository."""
    team = start(OWNER, TENSORFORGE, seed, at("2026-01-29", "08:00"), first_number=2101, repo_id=7001)
    days = (("2026-01-30", 2), ("2026-02-01", 1), ("2026-02-02", 3), (EVE, 4), (DAY, 7))
    asks = [*_asks(), *questions.for_kernels(team.dice)]
    works = [*_fixes(), *_changes(), *_chores(), *filler(team, days, avoid=(_COMM,))]
    works += filler(team, ((MORROW, 2),), avoid=(_COMM,), minutes=EARLY)
    perform(team, asks, works, [_take_back(), Step(at(DAY, "17:30"), _publish)])
    told = "和 <<big-pool>> 是同一个问题，在 main 上已经修复，请更新后再试。"
    team.desk.comment("big-pool-zh", at(DAY, "08:09"), _ZHANG.login, told)
    team.desk.close("big-pool-zh", at(DAY, "08:10"), _ZHANG.login, reason="duplicate")
    questions.settle(team.desk)
    return finish(team, folder, repo_id=7001)


def _asks() -> list[Ask]:
    return [
        report("big-pool", "paged-overflow", at("2026-02-01", "21:14"), _PAT, reactions=6),
        report("big-pool-zh", "paged-overflow", at("2026-02-02", "03:40"), _CHENXI, chinese=True, labels=()),
        report("prefix-mask", "mask-tail", at("2026-02-02", "10:02"), _TOVE, reactions=2),
        report("race", "smem-race", at(DAY, "07:55"), _AN),
    ]


def _fixes() -> list[Work]:
    pool = fix("paged-overflow", "include/forge/attention/page.cuh")
    mask = fix("mask-tail", "include/forge/attention/mask.cuh")
    return [
        pull("fix-pool", DAY, "02:12", _ZHANG, pool, Ref("big-pool"), steps=2),
        pull("fix-mask", DAY, "09:31", _TOVE, mask, Ref("prefix-mask", "related"), labels=("attention",)),
    ]


def _changes() -> list[Work]:
    limit = Constant("kMaxTopK", "int", "22", "limit of the routing kernel")
    named = edited(_ROUTING, lambda path, unit: add_constant(path, unit, limit))
    lowered = edited(_ROUTING, lambda path, unit: change_constant(path, unit, limit.name, "8"))
    return [
        pull("name-topk", "2026-01-30", "10:11", _SAANVI, named),
        pull("topk-limit", DAY, "10:05", _SAANVI, lowered),
        pull("fuse-norm", EVE, "15:20", _JOSE, edited(_COMM, _fused_norm), labels=("performance",), steps=2),
        pull("rename-plan", DAY, "11:48", _CHIDI, edited("tensorforge/decode.py", _rename_first)),
    ]


def _chores() -> list[Work]:
    words = "# tensorforge 中文说明\n\n安装：`pip install tensorforge`\n"
    page = text("docs/zh.md", "", words, "docs", "add a Chinese page", "补充中文文档")
    old, new = "runs-on: ubuntu-24.04", "runs-on: [self-hosted, h100]"
    runner = text(".github/workflows/ci.yml", old, new, "ci", "run the tests on a GPU", "在 GPU 机器上跑测试")
    return [
        pull("numpy", DAY, "04:00", people.DEPENDENCY_BOT, bump("numpy", "2.2.1")),
        pull("docs-zh", DAY, "06:20", _CHENXI, page, chinese=True),
        pull("ci-runner", DAY, "13:15", _MIRA, runner),
        pull("release", DAY, "17:00", _MIRA, version(TENSORFORGE, "0.5.0"), tags=("release",)),
    ]


def _take_back() -> Step:
    """Revert yesterday's fused kernel."""
    why = "All-reduce hangs on two nodes since this landed, see the nightly. Taking it out until we know why."
    landed = at(DAY, "14:40")
    opened = landed - timedelta(minutes=38)

    def do(team: Team) -> None:
        team.revert("unfuse-norm", "fuse-norm", opened, landed, _MIRA, why)

    return Step(landed, do, "unfuse-norm", opened, pushes=True)


def _publish(team: Team) -> None:
    sha = team.landed["release"]
    team.history.refs["refs/tags/v0.5.0"] = sha
    good = "- 64-bit page offsets (<<fix-pool>>)\n- causal mask aligned to the end (<<fix-mask>>)"
    body = f"## Highlights\n\n{good}\n\n## Breaking\n\n- `kMaxTopK` is 8 now (<<topk-limit>>)\n"
    team.desk.release(
        tag="v0.5.0",
        name="v0.5.0",
        body=team.desk.fill(body),
        author=_MIRA.login,
        commit=sha,
        created_at=team.history.records[sha].committed_at,
        published_at=at(DAY, "17:30"),
    )


def _fused_norm(path: str, unit: Unit) -> Done:
    params = (Param("x", "torch.Tensor"), Param("weight", "torch.Tensor"), Param("eps", "float", "1e-6"))
    body = ("out = torch.empty_like(x)", "ops.allreduce_rms_norm(x, weight, out, eps)", "return out")
    doc = "Reduce over the ranks and normalise in one kernel."
    return add_function(path, unit, Function("allreduce_rms_norm", params, "torch.Tensor", doc, body))


def _rename_first(path: str, unit: Unit) -> Done:
    old = unit.functions[0].name
    return rename_function(path, unit, old, f"{old}_paged")
