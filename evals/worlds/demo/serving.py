"""The demo's serving engine: several fixes, a changed default, the new kernels taken in."""

from pathlib import Path

from evals.worlds import people, questions
from evals.worlds.demo.day import DAY, EARLY, EVE, MORROW, OWNER
from evals.worlds.drafts import bump, by_chance, edited, fix, text
from evals.worlds.edits import add_flag, change_flag_default
from evals.worlds.plan import filler, pull
from evals.worlds.projects import SWIFTSERVE
from evals.worlds.pulls import Ref, Work
from evals.worlds.script import Ask, Made, Step, at, finish, perform, report, start
from evals.worlds.source import Flag

_MIRA, _ZHANG, _CHIDI, _SAANVI = people.MAINTAINERS
_HEX, _YIFAN, _TOVE, _JOSE, _CHENXI, _PAT, _AN = people.CONTRIBUTORS
_SERVER = "swiftserve/entrypoints.py"


def make(seed: int, folder: Path) -> Made:
    """Make the repository."""
    team = start(OWNER, SWIFTSERVE, seed, at("2026-01-29", "09:30"), first_number=5310, repo_id=7002)
    days = (("2026-01-30", 3), ("2026-02-01", 2), ("2026-02-02", 2), (EVE, 3), (DAY, 9))
    asks = [*_asks(), *questions.for_serving(team.dice)]
    works = [*_fixes(), *_changes(), *filler(team, days), *filler(team, ((MORROW, 1),), minutes=EARLY)]
    idea = pull("dp-attn", DAY, "20:00", _YIFAN, by_chance(SWIFTSERVE, team.dice), chinese=True)
    perform(team, asks, works, [Step(at(DAY, "18:00"), lambda t: t.propose(idea), "dp-attn", idea.opened_at)])
    questions.settle(team.desk)
    return finish(team, folder, repo_id=7002)


def _asks() -> list[Ask]:
    wish = "An endpoint to drop an adapter would help us test eviction."
    title = "Feature request: unload adapters by hand"
    return [
        report("hang", "scheduler-hang", at("2026-02-02", "06:30"), _YIFAN, chinese=True, reactions=4),
        report("stops", "stop-token", at("2026-01-31", "19:45"), _HEX),
        report("adapters", "lora-leak", at("2026-02-03", "08:00"), _PAT, reactions=3),
        report("garbled", "tokenizer-race", at("2026-02-03", "12:25"), _CHENXI, chinese=True),
        report("retries", "retry-storm", at(DAY, "01:20"), _AN),
        Ask("reload", at("2026-02-01", "16:00"), _JOSE, title, wish, ("feature request",)),
    ]


def _fixes() -> list[Work]:
    hang, lora = fix("scheduler-hang", "swiftserve/scheduler.py"), fix("lora-leak", "swiftserve/lora.py")
    garbled = fix("tokenizer-race", "swiftserve/detokenizer.py")
    retries = fix("retry-storm", "router/src/policy.rs")
    return [
        pull("fix-hang", DAY, "03:05", _ZHANG, hang, Ref("hang"), chinese=True, steps=3),
        pull("fix-stops", DAY, "05:50", _HEX, fix("stop-token", _SERVER), Ref("stops", "commit")),
        pull("fix-lora", DAY, "08:44", _PAT, lora, Ref("adapters"), Ref("reload", "second")),
        pull("fix-utf8", DAY, "09:02", _CHENXI, garbled, Ref("garbled"), chinese=True),
        pull("fix-router", DAY, "16:21", _AN, retries, Ref("retries", "manual"), labels=("router",)),
    ]


def _changes() -> list[Work]:
    flag = Flag("chunked-prefill-size", "int", "8192", "tokens of a prefill chunk")
    added = edited(_SERVER, lambda path, unit: add_flag(path, unit, flag))
    lowered = edited(_SERVER, lambda path, unit: change_flag_default(path, unit, flag.name, "4096"))
    words = "\n## Tuning\n\nStart with `--chunked-prefill-size 4096`.\n"
    guide = text("docs/index.md", "", words, "docs", "explain chunked prefill", "补充文档")
    return [
        pull("chunk-flag", "2026-02-02", "09:12", _CHIDI, added),
        pull("chunk-default", DAY, "10:30", _CHIDI, lowered, labels=("breaking",)),
        pull("torch", DAY, "04:01", people.DEPENDENCY_BOT, bump("torch", "2.10.0")),
        pull("forge", DAY, "19:10", _MIRA, bump("tensorforge", "0.5.0"), Ref("hang", "quoted")),
        pull("guide", DAY, "12:40", _SAANVI, guide),
    ]
