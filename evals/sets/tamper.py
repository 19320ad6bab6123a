"""Tamper: one digit, word, number or repository of our own report is changed, and the audit must find it."""

import random
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from agent.audit.statement import Finding
from graphs.reader import Reader
from pydantic import SecretStr

from agent.desks import Desk
from agent.domain import Change, Comment, Commit, Issue, Landing, NoticeKind, PullRequest, Threads
from agent.errors import NotFound
from agent.evidence import ThreadEvidence
from agent.ids import RepoId
from agent.report import Report
from agent.settings import Language, Layout, RepoSpec, Settings
from agent.sources import Named, NoThreads, ThreadSource
from agent.web import Web
from agent.window import Window
from evals.figures import Score, Target, share
from evals.github_server.app import GitHubServer
from evals.github_server.limits import Allowance
from evals.harness import SEED, Bench, EvalSet, Figures
from evals.sets.oracle import first_parent_line, git_dir_of
from graphs.audit import AuditDeps, build
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.threads import GitHubThreads

_TOKEN = "tamper"  # noqa: S105 -- the loopback server's only token
_PLACES = 50
"""Changes to a page."""
_FEW_PLACES = 15
"""The same where few are enough: each way of changing a page more than once."""
"""In each of the four pages of a report."""
_PAGES: tuple[tuple[Layout, Language], ...] = (("ledger", "en"), ("ledger", "zh"), ("digest", "en"), ("digest", "zh"))
_FEW_COMMITS = 5
_WEB = Web("https://git.example")
_ALL = Target(1.0)
_QUOTES = tuple(
    re.compile(form, re.MULTILINE)
    for form in (
        r"^\| \[[^|\n]*\|[^|\n]*\| ([^|\n]*?) (?:\(\[#|\|)",
        r"^- \[#\d+\]\([^)\n]*\) ([^\n]*?)(?: — |$)",
        r"^####? (?:Landed and reverted: |合入后又撤销：)?([^\n]*?) (?:\(\[#\d+\]|\[`[0-9a-f]{7,}`\])",
        r"^- (?!\[)([^\n]*?) (?:\(\[#\d+\]|\[`[0-9a-f]{7,}`\])",
        r"“([^”\n]+)”",
        r"^```(?:diff|text)\n((?:.*\n)*?)```$",
    )
)
"""Where a report quotes: titles in tables, lists and headings, words of authors, excerpts of diffs."""
_WORD = re.compile(r"[A-Za-z]{2,}|[\u4e00-\u9fff]{2,}")


async def run(bench: Bench) -> Figures:
    """Change reports of ours in random places and audit them."""
    found, clean = list[Score](), list[Score]()
    world = bench.world("demo")
    window = Window.days(_day(world.notes["reported day"]), _day(world.notes["reported day"]), "UTC")
    allowance = Allowance(token=1_000_000)
    with GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now, allowance=allowance) as server, _folder() as home:
        specs = tuple(RepoSpec(name=RepoId(repo.full_name)) for repo in world.repos)
        settings = _settings(specs, home).model_copy(
            update={"github_url": server.url, "git_url": server.git_url, "token": SecretStr(_TOKEN)}
        )
        report, _ = await bench.system.report(settings, window)
        async with GitHubClient(base_url=server.url, token=_TOKEN) as client:
            desks = _Desks(
                {RepoId(repo.full_name): repo.git_dir for repo in world.repos},
                lambda repo: _RememberedThreads(GitHubThreads(client, repo, open_pages=1)),
            )
            found += await _pages(bench, report, specs, desks, clean)
    mirrored = await _mirrors(bench, clean)
    return {
        "changes found": share(found, _ALL),
        "changes found, mirrors": share(mirrored, _ALL),
        "untouched reports in which nothing is wrong": share(clean, _ALL),
    }


