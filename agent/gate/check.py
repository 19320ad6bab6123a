"""The gate: everything that code can refuse in a claim, given evidence that was read beforehand."""

import re
from collections.abc import Iterator, Mapping, Sequence

from agent.domain.base import Language
from agent.domain.claims import ANALYSIS, MARK, Anchor, Claim, Judgement, Kind
from agent.domain.evidence import CommitEvidence, Dossier, Evidence, ThreadEvidence
from agent.gate.literals import Literal, literals
from agent.gate.lookup import Lookup
from agent.gate.quotes import (
    anchor_fault,
    check_passages,
    check_quotes,
    is_written,
    patch_lines,
    short,
    wrong_quote,
)
from agent.gate.safety import LONGEST, check_safety
from agent.gate.text import SearchText, nearest, plain_marks, text_of

_REPO = r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}"
# A commit, a thread, or a release, whose tag is no hash.
_FORM = re.compile(
    rf"{_REPO}(?:@[0-9a-f]{{40}}|#[1-9][0-9]{{0,9}}|@(?![0-9a-f]{{7,}}$)[^\s@]{{1,200}})", re.ASCII
)


def refusals(claim: Claim, dossier: Dossier, lang: Language) -> list[Judgement]:
    """List everything that is wrong with a claim in one language; empty when it may go on.

    Facts and quotations are written by code: their citations and quotations are checked. Analysis is written by a
    model: its anchors, literals, values and signs are checked too.
    """
    found = [*_check_citations(claim, dossier)]
    readable = all(
        cite in dossier.found for cite in (*claim.sources, *(quote.cite for quote in claim.quotes))
    )
    if readable:
        found += check_quotes(claim, dossier)
    # Free words are analysis, whatever they call themselves.
    if claim.kind in ANALYSIS or (claim.predicate == "says" and not claim.speech):
        found += _check_analysis(claim, dossier, lang, readable=readable)
    return found


def _check_analysis(
    claim: Claim, dossier: Dossier, lang: Language, *, readable: bool
) -> Iterator[Judgement]:
    text = claim.text.get(lang, "").strip()
    yield from check_safety(claim, text, lang)
    if not readable or not text or len(text) > LONGEST:
        return
    words = MARK.sub(" ", text)
    found = literals(plain_marks(words), chinese=lang == "zh")
    faults = {one: anchor_fault(one, dossier) for one in claim.anchors if one.cite in claim.sources}
    evidence = [dossier.found[cite] for cite in claim.sources]
    anchored = [anchor.text for anchor, fault in faults.items() if not fault]
    if claim.kind is Kind.ADVICE:
        # What a reader is told to type must be code that landed, never only somebody's words in a thread.
        evidence, anchored = [one for one in evidence if isinstance(one, CommitEvidence)], []
    where = Lookup.of(
        evidence, claim.repo, dossier.window.tz if dossier.window else "UTC", anchored
    )
    yield from _check_literals(claim, where, found)
    yield from _check_anchors(claim, dossier, faults, found)
    yield from check_passages(claim, dossier, words)
    yield from _check_sides(claim, dossier)


def _check_literals(claim: Claim, where: Lookup, found: list[Literal]) -> Iterator[Judgement]:
    for literal in found:
        cited = literal.kind == "thread" and any(
            cite.endswith(literal.text) for cite in claim.sources
        )
        if cited or where.stands(literal):
            continue
        others = [one.text for one in found if one != literal]
        yield Judgement(
            verdict="number" if literal.kind == "number" else "unsupported",
            reason=_reason(literal, advice=claim.kind is Kind.ADVICE),
            check=literal.kind,
            literal=f"{literal.text}{literal.unit}",
            nearest=nearest(literal.text, where.texts, others),
        )


def _reason(literal: Literal, *, advice: bool) -> str:
    where = "the cited commits" if advice else "the cited evidence"
    if literal.kind == "name":
        return (
            f"{literal.text!r} is written as a name and {where} has it nowhere; "
            "name what is there, or use no capital"
        )
    if literal.unit:
        return f"{where} has no line with both {literal.text} and the unit {literal.unit!r}"
    return f"{literal.text!r} stands nowhere in {where}; copy it as it is written there, or leave it out"


def _check_anchors(
    claim: Claim, dossier: Dossier, faults: Mapping[Anchor, str], found: Sequence[Literal]
) -> Iterator[Judgement]:
    """Say what is wrong with the anchors: all are verbatim, and one proves something of the sentence."""
    if not claim.anchors:
        reason = "the sentence has no anchor; copy words or changed lines that show it from the evidence it cites"
        yield wrong_quote(reason, "anchor")
    texts = [text_of(dossier.found[cite]) for cite in claim.sources]
    for anchor, fault in faults.items():
        if fault:
            reason = f"the anchor must be copied as it stands: {fault}"
            yield wrong_quote(reason, "anchor", anchor, nearest(anchor.text, texts))
    # Two words with a slash may be nothing in particular.
    telling = [one for one in found if one.kind != "pair"]
    good = [one for one, fault in faults.items() if not fault]
    holding = (one for one in good if any(map(Lookup((SearchText(one.text),)).stands, telling)))
    if (
        good
        and not any(holding)
        and not any(is_written(one, dossier.found[one.cite]) for one in good)
    ):
        reason = (
            "no anchor proves the sentence: one must hold a name, number or code of it, "
            "or be a whole sentence of the message or of the thread"
        )
        yield wrong_quote(
            reason, "anchor", good[0], nearest(" ".join(one.text for one in found), texts)
        )


