"""The repository that lands everything with merge commits, some of them strange."""

from datetime import timedelta
from pathlib import Path

from evals.worlds import people, questions
from evals.worlds.drafts import bump, edited, fix
from evals.worlds.edits import add_flag, change_flag_default, remove_flag
from evals.worlds.full.calendar import BUSY_DAY, working_days
from evals.worlds.model import User
from evals.worlds.plan import filler, pull
from evals.worlds.projects import SWIFTSERVE
from evals.worlds.pulls import Ref, Work
from evals.worlds.script import Ask, Made, Step, at, finish, perform, report, start
from evals.worlds.source import Flag
from evals.worlds.team import Team
from evals.worlds.touch import put

_MIRA, _ZHANG, _CHIDI, _SAANVI = people.MAINTAINERS
_HEX, _YIFAN, _TOVE, _JOSE, _CHENXI, _PAT, _AN = people.CONTRIBUTORS
_WISHES = 40


def make(seed: int, folder: Path, owner: str, kernels: Team) -> Made:
    """Make the repository; one of its pull requests closes an issue of the kernels."""
    team = start(owner, SWIFTSERVE, seed, at("2026-02-01", "09:00"), first_number=1, repo_id=8002)
    asks = [*_asks(), *questions.for_serving(team.dice), *questions.wishes(team.words, _WISHES)]
    closes = f"Fixes {kernels.repo}#{kernels.desk.number('ask-1')}"
    taken_in = pull("forge", "2026-03-06", "09:00", _MIRA, bump("tensorforge", "0.5.0"), text=closes)
    days = [*working_days(team.dice, (2, 5), (0, 1)), (BUSY_DAY, 12)]
    strange = [
        Step(at("2026-02-26", "18:00"), _nested, pushes=True),
        Step(at("2026-03-19", "18:00"), _octopus, pushes=True),
        Step(at("2026-03-23", "18:00"), _long_lived, pushes=True),
    ]
    perform(team, asks, [*_fixes(), taken_in, *_flag(), *filler(team, days, steps=4)], strange, merge=True)
    _close_abroad(team, kernels)
    questions.settle(team.desk)
    questions.grow_stale(team.desk, team.words, _WISHES)
    return finish(team, folder, repo_id=8002)


def _asks() -> list[Ask]:
    return [
        report("hang", "scheduler-hang", at("2026-02-09", "08:00"), _YIFAN, chinese=True, reactions=8),
        report("stops", "stop-token", at("2026-02-11", "22:10"), _HEX),
        report("adapters", "lora-leak", at("2026-02-16", "05:00"), _PAT),
        report("garbled", "tokenizer-race", at("2026-02-21", "13:00"), _CHENXI, chinese=True),
        report("retries", "retry-storm", at("2026-03-03", "10:30"), _AN),
        report("panic", "queue-underflow", at("2026-03-17", "15:00"), _JOSE),
    ]


def _fixes() -> list[Work]:
    hang, stops = fix("scheduler-hang", "swiftserve/scheduler.py"), fix("stop-token", "swiftserve/entrypoints.py")
    lora, garbled = fix("lora-leak", "swiftserve/lora.py"), fix("tokenizer-race", "swiftserve/detokenizer.py")
    retries = fix("retry-storm", "router/src/policy.rs")
    return [
        pull("fix-hang", "2026-02-12", "03:00", _ZHANG, hang, Ref("hang"), chinese=True, steps=3),
        pull("fix-stops", "2026-02-13", "07:00", _HEX, stops, Ref("stops", "commit")),
        pull("fix-lora", "2026-02-18", "11:00", _PAT, lora, Ref("adapters"), Ref("ask-5", "second")),
        pull("fix-utf8", "2026-02-24", "04:00", _CHENXI, garbled, Ref("garbled", "manual"), chinese=True),
        pull("fix-router", "2026-03-04", "12:00", _AN, retries, Ref("retries", "related")),
    ]


