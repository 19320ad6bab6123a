"""The sums of an audit: verdicts by kind, and what the report's days hold that it does not name."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from agent.audit.library import Library
from agent.audit.page import Page
from agent.audit.statement import NOT_CHECKED, RIGHT, UNVERIFIABLE, Finding
from agent.evidence import CommitEvidence
from agent.ids import RepoId

_NAMED_AT_MOST = 20


def summary(page: Page, findings: Sequence[Finding], library: Library) -> dict[str, Any]:
    """Count everything once."""
    wrong = [finding for finding in findings if finding.wrong]
    kinds = sorted({finding.kind for finding in findings})
    window = library.window
    return {
        "findings": len(findings),
        "right": sum(finding.verdict == RIGHT for finding in findings),
        "wrong": len(wrong),
        "unverifiable": sum(finding.verdict == UNVERIFIABLE for finding in findings),
        "not_checked": sum(finding.verdict == NOT_CHECKED for finding in findings),
        "by_kind": {kind: _counts([one for one in findings if one.kind == kind]) for kind in kinds},
        "by_reason": dict(Counter(finding.verdict for finding in wrong).most_common()),
        "language": page.lang,
        "window": None if window is None else {"label": window.label, "tz": window.tz, "from": library.days.guessed},
        "commits": _commits(page, library),
        "repositories": {repo: _repository(repo, library) for repo in page.spoken_of},
    }


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    return {
        "right": sum(finding.verdict == RIGHT for finding in findings),
        "wrong": sum(finding.wrong for finding in findings),
        "unverifiable": sum(finding.verdict == UNVERIFIABLE for finding in findings),
        "not_checked": sum(finding.verdict == NOT_CHECKED for finding in findings),
    }


def _commits(page: Page, library: Library) -> dict[str, int]:
    """Count the cited commits, whichever way they are named, and those outside of the labelled days."""
    cited: set[str] = set()
    for place, mentions in enumerate(page.mentions):
        for mention in mentions:
            answer = library.change_of(mention, page.repo_of(mention, place), page.names.all)
            if answer.found and isinstance(library.found[answer.id], CommitEvidence):
                cited.add(answer.id)
    window = library.window
    outside = [name for name in cited if window is not None and library.found[name].at not in window]
    return {"cited": len(cited), "outside_window": len(outside)}


def _repository(repo: RepoId, library: Library) -> dict[str, Any]:
    if repo not in library.readable:
        return {"read": False, "why": library.unread(repo)}
    rows = library.landed.get(repo)
    cited = {name for (where, _), name in library.commits.items() if where == repo}
    cited |= {name for (where, _), name in library.pulls.items() if where == repo}
    found: dict[str, Any] = {"read": True, "cited": len(cited)}
    if rows is not None:
        left_out = [row for row in rows if row.id not in cited]
        found |= {
            "landed": len(rows),
            "named": len(rows) - len(left_out),
            "left_out": [{"sha": row.sha, "title": row.title} for row in left_out[:_NAMED_AT_MOST]],
        }
    return found
