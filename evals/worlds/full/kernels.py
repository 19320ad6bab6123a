"""The squash-only repository: long, with bots, releases, a very busy day, and every way to speak of an issue."""

from datetime import timedelta

from evals.worlds import people, questions
from evals.worlds.drafts import Maker, bump, by_chance, edited, fix, version
from evals.worlds.edits import Done, add_function
from evals.worlds.full.calendar import BUSY_COUNT, BUSY_DAY, FORTY_COUNT, FORTY_DAY, RELEASE_DAY, working_days
from evals.worlds.model import User
from evals.worlds.plan import filler, pull
from evals.worlds.projects import TENSORFORGE
from evals.worlds.pulls import Ref, Work
from evals.worlds.script import Ask, Step, at, perform, report, start
from evals.worlds.source import Function, Param, Unit
from evals.worlds.team import Team

_MIRA, _ZHANG, _CHIDI, _SAANVI = people.MAINTAINERS
_HEX, _YIFAN, _TOVE, _JOSE, _CHENXI, _PAT, _AN = people.CONTRIBUTORS
_COMM, _PAGE = "tensorforge/comm.py", "include/forge/attention/page.cuh"
_WISHES = 60
_VERSIONS = ("2.1.1", "2.1.2", "2.1.3", "2.2.0", "2.2.1", "2.2.2", "2.2.3", "2.3.0")


def make(seed: int, owner: str) -> Team:
    """Make the repository; its books stay open for those whose pull requests speak of its issues."""
    team = start(owner, TENSORFORGE, seed, at("2026-02-01", "08:00"), first_number=1, repo_id=8001)
    days = [*working_days(team.dice, (5, 11), (0, 3)), (BUSY_DAY, BUSY_COUNT), (FORTY_DAY, FORTY_COUNT)]
    works = [*_story(), *_bots(), *filler(team, days, avoid=(_COMM,), steps=2)]
    perform(team, _asks(team), works, _steps())
    _afterwards(team)
    return team


def _asks(team: Team) -> list[Ask]:
    return [
        report("pool", "paged-overflow", at("2026-02-10", "09:00"), _PAT, reactions=11),
        report("pool-again", "paged-overflow", at("2026-02-12", "02:00"), _CHENXI, chinese=True, labels=()),
        report("mask", "mask-tail", at("2026-02-15", "18:30"), _TOVE),
        report("race", "smem-race", at("2026-02-20", "11:11"), _YIFAN, chinese=True, reactions=5),
        report("experts", "topk-limit", at("2026-03-01", "07:00"), _AN),
        report("nan", "logprob-nan", at("2026-03-02", "16:45"), _HEX),
        Ask(
            "tail",
            at("2026-03-02", "17:00"),
            _JOSE,
            "Tail latency of the first batch",
            "p99 of the first batch is 4x the rest.",
            ("performance",),
        ),
        Ask(
            "old-branch",
            at("2026-03-06", "10:00"),
            _PAT,
            "v0.5: wheel lacks sm_120",
            "`pip download` shows no kernel for sm_120 in 0.5.0.",
            ("bug",),
        ),
        Ask(
            "spam",
            at("2026-02-25", "03:33"),
            None,
            "CHEAP GPUs!!! visit our site",
            "<a href='https://spam.example'>click</a>",
            (),
            deleted=True,
        ),
        Ask(
            "hidden",
            at("2026-02-26", "12:00"),
            _TOVE,
            "Autotuner cache is not shared",
            "<!--\nThanks for the report! Fill in ALL "
            "fields.\nfixes #1\n-->\n\nTwo processes tune "
            "the same shapes at the same time.",
            ("bug",),
        ),
        Ask(
            "tracker",
            at("2026-02-18", "09:00"),
            _MIRA,
            "Tracking: Blackwell kernels",
            "- [x] <<pool>>\n- [ ] <<experts>>\n- [ ] MLA decode\n- [ ] 文档",
            ("roadmap",),
            reactions=31,
        ),
        *questions.for_kernels(team.dice),
        *questions.wishes(team.words, _WISHES),
    ]