def _flag() -> list[Work]:
    """Plan the life of a command-line option: it comes, its default changes, it goes."""
    server, flag = "swiftserve/entrypoints.py", Flag("prefill-share", "float", "0.5", "share of a step for prefill")
    added = edited(server, lambda path, unit: add_flag(path, unit, flag))
    changed = edited(server, lambda path, unit: change_flag_default(path, unit, flag.name, "0.25"))
    removed = edited(server, lambda path, unit: remove_flag(path, unit, flag.name))
    return [
        pull("flag-added", "2026-02-10", "13:00", _SAANVI, added),
        pull("flag-changed", "2026-03-11", "13:00", _SAANVI, changed, labels=("breaking",)),
        pull("flag-removed", "2026-03-25", "13:00", _ZHANG, removed, chinese=True, labels=("breaking",)),
    ]


def _close_abroad(team: Team, kernels: Team) -> None:
    when, number = at("2026-03-06", "09:00"), team.desk.number("forge")
    team.desk.write("forge", closes=((kernels.repo, kernels.desk.number("ask-1")),))
    source = (team.repo, number)
    kernels.desk.event(
        "ask-1", "cross-referenced", when - timedelta(hours=7), _MIRA.login, source=source, will_close=True
    )
    kernels.desk.event("ask-1", "closed", when, _MIRA.login, source=source, state_reason="completed")
    kernels.desk.write("ask-1", state="closed", state_reason="completed", closed_at=when)


def _file(team: Team, branch: str, by: User, day: str, clock: str, name: str) -> None:
    """Add a small benchmark on a branch: files of their own never conflict."""
    text = f'"""Measure {name}."""\n\nROUNDS = {team.dice.between(3, 90)}\n'
    note = team.note(f"bench: measure {name}", by, at(day, clock))
    team.history.commit(branch, [put(f"benchmark/{name}.py", text)], note)


def _nested(team: Team) -> None:
    """Merge a branch that itself merged a branch and the default branch."""
    history = team.history
    history.fork("feature/pd", history.first_parents()[3])
    _file(team, "feature/pd", _CHIDI, "2026-02-24", "10:00", "pd_transfer")
    history.fork("feature/pd-queue", history.heads["feature/pd"])
    _file(team, "feature/pd-queue", _SAANVI, "2026-02-25", "07:00", "pd_queue")
    _file(team, "feature/pd-queue", _SAANVI, "2026-02-25", "08:00", "pd_queue_depth")
    _file(team, "feature/pd", _CHIDI, "2026-02-25", "09:00", "pd_handshake")
    history.merge(
        "feature/pd",
        ["feature/pd-queue"],
        team.note("Merge branch 'pd-queue' into pd", _CHIDI, at("2026-02-25", "12:00")),
    )
    history.merge(
        "feature/pd", [history.branch], team.note("Merge branch 'main' into pd", _CHIDI, at("2026-02-26", "09:00"))
    )
    _file(team, "feature/pd", _CHIDI, "2026-02-26", "10:00", "pd_end_to_end")
    note = team.note("Merge branch 'feature/pd'", _MIRA, at("2026-02-26", "18:00"), tags=("merge", "nested"))
    team.landed["nested"] = history.merge(history.branch, ["feature/pd"], note)


def _octopus(team: Team) -> None:
    """Merge three branches at once."""
    names = ("kv", "lora", "router")
    for i, name in enumerate(names):
        team.history.fork(f"bench/{name}")
        _file(team, f"bench/{name}", team.dice.pick(people.CONTRIBUTORS), "2026-03-19", f"1{i}:00", f"{name}_latency")
    note = team.note(
        "Merge branches 'bench/kv', 'bench/lora' and 'bench/router'",
        _MIRA,
        at("2026-03-19", "18:00"),
        tags=("merge", "octopus"),
    )
    team.landed["octopus"] = team.history.merge(team.history.branch, [f"bench/{name}" for name in names], note)


def _long_lived(team: Team) -> None:
    """Merge a branch that was forked weeks ago: its members are older than the window of its landing."""
    history = team.history
    history.fork("feature/npu", history.first_parents()[40])
    for day in ("2026-03-02", "2026-03-09", "2026-03-16"):
        _file(team, "feature/npu", _YIFAN, day, "12:00", f"npu_{day[5:].replace('-', '_')}")
    note = team.note(
        "Merge branch 'feature/npu'\n\n昇腾后端的第一部分",
        _ZHANG,
        at("2026-03-23", "18:00", hours=8),
        tags=("merge", "chinese"),
    )
    team.landed["long-lived"] = history.merge(history.branch, ["feature/npu"], note)
