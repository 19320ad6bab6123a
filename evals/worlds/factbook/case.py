"""Changes that stand for a kind of fact each, as `cases/*.toml` describe them, with what their author says he did."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evals.worlds.dice import Dice
from evals.worlds.model import Edit

_CASES, _TEMPLATES = (Path(__file__).parent / name for name in ("cases", "templates"))
_EXPORTED, _INIT = "atlas/core/", "atlas/__init__.py"
_PUBLIC = re.compile(r"^(?:def |class |(?=[A-Z_]+ = ))([A-Za-z]\w*)", re.MULTILINE)
_BLANK = re.compile(r"~(\w+)~")
_VERBS = ("build", "plan", "merge", "collect", "resolve", "dispatch", "allocate", "gather", "encode", "schedule")
_NOUNS = ("batch", "page", "prefix", "slot", "router", "token", "adapter", "window", "tensor", "request")
_ROLES = ("Planner", "Worker", "Pool", "Tracker", "Registry", "Session", "Policy", "Loader")
_OPTIONS = ("timeout", "page_size", "max_tokens", "num_warps", "batch_size", "top_k", "depth", "retries")
_NEW_OPTIONS = ("dry_run", "device", "priority", "seed", "namespace", "stream_id", "trace_id", "strict_mode")
_MODES = ("auto", "triton", "cutlass", "naive", "fused", "paged")


@dataclass(frozen=True)
class Said:
    """A fact as the author would put it."""

    kind: str
    name: str
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    severity: str | None = None


@dataclass(frozen=True)
class Case:
    """A change that will be one commit; names between tildes are filled in for each variant."""

    title: str
    before: Mapping[str, str | None]
    """The files it needs, there before it; None where it makes the file itself."""
    after: Mapping[str, str | None]
    """The files as it leaves them; None takes a file away."""
    said: tuple[Said, ...]
    moves: Mapping[str, str] = field(default_factory=dict)
    """The new path of each file that it moves, by the old one."""


def read_cases() -> Iterator[Case]:
    """Read all changes; each passage that is swapped must be there once."""
    for file in sorted(_CASES.glob("*.toml")):
        for row in tomllib.loads(file.read_text("utf-8"))["case"]:
            said = tuple(Said(**one) for one in row["said"])
            if "path" not in row:
                before, after = ({one["path"]: _text(one) for one in row.get(side, ())} for side in ("before", "after"))
                yield Case(row["title"], before, after, said, dict(row.get("moves", ())))
                continue
            text = _text(row) or ""
            swapped = _swapped(row["title"], text, row["swaps"])
            yield Case(row["title"], {row["path"]: text}, {row["path"]: swapped}, said)


def _text(row: Mapping[str, Any]) -> str | None:
    if "template" not in row:
        return row.get("text")
    return (_TEMPLATES / f"{row['template']}.txt").read_text("utf-8")


def _swapped(title: str, text: str, swaps: list[list[str]]) -> str:
    for old, new in swaps:
        assert text.count(old) == 1, f"{title}: {old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    return text


def fill(case: Case, variant: int, seed: int) -> Case:
    """Put names and values into the blanks, and write an `__init__.py` that exports what the modules declare."""
    words = _words(Dice("factbook", seed, case.title, variant), variant)

    def filled(text: str) -> str:
        return _BLANK.sub(lambda match: words[match[1]], text)

    def files(given: Mapping[str, str | None]) -> dict[str, str | None]:
        texts = {filled(path): None if text is None else filled(text) for path, text in given.items()}
        return texts | {_INIT: _exports(path, text) for path, text in texts.items() if path.startswith(_EXPORTED)}

    return replace(
        case,
        before=files(case.before),
        after=files(case.after),
        said=tuple(_filled_said(one, words) for one in case.said),
        moves={filled(old): filled(new) for old, new in case.moves.items()},
    )


def _exports(path: str, text: str | None) -> str:
    module = path.removesuffix(".py").replace("/", ".")
    return "".join(f"from {module} import {name} as {name}\n" for name in _PUBLIC.findall(text or ""))


def edits_of(case: Case) -> tuple[Edit, ...]:
    """Write down what was done."""
    path = next(iter(case.after), next(iter(case.moves.values()), ""))
    return tuple(Edit(one.kind, path, _params(one)) for one in case.said)


def _params(said: Said) -> tuple[tuple[str, str], ...]:
    pairs = (
        ("name", said.name),
        ("old", said.old),
        ("new", said.new),
        ("detail", said.detail),
        ("severity", said.severity),
    )
    return tuple((key, value) for key, value in pairs if value is not None)


def _filled_said(said: Said, words: Mapping[str, str]) -> Said:
    def filled(text: str | None) -> str | None:
        return None if text is None else _BLANK.sub(lambda match: words[match[1]], text)

    return Said(
        said.kind, filled(said.name) or "", filled(said.old), filled(said.new), filled(said.detail), said.severity
    )


def _words(dice: Dice, variant: int) -> dict[str, str]:
    verb, verb2, verb3 = dice.shuffled(_VERBS)[:3]
    noun, noun2 = dice.shuffled(_NOUNS)[:2]
    role, role2 = dice.shuffled(_ROLES)[:2]
    option, option2 = dice.shuffled(_OPTIONS)[:2]
    mode, mode2, mode3 = dice.shuffled(_MODES)[:3]
    small = dice.pick((4, 6, 12, 24, 48))
    names = {"fn": (verb, noun), "fn2": (verb2, noun), "fn3": (verb3, noun2)}
    words = {
        "v": str(variant),
        "noun": noun,
        "Noun": noun.capitalize(),
        "NOUN": noun.upper(),
        "noun2": noun2,
        "Noun2": noun2.capitalize(),
        "Cls": noun.capitalize() + role,
        "Cls2": noun.capitalize() + role2,
        "opt": option,
        "opt2": option2,
        "extra": dice.pick(_NEW_OPTIONS),
        "mode": mode,
        "mode2": mode2,
        "mode3": mode3,
        "small": str(small),
        "big": str(small * dice.pick((2, 3, 5))),
        "n": str(dice.between(3, 9)),
        "minor": str(dice.between(1, 8)),
        "patch": str(dice.between(1, 8)),
    }
    for key, parts in names.items():
        words |= _spellings(key, parts)
    for key in ("opt", "opt2", "extra"):
        words |= _spellings(f"{key}_", tuple(words[key].split("_")))
    return words


def _spellings(key: str, parts: tuple[str, ...]) -> dict[str, str]:
    """Spell a name the way each language does: `~fn~`, `~fnP~`, `~fnC~`, `~fnU~`, `~fnK~`."""
    pascal = "".join(part.capitalize() for part in parts)
    key = key.rstrip("_")
    return {
        key: "_".join(parts),
        f"{key}P": pascal,
        f"{key}C": pascal[0].lower() + pascal[1:],
        f"{key}U": "_".join(parts).upper(),
        f"{key}K": "-".join(parts),
    }
