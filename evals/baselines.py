"""What others would make of the same day: a dump of `git log`, and one prompt with cut diffs, both without a gate."""

from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, Field

from agent.domain.base import commit_id
from agent.domain.claims import Claim, Role
from agent.domain.report import Depth, LedgerRow, Report
from agent.triage.score import Tier
from evals.sets.oracle import ask_git

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


def first_lines(prompt: str) -> Retold:
    """Answer without thinking: the first commits of the prompt, each by its first line and the first line it adds."""
    return Retold(items=[_retold(piece.removeprefix("[c")) for piece in prompt.split("\n[c")[:_ITEMS]])


def _retold(piece: str) -> Item:
    handle, _, text = piece.partition("] ")
    added = [line[1:].strip() for line in text.splitlines() if line.startswith("+") and line[1:2] not in ("+", "")]
    change = f": `{added[0]}`" if added else ""
    return Item(handle=f"c{handle}", text=f"{text.partition(chr(10))[0].strip()}{change}")


async def one_prompt(
    report: Report, paths: dict[str, Path], model: Callable[[str], Retold] = first_lines
) -> tuple[Report, int]:
    """Tell the day as one prompt with cut diffs gives it (b2), and say how long the prompt was."""
    prompt, shown = "", list[LedgerRow]()
    for row in report.ledger:
        text = (await ask_git(paths[row.repo], "show", "--format=%B", "-p", row.sha)).decode("utf-8", "replace")
        piece = f"[c{len(shown) + 1}] {text[:_DIFF]}\n"
        if len(prompt) + len(piece) > _PROMPT:
            break
        prompt += piece
        shown.append(row)
    answer = model(prompt) if shown else Retold()
    handles = {f"c{place}": row for place, row in enumerate(shown, start=1)}
    told = [(handles[one.handle], one) for one in answer.items if one.handle in handles]
    claims = tuple(_claim(row, one.text) for row, one in told)
    places = {row.sha: place for place, (row, _) in enumerate(told)}
    ledger = tuple(
        _item(row, _ITEMS - places[row.sha]) if row.sha in places else row.model_copy(update=_UNREAD)
        for row in report.ledger
    )
    return report.model_copy(update={"ledger": ledger, "claims": claims}), len(prompt)


def _item(row: LedgerRow, weight: float) -> LedgerRow:
    return row.model_copy(update={"tier": Tier.MID, "depth": Depth.SKIM, "weight": float(weight)})


def _claim(row: LedgerRow, text: str) -> Claim:
    name = commit_id(row.repo, row.sha)
    said = f"{text} [@1]"
    return Claim(
        id=f"{name}.1", repo=row.repo, role=Role.CHANGE, about=(name,), cites=(name,), text={"en": said, "zh": said}
    )
