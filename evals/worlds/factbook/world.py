"""A repository in which every second commit changes one thing, and says what; the others make room for the next."""

from datetime import datetime, timedelta
from pathlib import Path

from evals.worlds import people
from evals.worlds.factbook.case import Case, edits_of, fill, read_cases
from evals.worlds.history import History, Note
from evals.worlds.model import Edit, Repo, World
from evals.worlds.objects import Stamp
from evals.worlds.script import Made, at
from evals.worlds.touch import Touch, drop, move, put

REPO = "lumen-ai/atlas"
VARIANTS = 3
"""How often each change is made, with other names and values."""
_BEGAN = at("2026-04-01", "08:00")


def make(seed: int, folder: Path) -> tuple[World, list[Made]]:
    """Make the world of facts."""
    history = History(REPO)
    history.commit(history.branch, [put("LICENSE", "MIT\n")], _note("Initial commit", _BEGAN, tags=("root",)))
    history.push(_BEGAN)
    now, left = _BEGAN, list[str]()
    for case in (fill(case, i, seed) for case in read_cases() for i in range(VARIANTS)):
        now += timedelta(minutes=7)
        there = {path: put(path, text) for path, text in sorted(case.before.items()) if text is not None}
        room = [put("NOTES", f"{now}\n"), *(drop(path) for path in left if path not in there), *there.values()]
        _commit(history, "Make room", room, (), now)
        _commit(history, case.title, _touches(case), edits_of(case), now + timedelta(minutes=3))
        left = _paths_after(case)
    now = _tell_lineage(history, now)
    owner, _, name = REPO.partition("/")
    repo = Repo(
        9001,
        owner,
        name,
        history.branch,
        folder / owner / f"{name}.git",
        people.EVERYBODY,
        pushes=tuple(history.pushes),
    )
    made = Made(repo, history.landed(), history.objects, history.all_refs(), {})
    return World(seed, now + timedelta(hours=1), (repo,), made.landed, {}), [made]


def _paths_after(case: Case) -> list[str]:
    """List the files that a change leaves."""
    kept = (case.before.keys() - case.moves.keys()) | set(case.moves.values()) | case.after.keys()
    return sorted(path for path in kept if case.after.get(path, "") is not None)


def _touches(case: Case) -> list[Touch]:
    touches = [drop(path) if text is None else put(path, text) for path, text in sorted(case.after.items())]
    return touches + [move(old, new) for old, new in sorted(case.moves.items())]


def _tell_lineage(history: History, now: datetime) -> datetime:
    """Take a change back and bring it again, take one over from another branch, and undo that without a word."""
    path = "atlas/core/lineage.py"
    text = '"""Changes that come and go."""\n\nLIMIT = 4\n'
    later = text + '\n\ndef widen(value: int) -> int:\n    """Double it."""\n    return value * 2\n'
    added = Edit("symbol-added", path, (("name", "widen"),))
    gone = Edit("symbol-removed", path, (("name", "widen"),))
    now += timedelta(minutes=7)
    _commit(history, "Add a file for lineage", [put(path, text)], (Edit("file-added", path, (("name", path),)),), now)
    first = _commit(history, "Add widen (#71)", [put(path, later)], (added,), now + timedelta(minutes=7))
    undo = f'Revert "Add widen (#71)" (#72)\n\nThis reverts commit {first}.'
    edits = (Edit("revert", path, (("name", first),)), gone)
    second = _commit(history, undo, [put(path, text)], edits, now + timedelta(minutes=14))
    again = f'Reland "Add widen" (#73)\n\nThis reverts commit {second}.'
    edits = (Edit("reland", path, (("name", ""),)), added)
    _commit(history, again, [put(path, later)], edits, now + timedelta(minutes=21))
    picked = later.replace("LIMIT = 4", "LIMIT = 8")
    source = "5c1d" * 10
    message = f"Raise the limit\n\n(cherry picked from commit {source})"
    change = (("name", "LIMIT"), ("old", "4"), ("new", "8"))
    edits = (Edit("cherry-pick", path, (("name", source),)), Edit("constant-changed", path, change))
    _commit(history, message, [put(path, picked)], edits, now + timedelta(minutes=28))
    raised = history.heads[history.branch]
    change = (("name", "LIMIT"), ("old", "8"), ("new", "4"))
    edits = (Edit("revert", path, (("name", raised),)), Edit("constant-changed", path, change))
    _commit(history, "Be careful with the limit", [put(path, later)], edits, now + timedelta(minutes=35))
    return now + timedelta(minutes=35)


def _commit(history: History, message: str, touches: list[Touch], edits: tuple[Edit, ...], when: datetime) -> str:
    sha = history.commit(history.branch, touches, _note(message, when, edits=edits))
    history.push(when)
    return sha


def _note(message: str, when: datetime, edits: tuple[Edit, ...] = (), tags: tuple[str, ...] = ()) -> Note:
    user = people.MAINTAINERS[0]
    stamp = Stamp(user.name, user.email, when)
    return Note(message, stamp, stamp, edits, tags)
