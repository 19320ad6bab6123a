"""What a question costs: search and whole answers over memories of a thousand, ten and a hundred thousand commits."""

import random
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from agent.asking.answers import answer
from agent.asking.understanding import Setting, understand
from agent.card import Card
from agent.desks import Desk
from agent.domain import Change, Commit, Landing, NoticeKind
from agent.errors import NotFound
from agent.facts import Fact, FactKind, Severity
from agent.ids import RepoId
from agent.settings import RepoSpec
from agent.sources import NoThreads
from agent.window import Window
from evals.figures import Target, measure
from evals.harness import Bench, EvalSet, Figures
from graphs.searching import Searcher
from graphs.stocking import Stock
from memory.catalogue import Catalogue, Needle
from memory.database import open_database
from memory.known_threads import KnownThreads

REPO = RepoId("lumen-ai/tensorforge")
NOW = datetime(2026, 4, 2, tzinfo=UTC)
_SIZES, _FEW = (1_000, 10_000, 100_000), (1_000,)
_BAR = 10_000
"""The size for which there is a promise."""
_WORDS = (
    *("scheduler", "cache", "prefix", "kernel", "router", "decode", "prefill", "lora", "quantization", "metrics"),
    *("attention", "worker", "tokenizer", "sampling", "memory", "graph", "expert", "batch", "stream", "config"),
)
NEEDLES = (
    (Needle(("enable_prefix_cache_17",)),),
    (Needle(("prefix*",), needed=False), Needle(("cache*",), needed=False)),
    (Needle(("scheduler",)), Needle(("decode",), needed=False)),
)
_QUESTIONS = (
    "what changed in prefix cache in March?",
    "who added --enable-prefix-cache-17?",
    "MAX_PREFIX_CACHE_23 什么时候从多少改到多少？",
    "how many commits landed last week?",
    "what happened to the scheduler worker?",
    "what did Author 7 do last week?",
)


@dataclass
class _Nothing:
    """A source of code that has nothing to add to the memory."""

    repo: RepoId

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        del window, known_tip
        return Landing(repo=self.repo, branch="main", tip=None, rows=())

    async def changes(self, shas: Sequence[str]) -> AsyncIterator[Change]:
        for change in list[Change]()[: len(shas)]:
            yield change

    async def members(self, sha: str) -> tuple[Commit, ...]:
        del sha
        return ()

    async def blobs(self, change: Change, paths: Sequence[str]) -> Mapping[str, tuple[bytes | None, bytes | None]]:
        del change, paths
        return {}

    async def before(self, sha: str, paths: Sequence[str]) -> tuple[str, ...]:
        del sha, paths
        return ()

    async def resolve(self, prefix: str) -> Commit:
        raise NotFound(prefix)


@dataclass(frozen=True)
class _Desks:
    async def open(self, spec: RepoSpec) -> Desk:
        return Desk(code=_Nothing(spec.name), threads=NoThreads(spec.name, NoticeKind.LOCAL_ONLY), diffs=None)


class _Quiet:
    def step(self, repo: str, what: str, done: int | None = None, total: int | None = None) -> None:
        del repo, what, done, total


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
    """Time searches and answers as the memory grows."""
    figures: dict[str, Figures] = {}
    for count in _FEW if bench.small else _SIZES:
        home = bench.folder / f"ask-cost-{count}"
        db = open_database(home)
        try:
            book = Catalogue(db)
            window = Window(start=NOW - timedelta(days=91), end=NOW + timedelta(seconds=1), tz="UTC")
            book.put(REPO, made_cards(count), window)
            searching = _searches(book)
            answering = await answer_all(empty_stock(book, KnownThreads(db)))
        finally:
            db.close()
        bench.say(f"ask-cost: {count} commits: search {max(searching):.0f} ms, answers {max(answering):.2f} s")
        # Beyond the promise the figures only show how time grows.
        slack = max(1, count / _BAR)
        figures[str(count)] = {
            f"{count} commits: search in ms": measure(searching, Target(50 * slack, "at most")),
            f"{count} commits: answer in s": measure(answering, Target(1 * slack, "at most")),
        }
    return {name: figure for part in figures.values() for name, figure in part.items()}


def _searches(book: Catalogue) -> list[float]:
    times = []
    for needles in NEEDLES:
        book.search(needles, [REPO])
        started = time.perf_counter()
        book.search(needles, [REPO])
        times.append((time.perf_counter() - started) * 1_000)
    return times


def empty_stock(book: Catalogue, threads: KnownThreads) -> Stock:
    """Give a memory whose sources have nothing to add."""
    return Stock(_Desks(), book, threads, _Quiet())


async def answer_all(stock: Stock) -> list[float]:
    """Ask each question twice; the second time everything is warm."""
    specs = (RepoSpec(name=REPO),)
    times = []
    for question in _QUESTIONS:
        for _ in range(2):
            started = time.perf_counter()
            setting = Setting(repos=(REPO,), now=NOW, tz="UTC", people=stock.cards.people((REPO,)))
            inquiry = understand(question, setting)
            found = await Searcher(stock, specs, NOW, "UTC").find(inquiry)
            answer(found)
            seconds = time.perf_counter() - started
        times.append(seconds)
    return times


ASK_COST = EvalSet("ask-cost", "search and answers over memories of 1,000 to 100,000 commits", run)