async def _pages(
    bench: Bench, report: Report, specs: tuple[RepoSpec, ...], desks: "_Desks", clean: list[Score]
) -> list[Score]:
    """Change every page of a report, in each layout and language."""
    scores: list[Score] = []
    reader = Reader()
    places = _FEW_PLACES if bench.small else _PLACES
    for layout, lang in _PAGES:
        case = _Case(bench.system.page(report, lang, layout, _WEB.base), report.window.label, specs, desks, reader)
        bench.say(f"tamper: {specs[0].name} on {case.name}, {layout} in {lang}, {places} changes")
        clean.append(await _untouched(case))
        scores += await _tampered(case, places)
    return scores


async def _mirrors(bench: Bench, clean: list[Score]) -> list[Score]:
    """Do the same with the days that are given, or the newest whole day of each mirror on which something landed."""
    scores: list[Score] = []
    for spec in bench.mirrors:
        assert spec.path is not None
        line = await first_parent_line(git_dir_of(spec.path))
        window = _given(bench) or _busy_day([row.at for row in line])
        with _folder() as home:
            report, _ = await bench.system.report(_settings((spec,), home), window)
        desks = _Desks({spec.name: spec.path}, lambda repo: NoThreads(repo, NoticeKind.LOCAL_ONLY))
        scores += await _pages(bench, report, (spec,), desks, clean)
    return scores


def _given(bench: Bench) -> Window | None:
    if bench.span is None:
        return None
    return Window.days(_day(bench.span[0]), _day(bench.span[1]) - timedelta(days=1), "UTC")


def _busy_day(moments: Sequence[datetime]) -> Window:
    """Choose the newest day that is over and has a few commits."""
    days = [moment.date() for moment in moments]
    last = max(days) - timedelta(days=1)
    while sum(day == last for day in days) < _FEW_COMMITS and last > min(days):
        last -= timedelta(days=1)
    return Window.days(last, last, "UTC")


@dataclass(frozen=True)
class _Case:
    text: str
    name: str
    specs: tuple[RepoSpec, ...]
    desks: "_Desks"
    reader: Reader = field(default_factory=Reader)

    async def wrong(self, text: str) -> list[Finding]:
        """Audit a text and list what is wrong."""
        deps = AuditDeps(desks=self.desks, progress=_Silence(), reader=self.reader)
        state: dict[str, Any] = {"text": text, "name": f"{self.name}.md", "specs": self.specs}
        result = await build().ainvoke(state, context=deps)
        return [finding for finding in result["findings"] if finding.wrong]


async def _untouched(case: _Case) -> Score:
    wrong = await case.wrong(case.text)
    return Score(f"{case.name}: {wrong[:2]}", float(not wrong))


async def _tampered(case: _Case, count: int) -> list[Score]:
    dice = random.Random(f"{SEED} {case.name} {len(case.text)}")  # noqa: S311 -- cases, not secrets
    scores: list[Score] = []
    for number in range(count):
        text, told = _CHANGES[number % len(_CHANGES)](case, dice)
        scores.append(Score(told, float(bool(await case.wrong(text)))))
    return scores


# ---------------------------------------------------------------- what is changed


def _swap(text: str, found: re.Match[str], new: str, what: str) -> tuple[str, str]:
    line = text[: found.start()].count("\n") + 1
    return text[: found.start()] + new + text[found.end() :], f"line {line}: {what} {found[0]!r} → {new!r}"


def _digit(case: _Case, dice: random.Random) -> tuple[str, str]:
    found = dice.choice(list(re.finditer(r"\d", case.text)))
    return _swap(case.text, found, dice.choice([digit for digit in "0123456789" if digit != found[0]]), "digit")


def _number(case: _Case, dice: random.Random) -> tuple[str, str]:
    found = dice.choice(list(re.finditer(r"(?<![\w.])\d{1,5}(?![\w.])", case.text)))
    return _swap(case.text, found, str(int(found[0]) + dice.choice((1, 2, 7, 10))), "number")


def _word(case: _Case, dice: random.Random) -> tuple[str, str]:
    """Replace a word of a quotation."""
    places = {found.span(1) for form in _QUOTES for found in form.finditer(case.text)}
    words = [word for start, end in sorted(places) for word in _WORD.finditer(case.text, start, end)]
    new = ("never", "faster", "移除", "tensor", "not")
    found = dice.choice(words)
    return _swap(case.text, found, dice.choice([word for word in new if word != found[0]]), "word")


