"""Made-up reports for tests of pages: eight repositories, busy and quiet days, stories that go on."""

from datetime import UTC, date, datetime, timedelta
from hashlib import sha1
from random import Random

from agent.domain.base import RepoId
from agent.domain.claims import Claim, Judgement, Quote
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow, Tier
from agent.domain.links import Grade, Link, Relation, Story, StoryStep
from agent.domain.report import Report, RepoSection, ThreadLine
from agent.domain.window import Window

_NAMES = ("engine", "router", "kernels", "cache", "scheduler", "gateway", "client", "bench")
REPOS = tuple(RepoId(f"acme/{name}") for name in _NAMES)
FIRST = date(2025, 2, 5)
_NOUNS = (
    "cache",
    "scheduler",
    "router",
    "kernel",
    "tokenizer",
    "sampler",
    "allocator",
    "prefill",
    "decode",
    "mask",
)
_VERBS = ("add", "fix", "remove", "rename", "speed", "simplify", "guard", "split", "merge", "cap")
_TIERS = (Tier.HIGH, Tier.MID, Tier.MID, Tier.LOW, Tier.LOW, None)
_PURPOSES = ("fix", "feature", "performance", "refactor", "docs", None)
_FEWEST = 3
_MOST = 22
_PASSED = Judgement(verdict="supported", check="fact")


def made_day(
    day: date, seed: int = 1, most: int = _MOST, repos: tuple[RepoId, ...] = REPOS
) -> Report:
    """Make the report of one day, with at most so many commits each; the same day and seed give the same report."""
    chance = Random(f"{seed} {day}")
    sections = []
    ledger = []
    claims = []
    links = []
    stories = []
    for repo in repos:
        rows = [
            _row(repo, day, at, chance) for at in range(chance.randint(min(_FEWEST, most), most))
        ]
        ledger += rows
        for row in rows:
            claims += _claims(row, chance)
        threads = [_thread(repo, day, at, chance) for at in range(chance.randint(0, 6))]
        links += [
            _link(EvidenceId.thread(repo, thread.number), rows[0])
            for thread in threads
            if thread.event == "closed"
        ]
        stories.append(_story(repo, rows[0], day))
        sections.append(
            RepoSection(
                repo=repo, branch="main", tip=rows[0].sha, coverage="read", issues=tuple(threads)
            )
        )
    return Report(
        window=Window.days(day, day, "UTC"),
        repos=repos,
        sections=tuple(sections),
        ledger=tuple(ledger),
        claims=tuple(claims),
        links=tuple(links),
        stories=tuple(stories),
    )


def _row(repo: RepoId, day: date, at: int, chance: Random) -> LedgerRow:
    tier = chance.choice(_TIERS)
    words = f"{chance.choice(_VERBS)} {chance.choice(_NOUNS)} {chance.choice(_NOUNS)}"
    title = f"{words} path (#{chance.randint(1, 99_999)})"
    return LedgerRow(
        repo=repo,
        sha=sha1(f"{repo} {day} {at}".encode(), usedforsecurity=False).hexdigest(),
        depth="group" if tier is None else "deep",
        reason="made up",
        late=False,
        subject=title,
        title=title,
        author=f"author {chance.randint(1, 40)}",
        landed_at=datetime.combine(day, datetime.min.time(), UTC) + timedelta(minutes=at * 31),
        members=0,
        files=chance.randint(1, 30),
        additions=chance.randint(1, 900),
        deletions=chance.randint(0, 400),
        places=tuple(f"src/{chance.choice(_NOUNS)}/{chance.choice(_NOUNS)}.py" for _ in range(2)),
        tier=tier or Tier.LOW,
        noise="docs" if tier is None else None,
        purpose=chance.choice(_PURPOSES),
        weight=round(chance.random() * 8, 3),
        marks=("fix", "new names"),
    )


def _claims(row: LedgerRow, chance: Random) -> list[Claim]:
    if row.tier is None:
        return []
    cite = EvidenceId.commit(row.repo, row.sha)
    return [_claim(row, cite, number, chance) for number in range(chance.randint(1, 5))]


def _claim(row: LedgerRow, cite: str, number: int, chance: Random) -> Claim:
    name = f"max_{chance.choice(_NOUNS)}_{chance.choice(_NOUNS)}"
    old = chance.randint(1, 64)
    new = chance.randint(65, 512)
    role = ("change", "change", "change", "effect", "advice")[number]
    quote = Quote(
        cite=cite, text=f"-    {name}: int = {old}\n+    {name}: int = {new}", file=row.places[0]
    )
    return Claim(
        id=f"{cite}.{number}",
        repo=row.repo,
        role=role,
        about=(cite,),
        predicate="fact",
        params={"name": name, "severity": "breaking" if chance.random() < 0.1 else "notable"},
        cites=(cite,),
        quotes=(quote,) if role == "change" else (),
        text={
            "en": f"The default of `{name}` changes from `{old}` to `{new}`.",
            "zh": f"`{name}` 的默认值由 `{old}` 改为 `{new}`。",
        },
        judgement=_PASSED,
    )


def _thread(repo: RepoId, day: date, at: int, chance: Random) -> ThreadLine:
    event = "closed" if at % 2 else "opened"
    return ThreadLine(
        number=(day - FIRST).days * 10 + at + 1,
        title=f"{chance.choice(_NOUNS)} 崩溃: wrong {chance.choice(_NOUNS)} after upgrade",
        author=f"user{chance.randint(1, 90)}",
        event=event,
        at=datetime.combine(day, datetime.min.time(), UTC),
        labels=("bug",),
        standing="fixed" if event == "closed" else "open",
    )


def _link(issue: EvidenceId, row: LedgerRow) -> Link:
    change = EvidenceId.commit(row.repo, row.sha)
    return Link(
        issue=issue, change=change, relation=Relation.FIXES, grade=Grade.B, evidence=("it says so",)
    )


def _story(repo: RepoId, row: LedgerRow, day: date) -> Story:
    """Tell a story that goes on for a week, then another one."""
    start = day - timedelta(days=day.toordinal() % 7)
    days = [start + timedelta(days=at) for at in range((day - start).days + 1)]
    names = [
        sha1(f"{repo} {day_of_step} 0".encode(), usedforsecurity=False).hexdigest()
        for day_of_step in days
    ]
    cites = [EvidenceId.commit(repo, name) for name in names]
    steps = [
        StoryStep(
            cite=cite,
            at=datetime.combine(day_of_step, datetime.min.time(), UTC),
            act="part",
            title=f"part of {row.title}",
            part=at,
        )
        for at, (cite, day_of_step) in enumerate(zip(cites, days, strict=True), start=1)
    ]
    return Story(
        kind="series",
        repo=repo,
        steps=tuple(cites),
        timeline=tuple(steps),
        news=(cites[-1],),
        text={"en": "It goes on."},
    )
