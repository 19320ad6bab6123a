"""What a search costs over memories of a thousand, ten and a hundred thousand commits."""

import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from statistics import median

from agent.asking.query import query_of
from agent.domain.base import RepoId
from agent.domain.facts import Fact, FactKind, Severity
from agent.domain.window import Window
from agent.editions.card import Card
from evals.figures import Figure, Target, measure
from evals.harness import Bench, EvalSet, Figures
from memory.evidence import EvidenceStore
from memory.migrations import open_database
from memory.search import SearchIndex

REPO = RepoId("lumen-ai/tensorforge")
NOW = datetime(2026, 4, 2, tzinfo=UTC)
_SIZES, _FEW = (1_000, 10_000, 100_000), (1_000,)
_BAR = 10_000
"""The size for which there is a promise."""
_WORDS = (
    *("scheduler", "cache", "prefix", "kernel", "router", "decode", "prefill", "lora", "quantization", "metrics"),
    *("attention", "worker", "tokenizer", "sampling", "memory", "graph", "expert", "batch", "stream", "config"),
)
_QUESTIONS = (
    "what changed in prefix cache in March?",
    "who added --enable-prefix-cache-17?",
    "MAX_PREFIX_CACHE_23 什么时候从多少改到多少？",
    "why did the decode kernel wait for the tokenizer?",
    "what happened to the scheduler worker?",
    "what did Author 7 do to the router of the quantization config?",
)


def made_cards(count: int) -> Iterator[Card]:
    """Make commits as they are in large repositories: some with facts, all with words that others have too."""
    chance = random.Random(1)  # noqa: S311 -- nothing to keep secret
    for number in range(count):
        a, b = chance.choice(_WORDS), chance.choice(_WORDS)
        fact = Fact(
            kind=chance.choice((FactKind.FLAG_ADDED, FactKind.CONSTANT_CHANGED, FactKind.SYMBOL_REMOVED)),
            severity=Severity.BEHAVIOUR,
            name=f"--enable-{a}-{b}-{number % 97}" if number % 2 else f"MAX_{a}_{b}_{number % 89}".upper(),
            old=str(number % 50),
            new=str(number % 50 + 1),
        )
        title = f"[{a}] Change the {b} of {a} {number % 1_000} (#{number})"
        yield Card(
            repo=REPO,
            sha=f"{number * 2_654_435_761 % 2**160:040x}",
            at=NOW - timedelta(days=90) + timedelta(seconds=number * 90 * 86_400 / count),
            author=f"Author {number % 1_500}",
            title=title,
            message=f"{title}\n\nThe {a} kept the {b} for too long, and {chance.choice(_WORDS)} waited for it.",
            pull=number,
            files=2,
            paths=(f"src/{a}/{b}.py", f"tests/{a}/test_{b}.py"),
            touched=(f"{a}_{b}_step",),
            facts=(fact,),
        )


async def run(bench: Bench) -> Figures:
    """Time searches as the memory grows."""
    figures: dict[str, Figure] = {}
    for count in _FEW if bench.small else _SIZES:
        db = open_database(bench.folder / f"ask-cost-{count}")
        try:
            window = Window(start=NOW - timedelta(days=91), end=NOW + timedelta(seconds=1), tz="UTC")
            known = EvidenceStore(db)
            known.keep(REPO, made_cards(count))
            known.complete(REPO, window, ())
            times = searches(SearchIndex(db))
        finally:
            db.close()
        bench.say(f"ask-cost: {count} commits: search {median(times):.0f} ms in the median")
        # Beyond the promise the figures only show how time grows.
        slack = max(1, count / _BAR)
        figures[f"{count} commits: search in ms"] = measure([median(times)], Target(50 * slack, "at most"))
    return figures


def searches(index: SearchIndex) -> list[float]:
    """Search for each question twice; the second time everything is warm."""
    times = []
    for question in _QUESTIONS:
        query = query_of(question, None, "UTC", NOW)
        for _ in range(2):
            started = time.process_time()
            index.search(query.words, query.named, [REPO], query.window)
            took = (time.process_time() - started) * 1_000
        times.append(took)
    return times


ASK_COST = EvalSet("ask-cost", "searches over memories of 1,000 to 100,000 commits", run)
