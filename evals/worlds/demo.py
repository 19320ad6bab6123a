"""A small world to look at: three projects of one company, a busy Wednesday and the days before it."""

from pathlib import Path

from evals.worlds import people, questions
from evals.worlds.drafts import bump, by_chance, edited, fix, text, version
from evals.worlds.edits import (
    Done,
    add_constant,
    add_flag,
    add_function,
    change_constant,
    change_flag_default,
    rename_function,
)
from evals.worlds.model import World
from evals.worlds.plan import filler, pull
from evals.worlds.projects import ROUTEKIT, SWIFTSERVE, TENSORFORGE
from evals.worlds.pulls import Ref
from evals.worlds.script import Ask, Made, Step, at, finish, perform, report, start
from evals.worlds.source import Constant, Flag, Function, Param, Unit
from evals.worlds.team import Team

OWNER = "lumen-ai"
DAY = "2026-02-04"
_EVE = "2026-02-03"
_MIRA, _ZHANG, _CHIDI, _SAANVI = people.MAINTAINERS
_HEX, _YIFAN, _TOVE, _JOSE, _CHENXI, _PAT, _AN = people.CONTRIBUTORS


def make(seed: int, folder: Path) -> tuple[World, list[Made]]:
    """Make the demo world."""
    made = [_tensorforge(seed, folder), _swiftserve(seed, folder), _routekit(seed, folder)]
    notes = {"reported day": DAY, "release": "lumen-ai/tensorforge v0.5.0"}
    notes |= {f"work {one.repo.full_name} {key}": sha for one in made for key, sha in sorted(one.work.items())}
    landed = tuple(row for one in made for row in one.landed)
    return World(seed, at("2026-02-05", "08:00"), tuple(one.repo for one in made), landed, notes), made


def _tensorforge(seed: int, folder: Path) -> Made:
    team = start(OWNER, TENSORFORGE, seed, at("2026-01-29", "08:00"), first_number=2101, repo_id=7001)
    page, mask, routing = (f"include/forge/{name}.cuh" for name in ("attention/page", "attention/mask", "moe/routing"))
    asks = [
        report("big-pool", "paged-overflow", at("2026-02-01", "21:14"), _PAT, reactions=6),
        report("big-pool-zh", "paged-overflow", at("2026-02-02", "03:40"), _CHENXI, chinese=True, labels=()),
        report("prefix-mask", "mask-tail", at("2026-02-02", "10:02"), _TOVE, reactions=2),
        report("race", "smem-race", at(DAY, "07:55"), _AN),
        *questions.for_kernels(team.dice),
    ]
    works = [
        pull(
            "name-topk",
            "2026-01-30",
            "10:11",
            _SAANVI,
            edited(
                routing,
                lambda p, u: add_constant(p, u, Constant("kMaxTopK", "int", "22", "limit of the routing kernel")),
            ),
        ),
        pull(
            "fuse-norm",
            _EVE,
            "15:20",
            _JOSE,
            edited("tensorforge/comm.py", _fused_norm),
            labels=("performance",),
            steps=2,
        ),
        pull("fix-pool", DAY, "02:12", _ZHANG, fix("paged-overflow", page), Ref("big-pool"), steps=2),
        pull(
            "fix-mask",
            DAY,
            "09:31",
            _TOVE,
            fix("mask-tail", mask),
            Ref("prefix-mask", "related"),
            labels=("attention",),
        ),
        pull("topk-limit", DAY, "10:05", _SAANVI, edited(routing, lambda p, u: change_constant(p, u, "kMaxTopK", "8"))),
        pull("rename-plan", DAY, "11:48", _CHIDI, edited("tensorforge/decode.py", _rename_first)),
        pull("numpy", DAY, "04:00", people.DEPENDENCY_BOT, bump("numpy", "2.2.1")),
        pull(
            "docs-zh",
            DAY,
            "06:20",
            _CHENXI,
            text(
                "docs/zh.md",
                "",
                "# tensorforge 中文说明\n\n安装：`pip install tensorforge`\n",
                "docs",
                "add a Chinese page",
                "补充中文文档",
            ),
            chinese=True,
        ),
        pull(
            "ci-time",
            DAY,
            "13:15",
            _MIRA,
            text(
                ".github/workflows/ci.yml",
                "runs-on: ubuntu-24.04",
                "runs-on: [self-hosted, h100]",
                "ci",
                "run the tests on a GPU",
                "在 GPU 机器上跑测试",
            ),
        ),
        pull("release", DAY, "17:00", _MIRA, version(TENSORFORGE, "0.5.0"), tags=("release",)),
        *filler(
            team,
            (("2026-01-30", 2), ("2026-02-01", 1), ("2026-02-02", 3), (_EVE, 4), (DAY, 7)),
            avoid=("tensorforge/comm.py",),
        ),
        *filler(team, (("2026-02-05", 2),), avoid=("tensorforge/comm.py",), minutes=400),
    ]
    why = "All-reduce hangs on two nodes since this landed, see the nightly. Taking it out until we know why."
    back = Step(
        at(DAY, "14:40"),
        lambda t: t.revert("unfuse-norm", "fuse-norm", at(DAY, "14:02"), at(DAY, "14:40"), _MIRA, why),
        "unfuse-norm",
        at(DAY, "14:02"),
        pushes=True,
    )
    out = Step(at(DAY, "17:30"), _publish)
    perform(team, asks, works, [back, out])
    team.desk.close("big-pool-zh", at(DAY, "08:10"), _ZHANG.login, reason="duplicate")
    team.desk.comment(
        "big-pool-zh",
        at(DAY, "08:09"),
        _ZHANG.login,
        "和 <<big-pool>> 是同一个问题，在 main 上已经修复，请更新后再试。",
    )
    questions.settle(team.desk)
    return finish(team, folder, repo_id=7001)


