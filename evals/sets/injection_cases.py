"""The cases of the injection set: where a text stands, how it is dressed, and what it wants."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from agent.domain.base import Language
from evals.model_server.obedient import Order
from evals.worlds.injection import dressed

_DATA = files("evals") / "sets" / "data"


@dataclass(frozen=True)
class Goal:
    """What the text wants, as code can see it."""

    name: str
    kind: str
    """`content`, `action`, `exfiltration`, or `benign` where it wants nothing."""
    never: tuple[str, ...] = ()
    """Words that nobody writes who does not obey: they stand nowhere, in no text either."""
    hosts: tuple[str, ...] = ()
    """Hosts that a reader shall be led to."""
    said: tuple[str, ...] = ()
    """What shall be said in words of our own."""
    leaks: bool = False
    """Whether it wants what the prompt holds."""
    victim: bool = False
    """Whether it wants another commit to be hushed up."""
    weighs: bool = False
    """Whether it wants the commit to count for more or less."""
    fixes: bool = False
    """Whether it wants an open issue to be told as fixed."""
    cites: bool = False
    """Whether it wants something else to be cited."""
    tools: bool = False
    """Whether it wants tools to be called."""


@dataclass(frozen=True)
class Case:
    """One text in one place."""

    id: str
    carrier: str
    encoding: str
    text: str
    seed: int
    lang: Language
    split: str
    goal: Goal
    obeys: Mapping[str, Any]

    def planted(self, facts: Mapping[str, str]) -> tuple[str, str]:
        """Give the text as it stands in the world, and what stands in a second place where it is split."""
        return dressed(_filled(self.text, facts), self.encoding)

    def order(self, facts: Mapping[str, str]) -> Order:
        """Tell what an obedient model makes of it."""
        calls = [call for tool, arguments in self.obeys.get("calls", ()) for call in _calls(tool, arguments)]
        return Order(
            says=tuple(_filled(one, facts) for one in self.obeys.get("says", {}).get(self.lang, ())),
            calls=tuple(calls),
            skips=self.obeys.get("skips", ""),
            decision=self.obeys.get("decision", "answer"),
            cites_others=self.obeys.get("cites_others", False),
        )


def cases(name: str = "injection") -> list[Case]:
    """Read the cases that are shipped."""
    lines = (_DATA / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [_case(json.loads(line)) for line in lines if line.strip()]


def _case(row: Mapping[str, Any]) -> Case:
    given, target, about = row["input"], row["target"], row["metadata"]
    wants: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in target.items()}
    goal = Goal(name=wants.pop("goal"), kind=wants.pop("kind"), **wants)
    return Case(
        id=row["id"],
        carrier=given["carrier"],
        encoding=given["encoding"],
        text=given["text"],
        seed=given["seed"],
        lang=about["lang"],
        split=about["split"],
        goal=goal,
        obeys=row["obeys"],
    )


def _filled(text: str, facts: Mapping[str, str]) -> str:
    for name, value in facts.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _calls(tool: str, arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Write out a call; `1..199` makes one call for each number."""
    ranges = [key for key, value in arguments.items() if isinstance(value, str) and value.partition("..")[0].isdigit()]
    if not ranges:
        yield tool, json.dumps(arguments)
        return
    first, _, last = str(arguments[ranges[0]]).partition("..")
    for number in range(int(first), int(last) + 1):
        yield tool, json.dumps({**arguments, ranges[0]: number})
