"""What code says of commits without a model: their facts, in words of templates, and quotations."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from agent.domain.base import LANGUAGES
from agent.domain.claims import Anchor, Claim, Kind, Quote
from agent.domain.evidence import CommitEvidence, Material, Read
from agent.domain.facts import Fact
from agent.domain.ledger import Tier
from agent.markdown import visible
from agent.telling import changed_functions, names_of, params_of, sentence, told_facts
from agent.triage.conventions import Area, area

_REMARK = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1.*?$|\Z)", re.MULTILINE | re.DOTALL)
_FORM = re.compile(
    r"\s*(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s|\||>|-{3,}|={3,}|!\[|<[a-zA-Z/]|[A-Za-z]\w{0,30}(?:-\w{1,30}){1,3}\s*:)"
)
"""Lines that are no prose: headings, items, tables, quotations, pictures, HTML, trailers."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])|(?<=[。！？])")
_ADDRESS = re.compile(r"\w://|\bwww\.", re.IGNORECASE)
_READ = 12_000  # Whoever has something to say says it early; patterns are made for texts, not for floods
_SHORTEST, _LONGEST = 24, 320
_MOST, _SHOWN = 12, 8
_WIDEST = 400  # Characters of a line that a person reads: beyond it are pictures in base64, minified code and tables
_DATA = (
    ".json",
    ".csv",
    ".lock",
    ".txt",
    ".svg",
    ".ipynb",
)  # Files whose lines say nothing by themselves
_LINEAGE = {"revert": "undoes", "reland": "relands"}
_DEEP, _SKIM, _LOW = 6, 3, 1  # Facts that are told of a commit, by how closely it was read
_ANCHORED = 5  # Facts of one statement that are shown by their lines


def facts_told(material: Material) -> list[Claim]:
    """Say of each commit what its facts say, the most of those that were read in depth."""
    told: list[Claim] = []
    for read in material.reads:
        name = f"{material.repo}@{read.evidence.change.commit.sha[:12]}"
        claims = enumerate(_claims_of(read, material), start=1)
        told += [claim.model_copy(update={"id": f"{name}.{number}"}) for number, claim in claims]
    return told


def _claims_of(read: Read, material: Material) -> Iterator[Claim]:
    if read.depth not in ("deep", "skim"):
        return
    evidence, deep = read.evidence, read.depth == "deep"
    telling = deep or read.triage.tier is not Tier.LOW
    yield from _lineage(evidence, material)
    yield from _fixes(evidence, material)
    told = told_facts(evidence.facts)
    # What an author says comes before the bare names of functions.
    said = [] if told else list(_speech(read, material))
    groups = told or (changed_functions(evidence.facts) if telling or not said else [])
    shown = [
        statement(one, evidence) for one in groups[: _DEEP if deep else _SKIM if telling else _LOW]
    ]
    # What changes alike in two places is told once.
    first = {one.text["en"]: one for one in reversed(shown)}
    shown = [one for one in shown if first[one.text["en"]] is one]
    yield from (*said, *shown)
    # Where no line shows what is told, a reader sees a piece of what was done.
    if telling and not any(one.anchors for one in shown) and (quote := short_change(evidence)):
        yield _claim(evidence, "shows", quotes=(quote,), text={})
    if deep and told:
        yield from _speech(read, material)


def statement(fact: Fact, evidence: CommitEvidence) -> Claim:
    """State a fact of the commit that shows it."""
    return _claim(evidence, "fact", params_of(fact), anchors=tuple(_anchors(fact, evidence)))


def _claim(
    evidence: CommitEvidence, predicate: str, params: dict[str, str] | None = None, **given: Any
) -> Claim:
    known: dict[str, Any] = {
        "role": "change",
        "about": (evidence.id,),
        "cites": (evidence.id,),
        "params": params or {},
    }
    if "text" not in given:
        given["text"] = {lang: sentence(predicate, params or {}, lang) for lang in LANGUAGES}
    return Claim(id="", repo=evidence.repo, predicate=predicate, **known | given)


def _anchors(fact: Fact, evidence: CommitEvidence) -> Iterator[Anchor]:
    """Give the changed lines that show a fact: those that name it or its values, as the diff has them."""
    patches = {file.path: file.patch or "" for file in evidence.change.files}
    names = "\n".join(re.split(r"[.:]", name)[-1] for name in names_of(fact))
    values = [
        line
        for value in (names, fact.detail, fact.old, fact.new)
        for line in (value or "").split("\n")
    ]
    literals = [value.strip() for value in values if value.strip()]
    for place in fact.places[:_ANCHORED]:
        if lines := shown_lines(place.lines, patches.get(place.file, ""), literals):
            yield Anchor(cite=evidence.id, text="\n".join(lines), file=place.file)


