"""What others would make of the same day: a dump of `git log`, and one prompt with cut diffs, both without a gate."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field

from agent.analyst import ToolRequest, ToolSpec
from agent.claims import Claim, Role
from agent.ids import commit_id
from agent.model import Message, Model
from agent.report import Depth, LedgerRow, Report
from agent.triage import Tier
from evals.sets.oracle import ask_git

M = TypeVar("M", bound=BaseModel)
_PROMPT = 12_000
_DIFF = 1_500
"""So many characters has the one prompt, and so many each diff: whatever comes later in the list is not seen."""
_ITEMS = 10
_UNREAD = {"depth": Depth.LIST, "tier": None, "weight": 0.0}


class Item(BaseModel):
    """One commit as a model retells it."""

    handle: str
    text: str


class Retold(BaseModel):
    """What a model makes of one prompt."""

    items: list[Item] = Field(default_factory=list)


def log_dump(report: Report) -> Report:
    """Tell the day as `git log` does (b0): every commit in its order, each with its own title, none left out."""
    rows = report.ledger
    ledger = tuple(_item(row, len(rows) - place) for place, row in enumerate(rows))
    return report.model_copy(update={"ledger": ledger, "claims": tuple(_claim(row, row.title) for row in rows)})


async def one_prompt(report: Report, paths: dict[str, Path], model: Model) -> tuple[Report, int]:
    """Tell the day as one prompt with cut diffs gives it (b2), and say how long the prompt was."""
    prompt, shown = "", list[LedgerRow]()
    for row in report.ledger:
        text = (await ask_git(paths[row.repo], "show", "--format=%B", "-p", row.sha)).decode("utf-8", "replace")
        piece = f"[c{len(shown) + 1}] {text[:_DIFF]}\n"
        if len(prompt) + len(piece) > _PROMPT:
            break
        prompt += piece
        shown.append(row)
    answer = await model.fill([Message("user", prompt)], Retold) if shown else Retold()
    handles = {f"c{place}": row for place, row in enumerate(shown, start=1)}
    told = [(handles[one.handle], one) for one in answer.items if one.handle in handles]
    claims = tuple(_claim(row, one.text) for row, one in told)
    places = {row.sha: place for place, (row, _) in enumerate(told)}
    ledger = tuple(
        _item(row, _ITEMS - places[row.sha]) if row.sha in places else row.model_copy(update=_UNREAD)
        for row in report.ledger
    )
    return report.model_copy(update={"ledger": ledger, "claims": claims}), len(prompt)


class ScriptedModel:
    """Answers without thinking: the first commits of the prompt, each by its first line and the first line it adds."""

    name = "scripted"

    async def call_tools(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Sequence[ToolRequest]:
        """Call nothing."""
        del messages, tools
        return ()

    async def fill(self, messages: Sequence[Message], shape: type[M]) -> M:
        """Retell the beginning of the prompt."""
        pieces = messages[-1].text.split("\n[c")[:_ITEMS]
        return shape.model_validate({"items": [_retold(piece.removeprefix("[c")) for piece in pieces]})


def _retold(piece: str) -> dict[str, str]:
    handle, _, text = piece.partition("] ")
    added = [line[1:].strip() for line in text.splitlines() if line.startswith("+") and line[1:2] not in ("+", "")]
    change = f": `{added[0]}`" if added else ""
    return {"handle": f"c{handle}", "text": f"{text.partition(chr(10))[0].strip()}{change}"}


def _item(row: LedgerRow, weight: float) -> LedgerRow:
    return row.model_copy(update={"tier": Tier.MID, "depth": Depth.SKIM, "weight": float(weight)})


def _claim(row: LedgerRow, text: str) -> Claim:
    name = commit_id(row.repo, row.sha)
    said = f"{text} [@1]"
    return Claim(
        id=f"{name}.1", repo=row.repo, role=Role.CHANGE, about=(name,), cites=(name,), text={"en": said, "zh": said}
    )
