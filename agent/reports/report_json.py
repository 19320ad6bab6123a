"""A report as data: the JSON contract that machines read, and the way back."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from agent.domain.claims import Claim
from agent.domain.errors import StorageError
from agent.domain.ledger import LedgerRow
from agent.domain.report import Report, checked_counts, footer_counts, model_counts
from agent.reports.page_model import brief_length

FORMAT = 3
_DECIDED_BY_RULES = "rules"


def to_json(report: Report) -> dict[str, Any]:
    """Return the report as plain data; the fields named in the documentation are a contract."""
    data: dict[str, Any] = {}
    for key, value in _parts(report):
        data[key] = list(value) if isinstance(value, Iterator) else value
    return data


def _parts(report: Report) -> Iterator[tuple[str, Any]]:
    """Yield the report's data part by part; lists that may be long are iterators."""
    yield "format", FORMAT
    yield "date", report.window.label
    for name in Report.model_fields:
        value = getattr(report, name)
        if isinstance(value, BaseModel):
            yield name, value.model_dump(mode="json")
        elif name == "claims":
            yield name, map(claim_json, value)
        elif name == "ledger":
            yield name, map(ledger_json, value)
        elif isinstance(value, tuple):
            yield name, map(_plain, value)
        else:
            yield name, value
    yield "footer", _footer(report)


def _plain(part: BaseModel | str) -> Any:
    return part.model_dump(mode="json") if isinstance(part, BaseModel) else part


def _footer(report: Report) -> dict[str, Any]:
    threads = {section.repo: section.coverage for section in report.sections}
    footer: dict[str, Any] = {**footer_counts(report), **checked_counts(report), "threads": threads}
    if report.analyst.startswith("model"):
        footer["model"] = model_counts(report)
        footer["brief"] = brief_length(report)._asdict()
    return footer


def claim_json(claim: Claim) -> dict[str, Any]:
    """Return a claim with its verdict in one word beside the whole judgement."""
    data = claim.model_dump(mode="json")
    data["verdict"] = claim.judgement.verdict if claim.judgement else None
    return data


def ledger_json(row: LedgerRow) -> dict[str, Any]:
    """Return a row of the ledger with its place: the tier from 3 to 0, the order, and who decided.

    What the rules alone would say is `rules_tier`; it may contradict an editor's tier.
    """
    data = row.model_dump(mode="json")
    placement = row.placement
    data["rules_tier"] = data["tier"]
    data["tier"] = int(row.importance)
    data["order"] = None if placement is None else placement.order
    data["edited_by"] = _DECIDED_BY_RULES if placement is None else placement.decided_by
    return data


def _with_rules_tier(row: Any) -> Any:
    """Return a stored row as the model of a row reads it; older reports call the rules' word `tier`."""
    if not isinstance(row, dict) or "rules_tier" not in row:
        return row
    return {**row, "tier": row["rules_tier"]}


def dump(report: Report) -> str:
    """Return the report's JSON, the same bytes for the same report."""
    return "".join(dumped(report))


def dumped(report: Report) -> Iterator[str]:
    """Yield the same piece by piece: the whole of a long window takes much memory."""
    separator = "{"
    for key, value in _parts(report):
        yield f"{separator}\n {json.dumps(key)}: "
        separator = ","
        if isinstance(value, Iterator):
            yield from _dumped_list(value)
        else:
            yield _indented(value, "\n ")
    yield "\n}\n"


def _dumped_list(entries: Iterator[object]) -> Iterator[str]:
    separator = "["
    for entry in entries:
        yield separator + "\n  " + _indented(entry, "\n  ")
        separator = ","
    yield "[]" if separator == "[" else "\n ]"


def _indented(value: object, newline: str) -> str:
    # JSON escapes line ends within texts, so each one here is between two values.
    return json.dumps(value, ensure_ascii=False, indent=1).replace("\n", newline)


def load(text: str | bytes, name: str) -> Report:
    """Read a report back; `name` is what an error calls it."""
    try:
        data = json.loads(text)
        if data["format"] > FORMAT:
            raise StorageError(
                f"{name} was written by a newer Gitzette; update Gitzette to change it"
            )
        data["ledger"] = [_with_rules_tier(row) for row in data["ledger"]]
        return Report.model_validate(data, extra="ignore")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StorageError(
            f"{name} is not a report of ours; move it away to write this one"
        ) from error
