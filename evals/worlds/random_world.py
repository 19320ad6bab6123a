"""Worlds from a seed: repositories with random histories whose gold is known, since every step is chosen here."""

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, TypeVar

from evals.worlds.data_model import LandedGold, World
from evals.worlds.worlds_from_toml import Row, make_repository, people

T = TypeVar("T")
REPOS = 3
STEPS = 70
_FIRST_COMMIT_AT = datetime(2026, 3, 1, 6, tzinfo=UTC)
_UTC_OFFSETS = (-8.0, -5.0, 0.0, 1.0, 5.5, 8.0, 13.0)
_SKEWED_CLOCKS = (
    datetime(1999, 12, 31, 23, 59, 59, tzinfo=UTC),
    datetime(2037, 6, 1, tzinfo=UTC),
)
_MAX_BACK = 4  # How many commits ago a branch may begin
_BATCH = 3  # Commits of one push


class Dice:
    """A source of choices seeded by words: a new repository does not shift the choices of another.

    It uses `random.Random.random()` alone, the one method whose sequence Python promises to keep.
    """

    def __init__(self, *words: object) -> None:
        digest = hashlib.sha256("\x1f".join(str(word) for word in words).encode()).digest()
        self._random = random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - a world, not a secret

    def below(self, limit: int) -> int:
        """Return an integer in `[0, limit)`."""
        return int(self._random.random() * limit)

    def between(self, low: int, high: int) -> int:
        """Return an integer in `[low, high]`."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in another order."""
        remaining = list(items)
        shuffled = []
        while remaining:
            shuffled.append(remaining.pop(self.below(len(remaining))))
        return shuffled


def make(seed: int, folder: Path, repos: int = REPOS, steps: int = STEPS) -> World:
    """Make some repositories; 70 steps cover about a month."""
    present = _FIRST_COMMIT_AT
    made = []
    landed: list[LandedGold] = []
    for number in range(repos):
        writer = _Writer(Dice("random", seed, number), f"random-ai/repo{number}")
        repository = make_repository(writer.written(6000 + number, steps), folder)
        made.append(repository.repo)
        landed.extend(repository.landed)
        present = max(present, writer.now)
    return World(present + timedelta(hours=1), tuple(made), tuple(landed))


@dataclass
class _Writer:
    """Writes down one history, step by step."""

    dice: Dice
    name: str
    now: datetime = _FIRST_COMMIT_AT
    commits: list[Row] = field(default_factory=list)
    pulls: list[Row] = field(default_factory=list)
    line: list[str] = field(default_factory=list)  # The keys of the first-parent line
    files: int = 0

    def written(self, number: int, count: int) -> Row:
        """Return the repository as a file would describe it."""
        self._land()
        steps: tuple[Callable[[], None], ...] = (
            *(self._land,) * 6,
            *(self._squash, self._merge) * 2,
            self._octopus,
            self._batch,
            self._late,
            self._skewed,
            self._midnight,
            self._rewrite,
            self._foxtrot,
            self._revert,
        )
        for _ in range(count):
            self.now += timedelta(seconds=self.dice.between(60, 40_000))
            self.dice.pick(steps)()
        return {"id": number, "name": self.name, "commit": self.commits, "pull": self.pulls}

    def _row(self, at: datetime | None = None, **fields: Any) -> Row:
        """Add a commit; one of the default branch gets a key."""
        zone = timezone(timedelta(hours=self.dice.pick(_UTC_OFFSETS)))
        author = self.dice.pick(list(people()))
        key = f"commit-{len(self.commits)}"
        row = {
            "key": key,
            "author": author,
            "at": (at or self.now).astimezone(zone),
            "message": f"Do {key}",
            **fields,
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
            if number == self.files:
                self.files += 1
            length = self.dice.between(1, 20)
            lines = [f"line {line} of {self.dice.below(99)}\n" for line in range(length)]
            texts[f"part{number % 5}/file{number}.txt"] = "".join(lines)
        return texts

    def _branch(self, back: int = _MAX_BACK) -> str:
        """Begin a branch some commits ago and commit there one to three times."""
        branch = f"branch-{len(self.commits)}"
        origin = self.line[-self.dice.between(1, min(back, len(self.line)))]
        count = self.dice.between(1, 3)
        for number in range(count):
            at = self.now - timedelta(minutes=count - number)
            start = {"from": origin} if number == 0 else {}
            self._row(at, on=branch, write=self._write(), **start)
        return branch

    def _land(self) -> None:
        self._row(write=self._write())

    def _squash(self) -> None:
        """Land a pull request as one commit."""
        branch = self._branch(back=1)
        number = len(self.pulls) + 1
        message = f"Land {branch} (#{number})"
        self._row(key=branch, squash=branch, committer="web-flow", message=message)
        self.line[-1] = branch
        pull = {
            "number": number,
            "created_at": self.now - timedelta(hours=5),
            "author": "hexagon42",
            "head_ref": branch,
            "merged_at": self.now,
            "title": f"Land {branch}",
            "body": "",
        }
        self.pulls.append(pull)

    def _merge(self) -> None:
        self._row(merge=[self._branch()])

    def _octopus(self) -> None:
        self._row(merge=[self._branch(), self._branch()])

    def _batch(self) -> None:
        """Push several commits at once."""
        for number in range(_BATCH):
            at = self.now - timedelta(minutes=30 - number)
            is_last = number == _BATCH - 1
            self._row(at, write=self._write(), pushed=self.now if is_last else False)

    def _late(self) -> None:
        """Push what was committed days ago."""
        at = self.now - timedelta(days=self.dice.between(1, 3))
        self._row(at, write=self._write(), pushed=self.now)

    def _skewed(self) -> None:
        """Commit with a clock that is decades off."""
        self._row(self.dice.pick(_SKEWED_CLOCKS), write=self._write(), pushed=self.now)

    def _midnight(self) -> None:
        """Commit in the second before or after a midnight of some zone."""
        zone = timezone(timedelta(hours=self.dice.pick(_UTC_OFFSETS)))
        midnight = self.now.astimezone(zone).replace(hour=0, minute=0, second=0)
        at = midnight - timedelta(seconds=self.dice.below(2))
        self._row(at, write=self._write(), pushed=self.now)

    def _rewrite(self) -> None:
        """Force-push: another commit replaces the last ones."""
        dropped = self.dice.between(1, 3)
        del self.line[max(1, len(self.line) - dropped) :]
        start: dict[str, Any] = {"from": self.line[-1]}
        self._row(write=self._write(), **start)

    def _foxtrot(self) -> None:
        """Fast-forward to a branch that merged the default branch.

        What had landed becomes a member of that merge.
        """
        branch = self._branch()
        branch_rows = [row for row in self.commits if row.get("on") == branch]
        branch_keys = [str(row["key"]) for row in branch_rows]
        origin = branch_rows[0]["from"]
        merge = self._row(on=branch, merge=["main"], forward=True)
        shared = self.line[: self.line.index(origin) + 1]
        self.line = [*shared, *branch_keys, str(merge["key"])]

    def _revert(self) -> None:
        """Revert the last commit, if it is no merge and has a parent."""
        last = next(row for row in self.commits if row["key"] == self.line[-1])
        if "write" not in last or len(self.line) == 1:
            return
        key = last["key"]
        message = f'Revert "{last["message"]}"\n\nThis reverts commit <<{key}>>.'
        self._row(undo=key, message=message)
