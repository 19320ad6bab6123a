"""Whether author, date, title, state, version, pull request and repository are what the claim says they are."""

from collections.abc import Callable, Iterator

from agent.audit.people import Authors, authors, listed, same, written_by
from agent.audit.states import states
from agent.claims import Claim, Judgement, Verdict
from agent.dates import dates_of, stated
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ReleaseEvidence, ThreadEvidence
from agent.facts import FactKind
from agent.gate.verbatim import normal
from agent.pulls import pulls_of
from agent.window import zone


def metadata(claim: Claim, dossier: Dossier) -> Judgement | None:
    """Find the first value that is wrong."""
    check = _KINDS.get(claim.predicate)
    if check:
        for cite in claim.sources:
            if reason := check(claim, dossier, dossier.found[cite]):
                return _wrong(claim.predicate, reason, cite)
    return None


def _wrong(check: str, reason: str, about: EvidenceId | None) -> Judgement:
    return Judgement(verdict=Verdict.METADATA, reason=reason, check=check, about=about)


def _titled(claim: Claim, _: Dossier, evidence: Evidence) -> str:
    wanted = normal(claim.params["title"])
    for title in titles(evidence):
        if wanted == normal(title):
            return ""
        # A title that was cut says so, and what is left must be its beginning.
        if wanted.endswith("...") and normal(title).startswith(wanted[:-3].rstrip()) and wanted[:-3].strip():
            return ""
    return f"the title is “{next(titles(evidence), '')}”"


def titles(evidence: Evidence) -> Iterator[str]:
    """List what an artefact is called, with and without the number that a squash merge appends."""
    if isinstance(evidence, CommitEvidence):
        commit = evidence.change.commit
        for title in dict.fromkeys((commit.title, commit.subject)):
            yield title
            head, bracket, tail = title.rpartition("(#")
            if bracket and tail.rstrip(")").isdecimal():
                yield head.rstrip()
    elif isinstance(evidence, ThreadEvidence):
        yield evidence.thread.title
    else:
        yield from (evidence.release.name, evidence.release.tag)


def _authored(claim: Claim, dossier: Dossier, evidence: Evidence) -> str:
    known = authors(evidence, dossier)
    if written_by(claim.params["author"], known):
        return ""
    names = listed(claim.params["author"])
    unknown = [name for name in names if not any(same(name, one) for one in (*known.main, *known.along))]
    if unknown:
        return f"{_told(known)}, not by {', '.join(unknown)}"
    return f"{_told(known)}; {', '.join(names)} only took part"


def _told(known: Authors) -> str:
    return f"it is by {known.main[0]}" if known.main else "its author is not known"


def _dated(claim: Claim, dossier: Dossier, evidence: Evidence) -> str:
    at = stated(claim.params["at"])
    tz = claim.params.get("tz") or (dossier.window.tz if dossier.window else "UTC")
    if at is None:
        return f"{claim.params['at']!r} is not a date"
    moments = dates_of(evidence, claim.params.get("event"))
    if any(at.fits(moment, zone(tz)) for moment in moments):
        return ""
    real = ", ".join(at.form(moment, zone(tz)) for moment in dict.fromkeys(moments))
    return f"it is of {real or 'no known date'} ({tz}), not of {claim.params['at']}"


def _state(claim: Claim, dossier: Dossier, evidence: Evidence) -> str:
    wanted = normal(claim.params["state"]).lower().replace("_", " ")
    real = states(evidence, dossier)
    return "" if wanted in real else f"it is {real[0]}, not {wanted}"


def _released(claim: Claim, _: Dossier, evidence: Evidence) -> str:
    wanted = claim.params["version"].strip().lower().removeprefix("v")
    if isinstance(evidence, ReleaseEvidence):
        real = [evidence.release.tag]
    else:
        real = [fact.new for fact in evidence.facts if fact.kind is FactKind.VERSION_CHANGED and fact.new]
    if any(one.strip("\"'").lower().removeprefix("v") == wanted for one in real):
        return ""
    return f"the version is {', '.join(real[:3])}, not {wanted}" if real else f"{evidence.id} sets no version"


def _pull(claim: Claim, _: Dossier, evidence: Evidence) -> str:
    wanted = claim.params["number"].strip().lstrip("#")
    real = pulls_of(evidence)
    if wanted in map(str, real):
        return ""
    told = f"by pull request {' or '.join(map(str, real))}" if real else "by no pull request that is known"
    return f"{evidence.id} came {told}, not by {wanted}"


def _belongs(claim: Claim, _: Dossier, evidence: Evidence) -> str:
    wanted = claim.params["repo"].strip().lower()
    return "" if evidence.repo.lower() == wanted else f"it belongs to {evidence.repo}, not to {claim.params['repo']}"


_KINDS: dict[str, Callable[[Claim, Dossier, Evidence], str]] = {
    "titled": _titled,
    "authored": _authored,
    "dated": _dated,
    "state": _state,
    "released": _released,
    "pull": _pull,
    "belongs": _belongs,
}
