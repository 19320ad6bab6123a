"""Model tokens: what a busy day costs with a model that chooses well, beside every diff and beside what it is shown."""

import asyncio
import json
import re
import subprocess
import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from pathlib import Path

from agent.domain.base import RepoId
from agent.domain.report import Report
from agent.domain.window import Window
from agent.models import message_tokens, tokens_of
from agent.settings.values import RepoSpec, Settings
from evals.figures import Figure, Target, measure, share
from evals.harness import Bench, EvalSet, Figures
from evals.model_server.honest import given, honest, prompt_of
from evals.model_server.server import ModelServer
from evals.model_server.talk import Asked, Saying, Script
from evals.sets.daily_scores import told
from evals.sets.day_cost import DAYS
from evals.sets.oracle import between, days_of, first_parent_line, git_dir_of
from evals.worlds.gold import gold_window, importance
from evals.worlds.model import LandedGold, World

_MOST = 3.5
"""Tokens of a whole run, sent and received, beside the evidence that its writer is shown."""
_ROW = re.compile(r"^\[(c\d+)\] \w+ [\d.]+ (.+?)(?: \| .*)?$", re.MULTILINE)
_CONTEXT = 65_536


class Reader:
    """A scripted perfect reader: of what must be mentioned it reads what the first line does not settle."""

    def __init__(self, unsettled: Collection[str]) -> None:
        """Take the first lines of the commits that are worth reading."""
        self._unsettled = frozenset(unsettled)

    def __call__(self, asked: Asked) -> Saying:
        """Choose what to explain; say what the facts say."""
        if prompt_of(asked).kind != "choose":
            return honest(asked)
        rows = _ROW.findall(asked.user)
        return given({"read": [handle for handle, title in rows if title in self._unsettled] or [rows[0][0]]}, asked)


async def run(bench: Bench) -> Figures:
    """Report on the busy day of the world, and on a busy day of the mirrors where they are given."""
    figures = await _world(bench)
    return figures | (await _mirrors(bench) if bench.mirrors else {})


async def _world(bench: Bench) -> dict[str, Figure]:
    world = bench.world("full")
    day = date.fromisoformat(world.notes["busy day"])
    window = Window.days(day, day, "UTC")
    rows = [row for repo in world.repos for row in gold_window(world, repo.full_name, window.start, window.end)]
    specs = tuple(RepoSpec(name=RepoId(repo.full_name), path=repo.git_dir) for repo in world.repos)
    dirs = {repo.full_name: repo.git_dir for repo in world.repos}
    diffs = await asyncio.to_thread(_diffs, [(dirs[row.repo], row.sha) for row in rows])
    reader = Reader(unsettled(world, rows, dirs))
    report, asked = await _reported(bench, specs, window, reader)
    plain, _ = await _reported(bench, specs, window, None)
    grades = importance(world)
    return {
        **_costs(bench, "world", report, asked, diffs),
        "world: must be mentioned and is": share(told(report, grades, "model"), Target(1.0)),
        "world: must be mentioned and is, by rules alone": share(told(plain, grades, "rules"), Target(1.0)),
    }


def unsettled(world: World, rows: Sequence[LandedGold], dirs: Mapping[str, Path]) -> list[str]:
    """List the first lines of what must be mentioned that do not name what was done."""
    grades, found = importance(world), []
    for row in rows:
        title = _git(dirs[row.repo], "log", "-1", "--format=%s", row.sha).strip()
        names = [value for edit in row.edits for key, value in edit.params if key in ("function", "old", "new", "flag")]
        if grades[row.repo, row.sha] == 3 and not (names and all(name in title for name in names)):
            found.append(title)
    return found


async def _mirrors(bench: Bench) -> dict[str, Figure]:
    lines = {spec: await first_parent_line(git_dir_of(_path(spec))) for spec in bench.mirrors}
    days = days_of(bench.span) if bench.span else [date.fromisoformat(DAYS[0])]
    window = Window.days(days[0], days[-1], "UTC")
    commits = [(git_dir_of(_path(spec)), sha) for spec in lines for sha in between(lines[spec], days, "UTC")]
    diffs = await asyncio.to_thread(_diffs, commits)
    report, asked = await _reported(bench, bench.mirrors, window, honest)
    return _costs(bench, "mirrors", report, asked, diffs)


def _costs(bench: Bench, where: str, report: Report, asked: Sequence[Asked], diffs: int) -> dict[str, Figure]:
    """Hold what was sent to every diff, and all that it took to what the writer was shown.

    Commits of a world are shorter than any prompt: what they take is printed, and only real ones have a target.
    """
    sent = sum(map(tokens_sent, asked))
    received = sum(one.spent.received for one in (report.account, *(section.account for section in report.sections)))
    shown = evidence_shown(asked)
    bench.say(f"model-tokens: {where}: {sent} sent in {len(asked)} calls, {received} received, {shown} shown, {diffs}")
    return {
        f"{where}: tokens sent beside all diffs": measure([sent / diffs], Target(0.0)),
        f"{where}: tokens beside the evidence that the writer is shown": measure(
            [(sent + received) / max(1, shown)], Target(_MOST, "at most") if where == "mirrors" else Target(0.0)
        ),
    }


def evidence_shown(asked: Sequence[Asked]) -> int:
    """Count the evidence in the questions by which commits are explained."""
    prompts = map(prompt_of, asked)
    return sum(tokens_of(one.evidence) for one in prompts if one.kind == "write")


async def _reported(
    bench: Bench, specs: tuple[RepoSpec, ...], window: Window, script: Script | None
) -> tuple[Report, list[Asked]]:
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=bench.folder)))
        settings = Settings(repos=specs, source="git", lang="en", home=home, out=home / "out")
        if script is None:
            return (await bench.system.report(settings, window))[0], []
        server = stack.enter_context(ModelServer(script, context=_CONTEXT))
        model = {"analyst": "model", "model": server.model, "model_url": server.url}
        report, _ = await bench.system.report(settings.model_copy(update=model), window)
        return report, list(server.asked)


def tokens_sent(asked: Asked) -> int:
    """Count what one question takes: the messages, the tools and the shape of the answer."""
    extras = [json.dumps(asked.body[name]) for name in ("tools", "response_format") if asked.body.get(name)]
    return message_tokens(tuple(asked.messages)) + sum(map(tokens_of, extras))


def _diffs(commits: Sequence[tuple[Path, str]]) -> int:
    """Count what sending every message and diff would take, without a word of ours."""
    shown = (_git(git_dir, "show", "-m", "--first-parent", "-M", "--format=%B", sha) for git_dir, sha in commits)
    return sum(map(tokens_of, shown))


def _git(git_dir: Path, *arguments: str) -> str:
    done = subprocess.run(["git", f"--git-dir={git_dir}", *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", errors="replace")


def _path(spec: RepoSpec) -> Path:
    assert spec.path is not None
    return spec.path


MODEL_TOKENS = EvalSet("model-tokens", "what a busy day costs with a model, beside sending every diff", run)
