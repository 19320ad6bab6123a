"""The world of facts: every second commit makes one change of `data/facts`, and says what; the others make room."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.worlds.model import World
from evals.worlds.random_world import Dice
from evals.worlds.written import DATA, Row, make_repository, read_data, swapped

VARIANTS = 3  # How often each change is made, with other names and values
_BEGAN = datetime(2026, 4, 1, 8, tzinfo=UTC)
_EXPORTED, _INIT = "atlas/core/", "atlas/__init__.py"
_PUBLIC = re.compile(r"^(?:def |class |(?=[A-Z_]+ = ))([A-Za-z]\w*)", re.MULTILINE)
_BLANK = re.compile(r"~(\w+)~")
Files = dict[str, str | None]


@dataclass(frozen=True)
class FactCase:
    """A change that will be one commit; names between tildes are filled in for each variant."""

    title: str
    before: Files  # The files it needs, there before it; None where it makes the file itself
    after: Files  # The files as it leaves them; None takes a file away
    said: tuple[Mapping[str, str], ...]  # The facts as the author would put them
    moves: Mapping[str, str] = field(
        default_factory=dict
    )  # The new path of each file that it moves, by the old one


def make(seed: int, folder: Path) -> World:
    """Make the world of facts."""
    rows: list[Row] = [_commit("Initial commit", _BEGAN, write={"LICENSE": "MIT\n"}, tags=["root"])]
    now, left = _BEGAN, list[str]()
    for case in (fill(case, number, seed) for case in read_cases() for number in range(VARIANTS)):
        now += timedelta(minutes=7)
        there = {path: text for path, text in sorted(case.before.items()) if text is not None}
        gone = [path for path in left if path not in there]
        rows.append(_commit("Make room", now, write={"NOTES": f"{now}\n", **there}, remove=gone))
        rows.append(_change(case, now + timedelta(minutes=3)))
        kept = (
            (case.before.keys() - case.moves.keys()) | set(case.moves.values()) | case.after.keys()
        )
        left = sorted(path for path in kept if case.after.get(path, "") is not None)
    for row in read_data("facts/lineage.toml")["commit"]:
        now += timedelta(minutes=7)
        rows.append(_commit(at=now, **row))
    made = make_repository({"id": 9001, "name": "lumen-ai/atlas", "commit": rows}, folder)
    return World(now + timedelta(hours=1), (made.repo,), made.landed)


def _commit(message: str, at: datetime, **more: Any) -> Row:
    return {"author": "mira-koenig", "at": at, "message": message, **more}


def _change(case: FactCase, at: datetime) -> Row:
    path = next(iter(case.after), next(iter(case.moves.values()), ""))
    written = {path: text for path, text in case.after.items() if text is not None}
    removed = [path for path, text in case.after.items() if text is None]
    edits = [{**one, "path": path} for one in case.said]
    return _commit(case.title, at, edits=edits, write=written, remove=removed, move=case.moves)


def read_cases() -> Iterator[FactCase]:
    """Read all changes; each passage that is swapped must be there once."""
    for file in sorted((DATA / "facts" / "cases").glob("*.toml")):
        for row in read_data(f"facts/cases/{file.name}")["case"]:
            if "path" not in row:
                before, after = (
                    {one["path"]: _text(one) for one in row.get(side, ())}
                    for side in ("before", "after")
                )
                yield FactCase(
                    row["title"], before, after, tuple(row["said"]), dict(row.get("moves", ()))
                )
                continue
            text = _text(row) or ""
            changed = swapped(text, row["swaps"])
            yield FactCase(
                row["title"], {row["path"]: text}, {row["path"]: changed}, tuple(row["said"])
            )


def _text(row: Row) -> str | None:
    if "template" not in row:
        return row.get("text")
    return (DATA / "facts" / "templates" / f"{row['template']}.txt").read_text("utf-8")


def fill(case: FactCase, number: int, seed: int) -> FactCase:
    """Put names and values into the blanks, and write an `__init__.py` that exports what the modules declare."""
    words = _words(Dice("factbook", seed, case.title, number), number)

    def filled(text: str) -> str:
        return _BLANK.sub(lambda match: words[match[1]], text)

    def files(given: Files) -> Files:
        texts = {
            filled(path): None if text is None else filled(text) for path, text in given.items()
        }
        exported = [
            _exports(path, text) for path, text in texts.items() if path.startswith(_EXPORTED)
        ]
        return texts | ({_INIT: "".join(exported)} if exported else {})

    said = tuple({key: filled(text) for key, text in one.items()} for one in case.said)
    moves = {filled(old): filled(new) for old, new in case.moves.items()}
    return FactCase(case.title, files(case.before), files(case.after), said, moves)


def _exports(path: str, text: str | None) -> str:
    module = path.removesuffix(".py").replace("/", ".")
    return "".join(
        f"from {module} import {name} as {name}\n" for name in _PUBLIC.findall(text or "")
    )


def _words(dice: Dice, number: int) -> dict[str, str]:
    data: Mapping[str, list[str]] = read_data("facts/words.toml")
    kinds = {"verbs": 3, "nouns": 2, "roles": 2, "options": 2, "modes": 3}
    taken = (dice.shuffled(data[kind])[:count] for kind, count in kinds.items())
    (verb, verb2, verb3), (noun, noun2), (role, role2), (option, option2), (mode, mode2, mode3) = (
        taken
    )
    small = dice.pick((4, 6, 12, 24, 48))
    extra, factor = dice.pick(data["new_options"]), dice.pick((2, 3, 5))
    words = {"v": str(number), "mode": mode, "mode2": mode2, "mode3": mode3}
    words |= {"noun": noun, "Noun": noun.capitalize(), "NOUN": noun.upper()}
    words |= {"noun2": noun2, "Noun2": noun2.capitalize()}
    words |= {"Cls": noun.capitalize() + role, "Cls2": noun.capitalize() + role2}
    words |= {"small": str(small), "big": str(small * factor), "n": str(dice.between(3, 9))}
    words |= {"minor": str(dice.between(1, 8)), "patch": str(dice.between(1, 8))}
    names = {"fn": (verb, noun), "fn2": (verb2, noun), "fn3": (verb3, noun2)}
    options = {"opt": option, "opt2": option2, "extra": extra}
    for key, parts in (
        names | {key: tuple(name.split("_")) for key, name in options.items()}
    ).items():
        words |= _spellings(key, parts)
    return words


def _spellings(key: str, parts: tuple[str, ...]) -> dict[str, str]:
    """Spell a name the way each language does: `~fn~`, `~fnP~`, `~fnC~`, `~fnU~`, `~fnK~`."""
    pascal = "".join(part.capitalize() for part in parts)
    return {
        key: "_".join(parts),
        f"{key}P": pascal,
        f"{key}C": pascal[0].lower() + pascal[1:],
        f"{key}U": "_".join(parts).upper(),
        f"{key}K": "-".join(parts),
    }
