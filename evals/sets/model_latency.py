"""Model latency: eight repositories take no longer than the longest chain of questions of which one needs another."""

import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.ids import RepoId
from agent.settings import RepoSpec, Settings
from agent.window import Window
from evals.figures import Target, measure
from evals.harness import Bench, EvalSet, Figures
from evals.model_server.apart import served_apart
from evals.model_server.honest import honest
from evals.model_server.talk import Asked

_SECONDS = 1.0
_SEEDS, _REPOSITORIES = 3, 8
_TURNS = 3
_MOST = 1.3
_REPO = re.compile(r"depend on (\S+)\. ")


async def run(bench: Bench) -> Figures:
    """Report on eight repositories with a model that takes a second for every answer, some turns of it."""
    worlds = [bench.world("demo", bench.seed + place) for place in range(_SEEDS)]
    specs = tuple(
        RepoSpec(name=RepoId(f"lane-{place}/{repo.name}"), path=repo.git_dir)
        for place, world in enumerate(worlds)
        for repo in world.repos
    )[:_REPOSITORIES]
    day = worlds[0].notes["reported day"]
    window = Window.model_validate({"start": f"{day}T00:00:00Z", "end": f"{day}T23:59:59Z", "tz": "UTC"})
    turns = [await _turn(bench, specs, window) for _ in range(_TURNS)]
    return {
        "seconds beside the longest chain of calls": measure([one.ratio for one in turns], Target(_MOST, "at most")),
        "seconds more than by rules alone, beside the same chain": measure(
            [one.more for one in turns], Target(_MOST, "at most")
        ),
    }


@dataclass(frozen=True)
class _Turn:
    ratio: float
    more: float
    """The same without what the rules take by themselves, which is what a busy machine stretches."""


async def _turn(bench: Bench, specs: tuple[RepoSpec, ...], window: Window) -> _Turn:
    """Report once by rules, so that everything is loaded, and once with the model, each in a home of its own."""
    with (
        tempfile.TemporaryDirectory(dir=bench.folder) as name,
        served_apart(honest, latency=_SECONDS, context=65_536) as server,
    ):
        home = Path(name)
        settings = Settings(repos=specs, source="git", lang="en", home=home, out=home / "out")
        _, plain = await bench.system.report(settings, window)
        fresh = {"home": home / "fresh", "out": home / "fresh" / "out"}
        model = {"analyst": "model", "model": server.model, "model_url": server.url, **fresh}
        started, used = time.monotonic(), time.process_time()
        await bench.system.report(settings.model_copy(update=model), window)
        seconds, used = time.monotonic() - started, time.process_time() - used
        asked = server.asked()
    chain = longest_chain(asked)
    bench.say(
        f"model-latency: {len(specs)} repositories, {len(asked)} calls, {seconds:.1f} s "
        f"({used:.1f} s of processor; {plain.seconds:.1f} s by rules alone), longest chain {chain} calls"
    )
    return _Turn(seconds / (chain * _SECONDS), (seconds - plain.seconds) / (chain * _SECONDS))


def longest_chain(asked: Sequence[Asked]) -> int:
    """Count the questions that had to wait for one another, where nothing waited that did not have to.

    What a server can do is found out first; then each turn of reading needs the one before it, writing needs what was
    read, and saying anew needs what was refused.
    """
    probes = 0
    reading: Counter[str] = Counter()
    rounds: defaultdict[str, set[str]] = defaultdict(set)
    for one in asked:
        repo = _REPO.search(one.messages[0])
        if repo is None:
            probes += 1
        elif "get_diff" in one.tools:
            reading[repo[1]] += 1
        else:
            rounds[repo[1]].add("anew" if "It was refused" in one.user else "writing")
    return probes + max((reading[repo] + len(rounds[repo]) for repo in {*reading, *rounds}), default=0)


MODEL_LATENCY = EvalSet(
    "model-latency", "eight repositories beside the longest chain of questions, a second each", run, by_name=True
)
