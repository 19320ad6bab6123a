"""Statements of a report about a change that code can decide: touched paths, names, fixes."""

import re
from collections.abc import Callable

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ThreadEvidence
from agent.ids import RepoId, ThreadId, parse_reference, thread_id
from agent.links import Grade, Link, Relation


def statements(claim: Claim, dossier: Dossier) -> Judgement | None:
    """Say what is wrong with a statement of one of these kinds; nothing for any other."""
    check = _KINDS.get(claim.predicate)
    if check is None:
        return None
    if claim.predicate not in _SINGLE:
        return check(claim, dossier)
    # Each commit that is cited must show it: one too many proves nothing.
    commits = [cite for cite in claim.sources if isinstance(dossier.found[cite], CommitEvidence)]
    alone = (claim.model_copy(update={"cites": (cite,), "background": ()}) for cite in commits)
    failures = (check(one, dossier) for one in alone)
    return next((one for one in failures if one), None) if commits else check(claim, dossier)


_SINGLE = ("touches", "names")
"""Statements that are shown by one commit alone."""


def _unsupported(claim: Claim, reason: str, about: EvidenceId | None = None) -> Judgement:
    return Judgement(verdict=Verdict.UNSUPPORTED, reason=reason, check=claim.predicate, about=about)


def _cited(claim: Claim, dossier: Dossier) -> list[Evidence]:
    return [dossier.found[cite] for cite in claim.sources]


# ---------------------------------------------------------------- paths and names


def _touches(claim: Claim, dossier: Dossier) -> Judgement | None:
    wanted = claim.params["path"].strip().strip("`").removeprefix("./").strip("/")
    paths = sorted({path for one in _cited(claim, dossier) if isinstance(one, CommitEvidence) for path in one.paths})
    if wanted in paths or any(path.startswith(f"{wanted}/") for path in paths):
        return None
    fitting = [path for path in paths if path.endswith(f"/{wanted}")]
    folders = {path[: path.index(f"/{wanted}/")] for path in paths if f"/{wanted}/" in path}
    if len(fitting) + len(folders) == 1:
        return None
    if fitting or folders:
        several = ", ".join([*fitting, *(f"{folder}/{wanted}" for folder in sorted(folders))][:4])
        return _unsupported(claim, f"{wanted} fits several paths: {several}")
    listed = ", ".join(paths[:4]) + (f" and {len(paths) - 4} more" if len(paths) > 4 else "")
    return _unsupported(claim, f"{wanted} is not touched; touched is {listed or 'nothing'}")


def _names(claim: Claim, dossier: Dossier) -> Judgement | None:
    identifier = claim.params["identifier"].strip().strip("`")
    token = whole(identifier)
    if any(token.search(text) for one in _cited(claim, dossier) for text in one.texts):
        return None
    return _unsupported(claim, f"{identifier} is nowhere in the cited evidence")


def whole(identifier: str) -> re.Pattern[str]:
    """Find an identifier as a whole: neither inside a longer name nor, with dashes, inside a longer flag."""
    sign = r"[\w-]" if "-" in identifier else r"\w"
    before = rf"(?<!{sign})" if re.match(r"[\w-]", identifier, re.ASCII) else ""
    after = rf"(?!{sign})" if re.search(r"\w$", identifier, re.ASCII) else ""
    return re.compile(before + re.escape(identifier) + after, re.ASCII)


# ---------------------------------------------------------------- fixes


def _fixes(claim: Claim, dossier: Dossier) -> Judgement | None:
    issue = _issue(claim)
    if issue is None:
        return Judgement(verdict=Verdict.MALFORMED, reason=f"{claim.params['issue']!r} names no issue", check="form")
    if unresolved := dossier.unresolved.get(issue):
        verdict = Verdict.UNDECIDED if unresolved.kind == "unread" else Verdict.NONEXISTENT
        return Judgement(verdict=verdict, reason=unresolved.reason, check=unresolved.kind, about=issue)
    if reason := _not_fixed(issue, _changes(claim, dossier, issue), dossier):
        return _unsupported(claim, reason, issue)
    return None


def _issue(claim: Claim) -> ThreadId | None:
    given = claim.params["issue"].strip()
    found = parse_reference(f"#{given}" if given.isdecimal() else given, claim.repo or _repo_of(claim))
    return thread_id(found.repo, found.number) if found and found.kind == "thread" and found.repo else None


def _repo_of(claim: Claim) -> RepoId | None:
    repos = {re.split("[@#]", cite)[0] for cite in claim.sources}
    return RepoId(repos.pop()) if len(repos) == 1 else None


def _changes(claim: Claim, dossier: Dossier, issue: ThreadId) -> frozenset[str]:
    """Name what is said to fix the issue: the cited commits and pull requests, each under both of its names."""
    changes: set[str] = set()
    for one in _cited(claim, dossier):
        if one.id == issue:
            continue
        changes.add(one.id)
        if isinstance(one, CommitEvidence) and one.pull:
            changes.add(thread_id(one.repo, one.pull))
        if isinstance(one, ThreadEvidence) and (commit := getattr(one.thread, "merge_commit", None)):
            changes.add(f"{one.repo}@{commit}")
    return frozenset(changes)


def _not_fixed(issue: ThreadId, changes: frozenset[str], dossier: Dossier) -> str:
    """Say why an issue may not be told as fixed by these changes."""
    thread = dossier.found.get(issue)
    if isinstance(thread, ThreadEvidence) and thread.thread.state == "open":
        return f"{issue} is not fixed: it is still open"
    links = dossier.links_of(issue)
    # Nothing else is cited where a report only says that the issue was fixed.
    own = [link for link in links if link.change in changes] if changes else list(links)
    fixing = [link for link in own if link.may_read_fixed]
    for link in fixing:
        if undone := dossier.reverted.get(link.change):
            return f"{issue} is not fixed: {link.change} was undone by {undone}"
    return "" if fixing else _instead(issue, own, links)


def _instead(issue: ThreadId, own: list[Link], links: tuple[Link, ...]) -> str:
    if any(link.relation is Relation.FIXES and link.grade is Grade.C for link in own):
        return f"{issue} is only likely fixed: nothing says that this change addresses it"
    if any(link.relation is Relation.PARTLY for link in own):
        return f"{issue} is only partly fixed by it"
    others = [link.change for link in links if link.may_read_fixed]
    if others:
        return f"{issue} is not fixed by it but by {', '.join(others[:2])}"
    return f"{issue} is not fixed by it, as far as its records and the words of the change say"


_KINDS: dict[str, Callable[[Claim, Dossier], Judgement | None]] = {
    "touches": _touches,
    "names": _names,
    "fixes": _fixes,
}
