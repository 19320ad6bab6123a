"""Whether everything a claim cites is well named, is there, belongs here, and was read."""

import re
from collections.abc import Iterator

from agent.claims import MARK, Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ThreadEvidence
from agent.gate.predicates import COUNTED, REQUIRED, prose, structured
from agent.markdown import visible
from agent.settings import Language

_REPO = r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}"
_COMMIT = re.compile(rf"{_REPO}@[0-9a-f]{{40}}", re.ASCII)
_THREAD = re.compile(rf"{_REPO}#[1-9][0-9]{{0,9}}", re.ASCII)
_RELEASE = re.compile(rf"{_REPO}@(?![0-9a-f]{{7,}}$)[^\s@]{{1,200}}", re.ASCII)
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_ANY_MARK = re.compile(r"\[@[^\[\]]*\]?")
_HANDLE = re.compile(r"(?<![\w\])])\[[a-z]{1,2}[0-9]{1,3}\](?!\()", re.ASCII)
_ADDRESS = re.compile(r"(?:\b[a-z][a-z+]{1,9}://|\bwww\.|\bgithub\.com/)[^\s<>`]*", re.IGNORECASE | re.ASCII)
_NUMBERED = re.compile(rf"(?:{_REPO})?(?<![&\w])#[0-9]+\b|\bGH-[0-9]+\b|{_REPO}#[0-9]+\b", re.ASCII)
_MENTION = re.compile(r"(?<![\w`./@-])@[A-Za-z0-9][\w-]*", re.ASCII)
_HASH = re.compile(r"(?<![\w.-])[0-9a-f]{7,40}(?![\w-])", re.ASCII)
_LONGEST = 2000
_HASH_LIKE = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{7,40}")


def references(claim: Claim, dossier: Dossier, lang: Language) -> Judgement | None:
    """Find the first thing wrong with what a claim cites, in the order of the verdicts."""
    # Every citation passes one check before any meets the next, so that the verdict does not hang on their order.
    if reason := _malformed(claim, dossier, lang):
        return Judgement(verdict=Verdict.MALFORMED, reason=reason, check="form")
    for check in (_nonexistent, _unread, _out_of_scope, _unseen):
        for cite in claim.sources:
            if failure := check(claim, dossier, cite):
                return failure
    return None


# ---------------------------------------------------------------- form


def _malformed(claim: Claim, dossier: Dossier, lang: Language) -> str:
    return next((reason for reason in (*_form(claim, dossier), *_words(claim, dossier, lang)) if reason), "")


def _form(claim: Claim, dossier: Dossier) -> Iterator[str]:
    """Say what is wrong with the claim as a record."""
    yield from (f"{claim.predicate} needs a value for {name!r}" for name in _lacking(claim))
    # A figure of the whole window rests on all of it.
    if not claim.sources and claim.predicate != "counts":
        yield "nothing is cited; name the evidence that shows it"
    for cite in claim.sources:
        if cite not in dossier.unresolved and not _well_formed(cite):
            yield f"{cite!r} is not the name of a commit, an issue, a pull request or a release that was shown"
    if len(set(claim.sources)) < len(claim.sources):
        yield "the same evidence is cited twice"
    for cite in (*claim.about, *(quote.cite for quote in claim.quotes)):
        if cite not in claim.sources:
            yield f"{cite} is spoken of and not cited"
    if not claim.quotes and (claim.predicate == "shows" or claim.speech):
        yield "a verbatim quotation is needed, and there is none"


def _lacking(claim: Claim) -> list[str]:
    lacking = [name for name in REQUIRED.get(claim.predicate, ()) if not claim.params.get(name, "").strip()]
    if claim.predicate == "counts" and not any(name in claim.params for name in COUNTED):
        lacking.append(" or ".join(COUNTED))
    return lacking


def _well_formed(cite: EvidenceId) -> bool:
    return any(form.fullmatch(cite) for form in (_COMMIT, _THREAD, _RELEASE))


def _words(claim: Claim, dossier: Dossier, lang: Language) -> Iterator[str]:
    """Say what is wrong with the words that would be printed."""
    text = prose(claim, lang)
    if not text:
        if not claim.speech and (claim.text or not structured(claim)):
            yield f"there are no words in {lang}"
        return
    if len(text) > _LONGEST:
        # Nothing further is read of it: patterns are made for sentences.
        yield f"the text has {len(text)} signs; a claim is one short statement"
        return
    if visible(text) != " ".join(text.split()):
        yield "the text holds control or invisible characters"
    for mark in _ANY_MARK.findall(text):
        number = MARK.fullmatch(mark)
        if number is None or int(number[1]) > len(claim.sources):
            yield f"{mark} names none of the {len(claim.sources)} citations"
    bare = MARK.sub(" ", text)
    yield from (f"{found} was never shown" for found in _HANDLE.findall(_CODE.sub(" ", bare)))
    yield from (
        f"{found} stands in the text; cite it by the handle it was shown under"
        for found in _raw(bare, dossier, _pins(claim, dossier))
    )
    yield from (f"{found} would notify somebody" for found in _MENTION.findall(_CODE.sub(" ", bare)))


def _pins(claim: Claim, dossier: Dossier) -> frozenset[str]:
    """List the values that facts give for a name: what is pinned to a commit of another project shows its hash."""
    found = (dossier.found[cite] for cite in claim.sources if cite in dossier.found)
    values = (value for one in found for fact in one.facts for value in (fact.old, fact.new) if value)
    return frozenset(word for value in values for word in _HASH.findall(value))


def _raw(text: str, dossier: Dossier, pins: frozenset[str]) -> Iterator[str]:
    """Find names of evidence that only code may print."""
    for form in (_ADDRESS, _NUMBERED):
        yield from (found[0] for found in form.finditer(text))
    for found in _HASH.finditer(text):
        # A word such as "effaced" or a number is a hash only if a commit begins with it.
        known = any(f"@{found[0]}" in name for name in dossier.found)
        if known or (_HASH_LIKE.fullmatch(found[0]) and found[0] not in pins):
            yield found[0]


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


_Scope = tuple[str, str] | None


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