def _check_citations(claim: Claim, dossier: Dossier) -> Iterator[Judgement]:
    """Say everything that is wrong with what a claim cites."""
    for reason in _malformed(claim):
        yield Judgement(verdict="malformed", reason=reason, check="form")
    for cite in dict.fromkeys(claim.sources):
        one = dossier.found.get(cite)
        if one is None:
            yield Judgement(
                verdict="nonexistent", reason=f"there is no {cite}", check="missing", about=cite
            )
        elif reason := _elsewhere(claim, dossier, one):
            yield Judgement(verdict="out of scope", reason=reason, check="repository", about=cite)
        elif reason := _at_another_time(claim, dossier, one):
            yield Judgement(verdict="out of scope", reason=reason, check="window", about=cite)
        elif dossier.seen is not None and cite not in dossier.seen:
            yield Judgement(
                verdict="unseen",
                reason=f"{cite} was never read in this run",
                check="seen",
                about=cite,
            )


def _malformed(claim: Claim) -> Iterator[str]:
    if not claim.sources:
        yield "nothing is cited; name the evidence that shows it"
    for cite in claim.sources:
        if not _FORM.fullmatch(cite):
            yield f"{cite!r} is not the name of a commit, an issue, a pull request or a release that was shown"
    if len(set(claim.sources)) < len(claim.sources):
        yield "the same evidence is cited twice"
    spoken_of = (
        *claim.about,
        *(one.cite for one in claim.quotes),
        *(one.cite for one in claim.anchors),
    )
    for cite in dict.fromkeys(spoken_of):
        if cite not in claim.sources:
            yield f"{cite} is spoken of and not cited"
    if not claim.quotes and (claim.predicate == "shows" or claim.speech):
        yield "a verbatim quotation is needed, and there is none"


def _elsewhere(claim: Claim, dossier: Dossier, evidence: Evidence) -> str:
    own = evidence.repo.lower()
    if claim.repo is not None and own != claim.repo.lower():
        return f"{evidence.id} belongs to {evidence.repo}, not to {claim.repo}"
    if dossier.repos and own not in {repo.lower() for repo in dossier.repos}:
        return f"{evidence.id} belongs to {evidence.repo}, of which the report does not speak"
    return ""


def _at_another_time(claim: Claim, dossier: Dossier, evidence: Evidence) -> str:
    window = dossier.window
    if window is None or evidence.id in dossier.late:
        return ""
    began, early = evidence.at, evidence.at < window.start
    if isinstance(evidence, ThreadEvidence):
        began = evidence.thread.created_at
        # An issue may be older than the change that closes it: then the change is the news.
        others = (
            dossier.found[cite]
            for cite in claim.cites
            if cite != evidence.id and cite in dossier.found
        )
        early = early and not any(
            other.id in dossier.late or other.at in window for other in others
        )
    told = f"{evidence.id} is of {evidence.at:%Y-%m-%d %H:%M} UTC"
    if began >= (window.cutoff or window.end):
        return f"{told}, after the window {window.label} ({window.tz})"
    if early and evidence.id not in claim.background:
        return f"{told}, before the window {window.label} ({window.tz}), and is told as new"
    return ""


def _check_sides(claim: Claim, dossier: Dossier) -> Iterator[Judgement]:
    """Look for the old and the new value of a sentence."""
    commits = [
        one for cite in claim.sources if isinstance(one := dossier.found[cite], CommitEvidence)
    ]
    for side, given, lines in (("old", claim.old, "removed"), ("new", claim.new, "added")):
        value = " ".join(given.strip().strip("`").split())
        texts = [_side(one, old=side == "old") for one in commits]
        if value and not Lookup(tuple(texts)).stands(Literal("code", value)):
            told = short(value)
            reason = f"{told!r} is given as the {side} value, and no {lines} line of what is cited has it"
            near = nearest(value, texts)
            yield Judgement(
                verdict="unsupported", reason=reason, check=side, literal=told, nearest=near
            )


def _side(commit: CommitEvidence, *, old: bool) -> SearchText:
    """Lay out one side of a diff: its lines, the paths of that side, and what facts give as its values."""
    mark, gone = ("-", "removed") if old else ("+", "added")
    lines: list[str] = []
    for file in commit.change.files:
        lines += [line.text for line in patch_lines(file.patch or "") if line.mark == mark]
        moved = file.previous_path not in (None, file.path)
        if file.status == gone or moved:
            lines.append((file.previous_path if old and moved else file.path) or "")
    lines += [value for fact in commit.facts if (value := fact.old if old else fact.new)]
    return SearchText("\n".join(lines))
