"""A report as data: the JSON contract that machines read, and the way back."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from agent.domain.base import RepoId, StorageError
from agent.domain.claims import Claim, Kind
from agent.domain.ledger import Tier
from agent.domain.links import Act, Link, Story, StoryKind
from agent.domain.report import Drop, Report, checked_counts, footer_counts, model_counts
from agent.domain.window import Window

FORMAT = 2
_LATER = (
    "uses",
    "account",
)
"""What reports of earlier versions do not have."""
_TIERS = {"high": Tier.HIGH, "mid": Tier.MID, "low": Tier.LOW, "noise": Tier.LOW}
"""What the first format called them."""
Part = TypeVar("Part", Claim, Link, Story, Drop)


def to_json(report: Report) -> dict[str, Any]:
    """Give the report as plain data; the fields named in the documentation are a contract."""
    return {key: list(value) if isinstance(value, Iterator) else value for key, value in _parts(report)}


def _parts(report: Report) -> Iterator[tuple[str, Any]]:
    """Give the report's data part by part; lists that may be long are given entry by entry."""
    yield "format", FORMAT
    yield "date", report.window.label
    yield "window", report.window.model_dump(mode="json")
    yield "repos", list(report.repos)
    yield "ledger", _plain(report.ledger)
    yield "claims", map(claim_json, report.claims)
    yield "links", _plain(report.links)
    yield "stories", _plain(report.stories)
    yield "uses", _plain(report.uses)
    yield "failures", _plain(report.failures)
    yield "drops", _plain(report.drops)
    yield "analyst", report.analyst
    yield "account", report.account.model_dump(mode="json")
    yield "sections", _plain(report.sections)
    yield (
        "footer",
        footer_counts(report)
        | checked_counts(report)
        | {"threads": {section.repo: section.coverage.value for section in report.sections}}
        | ({"model": model_counts(report)} if report.analyst.startswith("model") else {}),
    )


def _plain(values: Iterable[BaseModel]) -> Iterator[dict[str, Any]]:
    return (value.model_dump(mode="json") for value in values)


def claim_json(claim: Claim) -> dict[str, Any]:
    """Give a claim with its verdict in one word; what the gate said in full stands beside it."""
    data = claim.model_dump(mode="json")
    return data | {"verdict": claim.judgement.verdict.value if claim.judgement else None}


def _claim_back(data: dict[str, Any]) -> dict[str, Any]:
    """Read a claim back; of an older report its form tells which kind of text it is."""
    known = {key: value for key, value in data.items() if key != "verdict"}
    if "kind" in known:
        return known
    words = Kind.STATED if known.get("predicate") == "says" else Kind.FACT
    return known | {"kind": Kind.QUOTATION if known.get("speech") else words}


def dump(report: Report) -> str:
    """Write the report's JSON, the same bytes for the same report."""
    return "".join(dumped(report))


def dumped(report: Report) -> Iterator[str]:
    """Write the same piece by piece: the whole of a long window takes much room in memory."""
    before = "{"
    for key, value in _parts(report):
        yield f"{before}\n {json.dumps(key)}: "
        if isinstance(value, Iterator):
            yield from _listed(value)
        else:
            yield _indented(value, "\n ")
        before = ","
    yield "\n}\n"


def _listed(entries: Iterator[Any]) -> Iterator[str]:
    before = "["
    for entry in entries:
        yield before + "\n  " + _indented(entry, "\n  ")
        before = ","
    yield "[]" if before == "[" else "\n ]"


def _indented(value: object, newline: str) -> str:
    """Write one part as it stands in the whole; no line of JSON ends within a text."""
    return json.dumps(value, ensure_ascii=False, indent=1).replace("\n", newline)