def _speech(read: Read, material: Material) -> Iterator[Claim]:
    """Let the author explain what facts do not tell, or why: in the commit's message or in its pull request."""
    commit, pull = read.evidence.change.commit, material.pulls.get(read.evidence.pull or 0)
    texts = {read.evidence.id: commit.message.partition(commit.title)[2]} | (
        {pull.id: pull.body} if pull else {}
    )
    for source, text in texts.items():
        if words := own_words(text, commit.title):
            cites, quotes = (
                tuple(dict.fromkeys((read.evidence.id, source))),
                (Quote(cite=source, text=words),),
            )
            yield _claim(
                read.evidence,
                "says",
                cites=cites,
                quotes=quotes,
                text={},
                speech=True,
                kind=Kind.QUOTATION,
            )
            return


def _lineage(evidence: CommitEvidence, material: Material) -> Iterator[Claim]:
    """Say what the commit undoes or brings back, and what became of it the same day."""
    known = {*material.background, *(read.evidence.id for read in material.reads)}
    named = [
        (_LINEAGE[fact.kind], f"{evidence.repo}@{fact.old}")
        for fact in evidence.facts
        if fact.kind in _LINEAGE
    ]
    others = [(predicate, other) for predicate, other in named if other in known]
    others += (
        [("undone", material.reverted[evidence.id])] if evidence.id in material.reverted else []
    )
    for predicate, other in others:
        if other in material.background:
            yield _claim(evidence, predicate, background=(other,))
        else:
            yield _claim(evidence, predicate, cites=(evidence.id, other))


def _fixes(evidence: CommitEvidence, material: Material) -> Iterator[Claim]:
    """Say which issues the commit fixes, or likely fixes; one that is still open is not told as fixed."""
    states = {issue.id: issue.state for issue in material.issues}
    for link in material.links if evidence.id not in material.reverted else ():
        fixed = link.may_read_fixed and states.get(link.issue) == "closed"
        predicate = "fixes" if fixed else "likely fixes" if link.may_read_likely else ""
        if predicate and link.change == evidence.id and link.issue in states:
            both = (evidence.id, link.issue)
            yield _claim(
                evidence, predicate, {"issue": link.issue}, role="effect", about=both, cites=both
            )


# ---------------------------------------------------------------- quotations


def own_words(text: str, title: str) -> str | None:
    """Take the first paragraph of prose, of a long one its first sentence; None where there is none."""
    text = _REMARK.sub("", _FENCE.sub("", text[:_READ].replace("\r", "")))
    for is_prose, lines in groupby(
        text.split("\n"), key=lambda line: bool(line.strip()) and not _FORM.match(line)
    ):
        paragraph = "\n".join(lines).strip() if is_prose else ""
        words = (
            paragraph if len(paragraph) <= _LONGEST else _SENTENCE.split(paragraph, maxsplit=1)[0]
        )
        flat = " ".join(words.split())
        # Words that hide signs or lead elsewhere are not shown, and the title is known already.
        leads_away = visible(flat) != flat or _ADDRESS.search(flat)
        if _SHORTEST <= len(flat) <= _LONGEST and not leads_away and flat.rstrip(".") not in title:
            return words
    return None


def short_change(evidence: CommitEvidence) -> Quote | None:
    """Quote a short stretch of code that takes something away and puts something in its place."""
    files = [file for file in evidence.change.files if not file.path.endswith(_DATA)]
    code = [file for file in files if area(file.path) is Area.PRODUCT]
    for file in sorted(code, key=lambda file: -(file.additions + file.deletions)):
        for sign, run in groupby(
            (file.patch or "").split("\n"), key=lambda line: line[:1] in ("+", "-")
        ):
            lines = tuple(run)
            legible = len(lines) <= _MOST and all(len(line) <= _WIDEST for line in lines)
            if sign and legible and {line[0] for line in lines} == {"+", "-"}:
                return Quote(cite=evidence.id, text="\n".join(lines), file=file.path)
    return None


def shown_lines(lines: Sequence[str], patch: str, literals: Sequence[str] = ()) -> tuple[str, ...]:
    """Choose the line that names most of what a fact is about, and the few that stand below it in the patch."""
    legible = [line for line in lines if len(line) <= _WIDEST]
    at = max(
        range(len(legible)),
        key=lambda place: sum(one in legible[place] for one in literals),
        default=0,
    )
    shown = legible[at : at + _SHOWN]
    while shown and "\n".join(shown) not in patch:
        shown.pop()
    return tuple(shown)
