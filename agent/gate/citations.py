"""Check that everything a claim cites is well named, exists, is in scope, and was read."""

import re
from collections.abc import Iterator

from agent.domain.claims import Claim, Judgement, Verdict
from agent.domain.evidence import Dossier, Evidence, ThreadEvidence

_REPO = r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}"
_FORM = re.compile(
    # A commit, a thread, or a release, whose tag is no hash.
    rf"{_REPO}(?:@[0-9a-f]{{40}}|#[1-9][0-9]{{0,9}}|@(?![0-9a-f]{{7,}}$)[^\s@]{{1,200}})",
    re.ASCII,
)


def check_citations(claim: Claim, dossier: Dossier) -> Iterator[Judgement]:
    """Say everything that is wrong with what a claim cites, the worst first."""
    for reason in _malformed(claim):
        yield Judgement(verdict=Verdict.MALFORMED, reason=reason, check="form")
    cites = dict.fromkeys(claim.sources)
    known = {cite: dossier.found[cite] for cite in cites if cite in dossier.found}
    outside = {
        cite: wrong
        for cite, one in known.items()
        if (wrong := _elsewhere(claim, dossier, one) or _at_another_time(claim, dossier, one))
    }
    unseen = known.keys() - outside.keys() - (known.keys() if dossier.seen is None else dossier.seen)
    for cite in (cite for cite in cites if cite not in known):
        yield Judgement(verdict=Verdict.NONEXISTENT, reason=f"there is no {cite}", check="missing", about=cite)
    for cite, (check, reason) in outside.items():
        yield Judgement(verdict=Verdict.OUT_OF_SCOPE, reason=reason, check=check, about=cite)
    for cite in (cite for cite in cites if cite in unseen):
        reason = f"{cite} was never read in this run"
        yield Judgement(verdict=Verdict.UNSEEN, reason=reason, check="seen", about=cite)


def _malformed(claim: Claim) -> Iterator[str]:
    if not claim.sources:
        yield "nothing is cited; name the evidence that shows it"
    for cite in claim.sources:
        if not _FORM.fullmatch(cite):
            yield f"{cite!r} is not the name of a commit, an issue, a pull request or a release that was shown"
    if len(set(claim.sources)) < len(claim.sources):
        yield "the same evidence is cited twice"
    spoken_of = (*claim.about, *(one.cite for one in claim.quotes), *(one.cite for one in claim.anchors))
    for cite in dict.fromkeys(spoken_of):
        if cite not in claim.sources:
            yield f"{cite} is spoken of and not cited"
    if not claim.quotes and (claim.predicate == "shows" or claim.speech):
        yield "a verbatim quotation is needed, and there is none"


def _elsewhere(claim: Claim, dossier: Dossier, evidence: Evidence) -> tuple[str, str] | None:
    own = evidence.repo.lower()
    if claim.repo is not None and own != claim.repo.lower():
        return "repository", f"{evidence.id} belongs to {evidence.repo}, not to {claim.repo}"
    if dossier.repos and own not in {repo.lower() for repo in dossier.repos}:
        return "repository", f"{evidence.id} belongs to {evidence.repo}, of which the report does not speak"
    return None


def _at_another_time(claim: Claim, dossier: Dossier, evidence: Evidence) -> tuple[str, str] | None:
    window = dossier.window
    if window is None or evidence.id in dossier.late:
        return None
    began, early = evidence.at, evidence.at < window.start
    if isinstance(evidence, ThreadEvidence):
        began = evidence.thread.created_at
        # An issue may be older than the change that closes it: then the change is the news.
        others = (dossier.found[cite] for cite in claim.cites if cite != evidence.id and cite in dossier.found)
        early = early and not any(other.id in dossier.late or other.at in window for other in others)
    told = f"{evidence.id} is of {evidence.at:%Y-%m-%d %H:%M} UTC"
    if began >= (window.cutoff or window.end):
        return "window", f"{told}, after the window {window.label} ({window.tz})"
    if early and evidence.id not in claim.background:
        return "window", f"{told}, before the window {window.label} ({window.tz}), and is told as new"
    return None
