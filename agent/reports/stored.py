"""A report as data: the JSON contract that machines read, and the way back."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from agent.domain.base import RepoId, StorageError
from agent.domain.claims import Claim
from agent.domain.links import Link
from agent.domain.report import Report, checked_counts, footer_counts, model_counts

FORMAT = 2


def to_json(report: Report) -> dict[str, Any]:
    """Give the report as plain data; the fields named in the documentation are a contract."""
    return {
        key: list(value) if isinstance(value, Iterator) else value for key, value in _parts(report)
    }


def _parts(report: Report) -> Iterator[tuple[str, Any]]:
    """Give the report's data part by part; lists that may be long are given entry by entry."""
    yield "format", FORMAT
    yield "date", report.window.label
    for name in Report.model_fields:
        value = getattr(report, name)
        if isinstance(value, BaseModel):
            yield name, value.model_dump(mode="json")
        elif name == "claims":
            yield name, map(claim_json, value)
        elif isinstance(value, tuple):
            yield (
                name,
                (
                    one.model_dump(mode="json") if isinstance(one, BaseModel) else one
                    for one in value
                ),
            )
        else:
            yield name, value
    threads = {section.repo: section.coverage for section in report.sections}
    counts = footer_counts(report) | checked_counts(report) | {"threads": threads}
    yield (
        "footer",
        counts | ({"model": model_counts(report)} if report.analyst.startswith("model") else {}),
    )


def claim_json(claim: Claim) -> dict[str, Any]:
    """Give a claim with its verdict in one word; what the gate said in full stands beside it."""
    data = claim.model_dump(mode="json")
    return data | {"verdict": claim.judgement.verdict if claim.judgement else None}


def dump(report: Report) -> str:
    """Write the report's JSON, the same bytes for the same report."""
    return "".join(dumped(report))


def dumped(report: Report) -> Iterator[str]:
    """Write the same piece by piece: the whole of a long window takes much room in memory."""
    before = "{"
    for key, value in _parts(report):
        yield f"{before}\n {json.dumps(key)}: "
        before = ","
        if not isinstance(value, Iterator):
            yield _indented(value, "\n ")
            continue
        first = "["
        for entry in value:
            yield first + "\n  " + _indented(entry, "\n  ")
            first = ","
        yield "[]" if first == "[" else "\n ]"
    yield "\n}\n"


def _indented(value: object, newline: str) -> str:
    # No line of JSON ends within a text.
    return json.dumps(value, ensure_ascii=False, indent=1).replace("\n", newline)


def load(text: str | bytes, name: str) -> Report:
    """Read a report back; `name` is what an error calls it."""
    try:
        data = json.loads(text)
        if data["format"] > FORMAT:
            raise StorageError(
                f"{name} was written by a newer Gitzette; update Gitzette to change it"
            )
        return Report.model_validate(data, extra="ignore")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StorageError(
            f"{name} is not a report of ours; move it away to write this one"
        ) from error


def merge(earlier: Report, new: Report) -> Report:
    """Put a new run of the same window over the earlier one, repository by repository.

    A repository that the new run did not cover, or failed to read, keeps what the earlier report said of it, also that
    it was read before the window was over. One of an unknown name leaves no trace.
    """
    covered, before = ({section.repo for section in report.sections} for report in (new, earlier))
    known = {*before, *new.repos, *(f.repo for f in earlier.failures if not f.unknown)}
    repos = tuple(repo for repo in dict.fromkeys((*earlier.repos, *new.repos)) if repo in known)
    first = {
        section.repo: section.first_tip
        for section in earlier.sections
        if section.first_tip is not None
    }
    renewed = [
        one.model_copy(update={"first_tip": first.get(one.repo, one.first_tip)})
        for one in new.sections
    ]
    told_anew = {(failure.repo, failure.stage) for failure in new.failures}
    still_failed = [
        f
        for f in earlier.failures
        if f.repo in known - covered and (f.repo, f.stage) not in told_anew
    ]
    order = {repo: place for place, repo in enumerate(repos)}
    new, parts = new.model_copy(update={"sections": renewed}), dict[str, Any]()
    for name in ("sections", "ledger", "claims", "links", "stories", "drops", "uses"):
        old, fresh = getattr(earlier, name), getattr(new, name)
        chosen = [part for part in old if _repo_of(part) in order.keys() - covered]
        chosen += [part for part in fresh if _repo_of(part) in covered]
        # What speaks of several repositories comes last, and belongs to the newer run that could read any of them.
        chosen += [part for part in (fresh if covered else old) if not _repo_of(part)]
        parts[name] = tuple(sorted(chosen, key=lambda part: order.get(_repo_of(part), len(order))))
    # The window that was read at the earlier moment; one that was over comes last.
    windows = (earlier.window, new.window) if before - covered else (new.window,)
    return Report(
        window=min(windows, key=lambda one: one.cutoff or one.end),
        repos=repos,
        failures=(*still_failed, *new.failures),
        analyst=new.analyst,
        account=new.account,
        **parts,
    )


def _repo_of(part: Any) -> RepoId:
    name = re.split("[@#]", part.change)[0] if isinstance(part, Link) else part.repo
    return RepoId(name or "")
