"""Model tokens: what a busy day costs with a model, beside every diff and beside what its writer is shown."""

import json
from collections.abc import Collection, Sequence
from datetime import date

from agent.domain.window import Window
from agent.models import message_tokens, tokens_of
from agent.settings.values import RepoSpec
from evals.figures import SHOWN, Figure, Figures, Target, measure
from evals.harness import Bench, evalset, specs_of
from evals.model_server.honest import honest, prompt_of
from evals.model_server.server import ModelServer
from evals.model_server.talk import Asked
from evals.sets.cost import DAYS
from evals.sets.oracle import ask_git, between, days_of, first_parent_line, git_dir_of
from evals.worlds.gold import gold_window

_MOST = 3.5
"""Tokens of a whole run, sent and received, beside the evidence that its writer is shown."""
_CONTEXT = 65_536
Commits = Collection[tuple[RepoSpec, str]]


@evalset("model-tokens", "what a busy day costs with a model, beside sending every diff")
async def run(bench: Bench) -> Figures:
    """Report on the busy day of the world, and on a busy day of the mirrors where they are given."""
    world = bench.world("full")
    day = date.fromisoformat(world.notes["busy day"])
    window, specs = Window.days(day, day, "UTC"), specs_of(world)
    rows = [(spec, row.sha) for spec in specs for row in gold_window(world, spec.name, window.start, window.end)]
    figures = await _cost(bench, "world", specs, window, rows, SHOWN)
    if bench.mirrors:
        days = days_of(bench) if bench.span else [date.fromisoformat(DAYS[0])]
        lines = {spec: await first_parent_line(spec) for spec in bench.mirrors}
        landed = [(spec, sha) for spec, line in lines.items() for sha in between(line, days)]
        window = Window.days(days[0], days[-1], "UTC")
        # Commits of a world are shorter than any prompt: only real ones have a target.
        figures |= await _cost(bench, "mirrors", bench.mirrors, window, landed, Target(_MOST, "at most"))
    return figures


async def _cost(
    bench: Bench, where: str, specs: Sequence[RepoSpec], window: Window, commits: Commits, target: Target
) -> dict[str, Figure]:
    """Hold what was sent to every diff, and all that it took to what the writer was shown."""
    with ModelServer(honest, context=_CONTEXT) as server:
        model = {"analyst": "model", "model": server.model, "model_url": server.url}
        with bench.settings(specs, source="git", **model) as settings:
            report, _ = await bench.system.report(settings, window)
        asked = list(server.asked)
    sent, shown = sum(map(tokens_sent, asked)), evidence_shown(asked)
    received = sum(one.spent.received for one in (report.account, *(section.account for section in report.sections)))
    show = ("show", "-m", "--first-parent", "-M", "--format=%B")
    diffs = sum([tokens_of(await ask_git(git_dir_of(spec), *show, sha)) for spec, sha in commits])
    bench.say(f"model-tokens: {where}: {sent} sent in {len(asked)} calls, {received} received, {shown} shown, {diffs}")
    return {
        f"{where}: tokens sent beside all diffs": measure([sent / max(1, diffs)]),
        f"{where}: tokens beside the evidence that the writer is shown": measure(
            [(sent + received) / max(1, shown)], target
        ),
    }


def evidence_shown(asked: Sequence[Asked]) -> int:
    """Count the evidence in the questions by which commits are explained."""
    return sum(tokens_of(one.evidence) for one in map(prompt_of, asked) if one.kind == "write")


def tokens_sent(asked: Asked) -> int:
    """Count what one question takes: the messages, the tools and the shape of the answer."""
    extras = [json.dumps(asked.body[name]) for name in ("tools", "response_format") if asked.body.get(name)]
    return message_tokens(tuple(asked.messages)) + sum(map(tokens_of, extras))