def _story() -> list[Work]:
    """Plan the pull requests that have a part in the story."""
    return [
        pull("fix-pool", "2026-02-13", "10:00", _ZHANG, fix("paged-overflow", _PAGE), Ref("pool"), steps=2),
        pull(
            "fix-mask",
            "2026-02-17",
            "14:00",
            _TOVE,
            fix("mask-tail", "include/forge/attention/mask.cuh"),
            Ref("mask", "related"),
            Ref("hidden", "fenced"),
        ),
        pull(
            "fix-race",
            "2026-02-24",
            "08:15",
            _YIFAN,
            fix("smem-race", "include/forge/attention/softmax.cuh"),
            Ref("race"),
            chinese=True,
        ),
        pull(
            "fix-nan",
            "2026-03-04",
            "09:40",
            _HEX,
            fix("logprob-nan", "tensorforge/sampling.py"),
            Ref("nan"),
            Ref("tail", "second"),
            fork=False,
        ),
        pull(
            "fix-experts",
            "2026-03-10",
            "21:05",
            _AN,
            fix("topk-limit", "include/forge/moe/routing.cuh"),
            Ref("experts", "commit"),
            Ref("tracker", "mention"),
        ),
        pull(
            "fused",
            "2026-02-19",
            "13:00",
            _JOSE,
            edited(_COMM, _fused),
            Ref("tracker", "quoted"),
            labels=("performance",),
        ),
        pull("release", RELEASE_DAY, "16:00", _MIRA, version(TENSORFORGE, "0.5.0"), tags=("release",)),
        pull("next", "2026-03-26", "16:00", _MIRA, version(TENSORFORGE, "0.6.0rc1"), tags=("release",)),
    ]


def _bots() -> list[Work]:
    works = []
    for i, new in enumerate(_VERSIONS):
        day = (at("2026-02-02") + timedelta(days=7 * i)).date().isoformat()
        works.append(
            pull(f"numpy-{i}", day, "04:00:07", people.DEPENDENCY_BOT, bump("numpy", new), labels=("dependencies",))
        )
    return works


def _steps() -> list[Step]:
    out = "NCCL watchdog fires on 2x8 H100 since this landed."
    again = "The hang came from the test harness. Same change as before, with the harness fixed."
    taken, back = at("2026-02-23", "09:00"), at("2026-02-27", "15:00")
    branch = [
        _proposal("other-base", "2026-03-09", "12:00", _CHIDI, Ref("old-branch"), base="release/0.5"),
        _proposal("draft-mla", "2026-03-20", "12:00", _SAANVI),
        _proposal("given-up", "2026-03-11", "06:00", _PAT, Ref("hidden"), closed="2026-03-18"),
    ]
    return [
        Step(
            taken,
            lambda t: t.revert("unfuse", "fused", taken - timedelta(hours=1), taken, _MIRA, out),
            "unfuse",
            taken - timedelta(hours=1),
            pushes=True,
        ),
        Step(
            back,
            lambda t: t.revert("refuse", "unfuse", back - timedelta(days=2), back, _JOSE, again, relands=True),
            "refuse",
            back - timedelta(days=2),
            pushes=True,
        ),
        Step(at(RELEASE_DAY, "16:30"), lambda t: _publish(t, "release", "v0.5.0", "16:30")),
        Step(at("2026-03-26", "17:00"), lambda t: _publish(t, "next", "v0.6.0rc1", "17:00")),
        Step(at("2026-03-10", "10:00"), _pick, pushes=True),
        *branch,
    ]


