"""Sentences of a model: the shapes of its answers, and the claims that are made of them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from agent.domain.base import Language
from agent.domain.claims import Anchor, Claim, Kind
from agent.domain.evidence import (
    Citable,
    CommitEvidence,
    EvidenceSet,
    FileEvidence,
    without_line_numbers,
)
from agent.domain.evidence_id import EvidenceId
from agent.domain.patch import cut_hunks
from agent.domain.references import parse_reference
from agent.gate.grounds_in_code import has_code_anchor
from agent.gate.literals import names_in
from agent.gate.quotes import MAX_ANCHOR, is_heading_of, is_in_code, is_in_file, is_in_prose
from agent.gate.safety import LONGEST
from agent.gate.searchable_evidence_text import normal
from agent.report_languages import writing_of
from agent.writing.lines_copied_by_anchors import exact_lines, lines_of, numbered_lines

MOST_SENTENCES = 5
MOST_ANSWERED = 10
EvidenceById = Mapping[EvidenceId, Citable]
EvidenceByHandle = Mapping[str, Citable]
_NO_NOTES: Mapping[EvidenceId, str] = {}
_MIN_HASH = 7  # Digits by which a model may cite a commit


# ---------------------------------------------------------------- shapes


class Sentence(BaseModel):
    """One sentence of analysis; the words in each language are fields of the subclass."""

    advice: bool = Field(
        default=False, description="true where the sentence tells the reader what to do"
    )
    cites: list[str] = Field(
        default_factory=list, description="handles of the evidence, such as c or #12"
    )
    anchor: str = Field(default="", description="words or lines copied verbatim from the evidence")
    old: str = Field(
        default="",
        description="a value that was there before, verbatim from a removed line, or empty",
    )
    new: str = Field(
        default="", description="a value that is there now, verbatim from an added line, or empty"
    )


class Summary(BaseModel):
    """One sentence that rests on sentences which were published already."""

    rests_on: list[str] = Field(
        default_factory=list, description="handles of the sentences it rests on, such as c1.2"
    )


@cache
def analysis_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Return the shape in which a commit is explained: a headline and sentences."""
    anchor = Field(default="", description="a line of the diff that shows the headline, verbatim")
    fields: dict[str, Any] = {f"headline_{lang}": (str, "") for lang in languages}
    fields["headline_anchor"] = (str, anchor)
    fields["sentences"] = _sentences(Sentence, languages, MOST_SENTENCES)
    return create_model("Analysis", **fields)


@cache
def minor_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Return the shape of sentences about minor commits, one each under its handle."""
    about = Field(default="", description="the handle of the commit, such as c3")
    with_commit = create_model("MinorSentence", __base__=Sentence, commit=(str, about))
    return create_model("MinorSentences", sentences=_sentences(with_commit, languages))


@cache
def repair_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Return the shape in which refused sentences are reworded, each under its number."""
    numbered = create_model("NumberedSentence", __base__=Sentence, id=(str, ""))
    return create_model("Repair", sentences=_sentences(numbered, languages))


@cache
def summary_repair_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Return the shape of rewritten sentences of a summary, each under its number."""
    numbered = create_model("NumberedSummary", __base__=Summary, id=(str, ""))
    return create_model("SummaryRepair", sentences=_sentences(numbered, languages))


@cache
def answer_shape(lang: Language) -> type[BaseModel]:
    """Return the shape in which a question is answered: sentences, or that nothing answers it."""
    nothing = "true where nothing that was read answers the question"
    corrected = "true where the question takes for granted what is not so, and the sentences say so"
    near = "handles of what comes nearest, where nothing answers"
    absent = "names or words that were asked about and searched for, and that nothing mentions"
    return create_model(
        "Answer",
        abstains=(bool, Field(default=False, description=nothing)),
        corrects=(bool, Field(default=False, description=corrected)),
        sentences=_sentences(Sentence, (lang,), MOST_ANSWERED),
        nearest=(list[str], Field(default_factory=list, description=near)),
        absent=(list[str], Field(default_factory=list, description=absent)),
    )


@cache
def summary_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Return the shape in which a day is summed up."""
    return create_model("DaySummary", sentences=_sentences(Summary, languages))


def _sentences(
    base: type[BaseModel], languages: Sequence[Language], limit: int | None = None
) -> Any:
    """Return the field of a shape that lists sentences with their words in each language."""
    words: dict[str, Any] = {}
    for lang in languages:
        words[lang] = (
            str,
            Field(default="", description=f"the sentence in {writing_of(lang).asked_as}"),
        )
    sentence = create_model(base.__name__, __base__=base, **words)
    # A server that keeps to schemas stops there; of other answers only the surplus is left out.
    extra: dict[str, Any] = {"maxItems": limit} if limit else {}
    return list[sentence], Field(default_factory=list, json_schema_extra=extra)


