"""Worlds from a seed: repositories with random histories, whose gold is known because every step is chosen here."""

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, TypeVar

from evals.worlds.model import World
from evals.worlds.written import Row, make_repository, people

T = TypeVar("T")
REPOS, STEPS = 3, 70
_BEGAN = datetime(2026, 3, 1, 6, tzinfo=UTC)
_HOURS = (-8.0, -5.0, 0.0, 1.0, 5.5, 8.0, 13.0)
_DECADES = (datetime(1999, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2037, 6, 1, tzinfo=UTC))


class Dice:
    """A source of choices, seeded by words, so that a new repository does not shift the choices of another.

    Only `random.Random.random()` is used: it is the one method whose sequence Python promises to keep.
    """

    def __init__(self, *words: object) -> None:
        digest = hashlib.sha256("\x1f".join(str(word) for word in words).encode()).digest()
        self._random = random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - a world, not a secret

    def below(self, limit: int) -> int:
        """Give a whole number in `[0, limit)`."""
        return int(self._random.random() * limit)

    def between(self, low: int, high: int) -> int:
        """Give a whole number in `[low, high]`."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """Choose one item."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Give the items in another order."""
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in range(len(rest))]


def make(seed: int, folder: Path, repos: int = REPOS, steps: int = STEPS) -> World:
    """Make some repositories; their clocks cover about a month, or less where they have fewer steps."""
    writers = [
        _Writer(Dice("random", seed, number), f"random-ai/repo{number}") for number in range(repos)
    ]
    made = [
        make_repository(one.written(6000 + number, steps), folder)
        for number, one in enumerate(writers)
    ]
    landed = tuple(row for one in made for row in one.landed)
    return World(
        max(one.now for one in writers) + timedelta(hours=1),
        tuple(one.repo for one in made),
        landed,
    )


@dataclass
class _Writer:
    """Writes down one history, step by step."""

    dice: Dice
    name: str
    now: datetime = _BEGAN
    commits: list[Row] = field(default_factory=list)
    pulls: list[Row] = field(default_factory=list)
    line: list[str] = field(
        default_factory=list
    )  # The keys on the default branch's first-parent line
    files: int = 0

    def written(self, number: int, count: int) -> Row:
        """Give the repository as a file would describe it."""
        self._land()
        steps: tuple[Callable[[], None], ...] = (
            *(self._land,) * 6,
            *(self._squash, self._merge) * 2,
            *(self._octopus, self._batch, self._late, self._skewed, self._midnight),
            *(self._rewrite, self._foxtrot, self._revert),
        )
        for _ in range(count):
            self.now += timedelta(seconds=self.dice.between(60, 40_000))
            self.dice.pick(steps)()
        return {"id": number, "name": self.name, "commit": self.commits, "pull": self.pulls}

    def _row(self, at: datetime | None = None, **more: Any) -> Row:
        """Add a commit; one of the default branch gets a key."""
        zone = timezone(timedelta(hours=self.dice.pick(_HOURS)))
        author = self.dice.pick(list(people()))
        key = f"commit-{len(self.commits)}"
        row = {
            "key": key,
            "author": author,
            "at": (at or self.now).astimezone(zone),
            "message": f"Do {key}",
            **more,
        }
        self.commits.append(row)
        if "on" not in row:
            self.line.append(key)
        return row

    def _write(self) -> dict[str, str]:
        """Write one to three small files, new ones or those of earlier commits."""
        texts = {}
        for _ in range(self.dice.between(1, 3)):
            number = self.dice.below(self.files + 1)
            self.files += number == self.files
            lines = [
                f"line {n} of {self.dice.below(99)}\n" for n in range(self.dice.between(1, 20))
            ]
            texts[f"part{number % 5}/file{number}.txt"] = "".join(lines)
        return texts

    def _branch(self, back: int = 4) -> str:
        """Begin a branch some commits ago and commit there one to three times."""
        branch = f"branch-{len(self.commits)}"
        origin = self.line[-self.dice.between(1, min(back, len(self.line)))]
        count = self.dice.between(1, 3)
        for number in range(count):
            start = {"from": origin} if number == 0 else {}
            self._row(
                self.now - timedelta(minutes=count - number),
                on=branch,
                write=self._write(),
                **start,
            )
        return branch

    def _land(self) -> None:
        self._row(write=self._write())

    def _squash(self) -> None:
        """Land a pull request as one commit."""
        branch, number = self._branch(back=1), len(self.pulls) + 1
        self._row(
            key=branch, squash=branch, committer="web-flow", message=f"Land {branch} (#{number})"
        )
        self.line[-1] = branch
        opened = {
            "created_at": self.now - timedelta(hours=5),
            "author": "hexagon42",
            "head_ref": branch,
        }
        merged = {"merged_at": self.now, "title": f"Land {branch}", "body": ""}
        self.pulls.append({"number": number, **opened, **merged})

    def _merge(self) -> None:
        self._row(merge=[self._branch()])

    def _octopus(self) -> None:
        self._row(merge=[self._branch(), self._branch()])

    def _batch(self) -> None:
        """Push several commits at once."""
        for number in range(3):
            at = self.now - timedelta(minutes=30 - number)
            self._row(at, write=self._write(), pushed=self.now if number == 2 else False)

    def _late(self) -> None:
        """Push what was committed days ago."""
        self._row(
            self.now - timedelta(days=self.dice.between(1, 3)), write=self._write(), pushed=self.now
        )

    def _skewed(self) -> None:
        """Commit with a clock that is decades off."""
        self._row(self.dice.pick(_DECADES), write=self._write(), pushed=self.now)

    def _midnight(self) -> None:
        """Commit in the second before or after a midnight of some zone."""
        zone = timezone(timedelta(hours=self.dice.pick(_HOURS)))
        local = self.now.astimezone(zone).replace(hour=0, minute=0, second=0)
        self._row(
            local - timedelta(seconds=self.dice.below(2)), write=self._write(), pushed=self.now
        )

    def _rewrite(self) -> None:
        """Force-push: the last commits go, another takes their place."""
        del self.line[max(1, len(self.line) - self.dice.between(1, 3)) :]
        more: dict[str, Any] = {"from": self.line[-1]}
        self._row(write=self._write(), **more)

    def _foxtrot(self) -> None:
        """Fast-forward to a branch that merged the default branch, so that what had landed becomes its members."""
        branch = self._branch()
        origin = next(row["from"] for row in self.commits if row.get("on") == branch)
        own = [str(row["key"]) for row in self.commits if row.get("on") == branch]
        row = self._row(on=branch, merge=["main"], forward=True)
        self.line = [*self.line[: self.line.index(origin) + 1], *own, str(row["key"])]

    def _revert(self) -> None:
        """Take back the last commit, if it is no merge and does not come from nowhere."""
        last = next(row for row in self.commits if row["key"] == self.line[-1])
        if "write" in last and len(self.line) > 1:
            self._row(
                undo=last["key"],
                message=f'Revert "{last["message"]}"\n\nThis reverts commit <<{last["key"]}>>.',
            )
