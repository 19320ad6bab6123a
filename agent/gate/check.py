"""The gate's check of a claim: all that code can refuse in it, given evidence that was read before."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from agent.domain.base import Language
from agent.domain.claims import ANALYSIS, MARK, Anchor, Claim, Judgement, Kind
from agent.domain.evidence import (
    Citable,
    CommitEvidence,
    Evidence,
    EvidenceSet,
    FileEvidence,
    PublishedEvidence,
    ThreadEvidence,
)
from agent.domain.evidence_id import EvidenceId
from agent.domain.window import Window
from agent.gate.grounds_in_code import has_readable_diff, is_grounded
from agent.gate.hosts_and_mail_addresses import addresses
from agent.gate.literal_lookup import Lookup
from agent.gate.literals import Literal, literals
from agent.gate.quotes import (
    anchor_fault,
    check_passages,
    check_quotes,
    patch_lines,
    short,
    wrong_quote,
)
from agent.gate.safety import LONGEST, check_safety
from agent.gate.searchable_evidence_text import SearchText, nearest, plain_marks, text_of
from agent.report_languages import HAN

_MIN_ANCHOR = 6  # Letters and digits of an anchor that holds no literal of its sentence


def refusals(claim: Claim, evidence_set: EvidenceSet, lang: Language) -> list[Judgement]:
    """Return everything that is wrong with a claim in one language; empty if it may go on.

    Facts and quotations are written by code: their citations and quotations are checked. Analysis
    is written by a model: its anchors, literals, values and signs are checked too.
    """
    judgements = list(_check_citations(claim, evidence_set))
    quoted = [quote.cite for quote in claim.quotes]
    is_readable = all(cite in evidence_set.by_id for cite in (*claim.sources, *quoted))
    if is_readable:
        judgements += check_quotes(claim, evidence_set)
    # Free words are analysis, whatever they call themselves.
    if claim.kind in ANALYSIS or (claim.predicate == "says" and not claim.speech):
        text = claim.text.get(lang, "").strip()
        judgements += check_safety(claim, text, lang)
        if is_readable and 0 < len(text) <= LONGEST:
            judgements += _check_analysis(claim, evidence_set, MARK.sub(" ", text))
    return judgements


def _check_analysis(claim: Claim, evidence_set: EvidenceSet, text: str) -> Iterator[Judgement]:
    sentence_literals = literals(plain_marks(text))
    faults: dict[Anchor, str] = {}
    for anchor in claim.anchors:
        if anchor.cite in claim.sources:
            faults[anchor] = anchor_fault(anchor, evidence_set)
    anchors = [anchor for anchor, fault in faults.items() if not fault]
    lookup = _lookup(claim, evidence_set, anchors)
    yield from _check_literals(claim, lookup, sentence_literals)
    yield from _check_anchors(claim, evidence_set, faults, sentence_literals)
    yield from check_passages(claim, evidence_set, text)
    yield from _check_sides(claim, evidence_set)
    yield from _check_addresses(claim, evidence_set, text)
    yield from _check_ground(claim, evidence_set)


def _lookup(claim: Claim, evidence_set: EvidenceSet, anchors: Sequence[Anchor]) -> Lookup:
    """Lay out what the literals of a claim are looked up in."""
    tz = evidence_set.window.tz if evidence_set.window else "UTC"
    evidence = [evidence_set.by_id[cite] for cite in claim.sources]
    if claim.kind is Kind.ADVICE:
        # What a reader is advised to type must have landed, and not only stand in a thread.
        commits = [piece for piece in evidence if isinstance(piece, CommitEvidence)]
        return Lookup.of(commits, claim.repo, tz, _notes(claim, evidence_set))
    # On one line each: a code span may be copied from an anchor of several lines.
    anchored = [" ".join(anchor.text.split()) for anchor in anchors]
    return Lookup.of(evidence, claim.repo, tz, [*anchored, *_notes(claim, evidence_set)])


def _notes(claim: Claim, evidence_set: EvidenceSet) -> list[str]:
    return [evidence_set.notes[cite] for cite in claim.sources if cite in evidence_set.notes]


# ---------------------------------------------------------------- literals


def _check_literals(
    claim: Claim, lookup: Lookup, sentence_literals: Sequence[Literal]
) -> Iterator[Judgement]:
    for literal in sentence_literals:
        if _is_cited_thread(literal, claim) or lookup.has_literal(literal):
            continue
        others = [other.text for other in sentence_literals if other != literal]
        unit = literal.number.unit if literal.number else ""
        yield Judgement(
            verdict="number" if literal.kind == "number" else "unsupported",
            reason=_reason(literal, is_advice=claim.kind is Kind.ADVICE),
            check=literal.kind,
            literal=f"{literal.text}{unit}",
            literal_kind=literal.kind,
            number=literal.number,
            nearest=nearest(literal.text, lookup.texts, others),
        )


def _is_cited_thread(literal: Literal, claim: Claim) -> bool:
    return literal.kind == "thread" and any(cite.endswith(literal.text) for cite in claim.sources)


def _reason(literal: Literal, *, is_advice: bool) -> str:
    where = "the cited commits" if is_advice else "the cited evidence"
    if literal.number and literal.number.unit:
        unit = literal.number.unit
        return f"{where} has no line with both {literal.text} and the unit {unit!r}"
    return (
        f"{literal.text!r} stands nowhere in {where}; "
        "copy it as it is written there, or leave it out"
    )


def _check_sides(claim: Claim, evidence_set: EvidenceSet) -> Iterator[Judgement]:
    """Yield a judgement if the old or the new value is not on its side of the diff."""
    commits: list[CommitEvidence] = []
    for cite in claim.sources:
        evidence = evidence_set.by_id[cite]
        if isinstance(evidence, CommitEvidence):
            commits.append(evidence)
    yield from _check_side("old", claim.old, commits)
    yield from _check_side("new", claim.new, commits)


def _check_side(side: str, stated: str, commits: Iterable[CommitEvidence]) -> Iterator[Judgement]:
    value = " ".join(stated.strip().strip("`").split())
    if not value:
        return
    texts = [_side(commit, is_old=side == "old") for commit in commits]
    if Lookup(tuple(texts)).has_literal(Literal("code", value)):
        return
    lines = "removed" if side == "old" else "added"
    short_value = short(value)
    yield Judgement(
        verdict="unsupported",
        reason=(
            f"{short_value!r} is given as the {side} value, "
            f"and no {lines} line of what is cited has it"
        ),
        check=side,
        literal=short_value,
        nearest=nearest(value, texts),
    )


def _side(commit: CommitEvidence, *, is_old: bool) -> SearchText:
    """Return one side of a diff: its lines, its paths, and the values that facts give."""
    mark = "-" if is_old else "+"
    status = "removed" if is_old else "added"
    lines: list[str] = []
    for file in commit.change.files:
        lines += [line.text for line in patch_lines(file.patch or "") if line.mark == mark]
        is_moved = file.previous_path not in (None, file.path)
        if is_moved and is_old:
            lines.append(file.previous_path or "")
        elif is_moved or file.status == status:
            lines.append(file.path)
    for fact in commit.facts:
        lines.append((fact.old if is_old else fact.new) or "")
    return SearchText("\n".join(lines))


# ---------------------------------------------------------------- anchors


def _check_anchors(
    claim: Claim,
    evidence_set: EvidenceSet,
    faults: Mapping[Anchor, str],
    literals: Sequence[Literal],
) -> Iterator[Judgement]:
    """Yield what is wrong with the anchors: all are verbatim, and one shows something."""
    if not claim.anchors:
        reason = (
            "the sentence has no anchor; "
            "copy the words or lines that show it from the evidence it cites"
        )
        yield wrong_quote(reason, "anchor")
    texts = [text_of(evidence_set.by_id[cite]) for cite in claim.sources]
    for anchor, fault in faults.items():
        if fault:
            reason = f"the anchor must be copied as it is shown: {fault}"
            yield wrong_quote(reason, "anchor", anchor, nearest(anchor.text, texts))
    good = [anchor for anchor, fault in faults.items() if not fault]
    if good and not any(_shows_something(anchor, literals) for anchor in good):
        reason = "the anchor is too short to show anything; copy the whole line or sentence"
        words = " ".join(literal.text for literal in literals)
        yield wrong_quote(reason, "anchor", good[0], nearest(words, texts))


def _shows_something(anchor: Anchor, literals: Sequence[Literal]) -> bool:
    """Return True if an anchor holds a literal of its sentence, or is more than a word or two."""
    letters = sum(sign.isalnum() for sign in anchor.text)
    if letters + len(HAN.findall(anchor.text)) >= _MIN_ANCHOR:
        return True
    lookup = Lookup((SearchText(anchor.text),))
    # Two words with a slash may be nothing in particular.
    return any(literal.kind != "pair" and lookup.has_literal(literal) for literal in literals)


# ---------------------------------------------------------------- addresses and grounds


def _check_addresses(claim: Claim, evidence_set: EvidenceSet, text: str) -> Iterator[Judgement]:
    evidence = [evidence_set.by_id[cite] for cite in claim.sources]
    for address in addresses(plain_marks(text), evidence, _notes(claim, evidence_set)):
        reason = (
            f"{address.text!r} reads as {address.kind}, and the cited diff has no such code; "
            "leave it out"
        )
        yield Judgement(
            verdict="malformed", reason=reason, check="address", literal=short(address.text)
        )


def _check_ground(claim: Claim, evidence_set: EvidenceSet) -> Iterator[Judgement]:
    """Yield a judgement if a headline or advice rests on the words of people alone."""
    if claim.kind is not Kind.ADVICE and claim.role != "headline":
        return
    kind = "advice" if claim.kind is Kind.ADVICE else "a headline"
    if not has_readable_diff(claim, evidence_set):
        reason = f"no diff of what is cited can be read, so there is nothing to prove {kind} by"
        yield Judgement(verdict="unsupported", reason=reason, check="no diff")
    elif not is_grounded(claim, evidence_set):
        reason = (
            f"{kind} must rest on the diff or a fact, and not on the words of people alone: "
            "copy a line of the diff as the anchor, or name what the diff changes"
        )
        yield Judgement(verdict="unsupported", reason=reason, check="ground")


# ---------------------------------------------------------------- citations


def _check_citations(claim: Claim, evidence_set: EvidenceSet) -> Iterator[Judgement]:
    """Yield everything that is wrong with what a claim cites."""
    for reason in _malformed(claim):
        yield Judgement(verdict="malformed", reason=reason, check="form")
    for cite in dict.fromkeys(claim.sources):
        evidence = evidence_set.by_id.get(cite)
        if evidence is None:
            reason = f"there is no {cite}"
            yield Judgement(verdict="nonexistent", reason=reason, check="missing", about=cite)
        elif reason := _repository_fault(claim, evidence_set, evidence):
            yield Judgement(verdict="out of scope", reason=reason, check="repository", about=cite)
        elif reason := _window_fault(claim, evidence_set, evidence):
            yield Judgement(verdict="out of scope", reason=reason, check="window", about=cite)
        elif evidence_set.seen is not None and cite not in evidence_set.seen:
            reason = f"{cite} was never read in this run"
            yield Judgement(verdict="unseen", reason=reason, check="seen", about=cite)


def _malformed(claim: Claim) -> Iterator[str]:
    if not claim.sources:
        yield "nothing is cited; name the evidence that shows it"
    for cite in claim.sources:
        if not _is_well_formed(cite):
            yield (
                f"{cite!r} is not the name of a commit, an issue, a pull request or a release "
                "that was shown"
            )
    if len(set(claim.sources)) < len(claim.sources):
        yield "the same evidence is cited twice"
    quoted = [quote.cite for quote in (*claim.quotes, *claim.anchors)]
    for cite in dict.fromkeys((*claim.about, *quoted)):
        if cite not in claim.sources:
            yield f"{cite} is spoken of and not cited"
    if not claim.quotes and (claim.predicate == "shows" or claim.speech):
        yield "a verbatim quotation is needed, and there is none"


def _is_well_formed(cite: EvidenceId) -> bool:
    """Return True for an id of something that may have been shown.

    A tag of hexadecimal digits is more likely a shortened hash, and one with an @ two ids in a row.
    """
    if cite.kind == "tag":
        return not cite.may_abbreviate_hash and "@" not in cite.revision
    return cite.kind != "malformed"


def _repository_fault(claim: Claim, evidence_set: EvidenceSet, evidence: Citable) -> str:
    """Return why evidence is of the wrong repository, or an empty string."""
    repo = evidence.repo.lower()
    if claim.repo is not None and repo != claim.repo.lower():
        return f"{evidence.id} belongs to {evidence.repo}, not to {claim.repo}"
    if evidence_set.repos and repo not in {name.lower() for name in evidence_set.repos}:
        return f"{evidence.id} belongs to {evidence.repo}, of which the report does not speak"
    return ""


def _window_fault(claim: Claim, evidence_set: EvidenceSet, evidence: Citable) -> str:
    """Return why the report's window rules this evidence out, or an empty string."""
    window = evidence_set.window
    if window is None or evidence.id in evidence_set.late:
        return ""
    if isinstance(evidence, PublishedEvidence):
        return ""  # What it says passed this check when it was published
    if isinstance(evidence, FileEvidence):
        return ""  # It shows how a file is, and is never reported as new
    dated = f"{evidence.id} is of {evidence.at:%Y-%m-%d %H:%M} UTC"
    if _created_at(evidence) >= (window.cutoff or window.end):
        return f"{dated}, after the window {window.label} ({window.tz})"
    if evidence.at >= window.start or evidence.id in claim.background:
        return ""
    if isinstance(evidence, ThreadEvidence) and _cites_news(claim, evidence_set, window):
        # An old issue may be cited next to the change that closes it: the change is the news.
        return ""
    return f"{dated}, before the window {window.label} ({window.tz}), and is told as new"


def _created_at(evidence: Evidence) -> datetime:
    if isinstance(evidence, ThreadEvidence):
        return evidence.thread.created_at  # `at` is the last update of a thread
    return evidence.at


def _cites_news(claim: Claim, evidence_set: EvidenceSet, window: Window) -> bool:
    for cite in claim.cites:
        evidence = evidence_set.by_id.get(cite)
        if evidence is None or isinstance(evidence, PublishedEvidence | FileEvidence):
            continue
        if evidence.id in evidence_set.late or evidence.at in window:
            return True
    return False