def words_of(
    answer: BaseModel, languages: Sequence[Language], prefix: str = ""
) -> dict[Language, str]:
    """Return an answer's text by language; empty if a language is missing."""
    texts: dict[Language, str] = {}
    for lang in languages:
        text = " ".join(str(getattr(answer, f"{prefix}{lang}")).split())
        if not text:
            return {}
        # The gate refuses a longer sentence anyway.
        texts[lang] = text[: LONGEST + 1]
    return texts


def asked_languages(languages: Sequence[Language]) -> str:
    """Return the languages as a prompt names them."""
    return " and ".join(writing_of(lang).asked_as for lang in languages)


# ---------------------------------------------------------------- claims


def cited(text: str, handles: Mapping[str, EvidenceId]) -> EvidenceId:
    """Return the id that a model cites by handle, id, number or the start of a hash.

    The start of a hash counts if it fits only one of the commits that have handles.
    """
    text = text.strip("[]` ")
    if text in handles:
        return handles[text]
    shown_ids = list(handles.values())
    for evidence_id in shown_ids:
        key = f"#{evidence_id.number}" if evidence_id.is_thread else evidence_id.revision
        if text in (evidence_id, key) or f"#{text}" == key:
            return evidence_id
    reference = parse_reference(text)
    if reference is None or reference.kind != "commit" or len(reference.sha) < _MIN_HASH:
        return EvidenceId.cited(text)
    candidates: list[EvidenceId] = []
    for evidence_id in shown_ids:
        is_meant_repo = reference.repo in (None, evidence_id.repo)
        if is_meant_repo and evidence_id.is_commit and evidence_id.sha.startswith(reference.sha):
            candidates.append(evidence_id)
    if len(candidates) == 1:
        return candidates[0]
    return EvidenceId.cited(text)


def sentence_claim(
    name: str,
    sentence: Sentence,
    evidence_by_handle: EvidenceByHandle,
    languages: Sequence[Language],
    about: EvidenceId | None = None,
    notes: Mapping[EvidenceId, str] = _NO_NOTES,
) -> Claim | None:
    """Turn a sentence into a claim about what it cites first.

    A citation that was never shown stays, for the gate to refuse.
    """
    text = words_of(sentence, languages)
    if not text:
        return None
    handles = {handle: evidence.id for handle, evidence in evidence_by_handle.items()}
    evidence_by_id = {evidence.id: evidence for evidence in evidence_by_handle.values()}
    cited_ids = [cited(handle, handles) for handle in sentence.cites if handle.strip()]
    cites = tuple(dict.fromkeys([about, *cited_ids] if about else cited_ids))
    repos = {evidence_by_id[cite].repo for cite in cites if cite in evidence_by_id}
    anchors: tuple[Anchor, ...] = ()
    if sentence.anchor.strip() and cites:
        anchor = anchored(sentence.anchor, cites, evidence_by_id, notes)
        anchors = _with_proof(anchor, text, evidence_by_id)
    claim = Claim(
        id=name,
        repo=repos.pop() if len(repos) == 1 else None,
        role="advice" if sentence.advice else "effect",
        about=cites[:1],
        cites=cites,
        text=text,
        anchors=anchors,
        kind=Kind.ADVICE if sentence.advice else Kind.STATED,
        old=sentence.old.strip(),
        new=sentence.new.strip(),
    )
    rests_on_code = has_code_anchor(claim, EvidenceSet(by_id=evidence_by_id, notes=notes))
    # Advice that rests on prose alone is refused.
    is_attributed = bool(anchors) and not sentence.advice and not rests_on_code
    return claim.model_copy(update={"attributed": is_attributed})


def anchored(
    text: str,
    cites: Sequence[EvidenceId],
    evidence_by_id: EvidenceById,
    notes: Mapping[EvidenceId, str] = _NO_NOTES,
) -> Anchor:
    """Return an anchor with the citation that holds it and, in a diff, its file.

    The first citation is taken if none holds it.
    """
    if len(text) > MAX_ANCHOR:
        return Anchor(cite=cites[0], text=text)
    for cite in cites:
        evidence = evidence_by_id.get(cite)
        if evidence is not None and (anchor := _anchor_in(text, evidence)):
            return anchor
    # A note may repeat what a piece of evidence of its own has, so it comes second.
    for cite in cites:
        evidence = evidence_by_id.get(cite)
        if evidence is not None and is_in_code(text, evidence, notes.get(cite, "")):
            return Anchor(cite=cite, text=text)
    return Anchor(cite=cites[0], text=text)