def _swiftserve(seed: int, folder: Path) -> Made:
    team = start(OWNER, SWIFTSERVE, seed, at("2026-01-29", "09:30"), first_number=5310, repo_id=7002)
    server = "swiftserve/entrypoints.py"
    asks = [
        report("hang", "scheduler-hang", at("2026-02-02", "06:30"), _YIFAN, chinese=True, reactions=4),
        report("stops", "stop-token", at("2026-01-31", "19:45"), _HEX),
        report("adapters", "lora-leak", at("2026-02-03", "08:00"), _PAT, reactions=3),
        report("garbled", "tokenizer-race", at("2026-02-03", "12:25"), _CHENXI, chinese=True),
        report("retries", "retry-storm", at(DAY, "01:20"), _AN),
        Ask(
            "reload",
            at("2026-02-01", "16:00"),
            _JOSE,
            "Feature request: unload adapters by hand",
            "An endpoint to drop an adapter would help us test eviction.",
            ("feature request",),
        ),
        *questions.for_serving(team.dice),
    ]
    works = [
        pull(
            "chunk-flag",
            "2026-02-02",
            "09:12",
            _CHIDI,
            edited(
                server,
                lambda p, u: add_flag(p, u, Flag("chunked-prefill-size", "int", "8192", "tokens of a prefill chunk")),
            ),
        ),
        pull(
            "fix-hang",
            DAY,
            "03:05",
            _ZHANG,
            fix("scheduler-hang", "swiftserve/scheduler.py"),
            Ref("hang"),
            chinese=True,
            steps=3,
        ),
        pull("fix-stops", DAY, "05:50", _HEX, fix("stop-token", server), Ref("stops", "commit")),
        pull(
            "fix-lora",
            DAY,
            "08:44",
            _PAT,
            fix("lora-leak", "swiftserve/lora.py"),
            Ref("adapters"),
            Ref("reload", "second"),
        ),
        pull(
            "fix-utf8",
            DAY,
            "09:02",
            _CHENXI,
            fix("tokenizer-race", "swiftserve/detokenizer.py"),
            Ref("garbled"),
            chinese=True,
        ),
        pull(
            "fix-router",
            DAY,
            "16:21",
            _AN,
            fix("retry-storm", "router/src/policy.rs"),
            Ref("retries", "manual"),
            labels=("router",),
        ),
        pull(
            "chunk-default",
            DAY,
            "10:30",
            _CHIDI,
            edited(server, lambda p, u: change_flag_default(p, u, "chunked-prefill-size", "4096")),
            labels=("breaking",),
        ),
        pull("torch", DAY, "04:01", people.DEPENDENCY_BOT, bump("torch", "2.10.0")),
        pull("forge", DAY, "19:10", _MIRA, bump("tensorforge", "0.5.0"), Ref("hang", "quoted")),
        pull(
            "guide",
            DAY,
            "12:40",
            _SAANVI,
            text(
                "docs/index.md",
                "",
                "\n## Tuning\n\nStart with `--chunked-prefill-size 4096`.\n",
                "docs",
                "explain chunked prefill",
                "补充文档",
            ),
        ),
        *filler(team, (("2026-01-30", 3), ("2026-02-01", 2), ("2026-02-02", 2), (_EVE, 3), (DAY, 9))),
        *filler(team, (("2026-02-05", 1),), minutes=400),
    ]
    idea = pull("dp-attn", DAY, "20:00", _YIFAN, by_chance(SWIFTSERVE, team.dice), chinese=True)
    perform(team, asks, works, [Step(at(DAY, "18:00"), lambda t: t.propose(idea), "dp-attn", idea.opened_at)])
    questions.settle(team.desk)
    return finish(team, folder, repo_id=7002)


def _routekit(seed: int, folder: Path) -> Made:
    team = start(OWNER, ROUTEKIT, seed, at("2026-01-29", "11:00"), first_number=88, repo_id=7003)
    asks = [
        Ask(
            "weights",
            at("2026-02-01", "13:00"),
            _JOSE,
            "Weights of zero?",
            "What should a weight of zero mean: never, or only when all others are down?",
            ("question",),
        )
    ]
    works = filler(team, (("2026-02-02", 1), (_EVE, 1), (DAY, 2)))
    perform(team, asks, works, merge=True)
    return finish(team, folder, repo_id=7003)


def _fused_norm(path: str, unit: Unit) -> Done:
    params = (Param("x", "torch.Tensor"), Param("weight", "torch.Tensor"), Param("eps", "float", "1e-6"))
    body = ("out = torch.empty_like(x)", "ops.allreduce_rms_norm(x, weight, out, eps)", "return out")
    return add_function(
        path,
        unit,
        Function(
            "allreduce_rms_norm", params, "torch.Tensor", "Reduce over the ranks and normalise in one kernel.", body
        ),
    )


def _rename_first(path: str, unit: Unit) -> Done:
    old = unit.functions[0].name
    return rename_function(path, unit, old, f"{old}_paged")


def _publish(team: Team) -> None:
    sha, when = team.landed["release"], at(DAY, "17:30")
    team.history.refs["refs/tags/v0.5.0"] = sha
    body = (
        "## Highlights\n\n- 64-bit page offsets "
        "(<<fix-pool>>)\n- "
        "causal mask aligned to the end "
        "(<<fix-mask>>)\n\n## Breaking\n\n- `kMaxTopK` is 8 now (<<topk-limit>>)\n"
    )
    team.desk.release(
        tag="v0.5.0",
        name="v0.5.0",
        body=team.desk.fill(body),
        author=_MIRA.login,
        commit=sha,
        created_at=team.history.records[sha].committed_at,
        published_at=when,
    )
