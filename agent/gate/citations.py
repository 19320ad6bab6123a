"""Check that everything a claim cites is well named, exists, is in scope, and was read."""

import re
from collections.abc import Iterator

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ThreadEvidence

_REPO = r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}"
_COMMIT = re.compile(rf"{_REPO}@[0-9a-f]{{40}}", re.ASCII)
_THREAD = re.compile(rf"{_REPO}#[1-9][0-9]{{0,9}}", re.ASCII)
_RELEASE = re.compile(rf"{_REPO}@(?![0-9a-f]{{7,}}$)[^\s@]{{1,200}}", re.ASCII)
_Scope = tuple[str, str] | None


def check_citations(claim: Claim, dossier: Dossier) -> Iterator[Judgement]:
    """Say everything that is wrong with what a claim cites, the worst first."""
    for reason in _malformed(claim, dossier):
        yield Judgement(verdict=Verdict.MALFORMED, reason=reason, check="form")
    failed: set[EvidenceId] = set()
    for check in (_nonexistent, _unread, _out_of_scope, _unseen):
        for cite in dict.fromkeys(claim.sources):
            if cite not in failed and (failure := check(claim, dossier, cite)):
                failed.add(cite)
                yield failure


def _malformed(claim: Claim, dossier: Dossier) -> Iterator[str]:
    # A figure of the whole window rests on all of it.
    if not claim.sources and claim.predicate != "counts":
        yield "nothing is cited; name the evidence that shows it"
    for cite in claim.sources:
        if cite not in dossier.unresolved and not _well_formed(cite):
            yield f"{cite!r} is not the name of a commit, an issue, a pull request or a release that was shown"
    if len(set(claim.sources)) < len(claim.sources):
        yield "the same evidence is cited twice"
    spoken_of = (*claim.about, *(one.cite for one in claim.quotes), *(one.cite for one in claim.anchors))
    for cite in dict.fromkeys(spoken_of):
        if cite not in claim.sources:
            yield f"{cite} is spoken of and not cited"
    if not claim.quotes and (claim.predicate == "shows" or claim.speech):
        yield "a verbatim quotation is needed, and there is none"


def _well_formed(cite: EvidenceId) -> bool:
    return any(form.fullmatch(cite) for form in (_COMMIT, _THREAD, _RELEASE))


# ---------------------------------------------------------------- existence


def _nonexistent(_: Claim, dossier: Dossier, cite: EvidenceId) -> Judgement | None:
    unresolved = dossier.unresolved.get(cite)
    if cite in dossier.found or (unresolved and unresolved.kind == "unread"):
        return None
    reason = unresolved.reason if unresolved else f"there is no {cite}"
    check = unresolved.kind if unresolved else "missing"
    return Judgement(verdict=Verdict.NONEXISTENT, reason=reason, check=check, about=cite)


def _unread(_: Claim, dossier: Dossier, cite: EvidenceId) -> Judgement | None:
    """Refuse to decide what no source could tell; neither words nor quotes can rest on it."""
    if cite in dossier.found:
        return None
    reason = dossier.unresolved[cite].reason
    return Judgement(verdict=Verdict.UNDECIDED, reason=reason, check="unread", about=cite)


# ---------------------------------------------------------------- scope


def _out_of_scope(claim: Claim, dossier: Dossier, cite: EvidenceId) -> Judgement | None:
    evidence = dossier.found[cite]
    reason = (
        _elsewhere(claim, dossier, evidence)
        or _not_landed(evidence)
        or _too_late(dossier, evidence)
        or _at_another_time(claim, dossier, evidence)
    )
    return Judgement(verdict=Verdict.OUT_OF_SCOPE, reason=reason[1], check=reason[0], about=cite) if reason else None


def _elsewhere(claim: Claim, dossier: Dossier, evidence: Evidence) -> _Scope:
    own = evidence.repo.lower()
    if claim.repo is not None and own != claim.repo.lower():
        return "repository", f"{evidence.id} belongs to {evidence.repo}, not to {claim.repo}"
    if dossier.repos and own not in {repo.lower() for repo in dossier.repos}:
        return "repository", f"{evidence.id} belongs to {evidence.repo}, of which the report does not speak"
    return None


def _not_landed(evidence: Evidence) -> _Scope:
    if isinstance(evidence, CommitEvidence) and evidence.landed is False:
        return "branch", f"{evidence.id} is not on the default branch"
    return None


def _too_late(dossier: Dossier, evidence: Evidence) -> _Scope:
    began = evidence.thread.created_at if isinstance(evidence, ThreadEvidence) else evidence.at
    if dossier.as_of is not None and began > dossier.as_of:
        return "future", f"{evidence.id} is of {began:%Y-%m-%d %H:%M} UTC, after the sources were read"
    return None


def _at_another_time(claim: Claim, dossier: Dossier, evidence: Evidence) -> _Scope:
    window = dossier.window
    if window is None or evidence.id in dossier.late:
        return None
    if isinstance(evidence, ThreadEvidence):
        began = evidence.thread.created_at
        # An issue may be older than the change that closes it: then the change is the news.
        early = evidence.at < window.start and not _another_is_new(claim, dossier, evidence)
    else:
        began, early = evidence.at, evidence.at < window.start
    told = f"{evidence.id} is of {evidence.at:%Y-%m-%d %H:%M} UTC"
    if began >= (window.cutoff or window.end):
        return "window", f"{told}, after the window {window.label} ({window.tz})"
    if early and evidence.id not in claim.background:
        return "window", f"{told}, before the window {window.label} ({window.tz}), and is told as new"
    return None


def _another_is_new(claim: Claim, dossier: Dossier, evidence: Evidence) -> bool:
    others = (dossier.found[cite] for cite in claim.cites if cite != evidence.id and cite in dossier.found)
    window = dossier.window
    return any(other.id in dossier.late or (window is not None and other.at in window) for other in others)


def _unseen(_: Claim, dossier: Dossier, cite: EvidenceId) -> Judgement | None:
    if dossier.seen is None or cite in dossier.seen:
        return None
    return Judgement(verdict=Verdict.UNSEEN, reason=f"{cite} was never read in this run", check="seen", about=cite)