def _anchor_in(text: str, evidence: Citable) -> Anchor | None:
    """Return the anchor that a piece of evidence holds, if it does."""
    if isinstance(evidence, FileEvidence):
        return _anchor_in_file(text, evidence)
    if is_in_prose(text, evidence):
        return Anchor(cite=evidence.id, text=text)
    if isinstance(evidence, CommitEvidence):
        for file in evidence.change.files:
            if is_heading_of(text, file):
                # Words that code wrote above the diff: a reader must not take them for lines of it.
                return Anchor(cite=evidence.id, text=text)
            if is_in_file(text, file):
                lines = exact_lines(text, file.patch or "")
                return Anchor(cite=evidence.id, text=lines, file=file.path)
    return Anchor(cite=evidence.id, text=text) if is_in_code(text, evidence) else None


def _anchor_in_file(text: str, evidence: FileEvidence) -> Anchor | None:
    """Return the anchor that lines of a file hold, with their numbers, if they do."""
    if not is_in_code(text, evidence):
        return None
    return Anchor(cite=evidence.id, text=text, lines=lines_of(text, evidence))


def _with_proof(
    anchor: Anchor, text: Mapping[Language, str], evidence_by_id: EvidenceById
) -> tuple[Anchor, ...]:
    """Return an anchor and, if it names nothing of its sentence, the nearest line that does.

    The line is taken from the same hunk or paragraph; it is what the reader is shown.
    """
    names = names_in(text)
    if any(name in anchor.text for name in names):
        return (anchor,)
    anchor_words = _without_signs(anchor.text)
    for lines in _surroundings(anchor, evidence_by_id.get(anchor.cite)):
        with_names = _numbers_with_names(lines, names)
        if not with_names or anchor_words not in _without_signs("\n".join(lines)):
            continue
        start = _first_line_of(anchor_words, lines)
        nearest = lines[min(with_names, key=lambda number: abs(number - start))]
        if anchor.file is None:
            nearest = nearest.strip()
        return (anchor, _moved(anchor, nearest, evidence_by_id[anchor.cite]))
    return (anchor,)


def _moved(anchor: Anchor, text: str, evidence: Citable) -> Anchor:
    """Return an anchor at another line of the same evidence."""
    lines = lines_of(text, evidence) if isinstance(evidence, FileEvidence) else None
    return anchor.model_copy(update={"text": text, "lines": lines})


def _surroundings(anchor: Anchor, evidence: Citable | None) -> Iterator[list[str]]:
    """Yield the hunks of an anchor's file, or the paragraphs of the texts that it may be from."""
    if evidence is None:
        return
    if isinstance(evidence, CommitEvidence):
        yield from _passages_of_commit(anchor, evidence)
        return
    if isinstance(evidence, FileEvidence):
        # The heading above the lines is ours and proves nothing.
        lines = numbered_lines(evidence)
        yield lines
        yield [without_line_numbers(line) for line in lines]
        return
    for text in evidence.texts:
        for paragraph in text.split("\n\n"):
            yield paragraph.splitlines()


def _passages_of_commit(anchor: Anchor, evidence: CommitEvidence) -> Iterator[list[str]]:
    """Yield the hunks of an anchor's file, or the paragraphs of the message where it has none."""
    if anchor.file is None:
        for paragraph in evidence.change.commit.message.split("\n\n"):
            yield paragraph.splitlines()
    for file in evidence.change.files:
        if file.path == anchor.file:
            for hunk in cut_hunks(file.patch or ""):
                yield hunk.splitlines()[1:]


def _numbers_with_names(lines: Sequence[str], names: Collection[str]) -> list[int]:
    numbers: list[int] = []
    for number, line in enumerate(lines):
        if any(name in line for name in names):
            numbers.append(number)
    return numbers


def _first_line_of(words: str, lines: Sequence[str]) -> int:
    for number, line in enumerate(lines):
        bare = _without_signs(line)
        if bare and bare in words:
            return number
    return 0


def _without_signs(text: str) -> str:
    """Return words without the signs of a diff at the start of its lines."""
    lines = text.splitlines()
    return normal("\n".join(line[1:] if line[:1] in "+- " else line for line in lines))
