"""The world of facts: a commit for each change described in `data/facts`, after one that sets up its files."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evals.worlds.data_model import World
from evals.worlds.random_world import Dice
from evals.worlds.worlds_from_toml import DATA, Row, make_repository, read_data, swapped

VARIANTS = 3  # How often each change is made, with other names and values
_FIRST_COMMIT_AT = datetime(2026, 4, 1, 8, tzinfo=UTC)
_BETWEEN_CHANGES = timedelta(minutes=7)
_SETUP_TO_CHANGE = timedelta(minutes=3)
_EXPORTED_FOLDER = "atlas/core/"
_INIT = "atlas/__init__.py"
_GUIDE = "docs/settings.md"
_IMAGES = "docker/"
_PUBLIC = re.compile(r"^(?:def |class |(?=[A-Z_]+ = ))([A-Za-z]\w*)", re.MULTILINE)
_BLANK = re.compile(r"~(\w+)~")
Files = dict[str, str | None]


@dataclass(frozen=True)
class FactCase:
    """A change that becomes one commit; names between tildes are filled in for each variant."""

    title: str
    before: Files  # The files it needs, there before it; None where it makes the file itself
    after: Files  # The files as it leaves them; None removes a file
    facts: tuple[Mapping[str, str], ...]  # As the author of the change would state them
    moves: Mapping[str, str] = field(default_factory=dict)
    """The new path of each moved file, by the old one."""


def make(seed: int, folder: Path) -> World:
    """Make the world of facts."""
    first = _commit("Initial commit", _FIRST_COMMIT_AT, write={"LICENSE": "MIT\n"}, tags=["root"])
    rows: list[Row] = [first]
    at = _FIRST_COMMIT_AT
    leftover: list[str] = []
    for case in read_cases():
        for number in range(VARIANTS):
            variant = fill(case, number, seed)
            at += _BETWEEN_CHANGES
            rows.append(_setup_commit(variant, leftover, at))
            rows.append(_change_commit(variant, at + _SETUP_TO_CHANGE))
            leftover = _paths_after(variant)
    for row in read_data("facts/lineage.toml")["commit"]:
        at += _BETWEEN_CHANGES
        rows.append(_commit(at=at, **row))
    repository: Row = {"id": 9001, "name": "lumen-ai/atlas", "commit": rows}
    made = make_repository(repository, folder)
    now = at + timedelta(hours=1)
    return World(now, (made.repo,), made.landed)


def _commit(message: str, at: datetime, **fields: Any) -> Row:
    return {"author": "mira-koenig", "at": at, "message": message, **fields}


def _setup_commit(case: FactCase, leftover: list[str], at: datetime) -> Row:
    """Return the commit that writes what a change needs and removes what the last one left."""
    needed: dict[str, str] = {}
    for path, text in sorted(case.before.items()):
        if text is not None:
            needed[path] = text
    removed = [path for path in leftover if path not in needed]
    notes = {"NOTES": f"{at}\n", _GUIDE: _guide(case)}
    return _commit("Make room", at, write={**notes, **needed}, remove=removed)


def _guide(case: FactCase) -> str:
    """Return a document that names what a change is about: users know its settings from there.

    It also tells to build the images, which would be for developers alone without that.
    """
    names: dict[str, None] = {}
    for path in case.before:
        if path.startswith(_IMAGES):
            names[f"docker build -f {path} ."] = None
    for fact in case.facts:
        for part in ("old", "name"):
            if part in fact:
                names[fact[part]] = None
    return "# Settings\n\n" + "".join(f"- `{name}`\n" for name in names)


def _change_commit(case: FactCase, at: datetime) -> Row:
    """Return the commit of a change; its facts are noted as edits of the first file it touches."""
    touched_paths = [*case.after, *case.moves.values(), ""]
    first_path = touched_paths[0]
    written: dict[str, str] = {}
    removed: list[str] = []
    for path, text in case.after.items():
        if text is None:
            removed.append(path)
        else:
            written[path] = text
    edits = [{**fact, "path": first_path} for fact in case.facts]
    return _commit(case.title, at, edits=edits, write=written, remove=removed, move=case.moves)


def _paths_after(case: FactCase) -> list[str]:
    """List the files that are there after a change."""
    paths = set(case.before)
    paths.difference_update(case.moves)
    paths.update(case.moves.values())
    for path, text in case.after.items():
        if text is None:
            paths.discard(path)
        else:
            paths.add(path)
    return sorted(paths)


def read_cases() -> Iterator[FactCase]:
    """Yield all changes; each swapped passage must occur exactly once."""
    for file in sorted((DATA / "facts" / "cases").glob("*.toml")):
        for row in read_data(f"facts/cases/{file.name}")["case"]:
            yield _swap_case(row) if "path" in row else _files_case(row)


def _swap_case(row: Row) -> FactCase:
    """Read a change that swaps passages of one file."""
    path = row["path"]
    text = _text(row) or ""
    changed = swapped(text, row["swaps"])
    return FactCase(row["title"], {path: text}, {path: changed}, tuple(row["said"]))


def _files_case(row: Row) -> FactCase:
    """Read a change that lists its files before and after."""
    before = {file["path"]: _text(file) for file in row.get("before", ())}
    after = {file["path"]: _text(file) for file in row.get("after", ())}
    moves = dict(row.get("moves", ()))
    return FactCase(row["title"], before, after, tuple(row["said"]), moves)


def _text(row: Row) -> str | None:
    if "template" not in row:
        return row.get("text")
    return (DATA / "facts" / "templates" / f"{row['template']}.txt").read_text("utf-8")


def fill(case: FactCase, number: int, seed: int) -> FactCase:
    """Fill the blanks, and write an `__init__.py` that exports what the modules declare."""
    words = _words(Dice("factbook", seed, case.title, number), number)
    facts = [_filled_values(fact, words) for fact in case.facts]
    moves: dict[str, str] = {}
    for old_path, new_path in case.moves.items():
        moves[_filled(old_path, words)] = _filled(new_path, words)
    before = _filled_files(case.before, words)
    after = _filled_files(case.after, words)
    return FactCase(case.title, before, after, tuple(facts), moves)


def _filled(text: str, words: Mapping[str, str]) -> str:
    return _BLANK.sub(lambda match: words[match[1]], text)


def _filled_values(fact: Mapping[str, str], words: Mapping[str, str]) -> dict[str, str]:
    return {key: _filled(text, words) for key, text in fact.items()}


def _filled_files(files: Files, words: Mapping[str, str]) -> Files:
    filled: Files = {}
    exports: list[str] = []
    for path_with_blanks, text in files.items():
        path = _filled(path_with_blanks, words)
        filled[path] = None if text is None else _filled(text, words)
        if path.startswith(_EXPORTED_FOLDER):
            exports.append(_exports(path, filled[path]))
    if exports:
        filled[_INIT] = "".join(exports)
    return filled


def _exports(path: str, text: str | None) -> str:
    module = path.removesuffix(".py").replace("/", ".")
    imports: list[str] = []
    for name in _PUBLIC.findall(text or ""):
        imports.append(f"from {module} import {name} as {name}\n")
    return "".join(imports)


def _words(dice: Dice, number: int) -> dict[str, str]:
    """Draw a word for each blank; the order of the draws decides what a seed gives."""
    data: Mapping[str, list[str]] = read_data("facts/words.toml")
    verb, verb2, verb3 = dice.shuffled(data["verbs"])[:3]
    noun, noun2 = dice.shuffled(data["nouns"])[:2]
    role, role2 = dice.shuffled(data["roles"])[:2]
    option, option2 = dice.shuffled(data["options"])[:2]
    mode, mode2, mode3 = dice.shuffled(data["modes"])[:3]
    small = dice.pick((4, 6, 12, 24, 48))
    extra = dice.pick(data["new_options"])
    factor = dice.pick((2, 3, 5))
    words = {
        "v": str(number),
        "mode": mode,
        "mode2": mode2,
        "mode3": mode3,
        "noun": noun,
        "Noun": noun.capitalize(),
        "NOUN": noun.upper(),
        "noun2": noun2,
        "Noun2": noun2.capitalize(),
        "Cls": noun.capitalize() + role,
        "Cls2": noun.capitalize() + role2,
        "small": str(small),
        "big": str(small * factor),
        "n": str(dice.between(3, 9)),
        "minor": str(dice.between(1, 8)),
        "patch": str(dice.between(1, 8)),
    }
    words |= _spellings("fn", verb, noun)
    words |= _spellings("fn2", verb2, noun)
    words |= _spellings("fn3", verb3, noun2)
    words |= _spellings("opt", *option.split("_"))
    words |= _spellings("opt2", *option2.split("_"))
    words |= _spellings("extra", *extra.split("_"))
    return words


def _spellings(key: str, *parts: str) -> dict[str, str]:
    """Spell a name the way each language does: `~fn~`, `~fnP~`, `~fnC~`, `~fnU~`, `~fnK~`."""
    pascal = "".join(part.capitalize() for part in parts)
    return {
        key: "_".join(parts),
        f"{key}P": pascal,
        f"{key}C": pascal[0].lower() + pascal[1:],
        f"{key}U": "_".join(parts).upper(),
        f"{key}K": "-".join(parts),
    }