def load(text: str | bytes, name: str) -> Report:
    """Read a report back; `name` is what an error calls it."""
    try:
        data = json.loads(text)
        if data["format"] > FORMAT:
            raise StorageError(f"{name} was written by a newer Gitzette; update Gitzette to change it")
        if data["format"] < FORMAT:
            data |= _brought_forward(data)
        claims = [_claim_back(claim) for claim in data["claims"]]
        known = {key: data[key] for key in Report.model_fields if key in data or key not in _LATER}
        return Report.model_validate(known | {"claims": claims})
    except (ValueError, KeyError, TypeError, RecursionError, ValidationError) as error:
        raise StorageError(f"{name} is not a report of ours; move it away to write this one") from error


def _brought_forward(data: Mapping[str, Any]) -> dict[str, Any]:
    """Write parts of a report of the first format as the present one does; mentions were never printed.

    Kinds of stories that are no more are left out.
    """
    stories = [one for one in data["stories"] if one["kind"] in {*StoryKind}]
    kept = [one for one in stories if all(step["act"] in {*Act} for step in one["timeline"])]
    return {
        "ledger": [row | {"tier": _TIERS.get(row["tier"])} for row in data["ledger"]],
        "links": [link for link in data["links"] if link["relation"] != "mentions"],
        "stories": [{key: value for key, value in one.items() if key in Story.model_fields} for one in kept],
    }


def merge(earlier: Report, new: Report) -> Report:
    """Put a new run of the same window over the earlier one, repository by repository.

    A repository that the new run did not cover, or failed to read, keeps what the earlier report said of it, also that
    it was read before the window was over. One of an unknown name leaves no trace.
    """
    covered = {section.repo for section in new.sections}
    kept = [section for section in earlier.sections if section.repo not in covered]
    known = {section.repo for section in earlier.sections} | {f.repo for f in earlier.failures if not f.unknown}
    known |= set(new.repos)
    repos = tuple(repo for repo in dict.fromkeys((*earlier.repos, *new.repos)) if repo in known)
    first = {section.repo: section.first_tip for section in earlier.sections if section.first_tip is not None}
    renewed = [s.model_copy(update={"first_tip": first.get(s.repo, s.first_tip)}) for s in new.sections]
    sections = {section.repo: section for section in (*kept, *renewed)}
    told_anew = {(failure.repo, failure.stage) for failure in new.failures}
    still_failed = [f for f in earlier.failures if f.repo in known - covered and (f.repo, f.stage) not in told_anew]
    return Report(
        window=_earliest_cut(earlier.window, new.window) if kept else new.window,
        repos=repos,
        sections=tuple(sections[repo] for repo in repos if repo in sections),
        ledger=tuple(row for repo in repos for row in (new.rows(repo) if repo in covered else earlier.rows(repo))),
        failures=(*still_failed, *new.failures),
        claims=_by_repo(repos, covered, earlier.claims, new.claims),
        links=_by_repo(repos, covered, earlier.links, new.links),
        stories=_by_repo(repos, covered, earlier.stories, new.stories),
        drops=_by_repo(repos, covered, earlier.drops, new.drops),
        uses=tuple(one for one in (*earlier.uses, *new.uses) if (one in new.uses) is (one.repo in covered)),
        analyst=new.analyst,
        account=new.account,
    )


def _by_repo(
    repos: tuple[RepoId, ...], covered: set[RepoId], earlier: tuple[Part, ...], new: tuple[Part, ...]
) -> tuple[Part, ...]:
    """Take each repository's parts from the run that covered it last, in the order of the repositories."""
    chosen = [part for part in earlier if _repo_of(part) in set(repos) - covered]
    chosen += [part for part in new if _repo_of(part) in covered]
    # What speaks of several repositories comes last, and belongs to the newer run that could read any of them.
    chosen += [part for part in (new if covered else earlier) if not _repo_of(part)]
    order = {repo: place for place, repo in enumerate(repos)}
    return tuple(sorted(chosen, key=lambda part: order.get(_repo_of(part), len(order))))


def _repo_of(part: Part) -> RepoId:
    name = re.split("[@#]", part.change)[0] if isinstance(part, Link) else part.repo
    return RepoId(name or "")


def _earliest_cut(one: Window, other: Window) -> Window:
    """Choose the window that was read at the earlier moment; one that was over comes last."""
    return min(one, other, key=lambda window: window.cutoff or window.end)