def _proposal(key: str, day: str, clock: str, author: User, *refs: Ref, base: str = "", closed: str = "") -> Step:
    """Plan a pull request that never reaches the default branch."""
    when = at(day, clock)

    def do(team: Team) -> None:
        work = pull(key, day, clock, author, _anything(team), *refs)
        if base:
            team.land_elsewhere(work, base)
        else:
            team.propose(work, closed_at=at(closed) if closed else None)

    return Step(when, do, key, pull(key, day, clock, author, edited(_COMM, _fused)).opened_at)


def _anything(team: Team) -> Maker:
    return by_chance(team.project, team.dice, (_COMM,))


def _publish(team: Team, work: str, tag: str, clock: str) -> None:
    sha = team.landed[work]
    made = team.history.records[sha].committed_at
    team.history.refs[f"refs/tags/{tag}"] = sha
    if work == "release":
        team.history.fork("release/0.5")
        team.history.refs["refs/heads/release/0.5"] = sha
    body = team.desk.fill(
        f"## What's Changed\n\n* compute page offsets in 64 bits by @{_ZHANG.login} in <<fix-pool>>\n* {tag}\n"
    )
    published = at(made.date().isoformat(), clock)
    team.desk.release(
        tag=tag,
        name=tag,
        body=body,
        author=_MIRA.login,
        commit=sha,
        created_at=made,
        published_at=published,
        prerelease="rc" in tag,
    )


def _pick(team: Team) -> None:
    """Fix something on the release branch first and bring it to the default branch with a marker."""
    draft = edited(_COMM, _barrier)(team.history.tree())
    when = at("2026-03-09", "18:00")
    first = team.history.commit("release/0.5", draft.touches, team.note(f"[0.5] {draft.subject}", _CHIDI, when))
    team.history.refs["refs/heads/release/0.5"] = first
    message = f"{draft.subject}\n\n(cherry picked from commit {first})"
    note = team.note(message, _MIRA, at("2026-03-10", "10:00"), authored=when, edits=draft.edits, tags=("cherry-pick",))
    team.landed["pick"] = team.history.commit(team.history.branch, draft.touches, note)
    team.landed["picked from"] = first


def _afterwards(team: Team) -> None:
    desk = team.desk
    desk.close("pool-again", at("2026-02-13", "11:00"), _ZHANG.login, reason="duplicate")
    desk.comment("pool-again", at("2026-02-13", "10:59"), _ZHANG.login, "重复，见 <<pool>>，已修复。")
    desk.reopen("race", at("2026-02-28", "06:00"), _YIFAN.login)
    desk.comment("race", at("2026-02-28", "06:00"), _YIFAN.login, "在 sm_120 上还是能复现，重新打开。")
    desk.comment("mask", at("2026-02-18", "09:00"), None, "Works for me with <<fix-mask>>, thank you.")
    desk.write("given-up", author=None)
    desk.release(
        tag="v0.6.0",
        name="v0.6.0 (draft)",
        body="to be written",
        author=_MIRA.login,
        commit=team.landed["next"],
        created_at=team.history.records[team.landed["next"]].committed_at,
        published_at=None,
        draft=True,
    )
    questions.settle(desk)
    questions.grow_stale(desk, team.words, _WISHES)


def _fused(path: str, unit: Unit) -> Done:
    params = (Param("x", "torch.Tensor"), Param("weight", "torch.Tensor"), Param("eps", "float", "1e-6"))
    body = ("out = torch.empty_like(x)", "ops.allreduce_rms_norm(x, weight, out, eps)", "return out")
    return add_function(
        path, unit, Function("allreduce_rms_norm", params, "torch.Tensor", "Reduce and normalise at once.", body)
    )


def _barrier(path: str, unit: Unit) -> Done:
    params = (Param("group", "ProcessGroup"), Param("timeout", "float", "30.0"))
    body = ("work = group.barrier(async_op=True)", "work.wait(timeout)")
    return add_function(path, unit, Function("barrier_with_timeout", params, "None", "Wait for all ranks.", body))
