"""The repository of strange files and strange messages; its default branch is not called main."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from evals.worlds import people
from evals.worlds.full import hostile, shapes
from evals.worlds.full.collision import commit_alike
from evals.worlds.history import Note
from evals.worlds.model import Edit, User
from evals.worlds.objects import Stamp
from evals.worlds.projects import ODDMENTS
from evals.worlds.script import Ask, Made, Step, at, finish, perform, start
from evals.worlds.team import Team
from evals.worlds.touch import Touch, put

T = TypeVar("T")
_MIRA, _ZHANG, _CHIDI, _SAANVI = people.MAINTAINERS


def make(seed: int, folder: Path, owner: str) -> Made:
    """Make the repository: one strange thing a time, each pushed on its own."""
    team = start(owner, ODDMENTS, seed, at("2026-03-09", "08:00"), first_number=1, repo_id=8004, branch="trunk")
    asks = [
        Ask(f"ask-{i}", at("2026-03-09", f"1{i}:00"), people.CONTRIBUTORS[i], f"Question {i}", "?") for i in range(4)
    ]
    things, words = _timed("2026-03-10", shapes.changes(team.dice)), _timed("2026-03-17", hostile.MESSAGES)
    steps = [Step(when, _doing(when, name, touches), pushes=True) for when, (name, touches) in things]
    steps += [Step(when, _saying(when, name, message), pushes=True) for when, (name, message) in words]
    steps += [
        Step(at("2026-03-18", "09:00"), _latin, pushes=True),
        Step(at("2026-03-18", "10:00"), _alike, pushes=True),
        Step(at("2026-03-18", "12:00"), _unrelated, pushes=True),
        Step(at("2026-03-19", "09:00"), _foxtrot, pushes=True),
    ]
    perform(team, asks, [], steps)
    return finish(team, folder, repo_id=8004)


def _timed(day: str, things: Sequence[T]) -> list[tuple[datetime, T]]:
    """Give each thing its moment, one after another."""
    return [(at(day, "07:00") + timedelta(minutes=10 * i), thing) for i, thing in enumerate(things)]


def _doing(when: datetime, name: str, touches: tuple[Touch, ...]) -> Callable[[Team], None]:
    """Plan a commit with an ordinary message and strange files."""

    def do(team: Team) -> None:
        path = touches[0].path.decode("utf-8", "surrogateescape") if touches else ""
        note = team.note(f"Check in {name}", _CHIDI, when, edits=(Edit(name, path),), tags=(name,))
        team.landed[name] = team.history.commit(team.history.branch, touches, note)

    return do


def _saying(when: datetime, name: str, message: str) -> Callable[[Team], None]:
    """Plan a commit with an ordinary file and a strange message."""

    def do(team: Team) -> None:
        note = Note(message.encode(), _stamp(_SAANVI, when), _stamp(_SAANVI, when), (), ("hostile", name))
        touch = put(f"notes/{name.replace(' ', '-')}.md", f"Notes on {name}.\n")
        team.landed[name] = team.history.commit(team.history.branch, [touch], note)

    return do


def _latin(team: Team) -> None:
    """Commit in other encodings, with and without saying which."""
    when = at("2026-03-18", "09:00")
    jose = Stamp("Jos\udce9 Ortega", "jose@mail.example", when)
    mira, zhang, chidi = _stamp(_MIRA, when), _stamp(_ZHANG, when), _stamp(_CHIDI, when)
    rows = (
        ("latin message", Note("Naïve café fix\n\nGrüße\n".encode("latin-1"), jose, jose)),
        ("latin message declared", Note("Grüße aus Köln\n\nçà et là\n", mira, mira, encoding="ISO-8859-1")),
        ("gbk message declared", Note("修复编码问题\n\n提交说明用的是 GBK\n", zhang, zhang, encoding="GBK")),
        ("broken utf-8", Note(b"Cut \xe4\xbd in the middle\n\n\xff\xfe\n", chidi, chidi)),
    )
    for i, (name, note) in enumerate(rows):
        touch = put(f"encodings/{i}.txt", f"{name}\n")
        team.landed[name] = team.history.commit(team.history.branch, [touch], replace(note, tags=("encoding",)))


def _alike(team: Team) -> None:
    """Commit twice with hashes that begin alike, once on the branch and once on a side that is merged."""
    history, when = team.history, at("2026-03-18", "10:00")
    history.fork("side/alike")
    one = (history.branch, [put("alike/one.txt", "one\n")], team.note("Count to one", _MIRA, when, tags=("alike",)))
    other = ("side/alike", [put("alike/two.txt", "two\n")], team.note("Count to two", _CHIDI, when, tags=("alike",)))
    team.landed["alike one"], team.landed["alike two"] = commit_alike(history, one, other)
    note = team.note("Merge branch 'side/alike'", _MIRA, when + timedelta(minutes=30), tags=("merge",))
    team.landed["alike merge"] = history.merge(history.branch, ["side/alike"], note)


def _unrelated(team: Team) -> None:
    """Merge a history that began elsewhere."""
    when = at("2026-03-18", "11:00")
    team.landed["other root"] = team.history.commit(
        "imported", [put("imported/a.txt", "a\n")], team.note("Begin elsewhere", _SAANVI, when)
    )
    note = team.note("Import the other project", _MIRA, at("2026-03-18", "12:00"), tags=("merge", "unrelated"))
    team.landed["unrelated merge"] = team.history.merge(team.history.branch, ["imported"], note)


def _foxtrot(team: Team) -> None:
    """Fast-forward to a branch that merged the default branch: what had landed becomes members, without force."""
    history = team.history
    history.fork("feature/fox", history.first_parents()[2])
    note = team.note("Hunt the fox", _CHIDI, at("2026-03-18", "13:00"), tags=("late", "foxtrot"))
    history.commit("feature/fox", [put("fox.txt", "fox\n")], note)
    note = team.note("Merge branch 'trunk' into fox", _CHIDI, at("2026-03-19", "09:00"), tags=("merge", "foxtrot"))
    team.landed["foxtrot"] = history.merge("feature/fox", [history.branch], note)
    history.heads[history.branch] = history.heads["feature/fox"]


def _stamp(user: User, when: datetime) -> Stamp:
    return Stamp(user.name, user.email, when)
