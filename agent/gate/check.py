"""The gate: everything that code can refuse in a claim, given evidence that was read beforehand."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal as Side

from agent.domain.base import Language
from agent.domain.claims import ANALYSIS, MARK, Anchor, Claim, Judgement, Kind, Verdict
from agent.domain.evidence import CommitEvidence, Dossier, Evidence, ThreadEvidence
from agent.gate.literals import Literal, literals
from agent.gate.lookup import Lookup
from agent.gate.quotes import check_anchors, check_passages, check_quotes, patch_lines, short, verbatim_anchors
from agent.gate.safety import LONGEST, check_safety
from agent.gate.text import SearchText, nearest

# Models like to write hyphens that never break a line; dates and names have them all the same.
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\ufe63\uff0d", "-"))


def refusals(claim: Claim, dossier: Dossier, lang: Language) -> list[Judgement]:
    """List everything that is wrong with a claim in one language; empty when it may go on.

    Facts and quotations are written by code: their citations and quotations are checked. Analysis is written by a
    model: its anchors, literals, values and signs are checked too.
    """
    found = [*check_citations(claim, dossier)]
    readable = all(cite in dossier.found for cite in (*claim.sources, *(quote.cite for quote in claim.quotes)))
    if readable:
        found += check_quotes(claim, dossier)
    if is_analysis(claim):
        found += _of_analysis(claim, dossier, lang, readable=readable)
    return found


def is_analysis(claim: Claim) -> bool:
    """Tell whether a model wrote the words; free words are analysis whatever they call themselves."""
    return claim.kind in ANALYSIS or (claim.predicate == "says" and not claim.speech)


def _of_analysis(claim: Claim, dossier: Dossier, lang: Language, *, readable: bool) -> Iterator[Judgement]:
    text = claim.text.get(lang, "").translate(_HYPHENS).strip()
    yield from check_safety(claim, text, lang)
    if not readable or not text or len(text) > LONGEST:
        return
    words = MARK.sub(" ", text)
    found = literals(words, chinese=lang == "zh")
    anchors = verbatim_anchors(claim, dossier)
    yield from _check_literals(claim, _lookup(claim, dossier, anchors), found)
    telling = [one for one in found if one.kind != "pair"]
    yield from check_anchors(
        claim,
        dossier,
        anchors,
        lambda anchor: _has_any(telling, SearchText(anchor)),
        " ".join(one.text for one in found),
    )
    yield from check_passages(claim, dossier, words)
    yield from check_sides(claim, dossier)


def _has_any(found: Sequence[Literal], *texts: SearchText) -> bool:
    """Tell whether a text has one of some literals, whatever else is known."""
    where = Lookup(evidence=(), texts=texts, known=frozenset(), tz="UTC")
    return any(where.stands(literal) for literal in found)


def _lookup(claim: Claim, dossier: Dossier, anchors: list[Anchor]) -> Lookup:
    evidence = [dossier.found[cite] for cite in claim.sources]
    words = [anchor.text for anchor in anchors]
    if claim.kind is Kind.ADVICE:
        # What a reader is told to type must be code that landed, never only somebody's words in a thread.
        evidence = [one for one in evidence if isinstance(one, CommitEvidence)]
        words = []
    return Lookup.of(evidence, claim.repo, dossier.window.tz if dossier.window else "UTC", words)


def _check_literals(claim: Claim, where: Lookup, found: list[Literal]) -> Iterator[Judgement]:
    for literal in found:
        if where.stands(literal) or _is_cited_thread(literal, claim):
            continue
        others = [one.text for one in found if one != literal]
        yield Judgement(
            verdict=Verdict.NUMBER if literal.kind == "number" else Verdict.UNSUPPORTED,
            reason=_reason(literal, advice=claim.kind is Kind.ADVICE),
            check=literal.kind,
            literal=f"{literal.text}{literal.unit}",
            nearest=nearest(literal.text, where.texts, others),
        )


def _is_cited_thread(literal: Literal, claim: Claim) -> bool:
    return literal.kind == "thread" and any(cite.endswith(literal.text) for cite in claim.sources)


def _reason(literal: Literal, *, advice: bool) -> str:
    where = "the cited commits" if advice else "the cited evidence"
    if literal.kind == "name":
        return (
            f"{literal.text!r} is written as a name and {where} has it nowhere; name what is there, or use no capital"
        )
    if literal.unit:
        return f"{where} has no line with both {literal.text} and the unit {literal.unit!r}"
    return f"{literal.text!r} stands nowhere in {where}; copy it as it is written there, or leave it out"


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


_TICKS = re.compile("^`+|`+$")
_WORDS = {"old": "removed", "new": "added"}


def check_sides(claim: Claim, dossier: Dossier) -> Iterator[Judgement]:
    """Look for the old and the new value of a sentence."""
    commits = [one for cite in claim.sources if isinstance(one := dossier.found[cite], CommitEvidence)]
    sides: tuple[tuple[Side["old", "new"], str], ...] = (("old", claim.old), ("new", claim.new))
    for side, value in sides:
        value = " ".join(_TICKS.sub("", value.strip()).split())
        if not value:
            continue
        texts = [_side(one, side) for one in commits]
        if not _has_any([Literal("code", value)], *texts):
            reason = (
                f"{short(value)!r} is given as the {side} value, and no {_WORDS[side]} line of what is cited has it"
            )
            near = nearest(value, texts)
            yield Judgement(verdict=Verdict.UNSUPPORTED, reason=reason, check=side, literal=short(value), nearest=near)


def _side(commit: CommitEvidence, side: Side["old", "new"]) -> SearchText:
    """Lay out one side of a diff: its lines, the paths of that side, and what facts give as its values."""
    mark, gone = ("-", "removed") if side == "old" else ("+", "added")
    lines: list[str] = []
    for file in commit.change.files:
        lines += [line.text for line in patch_lines(file.patch or "") if line.mark == mark]
        moved = file.previous_path is not None and file.previous_path != file.path
        if file.status == gone or moved:
            lines.append((file.previous_path if side == "old" and moved else file.path) or "")
    lines += [value for fact in commit.facts if (value := fact.old if side == "old" else fact.new)]
    return SearchText("\n".join(lines))