def _repository(case: _Case, dice: random.Random) -> tuple[str, str]:
    names = [spec.name for spec in case.specs]
    form = "|".join(re.escape(name) for name in names)
    found = dice.choice(list(re.finditer(form, case.text)))
    others = [name for name in names if name != found[0]] or [RepoId("octo-org/octo-repo")]
    return _swap(case.text, found, dice.choice(others), "repository")


_CHANGES: tuple[Callable[[_Case, random.Random], tuple[str, str]], ...] = (_digit, _word, _number, _repository)


# ---------------------------------------------------------------- sources that are read once


class _Silence:
    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Say nothing."""


@dataclass
class _Desks:
    folders: Mapping[RepoId, Path]
    threads: Callable[[RepoId], ThreadSource]
    opened: dict[RepoId, Desk] = field(default_factory=dict)

    async def open(self, spec: RepoSpec) -> Desk:
        """Open a mirror, once."""
        if spec.name not in self.opened:
            code = _Remembered(GitSource(spec.name, self.folders[spec.name]))
            self.opened[spec.name] = Desk(code=code, threads=self.threads(spec.name), diffs=None)
        return self.opened[spec.name]


class _RememberedThreads:
    """Threads that are asked for two hundred times."""

    def __init__(self, source: ThreadSource) -> None:
        self.repo = source.repo
        self._source = source
        self._threads: dict[int, Issue | PullRequest | NotFound] = {}

    async def threads(self, window: Window, commits: Sequence[Commit], *, known_open: Collection[int] = ()) -> Threads:
        """Read the window's threads."""
        return await self._source.threads(window, commits, known_open=known_open)

    async def issue(self, number: int) -> Issue | PullRequest:
        """Ask once."""
        if number not in self._threads:
            try:
                self._threads[number] = await self._source.issue(number)
            except NotFound as error:
                self._threads[number] = error
        found = self._threads[number]
        if isinstance(found, NotFound):
            raise found
        return found

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """Read the comments."""
        return await self._source.comments(number)

    async def discussions(self, numbers: Sequence[int]) -> tuple[ThreadEvidence, ...]:
        """Read several at once."""
        return await self._source.discussions(numbers)


class _Remembered(GitSource):
    """A mirror that is asked the same things two hundred times."""

    def __init__(self, source: GitSource) -> None:
        self.__dict__ = source.__dict__
        self._landings: dict[str, Landing] = {}
        self._names: dict[str, tuple[Named, ...]] = {}
        self._changes: dict[str, Change] = {}

    async def landed(self, window: Window, *, known_tip: str | None = None) -> Landing:
        """List once."""
        key = window.model_dump_json()
        if key not in self._landings:
            self._landings[key] = await super().landed(window, known_tip=known_tip)
        return self._landings[key]

    async def named(self, prefixes: Sequence[str]) -> Mapping[str, tuple[Named, ...]]:
        """Look up what is new."""
        if new := [prefix for prefix in prefixes if prefix not in self._names]:
            self._names |= await super().named(new)
        return {prefix: self._names[prefix] for prefix in prefixes}

    async def changes(self, shas: Sequence[str]) -> AsyncIterator[Change]:  # type: ignore[override]
        """Read what is new."""
        if new := [sha for sha in shas if sha not in self._changes]:
            async for change in super().changes(new):
                self._changes[change.commit.sha] = change
        for sha in shas:
            if sha in self._changes:
                yield self._changes[sha]


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="gitzette-tamper-")


def _settings(specs: tuple[RepoSpec, ...], home: str) -> Settings:
    return Settings(repos=specs, out=Path(home) / "out", home=Path(home) / "home")


def _day(text: str) -> date:
    return date.fromisoformat(text)


TAMPER = EvalSet("tamper", "changes to our own reports that the audit must find", run)
